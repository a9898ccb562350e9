"""Feedback: what requests turned out to be, one row for each statement about a request.

Rows are only ever added, and deleted by age or with their decision. The newest row of a request
counts, and names the label that counted before it, so that a follower of the rows can undo that
label. Their numbers grow in the order of the commits: every transaction that adds some holds the
lock on changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id, is_id
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.events import outbox
from gatehouse.store.feedback.feedback_history import find_all
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    MOST_STATEMENTS,
    FeedbackSubject,
    LabelEntry,
    LabelOutcome,
    LabelReport,
    LabelState,
    TooManyStatements,
    assess,
    entry_in,
    feedback_row,
    next_state,
)
from gatehouse.store.notices import ChangeNotice, notify
from gatehouse.store.tables import DECISIONS, FEEDBACK

_FEEDBACK_REQUEST: Final = Phrase(
    "refused.feedback_request",
    "no such request for this account; check the id, or name the request by its request id",
)
_FEEDBACK_MANY: Final = Phrase(
    "refused.feedback_many", "more than {most} requests have this name; name each by its request id"
)

_IDS_AT_ONCE: Final = 500
_TOLD: Final = (LabelSource.API, LabelSource.COMMAND)
"""Whose labels are told one by one: reviews and imports have events of their own."""


def find(connection: sa.Connection, account_id: str, subject: FeedbackSubject) -> list[str]:
    """The account's requests of a subject, oldest first; `NotFound` when there is none."""
    found: list[str] = []
    if subject.request_id is None or is_id(subject.request_id, "req"):
        found = find_all(connection, account_id, [subject])[subject]
    if not found:
        raise NotFound(_FEEDBACK_REQUEST())
    if len(found) > MOST_REQUESTS:
        raise Conflict(_FEEDBACK_MANY(most=MOST_REQUESTS))
    return found


def record(connection: sa.Connection, report: LabelReport, now_ms: int) -> list[LabelOutcome]:
    """Record a statement about requests; the transaction must hold the lock on changes."""
    [answer] = record_all(connection, [report], now_ms)
    if isinstance(answer, TooManyStatements):
        raise answer
    return answer


def record_all(
    connection: sa.Connection, reports: Sequence[LabelReport], now_ms: int
) -> list[list[LabelOutcome] | TooManyStatements]:
    """Record many statements in their order, each recorded or refused on its own."""
    pairs = [(one.account_id, each) for one in reports for each in one.request_ids]
    states = _label_states(connection, pairs)
    answers: list[list[LabelOutcome] | TooManyStatements] = []
    rows: list[dict[str, Any]] = []
    events: list[NewEvent] = []
    seq = newest(connection) if pairs else 0
    for report in reports:
        statement, answer = report.statement, []
        before = [states.get((report.account_id, each)) for each in report.request_ids]
        try:
            assessed = [assess(statement, report.source, each) for each in before]
        except TooManyStatements as refusal:
            answers.append(refusal)
            continue
        for request_id, state, each in zip(report.request_ids, before, assessed, strict=True):
            at_ms = now_ms if state is None or each.changed else state.at_ms
            outcome = LabelOutcome(request_id, statement.label, each.previous, each.changed, at_ms)
            answer.append(outcome)
            if each.stored:
                after = next_state(statement, report.source, state, now_ms)
                states[report.account_id, request_id] = after
                seq += 1
                row = feedback_row(report, request_id, each.previous)
                rows.append(row | {"seq": seq, "recorded_at_ms": now_ms})
                if each.changed and report.source in _TOLD:
                    events.append(_event(report, request_id, each.previous, seq, now_ms))
        answers.append(answer)
    if rows:
        connection.execute(FEEDBACK.insert(), rows)
        notify(connection, ChangeNotice.LABELS)
    outbox.add(connection, events)
    return answers


def _event(
    report: LabelReport, request_id: str, previous: Label | None, seq: int, now_ms: int
) -> NewEvent:
    kind = EventName.FEEDBACK_RECEIVED
    return NewEvent(
        derived_id("evt", now_ms, f"{kind} {seq} {request_id}"),
        report.account_id,
        now_ms,
        kind,
        report.actor,
        request_id,
        encode_data({"label": report.statement.label, "previous": previous}),
    )


def history(connection: sa.Connection, account_id: str, request_id: str) -> list[LabelEntry]:
    """The statements about a request, newest first; `NotFound` when the account has no such one."""
    find(connection, account_id, FeedbackSubject(request_id=request_id))
    query = sa.select(FEEDBACK).where(
        FEEDBACK.c.account_id == account_id, FEEDBACK.c.request_id == request_id
    )
    rows = connection.execute(query.order_by(FEEDBACK.c.seq.desc()).limit(MOST_STATEMENTS))
    return [entry_in(row) for row in rows]


def newest(connection: sa.Connection) -> int:
    """The highest number of a row, 0 when there is none."""
    return int(connection.scalar(sa.select(sa.func.max(FEEDBACK.c.seq))) or 0)


def _label_states(
    connection: sa.Connection, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], LabelState]:
    """The newest statement about each request, where there is one."""
    by_account: dict[str, set[str]] = defaultdict(set)
    for account_id, request_id in pairs:
        by_account[account_id].add(request_id)
    rows = FEEDBACK.alias()
    # Asked for each decision by itself, the index answers with one look.
    last = sa.select(sa.func.max(rows.c.seq)).where(
        rows.c.account_id == DECISIONS.c.account_id, rows.c.request_id == DECISIONS.c.request_id
    )
    number = sa.select(sa.func.count()).where(
        rows.c.account_id == FEEDBACK.c.account_id, rows.c.request_id == FEEDBACK.c.request_id
    )
    found: dict[tuple[str, str], LabelState] = {}
    for account_id, wanted in by_account.items():
        ids = sorted(wanted)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            numbers = sa.select(last.scalar_subquery()).where(
                DECISIONS.c.account_id == account_id,
                DECISIONS.c.request_id.in_(ids[start : start + _IDS_AT_ONCE]),
            )
            newest_ones = sa.select(FEEDBACK, number.scalar_subquery().label("number"))
            for row in connection.execute(newest_ones.where(FEEDBACK.c.seq.in_(numbers))):
                entry = entry_in(row)
                imported = entry.source is LabelSource.IMPORT
                state = LabelState(entry.statement, entry.recorded_at_ms, imported, row.number)
                found[account_id, row.request_id] = state
    return found
