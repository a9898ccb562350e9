"""The use cases that rule sets and pipelines have alike, declared for each of them.

Docstrings speak of configurations; for each kind of them the word is replaced.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.types import (
    ConfiguredPage,
    ConfiguredSummary,
    DocumentChange,
    DocumentChecked,
    DocumentFlaw,
    DocumentToCheck,
    VersionApplied,
    VersionEntry,
    VersionPage,
    VersionReturn,
    VersionReturned,
    VersionShown,
    VersionsWanted,
    VersionWanted,
)
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType, NewVersion
from gatehouse.core.clock import Moment
from gatehouse.core.documents.yaml_document import DocumentRefused
from gatehouse.core.errors import InvalidFields, InvalidInput, NotFound, VersionNotNamed
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import (
    ANY_VERSION,
    MOST_DOCUMENT_BYTES,
    Precondition,
    Tagged,
    UseCase,
    use_case,
)
from gatehouse.store.configured.configurations import StaleVersion

Declared = tuple[UseCase[..., Any], ...]


class Configured(NamedTuple):
    """What tells the use cases of rule sets and of pipelines apart."""

    module: str
    """Where they are declared."""
    path: str
    scope: str
    noun: str
    """In ids of operations."""
    words: str
    name: Meta
    """What the name of one is."""
    document: str
    """An example."""
    load: Callable[[], ConfigurationType[Any]]
    """Imports the readers of documents, without which a server starts sooner."""

    def offers(
        self, route: str, operation: str, answers: str, **terms: Any
    ) -> Callable[[Callable[..., Any]], UseCase[..., Any]]:
        """Declares one of the use cases, in the words of this kind."""
        method, _, path = route.partition(" ")
        declare = use_case(
            f"{method} {self.path}{path}",
            scope=self.scope,
            permission=Permission.SEE if method == "GET" else Permission.CONFIGURE,
            operation=operation.format(self.noun),
            answers=answers.format(self.noun[0].lower() + self.noun[1:]),
            **terms,
        )

        def declared(function: Callable[..., Any]) -> UseCase[..., Any]:
            function.__doc__ = (function.__doc__ or "").replace("configuration", self.words)
            function.__module__ = self.module
            return declare(function)

        return declared


def readings(of: Configured) -> Declared:
    """Listing, showing and comparing with the past, for one kind."""

    @of.offers("GET", "list{}s", "{}sResponse")
    def listing(session: AdminSession, account_id: str) -> ConfiguredPage:
        """List configurations.

        The configurations in force, by name.
        """
        kind = of.load()
        found = [
            (each.version, each.definition)
            for each in configurations.listing(session, account_id, kind)
        ]
        return ConfiguredPage(
            [
                ConfiguredSummary(
                    kind.name_of(each), version, kind.parts(each), each.description or ""
                )
                for version, each in found
            ]
        )

    @of.offers("GET /{name}", "get{}", "{}Response")
    def show(
        session: AdminSession, account_id: str, name: Annotated[str, of.name], wanted: VersionWanted
    ) -> Tagged[VersionShown]:
        """Show a configuration.

        One version of a configuration as its author wrote it, by default the one in force. Its
        `ETag` is for `If-Match` of a change.
        """
        found = configurations.get(session, account_id, of.load(), name, wanted.version)
        shown = VersionShown(name, found.version, found.in_force, found.document)
        return Tagged(shown, found.version)

    @of.offers("GET /{name}/versions", "list{}Versions", "versionsResponse")
    def history(
        session: AdminSession, account_id: str, name: Annotated[str, of.name], page: VersionsWanted
    ) -> VersionPage:
        """History of a configuration.

        All versions, newest first: who made which when, and why.
        """
        left = [
            VersionEntry(
                each.version, Moment(each.created_at_ms), each.actor, each.note, each.active
            )
            for each in configurations.history(session, account_id, of.load(), name)
            if page.starting_after is None or each.version < page.starting_after
        ]
        return VersionPage(left[: page.limit], len(left) > page.limit)

    return listing, show, history


def changes(of: Configured) -> Declared:
    """Checking a document, applying it and going back, for one kind."""
    terms = {"example": {"document": of.document}, "most_bytes": MOST_DOCUMENT_BYTES}

    @of.offers("POST /check", "check{}", "checkResponse", reads=True, **terms)
    def check(session: AdminSession, account_id: str, given: DocumentToCheck) -> DocumentChecked:
        """Check a configuration.

        Says everything that is wrong with a document, and what it would change. Changes nothing.
        """
        new = NewVersion(given.document.encode(), dry_run=True)
        try:
            done = configurations.apply(session, account_id, of.load(), new)
        except InvalidInput as refused:
            return DocumentChecked(False, None, _flaws(refused), [], [])
        return DocumentChecked(True, done.name, [], done.differences, done.remarks)

    @of.offers("PUT /{name}", "apply{}", "applyResponse", **terms)
    def apply(
        session: AdminSession,
        account_id: str,
        name: Annotated[str, of.name],
        given: DocumentChange,
        dry_run: bool = False,
        seen: Precondition = ANY_VERSION,
    ) -> Tagged[VersionApplied]:
        """Apply a configuration.

        Makes a document the next version of its configuration and puts it in force. If there is
        one already, `If-Match` must name the version that was changed.
        """
        kind, content = of.load(), given.document.encode()
        tried = configurations.apply(session, account_id, kind, NewVersion(content, dry_run=True))
        if tried.name != name:
            told = f"is {of.words} {tried.name}, but the path names another"
            raise InvalidFields({"document": [told]})
        is_first = _is_first(session, account_id, kind, name, seen)
        new = NewVersion(content, seen.version, given.note, dry_run, is_first)
        done = configurations.apply(session, account_id, kind, new)
        return Tagged(done, done.version)

    @of.offers("POST /{name}/rollback", "rollBack{}", "rollbackResponse")
    def roll_back(
        session: AdminSession,
        account_id: str,
        name: Annotated[str, of.name],
        given: VersionReturn,
        dry_run: bool = False,
        seen: Precondition = ANY_VERSION,
    ) -> Tagged[VersionReturned]:
        """Roll a configuration back.

        Puts an earlier version in force again. With `If-Match`, only if that version is in force.
        """
        kind = of.load()
        done = configurations.roll_back(session, account_id, kind, name, given, dry_run, seen)
        return Tagged(done, done.version)

    return check, apply, roll_back


def _flaws(refused: InvalidInput) -> list[DocumentFlaw]:
    if isinstance(refused, DocumentRefused):
        return [DocumentFlaw(one.path, one.line, one.column, one.message) for one in refused.flaws]
    return [DocumentFlaw("", 0, 0, line) for line in str(refused).splitlines()]


def _is_first(
    session: AdminSession,
    account_id: str,
    kind: ConfigurationType[Any],
    name: str,
    seen: Precondition,
) -> bool:
    """Whether nothing is in force yet; refused if that, or what is, is not what was seen."""
    try:
        now = configurations.get(session, account_id, kind, name).version
    except NotFound:
        if seen.any_version:
            raise StaleVersion("it is new") from None
        return True
    if seen.must_be_new:
        raise StaleVersion(f"version {now} is in force")
    if seen.version is None and not seen.any_version:
        raise VersionNotNamed(f"version {now} is in force")
    return False
