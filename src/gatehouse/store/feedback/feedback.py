"""Feedback: what requests turned out to be, in the words of whoever found out.

Rows are only ever added. The newest one of a request counts, and says what counted before it, so
that whoever follows the rows in their order can undo that. Their numbers grow in the order of the
commits: every transaction that adds some holds the lock on changes.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.ids import first_id, is_id
from gatehouse.core.labels import Label, LabelSource, is_fraud
from gatehouse.core.redaction import recordable
from gatehouse.store.tables import DECISIONS, FEEDBACK

LONGEST_ID: Final = 128
MOST_REQUESTS: Final = 100
"""How many requests one name may stand for; whoever means more has a name that means nothing."""
MOST_SAID: Final = 100
"""How many statements are kept about one request, and how many of them are told."""

_IDS_AT_ONCE: Final = 500
_log: Final = logging.getLogger("gatehouse.store")


class Subject(msgspec.Struct, frozen=True):
    """Which requests are meant; exactly one of these is given, as it is kept in the records."""

    request_id: str | None = None
    transaction: str | None = None
    client_reference: str | None = None


class FeedbackStatement(msgspec.Struct, frozen=True):
    """What is said about requests."""

    label: Label
    found_at_ms: int | None = None
    """When it was found out, or charged back."""
    amount: int | None = None
    currency: str | None = None


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


class Telling(msgspec.Struct, frozen=True):
    """Something that is said about requests of an account, and by whom."""

    account_id: str
    request_ids: Sequence[str]
    statement: FeedbackStatement
    actor: str
    source: LabelSource


class Noted(msgspec.Struct, frozen=True):
    """What became of a statement about one request."""

    request_id: str
    label: Label
    previous: Label | None
    """What counted until now; None when nothing did."""
    changed: bool
    """Whether it was news; what was said before in the same words is not kept twice."""
    recorded_at_ms: int
    """When it was said for the first time."""


class LabelState(msgspec.Struct, frozen=True):
    """Where a request stands: the newest statement about it, and how many were kept."""

    said: FeedbackStatement
    at_ms: int
    imported: bool
    number: int


class WeighedStatement(NamedTuple):
    """What a statement is worth beside those that were made before it."""

    previous: Label | None
    changed: bool
    kept: bool


class TooMuchSaid(Conflict):
    """A request has as many statements as are kept about one."""

    def __init__(self) -> None:
        super().__init__(
            f"{MOST_SAID} statements about this request were kept, and more are not; "
            "what was said last stays"
        )


class LabelRow(NamedTuple):
    """A row for whoever follows all of them, with the decision record it speaks of."""

    seq: int
    account_id: str
    label: Label
    previous: Label | None
    record: str | None


def find(connection: sa.Connection, account_id: str, subject: Subject) -> list[str]:
    """The account's requests that are meant, oldest first; `NotFound` when there is none."""
    name = subject.request_id
    if name is not None:
        condition = DECISIONS.c.request_id == name
    elif subject.transaction is not None:
        condition = DECISIONS.c.transaction_reference == subject.transaction
    else:
        condition = DECISIONS.c.client_reference == subject.client_reference
    found: list[str] = []
    if name is None or is_id(name, "req"):
        query = sa.select(DECISIONS.c.request_id).where(
            DECISIONS.c.account_id == account_id, condition
        )
        in_order = query.order_by(DECISIONS.c.request_id).limit(MOST_REQUESTS + 1)
        found = list(connection.scalars(in_order))
    if not found:
        raise NotFound(
            "no such request for this account; check the id, or name the request by its request id"
        )
    if len(found) > MOST_REQUESTS:
        raise Conflict(
            f"more than {MOST_REQUESTS} requests have this name; name each by its request id"
        )
    return found


def note(
    connection: sa.Connection,
    account_id: str,
    request_ids: Sequence[str],
    statement: FeedbackStatement,
    *,
    actor: str,
    source: LabelSource,
    now_ms: int,
) -> list[Noted]:
    """Keep what is said about requests; the transaction must hold the lock on changes."""
    telling = Telling(account_id, request_ids, statement, actor, source)
    [answer] = note_all(connection, [telling], now_ms)
    if isinstance(answer, TooMuchSaid):
        raise answer
    return answer


def note_all(
    connection: sa.Connection, tellings: Sequence[Telling], now_ms: int
) -> list[list[Noted] | TooMuchSaid]:
    """The same for many statements, in their order, each kept or refused on its own."""
    pairs = [(one.account_id, each) for one in tellings for each in one.request_ids]
    standings = _standings(connection, pairs)
    answers: list[list[Noted] | TooMuchSaid] = []
    rows: list[dict[str, Any]] = []
    seq = newest(connection) if pairs else 0
    for telling in tellings:
        said, answer = telling.statement, []
        before = [standings.get((telling.account_id, each)) for each in telling.request_ids]
        try:
            weighed = [weigh(said, telling.source, each) for each in before]
        except TooMuchSaid as refusal:
            answers.append(refusal)
            continue
        for request_id, standing, worth in zip(telling.request_ids, before, weighed, strict=True):
            at_ms = now_ms if standing is None or worth.changed else standing.at_ms
            answer.append(Noted(request_id, said.label, worth.previous, worth.changed, at_ms))
            if worth.kept:
                after_it = next_standing(said, telling.source, standing, now_ms)
                standings[telling.account_id, request_id] = after_it
                seq += 1
                rows.append(_row(telling, request_id, worth.previous) | {"seq": seq})
        answers.append(answer)
    if rows:
        connection.execute(FEEDBACK.insert(), [row | {"recorded_at_ms": now_ms} for row in rows])
    return answers


def weigh(
    said: FeedbackStatement, source: LabelSource, before: LabelState | None
) -> WeighedStatement:
    """What becomes of a statement about a request; `TooMuchSaid` when it would be one too many."""
    label = None if before is None or before.said.label is Label.WITHDRAWN else before.said.label
    # To take back what was never said is no news.
    changed = said.label is not Label.WITHDRAWN if before is None else said != before.said
    # A file is known again by what is on record of it, so that is kept even when it is no news.
    imported = source is LabelSource.IMPORT and (before is None or not before.imported)
    # A review is resolved once, and must not fail because others have said too much.
    exempt = source is LabelSource.REVIEW
    if (changed or imported) and before is not None and before.number >= MOST_SAID and not exempt:
        raise TooMuchSaid
    return WeighedStatement(label, changed, changed or imported)


def next_standing(
    said: FeedbackStatement, source: LabelSource, before: LabelState | None, at_ms: int
) -> LabelState:
    """Where a request stands when a statement was kept."""
    number = 1 if before is None else before.number + 1
    return LabelState(said, at_ms, source is LabelSource.IMPORT, number)


def history(connection: sa.Connection, account_id: str, request_id: str) -> list[LabelEntry]:
    """What was said about a request, newest first; `NotFound` when the account has no such one."""
    find(connection, account_id, Subject(request_id=request_id))
    query = sa.select(FEEDBACK).where(
        FEEDBACK.c.account_id == account_id, FEEDBACK.c.request_id == request_id
    )
    rows = connection.execute(query.order_by(FEEDBACK.c.seq.desc()).limit(MOST_SAID))
    return [said_in(row) for row in rows]


def labels(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> dict[str, bool]:
    """What is known about the requests of a span: True is fraud, False is legitimate."""
    query = (
        sa.select(FEEDBACK.c.request_id, FEEDBACK.c.label)
        .where(
            FEEDBACK.c.account_id == account_id,
            FEEDBACK.c.request_id >= first_id("req", since_ms),
            FEEDBACK.c.request_id < first_id("req", until_ms),
        )
        .order_by(FEEDBACK.c.request_id, FEEDBACK.c.seq)
    )
    # The last row of a request is its newest.
    found = {row.request_id: is_fraud(label_in(row.label)) for row in connection.execute(query)}
    return {request_id: fraud for request_id, fraud in found.items() if fraud is not None}


def after(connection: sa.Connection, seq: int, limit: int) -> list[LabelRow]:
    """The rows of all accounts above a number, in order, each with its decision record."""
    same = sa.and_(
        DECISIONS.c.account_id == FEEDBACK.c.account_id,
        DECISIONS.c.request_id == FEEDBACK.c.request_id,
    )
    query = (
        sa.select(
            FEEDBACK.c.seq,
            FEEDBACK.c.account_id,
            FEEDBACK.c.label,
            FEEDBACK.c.previous,
            DECISIONS.c.record,
        )
        .select_from(FEEDBACK.outerjoin(DECISIONS, same))
        .where(FEEDBACK.c.seq > seq)
        .order_by(FEEDBACK.c.seq)
        .limit(limit)
    )
    return [
        LabelRow(row.seq, row.account_id, label_in(row.label), _label(row.previous), row.record)
        for row in connection.execute(query)
    ]


def newest(connection: sa.Connection) -> int:
    """The highest number of a row, 0 when there is none."""
    return int(connection.scalar(sa.select(sa.func.max(FEEDBACK.c.seq))) or 0)


def _standings(
    connection: sa.Connection, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], LabelState]:
    """Where each request stands that was spoken of."""
    by_account: dict[str, dict[str, None]] = defaultdict(dict)
    for account_id, request_id in pairs:
        by_account[account_id][request_id] = None
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
        ids = list(wanted)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            numbers = sa.select(last.scalar_subquery()).where(
                DECISIONS.c.account_id == account_id,
                DECISIONS.c.request_id.in_(ids[start : start + _IDS_AT_ONCE]),
            )
            newest_ones = sa.select(FEEDBACK, number.scalar_subquery().label("number"))
            for row in connection.execute(newest_ones.where(FEEDBACK.c.seq.in_(numbers))):
                imported = row.source == LabelSource.IMPORT.value
                standing = LabelState(statement_in(row), row.recorded_at_ms, imported, row.number)
                found[account_id, row.request_id] = standing
    return found


def _row(telling: Telling, request_id: str, previous: Label | None) -> dict[str, Any]:
    said = telling.statement
    return {
        "account_id": telling.account_id,
        "request_id": request_id,
        "label": said.label.value,
        "previous": None if previous is None else previous.value,
        "found_at_ms": said.found_at_ms,
        "amount": said.amount,
        "currency": said.currency,
        "actor": telling.actor,
        "source": telling.source.value,
    }


@lru_cache(maxsize=64)
def label_in(word: str) -> Label:
    """The label of a row; a word that only a later version knows says nothing to this one."""
    try:
        return Label(word)
    except ValueError:
        # The cache sees to it that this is said once.
        _log.warning(
            "a label is unknown to this version and counts as withdrawn",
            extra={"label": recordable(word[:LONGEST_ID])},
        )
        return Label.WITHDRAWN


def _label(word: str | None) -> Label | None:
    return None if word is None else label_in(word)


def statement_in(row: Any) -> FeedbackStatement:
    """What a row says."""
    return FeedbackStatement(label_in(row.label), row.found_at_ms, row.amount, row.currency)


def said_in(row: Any) -> LabelEntry:
    """A row with who said it, when and how."""
    return LabelEntry(
        row.seq,
        row.request_id,
        label_in(row.label),
        _label(row.previous),
        row.found_at_ms,
        row.amount,
        row.currency,
        row.recorded_at_ms,
        row.actor,
        LabelSource(row.source),
    )
