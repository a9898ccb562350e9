"""The pipelines of an account: their stages in order, the editor, and a dry run of a draft."""

from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import ApplyPipeline
from gatehouse.admin.configurations.pages import (
    DOCUMENT_BYTES,
    VersionPages,
    applied_notice,
    base_of,
    flaws_of,
)
from gatehouse.admin.configurations.types import VersionApplied
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.decisions import get_decision, list_decisions
from gatehouse.admin.people.use_cases.reveals import note_reveal
from gatehouse.admin.pipelines.pages.pipeline_requests import request_for
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.pipelines.use_cases.pipeline_rehearsal import LARGEST_REQUEST, try_request
from gatehouse.admin.pipelines.use_cases.pipeline_trial import PipelineTrial, try_pipeline
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES, PipelineView
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import PageRefused, Told
from gatehouse.console.visit import Visit
from gatehouse.core.documents.yaml_document import Flaw
from gatehouse.core.errors import InvalidInput, NotFound, RequestRefused
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import said_by
from gatehouse.decisions.record import DecisionRecord
from gatehouse.pipeline.authoring import read_pipeline
from gatehouse.pipeline.definition import needs
from gatehouse.pipeline.settlement import Search

VERSIONS: Final = VersionPages(PIPELINES, "pipelines", "pipeline")
_OFFERED: Final = 20
_RECORDED: Final = "recorded"
_WRITTEN: Final = "written"
_MOST_NUMBER: Final = 999_999


class PipelineDraft(msgspec.Struct, frozen=True):
    """A document that somebody is writing: what is wrong in it, or what it would change."""

    flaws: list[Flaw] = []
    planned: VersionApplied | None = None
    trial: PipelineTrial | None = None
    problem: str | None = None
    """Why the request could not be tried."""
    refused: list[tuple[str, str]] = []
    """What the API would say is wrong with the request, by path."""


def show_pipelines(visit: Visit) -> Response:
    """All pipelines with their stages."""
    found = configurations.listing(*visit.opened, PIPELINES)
    return visit.render("pipelines/pipelines.html", pipelines=found)


def show_pipeline(visit: Visit) -> Response:
    """One pipeline: what each stage does, when it stops and is skipped, what it costs."""
    view = pipelines.get(*visit.opened, _number(visit))
    definition = view.stored.definition
    return visit.render(
        "pipelines/pipeline.html",
        view=view,
        definition=definition,
        stages=list(zip(definition.stages, view.fees, strict=True)),
        registry=REGISTRY,
        needs=needs(definition),
    )


def show_new(visit: Visit) -> Response:
    """The editor with a copy of the first pipeline under a free number."""
    found = configurations.listing(*visit.opened, PIPELINES)
    taken = {each.definition.number for each in found}
    free = next(number for number in range(1, _MOST_NUMBER) if number not in taken)
    document = f"pipeline: {free}\nname: \nstages:\n"
    if found:
        first = found[0]
        before = f"pipeline: {first.definition.number}"
        document = first.document.replace(before, f"pipeline: {free}", 1)
    return _edit(visit, None, document)


def show_edit(visit: Visit) -> Response:
    """The editor with the version in force, or with an earlier one."""
    found = pipelines.get(*visit.opened, _number(visit))
    document = found.stored.document
    earlier = read_number(visit.query["version"])
    if earlier is not None:
        older = pipelines.get(*visit.opened, _number(visit), earlier)
        document = older.stored.document
    return _edit(visit, found, document)


def show_sent(visit: Visit) -> Response:
    """The editor again, with what was sent."""
    return _edit(visit, _sent_pipeline(visit), visit.form["document"])


def check(visit: Visit) -> Response:
    """Say what is wrong in a draft, what it would change, and what it does to a request."""
    document = visit.form["document"]
    if visit.form.get("start"):
        return _edit(visit, _sent_pipeline(visit), document)
    draft = _checked(visit, document)
    if visit.is_fragment:
        return visit.render("pipelines/draft.html", draft=draft)
    return _edit(visit, _sent_pipeline(visit), document, draft)


def apply(visit: Visit) -> Response:
    """Put a draft in force, or propose it where two pairs of eyes are wanted."""
    document, note = visit.form["document"], visit.entered("note")
    number, base = visit.form["pipeline"], base_of(visit)
    if not note:
        raise visit.refuse("note", "rules.problems.note")
    written = str(read_pipeline(document.encode()).number)
    if number and written != number:
        raise Told(visit.text("pipelines.wrong_number", number=number, written=written))
    new = NewVersion(document.encode(), base, note, is_first=not number)
    if VERSIONS.needs_approval(visit):
        return propose(visit, ApplyPipeline(document, base, note))
    done = pipelines.apply(*visit.opened, new)
    return visit.redirect("pipeline", pipeline=done.name, notice=applied_notice(done))


def _checked(visit: Visit, document: str) -> PipelineDraft:
    content = document.encode()
    try:
        new = NewVersion(content, dry_run=True)
        planned = pipelines.apply(*visit.opened, new)
    except InvalidInput as error:
        return PipelineDraft(flaws=flaws_of(error))
    try:
        trial = _tried(visit, content)
    except RequestRefused as error:
        wrong = [(path, visit.said(each)) for path, found in error.fields.items() for each in found]
        wrong += [("", visit.said(each)) for each in error.details]
        told = visit.text("pipelines.refused", code=error.code)
        return PipelineDraft(planned=planned, problem=told, refused=wrong)
    except (InvalidInput, NotFound) as error:
        return PipelineDraft(planned=planned, problem=visit.said(said_by(error)))
    return PipelineDraft(planned=planned, trial=trial)


def _tried(visit: Visit, content: bytes) -> PipelineTrial | None:
    session, account_id = visit.opened
    if visit.form.get("mode") == _WRITTEN:
        body = visit.form["written"].encode()
        return try_request(session, account_id, visit.desk.settings, content, body)
    request_id = visit.entered("request")
    return try_pipeline(session, account_id, content, request_id) if request_id else None


def _edit(
    visit: Visit, found: PipelineView | None, document: str, draft: PipelineDraft | None = None
) -> Response:
    version = None if found is None else found.stored.version
    base = base_of(visit) or version
    newer = None
    if version is not None and base is not None and base != version:
        name = visit.form["pipeline"]
        seen = (base, version)
        newer = configurations.compare(*visit.opened, PIPELINES, name, seen)
    return visit.render(
        "pipelines/edit.html",
        found=found,
        edited=None if found is None else found.stored.definition.number,
        document=document,
        base=base,
        newer=newer,
        draft=draft,
        recent=_recent(visit),
        request=visit.form["request"],
        mode=_WRITTEN if visit.form.get("start") else visit.form.get("mode", _RECORDED),
        written=_written(visit, document),
        longest=LARGEST_REQUEST,
        note=visit.form["note"],
        proposing=VERSIONS.needs_approval(visit),
    )


def _written(visit: Visit, document: str) -> str:
    """The request that was sent with the form, or one to begin with."""
    if not visit.form.get("start"):
        return visit.form.get("written") or request_for(document)
    request_id = visit.entered("request")
    try:
        record = get_decision(*visit.opened, request_id)
    except (InvalidInput, NotFound):
        return request_for(document)
    if not visit.may(Permission.REVEAL):
        return request_for(document)
    note_reveal(*visit.opened, "pipeline-trial", record.request_id)
    return request_for(document, record)


def _recent(visit: Visit) -> list[DecisionRecord]:
    """The newest requests that a draft can be tried on."""
    found = list_decisions(*visit.opened, Search(None, None, _OFFERED))
    return [each for each in found if each.signals is not None]


def _sent_pipeline(visit: Visit) -> PipelineView | None:
    number = read_number(visit.form["pipeline"])
    if number is None:
        return None
    return pipelines.get(*visit.opened, number)


def _number(visit: Visit) -> int:
    number = read_number(visit.place("pipeline"))
    if number is None:
        raise PageRefused(404, "problems.no_page")
    return number


_ALL: Final = "/a/{account}/pipelines"
_ONE: Final = f"{_ALL}/{{pipeline}}"
_CHANGE: Final[dict[str, Any]] = {"permission": Permission.CONFIGURE}
_SENT: Final[dict[str, Any]] = {**_CHANGE, "again": show_sent, "most_bytes": DOCUMENT_BYTES}

PAGES: Final[Declarations] = (
    Page(_ALL, "pipelines", show_pipelines, permission=Permission.SEE),
    Page(f"{_ALL}/new", "pipelines-new", show_new, **_CHANGE),
    Action(f"{_ALL}/check", "pipelines-check", check, **_SENT),
    Action(f"{_ALL}/apply", "pipelines-apply", apply, **_SENT),
    Page(_ONE, "pipeline", show_pipeline, permission=Permission.SEE),
    Page(f"{_ONE}/edit", "pipelines-edit", show_edit, **_CHANGE),
    *VERSIONS.declared(_ONE),
)
