"""Feedback in bulk: many statements in one call, or a file of them as a job."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.feedback.use_cases.record import record_many
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import (
    MOST_IMPORT_BYTES,
    FileFormat,
    ImportedFile,
    ImportOrder,
    JobKind,
    JobResponse,
)
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.api.feedback import FeedbackOutcome, FeedbackRequest, statement_of, subject_of
from gatehouse.api.manage.endpoints import DRY_RUN, ManageCall, ManageEndpoint
from gatehouse.core.errors import GatehouseError
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.hidden import Personal
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES

_SCOPE: Final = "manage:feedback"
MOST_ITEMS: Final = 500


class FeedbackBatch(msgspec.Struct, frozen=True, rename="camel"):
    """Statements about requests."""

    items: Annotated[
        list[FeedbackRequest],
        Meta(
            min_length=1,
            max_length=MOST_ITEMS,
            description="Each as `POST /api/v1/feedback` takes it.",
            examples=[[{"clientReferenceId": "order-1", "label": "CHARGEBACK"}]],
        ),
    ]


class FeedbackItemResult(msgspec.Struct, frozen=True, rename="camel"):
    """What became of one statement."""

    recorded: Annotated[bool, Meta(description="Whether it was kept.", examples=[True])]
    error: Annotated[str | None, Meta(description="Why not.")]
    requests: Annotated[list[FeedbackOutcome], Meta(description="The requests it speaks of.")]


class FeedbackBatchResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What became of the statements."""

    recorded: Annotated[int, Meta(description="How many were kept.", examples=[1])]
    refused: Annotated[int, Meta(description="How many were not.", examples=[0])]
    items: Annotated[list[FeedbackItemResult], Meta(description="In the order of the request.")]


class FeedbackFile(Personal, frozen=True, rename="camel"):
    """A file of feedback."""

    format: FileFormat
    content: Annotated[
        ImportedFile, Meta(examples=["clientReferenceId,label\norder-1,CHARGEBACK\n"])
    ]


def _record(call: ManageCall) -> FeedbackBatchResponse:
    batch: FeedbackBatch = call.body
    hasher = EntityHasher(call.session.ring.current(keyring.ENTITIES)[1])
    now_ms = call.session.clock()
    given = [
        (subject_of(each, hasher)[1], statement_of(each, now_ms, f"items[{number}]."))
        for number, each in enumerate(batch.items)
    ]
    done = record_many(call.session, call.account_id, given)
    items = [
        FeedbackItemResult(False, str(each) or "refused", [])
        if isinstance(each, GatehouseError)
        else FeedbackItemResult(
            True,
            None,
            [FeedbackOutcome(o.request_id, o.label, o.previous, o.changed) for o in each],
        )
        for each in done
    ]
    recorded = sum(each.recorded for each in items)
    return FeedbackBatchResponse(recorded, len(items) - recorded, items)


def _import(call: ManageCall) -> JobResponse:
    wanted: FeedbackFile = call.body
    order = ImportOrder(wanted.format, call.dry_run)
    kind, content = JobKind.FEEDBACK_IMPORT, wanted.content.encode()
    return shown_job(queue.start_job(call.session, call.account_id, kind, order, content))


FEEDBACK_ENDPOINTS: Final = (
    ManageEndpoint(
        method="POST",
        path="/feedback",
        scope=_SCOPE,
        operation="giveFeedbackInBulk",
        field="feedbackBatchResponse",
        summary="Give feedback in bulk",
        about="Records up to 500 statements, each on its own: one that is refused does not "
        "keep the others from being kept. The same said again changes nothing.",
        body=FeedbackBatch,
        answer=FeedbackBatchResponse,
        run=_record,
        most_bytes=MOST_DOCUMENT_BYTES,
    ),
    ManageEndpoint(
        method="POST",
        path="/feedback/imports",
        scope=_SCOPE,
        operation="importFeedback",
        field="jobResponse",
        summary="Import feedback",
        about="Starts a job that imports a file of statements, of up to 4 MiB. Its result "
        "counts them and reports rows that cannot be used.",
        body=FeedbackFile,
        query=(DRY_RUN,),
        answer=JobResponse,
        run=_import,
        most_bytes=MOST_IMPORT_BYTES,
    ),
)
