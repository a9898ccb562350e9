"""Statements about requests: their types, and the rule by which a statement is recorded or not."""

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.labels import LONGEST_ID, Label, LabelSource
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.database import struct_from

_FEEDBACK_STATEMENTS: Final = Phrase(
    "refused.feedback_statements",
    "{most} statements about this request were kept, and more are not; what was said last stays",
)

MOST_REQUESTS: Final = 100
"""How many requests one name may stand for; a name of more requests is refused."""
MOST_STATEMENTS: Final = 100
"""How many statements about one request are stored, and shown."""

_log: Final = logging.getLogger("gatehouse.store")


class FeedbackSubject(msgspec.Struct, frozen=True):
    """Names requests by exactly one field, in the form that records have."""

    request_id: str | None = None
    transaction: str | None = None
    client_reference: str | None = None


class FeedbackStatement(msgspec.Struct, frozen=True):
    """What requests turned out to be."""

    label: Label
    found_at_ms: int | None = None
    """When it was found out, or charged back."""
    amount: int | None = None
    currency: str | None = None


class LabelReport(msgspec.Struct, frozen=True):
    """A statement about requests of an account, and who makes it."""

    account_id: str
    request_ids: Sequence[str]
    statement: FeedbackStatement
    actor: str
    source: LabelSource


class LabelOutcome(msgspec.Struct, frozen=True):
    """What became of a statement about one request."""

    request_id: str
    label: Label
    previous: Label | None
    """The label that counted until now; None when there was none."""
    changed: bool
    """Whether it was new; the same statement again is not stored twice."""
    recorded_at_ms: int
    """When it was made for the first time."""


class LabelEntry(msgspec.Struct, frozen=True):
    """One row of the history of a request."""

    seq: int
    request_id: str
    label: Label
    previous: Label | None
    found_at_ms: int | None
    amount: int | None
    currency: str | None
    recorded_at_ms: int
    actor: str
    source: LabelSource

    @property
    def statement(self) -> FeedbackStatement:
        """The statement without who made it, when and how."""
        return FeedbackStatement(self.label, self.found_at_ms, self.amount, self.currency)


class LabelState(msgspec.Struct, frozen=True):
    """The newest statement about a request, and how many are stored."""

    statement: FeedbackStatement
    at_ms: int
    imported: bool
    number: int


class AssessedStatement(NamedTuple):
    """What a statement changes, and whether it is stored."""

    previous: Label | None
    changed: bool
    stored: bool


class TooManyStatements(Conflict):
    """A request has as many statements as are stored about one."""

    def __init__(self) -> None:
        super().__init__(_FEEDBACK_STATEMENTS(most=MOST_STATEMENTS))


def assess(
    statement: FeedbackStatement, source: LabelSource, before: LabelState | None
) -> AssessedStatement:
    """What a statement changes; `TooManyStatements` when it would be one too many."""
    last = None if before is None else before.statement
    previous = None if last is None or last.label is Label.WITHDRAWN else last.label
    # Withdrawing a label that was never given changes nothing.
    changed = statement.label is not Label.WITHDRAWN if last is None else statement != last
    # A file is recognised by its statements on record, so they are stored even if nothing changes.
    imported = source is LabelSource.IMPORT and (before is None or not before.imported)
    stored = changed or imported
    full = before is not None and before.number >= MOST_STATEMENTS
    # A review is resolved once, and must not fail because of many statements by others.
    if stored and full and source is not LabelSource.REVIEW:
        raise TooManyStatements
    return AssessedStatement(previous, changed, stored)


def next_state(
    statement: FeedbackStatement, source: LabelSource, before: LabelState | None, at_ms: int
) -> LabelState:
    """The state of a request after a statement was stored."""
    number = 1 if before is None else before.number + 1
    return LabelState(statement, at_ms, source is LabelSource.IMPORT, number)


def feedback_row(report: LabelReport, request_id: str, previous: Label | None) -> dict[str, Any]:
    """The columns of a row that come from the report."""
    return {
        **msgspec.to_builtins(report.statement),
        "account_id": report.account_id,
        "request_id": request_id,
        "previous": None if previous is None else previous.value,
        "actor": report.actor,
        "source": report.source.value,
    }


def entry_in(row: Any) -> LabelEntry:
    """A row as an entry of the history."""
    previous = None if row.previous is None else label_in(row.previous)
    return struct_from(row, LabelEntry, label=label_in(row.label), previous=previous)


@lru_cache(maxsize=64)
def label_in(word: str) -> Label:
    """The label of a row; one that only a later version knows counts as withdrawn."""
    try:
        return Label(word)
    except ValueError:
        # The cache has this logged once.
        _log.warning(
            "a label is unknown to this version and counts as withdrawn",
            extra={"label": recordable(word[:LONGEST_ID])},
        )
        return Label.WITHDRAWN
