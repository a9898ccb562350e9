"""Jobs over HTTP: how far each is, and its end on demand."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.access.keys import ANY_MANAGE
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import JobKind, JobResponse
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.api.manage.endpoints import LIMIT, ManageCall, ManageEndpoint, Parameter
from gatehouse.core.errors import NotFound
from gatehouse.core.ids import is_id
from gatehouse.store.jobs import StoredJob

SCOPES: Final = {
    JobKind.BACKTEST: "manage:rules",
    JobKind.TRAINING: "manage:models",
    JobKind.IDENTITY_IMPORT: "manage:identities",
    JobKind.FEEDBACK_IMPORT: "manage:feedback",
    JobKind.ERASURE: "manage:identities",
}
"""What a key needs to start a job of a kind, and to see it."""


def _job_id(text: str) -> str:
    if not is_id(text, "job"):
        raise ValueError("must be a jobId, as in the last job of a page")
    return text


_AFTER: Final = Parameter(
    "startingAfter",
    "The last `jobId` of the page before.",
    {"type": "string", "pattern": "^job_[0-7][0-9a-hjkmnp-tv-z]{25}$"},
    _job_id,
)
_ABOUT_ID: Final = {"jobId": "The `jobId` of the answer that began it."}


class JobPage(msgspec.Struct, frozen=True, rename="camel"):
    """Jobs, newest first."""

    jobs: Annotated[list[JobResponse], Meta(description="Newest first.")]
    has_more: Annotated[bool, Meta(description="Whether there are more.", examples=[False])]


def _listing(call: ManageCall) -> JobPage:
    kinds = [kind for kind, scope in SCOPES.items() if call.caller.key.allows_operation(scope)]
    limit: int = call.query["limit"]
    found = queue.list_jobs(
        call.session, call.account_id, kinds, call.query["startingAfter"], limit + 1
    )
    return JobPage([_shown(call, each) for each in found[:limit]], len(found) > limit)


def _visible(call: ManageCall) -> StoredJob:
    """The job of the path, if the key could have started it."""
    job = queue.get_job(call.session, call.account_id, call.path["jobId"])
    if not call.caller.key.allows_operation(SCOPES[JobKind(job.kind)]):
        raise NotFound("no such job for this key")
    return job


def _cancel(call: ManageCall) -> JobResponse:
    job = _visible(call)
    return _shown(call, queue.cancel_job(call.session, call.account_id, job.id))


def _shown(call: ManageCall, job: StoredJob) -> JobResponse:
    """The job without requests that its result names, if the key may not read these."""
    shown = shown_job(job)
    if shown.result is None or "examples" not in shown.result or call.caller.key.reads_requests:
        return shown
    return msgspec.structs.replace(shown, result={**shown.result, "examples": []})


JOB_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/jobs",
        scope=ANY_MANAGE,
        operation="listJobs",
        field="jobsResponse",
        summary="List jobs",
        about="The account's jobs that the key may see, newest first. They are kept for 30 "
        "days after their end.",
        query=(LIMIT, _AFTER),
        answer=JobPage,
        run=_listing,
    ),
    ManageEndpoint(
        method="GET",
        path="/jobs/{jobId}",
        scope=ANY_MANAGE,
        operation="getJob",
        field="jobResponse",
        summary="Show a job",
        about="How far a job is, and its result or why it failed. Ask again every second or "
        "so while it is `QUEUED` or `RUNNING`.",
        path_about=_ABOUT_ID,
        answer=JobResponse,
        run=lambda call: _shown(call, _visible(call)),
    ),
    ManageEndpoint(
        method="POST",
        path="/jobs/{jobId}/cancel",
        scope=ANY_MANAGE,
        operation="cancelJob",
        field="jobResponse",
        summary="Cancel a job",
        about="Ends a job that waits. One that runs is ended within seconds; what an import "
        "has stored by then stays.",
        path_about=_ABOUT_ID,
        answer=JobResponse,
        run=_cancel,
    ),
)
