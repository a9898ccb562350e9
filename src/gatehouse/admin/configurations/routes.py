"""Rule sets and pipelines over HTTP: listed, shown, checked, applied and rolled back alike."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import (
    AppliedVersion,
    ConfigurationType,
    ConfigurationVersion,
    NewVersion,
    Return,
)
from gatehouse.api.manage.endpoints import (
    DRY_RUN,
    LIMIT,
    ManageCall,
    ManageEndpoint,
    Parameter,
    whole_number,
)
from gatehouse.api.manage.messages import (
    PIPELINE_EXAMPLE,
    RULES_EXAMPLE,
    DocumentChange,
    DocumentChecked,
    DocumentFlaw,
    DocumentToCheck,
    VersionApplied,
    VersionPage,
    VersionReturn,
    VersionReturned,
    VersionShown,
    shown_applied,
    shown_return,
    shown_versions,
)
from gatehouse.api.problems import Problem
from gatehouse.core.documents.yaml_document import DocumentRefused
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, Tagged

_LARGEST: Final = 2**31 - 1
_NUMBER: Final = {"type": "integer", "minimum": 1, "maximum": _LARGEST}
_VERSION: Final = Parameter(
    "version", "Its number; without it, the one in force.", _NUMBER, whole_number(1, _LARGEST)
)
_BELOW: Final = Parameter(
    "startingAfter", "The last version of the page before.", _NUMBER, whole_number(1, _LARGEST)
)


class ConfiguredSummary(msgspec.Struct, frozen=True, rename="camel"):
    """What is in force under one name."""

    name: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    version: Annotated[int, Meta(description="The version in force.", examples=[3])]
    parts: Annotated[int, Meta(description="How many rules, or stages.", examples=[12])]
    description: Annotated[str, Meta(description="What it is for.", examples=["Card payments"])]


class ConfiguredPage(msgspec.Struct, frozen=True, rename="camel"):
    """Everything of a kind that is in force, by name."""

    items: Annotated[list[ConfiguredSummary], Meta(description="By name.")]


class Authored(msgspec.Struct, frozen=True):
    """How documents of a kind are read and applied."""

    kind: ConfigurationType[Any]
    apply: Callable[[AdminSession, str, NewVersion], AppliedVersion]
    parts: Callable[[Any], int]


class ConfiguredSubject(msgspec.Struct, frozen=True):
    """What tells the endpoints of rule sets and of pipelines apart."""

    segment: str
    """Of the path."""
    scope: str
    noun: str
    """In ids of operations."""
    words: str
    name_about: str
    example: tuple[str, str]
    """A name, and a document of that name."""
    load: Callable[[], Authored]
    """Imports the readers of documents, without which a server starts sooner."""


def _rule_sets() -> Authored:
    from gatehouse.admin.rule_sets.use_cases import rule_sets

    return Authored(rule_sets.RULE_SETS, rule_sets.apply, lambda each: len(each.rules))


def _pipelines() -> Authored:
    from gatehouse.admin.pipelines.use_cases import pipelines

    return Authored(pipelines.PIPELINES, pipelines.apply, lambda each: len(each.stages))


SUBJECTS: Final = (
    ConfiguredSubject(
        "/rules",
        "manage:rules",
        "RuleSet",
        "rule set",
        "Name of the rule set.",
        ("checkout", RULES_EXAMPLE),
        _rule_sets,
    ),
    ConfiguredSubject(
        "/pipelines",
        "manage:pipelines",
        "PipelineDefinition",
        "pipeline",
        "Number of the pipeline.",
        ("40", PIPELINE_EXAMPLE),
        _pipelines,
    ),
)


def configured_endpoints() -> list[ManageEndpoint]:
    """The endpoints of both subjects."""
    return [
        endpoint for subject in SUBJECTS for endpoint in (*_readings(subject), *_changes(subject))
    ]


def _readings(subject: ConfiguredSubject) -> list[ManageEndpoint]:
    handlers = _Configured(subject)
    noun, words = subject.noun, subject.words
    field = noun[0].lower() + noun[1:]
    scope, path = subject.scope, subject.segment
    one, about, shown = path + "/{name}", {"name": subject.name_about}, {"name": subject.example[0]}
    return [
        ManageEndpoint(
            method="GET",
            path=path,
            scope=scope,
            operation=f"list{noun}s",
            field=f"{field}sResponse",
            summary=f"List {words}s",
            about=f"The {words}s in force, by name.",
            answer=ConfiguredPage,
            run=handlers.listing,
        ),
        ManageEndpoint(
            method="POST",
            path=f"{path}/check",
            scope=scope,
            operation=f"check{noun}",
            field="checkResponse",
            summary=f"Check a {words}",
            about="Says everything that is wrong with a document, and what it would change. "
            "Changes nothing.",
            body=DocumentToCheck,
            body_example={"document": subject.example[1]},
            answer=DocumentChecked,
            run=handlers.check,
            reads=True,
            most_bytes=MOST_DOCUMENT_BYTES,
        ),
        ManageEndpoint(
            method="GET",
            path=one,
            scope=scope,
            operation=f"get{noun}",
            field=f"{field}Response",
            summary=f"Show a {words}",
            about=f"One version of a {words} as its author wrote it, by default the one in force. "
            "Its `ETag` is for `If-Match` of a change.",
            query=(_VERSION,),
            path_about=about,
            path_examples=shown,
            answer=VersionShown,
            run=handlers.show,
            tagged=True,
        ),
        ManageEndpoint(
            method="GET",
            path=f"{one}/versions",
            scope=scope,
            operation=f"list{noun}Versions",
            field="versionsResponse",
            summary=f"History of a {words}",
            about="All versions, newest first: who made which when, and why.",
            query=(LIMIT, _BELOW),
            path_about=about,
            path_examples=shown,
            answer=VersionPage,
            run=handlers.history,
        ),
    ]


def _changes(subject: ConfiguredSubject) -> list[ManageEndpoint]:
    handlers = _Configured(subject)
    noun, words, scope = subject.noun, subject.words, subject.scope
    one, about = subject.segment + "/{name}", {"name": subject.name_about}
    shown = {"name": subject.example[0]}
    return [
        ManageEndpoint(
            method="PUT",
            path=one,
            scope=scope,
            operation=f"apply{noun}",
            field="applyResponse",
            summary=f"Apply a {words}",
            about=f"Makes a document the next version of its {words} and puts it in force. If "
            "there is one already, `If-Match` must name the version that was changed.",
            body=DocumentChange,
            body_example={"document": subject.example[1]},
            query=(DRY_RUN,),
            path_about=about,
            path_examples=shown,
            answer=VersionApplied,
            run=handlers.apply,
            tagged=True,
            guarded=True,
            most_bytes=MOST_DOCUMENT_BYTES,
        ),
        ManageEndpoint(
            method="POST",
            path=f"{one}/rollback",
            scope=scope,
            operation=f"rollBack{noun}",
            field="rollbackResponse",
            summary=f"Roll a {words} back",
            about="Puts an earlier version in force again. With `If-Match`, only if that version "
            "is in force.",
            body=VersionReturn,
            query=(DRY_RUN,),
            path_about=about,
            path_examples=shown,
            answer=VersionReturned,
            run=handlers.roll_back,
            tagged=True,
            guarded=True,
        ),
    ]


class _Configured:
    """The calls of one subject."""

    def __init__(self, subject: ConfiguredSubject) -> None:
        self._words = subject.words
        self._load = cache(subject.load)

    @property
    def _kind(self) -> ConfigurationType[Any]:
        return self._load().kind

    def listing(self, call: ManageCall) -> ConfiguredPage:
        found = configurations.listing(call.session, call.account_id, self._kind)
        return ConfiguredPage([self._summary(each) for each in found])

    def _summary(self, found: ConfigurationVersion[Any]) -> ConfiguredSummary:
        definition = found.definition
        return ConfiguredSummary(
            self._kind.name_of(definition),
            found.version,
            self._load().parts(definition),
            definition.description or "",
        )

    def show(self, call: ManageCall) -> Tagged[Any]:
        name, version = call.path["name"], call.query["version"]
        found = configurations.get(call.session, call.account_id, self._kind, name, version)
        shown = VersionShown(name, found.version, found.in_force, found.document)
        return Tagged(shown, found.version)

    def history(self, call: ManageCall) -> VersionPage:
        lines = configurations.history(call.session, call.account_id, self._kind, call.path["name"])
        return shown_versions(lines, call.query["limit"], call.query["startingAfter"])

    def check(self, call: ManageCall) -> DocumentChecked:
        document: str = call.body.document
        new = NewVersion(document.encode(), dry_run=True)
        try:
            done = self._load().apply(call.session, call.account_id, new)
        except DocumentRefused as refused:
            flaws = [
                DocumentFlaw(flaw.path, flaw.line, flaw.column, flaw.message)
                for flaw in refused.flaws
            ]
            return DocumentChecked(False, None, flaws, [], [])
        except InvalidInput as refused:
            flaws = [DocumentFlaw("", 0, 0, line) for line in str(refused).splitlines()]
            return DocumentChecked(False, None, flaws, [], [])
        return DocumentChecked(True, done.name, [], done.differences, done.warnings or [])

    def apply(self, call: ManageCall) -> Tagged[Any]:
        apply, dry_run = self._load().apply, call.dry_run
        trial = NewVersion(call.body.document.encode(), dry_run=True)
        name = apply(call.session, call.account_id, trial).name
        if name != call.path["name"]:
            told = f"is {self._words} {name}, but the path names another"
            raise Problem("invalid_request", fields={"document": [told]})
        new = msgspec.structs.replace(self._new_version(call), dry_run=dry_run)
        done = apply(call.session, call.account_id, new)
        return Tagged(shown_applied(done, dry_run=dry_run), done.version)

    def roll_back(self, call: ManageCall) -> Tagged[Any]:
        wanted = Return(call.body.to, call.precondition.expected, call.dry_run)
        name = call.path["name"]
        done = configurations.rollback(call.session, call.account_id, self._kind, name, wanted)
        return Tagged(shown_return(done, dry_run=call.dry_run), done.version)

    def _new_version(self, call: ManageCall) -> NewVersion:
        """The document with the version that it changes, or a `Problem` when that is not said."""
        seen, name = call.precondition, call.path["name"]
        new = NewVersion(call.body.document.encode(), seen.version, call.body.note)
        try:
            now = configurations.get(call.session, call.account_id, self._kind, name).version
        except NotFound:
            if seen.any_version:
                raise Problem("precondition_failed", details=["it is new"]) from None
            return msgspec.structs.replace(new, is_first=True)
        if seen.must_be_new:
            raise Problem("precondition_failed", details=[f"version {now} is in force"])
        if seen.version is None and not seen.any_version:
            raise Problem("precondition_required", details=[f"version {now} is in force"])
        return new


CONFIGURED_ENDPOINTS: Final = tuple(configured_endpoints())
