"""Use cases about single feedback: record statements, show the history of a request, list."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.types import FeedbackOutcome
from gatehouse.admin.feedback.use_cases.statements import row_parser
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.core.wording.sentences import said_by
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.statements import (
    FeedbackStatement,
    FeedbackSubject,
    LabelEntry,
    LabelOutcome,
    LabelReport,
)
from gatehouse.store.state import lock_changes

# What the store returns, for faces.
__all__ = ["LabelEntry"]

_AT_ONCE: Final = 64
"""Statements in one transaction, which other writers wait for."""


class NewFeedback(msgspec.Struct, frozen=True):
    """A statement about requests of an account, and who makes it."""

    account_id: str
    subject: FeedbackSubject
    statement: FeedbackStatement
    actor: Actor
    source: LabelSource


def record_feedback(
    session: AdminSession, account_id: str, subject: FeedbackSubject, statement: FeedbackStatement
) -> list[LabelOutcome]:
    """Record a statement; `NotFound` without a request, `Conflict` about too many or too much."""
    given = NewFeedback(account_id, subject, statement, session.actor, LabelSource.COMMAND)
    [answer] = record_all(session, [given], Pace(session.database))
    if isinstance(answer, GatehouseError):
        raise answer
    return answer


def record_fields(
    session: AdminSession, account_id: str, fields: Mapping[str, Any]
) -> list[FeedbackOutcome]:
    """Record a statement whose fields are written as in a file."""
    try:
        row = row_parser("jsonl", session.ring, session.clock())(fields)
    except ValueError as error:
        raise InvalidInput(said_by(error)) from None
    return shown_outcomes(record_feedback(session, account_id, *row))


def shown_outcomes(outcomes: Sequence[LabelOutcome]) -> list[FeedbackOutcome]:
    """What a statement changed, as faces show it."""
    return [FeedbackOutcome(o.request_id, o.label, o.previous, o.changed) for o in outcomes]


def record_many(
    session: AdminSession,
    account_id: str,
    given: Sequence[tuple[FeedbackSubject, FeedbackStatement]],
) -> list[list[LabelOutcome] | GatehouseError]:
    """Record statements of a caller of the API, each recorded or refused on its own."""
    session.actor.check_account(account_id)
    new = [NewFeedback(account_id, *each, session.actor, LabelSource.API) for each in given]
    pace, done = Pace(session.database), list[list[LabelOutcome] | GatehouseError]()
    for start in range(0, len(new), _AT_ONCE):
        done += record_all(session, new[start : start + _AT_ONCE], pace)
    return done


def record_all(
    session: AdminSession, given: Sequence[NewFeedback], pace: Pace
) -> list[list[LabelOutcome] | GatehouseError]:
    """Record statements in one transaction, each recorded or refused on its own.

    An operator's statement is audited. Statements by the API are not: every row of feedback names
    its key and time, and is never changed.
    """
    # The requests are found before the lock is taken, which requests in flight need.
    with session.reading() as connection:
        found = [_find(connection, one) for one in given]
    reports = [
        LabelReport(one.account_id, ids, one.statement, str(one.actor), one.source)
        for one, ids in zip(given, found, strict=True)
        if not isinstance(ids, GatehouseError)
    ]
    if not reports:
        return [each for each in found if isinstance(each, GatehouseError)]
    with pace.turn(), session.database.writing() as connection:
        lock_changes(connection)
        change = Change(session, connection)
        written = feedback.record_all(connection, reports, change.now_ms)
        for report, answer in zip(reports, written, strict=True):
            if report.source is LabelSource.COMMAND and isinstance(answer, list):
                changed = sum(one.changed for one in answer)
                about = {"label": report.statement.label.value, "requests": len(answer)}
                change.audit("feedback.add", report.account_id, **about, changed=changed)
    answers = iter(written)
    return [each if isinstance(each, GatehouseError) else next(answers) for each in found]


def feedback_of(session: AdminSession, account_id: str, request_id: str) -> list[LabelEntry]:
    """The statements about a request, newest first; the newest counts."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        return feedback.history(connection, account_id, request_id)


def label_that_counts(history: Sequence[LabelEntry]) -> Label | None:
    """The newest label of a history; None when there is none, or it was withdrawn."""
    return history[0].label if history and history[0].label is not Label.WITHDRAWN else None


def list_feedback(
    session: AdminSession, account_id: str, since_ms: int, label: Label | None, limit: int
) -> list[LabelEntry]:
    """An account's statements since a moment, newest first."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        return feedback_history.listing(connection, account_id, since_ms, label, limit)


def _find(connection: sa.Connection, given: NewFeedback) -> list[str] | GatehouseError:
    try:
        given.actor.check_account(given.account_id)
        return feedback.find(connection, given.account_id, given.subject)
    except (NotFound, Conflict) as refusal:
        return refusal
