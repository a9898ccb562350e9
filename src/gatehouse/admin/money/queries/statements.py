"""Reads an account's statement: the database adds up requests, only the sums come back."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.billing.ledger import EntryKind
from gatehouse.billing.statement import (
    DAY_MS,
    ChargeLine,
    EndedRequests,
    Movement,
    Period,
    Statement,
    charge_lines,
)
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.ledger_days import EntryGroup, LedgerDays
from gatehouse.store.accounts.tables import TOP_UP_REFERENCES
from gatehouse.store.tables import IS_MOVEMENT, LEDGER_ENTRIES, NOT_A_HOLD

_MOVEMENTS_MANY: Final = Phrase(
    "refused.movements_many",
    "there are more than {most:,} top-ups and adjustments in this period; choose a shorter one",
)

MOST_MOVEMENTS: Final = 10_000
_E: Final = LEDGER_ENTRIES.c
_AFTER: Final = -1
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


class _Wanted(NamedTuple):
    """Which statement is wanted, and when."""

    period: Period
    now_ms: int
    daily: bool


def statement(
    connection: sa.Connection, account_id: str, period: Period, now_ms: int, *, daily: bool
) -> Statement:
    """The statement of a period, with charges by day if that is asked."""
    groups = connection.execute(_groups(account_id, period, daily=daily)).all()
    known = [
        EntryGroup(each.day, each.moved, each.charged_items, each.requests, int(each.amount))
        for each in groups
    ]
    return _made(connection, account_id, _Wanted(period, now_ms, daily), known)


def quick_statement(
    connection: sa.Connection, account_id: str, period: Period, now_ms: int, days: LedgerDays
) -> Statement:
    """The same without days, from what the days of the ledger are known to add up to."""
    end = period.end_ms // DAY_MS
    known = [
        each._replace(day=_AFTER if each.day >= end else 0)
        for each in days.groups(connection, account_id, period.start_ms // DAY_MS, now_ms)
    ]
    return _made(connection, account_id, _Wanted(period, now_ms, daily=False), known)


def _made(
    connection: sa.Connection, account_id: str, asked: _Wanted, groups: Sequence[EntryGroup]
) -> Statement:
    """The statement that groups of entries since the beginning of its period make.

    Both balances come from the account's own one, back through the entries since then. That the
    entries between them add up to their difference is thus a proof.
    """
    period, now_ms, daily = asked
    balance = accounts.state(connection, account_id).balance
    closing = balance - sum(row.amount for row in groups if row.day == _AFTER)
    inside = [row for row in groups if row.day != _AFTER]
    ended = [_ended(row, daily=daily) for row in inside if not row.moved]
    made = Statement(
        period=period,
        at_ms=now_ms,
        opening=closing - sum(row.amount for row in inside),
        closing=closing,
        movements=_movements(connection, account_id, period),
        charges=charge_lines(ended),
        uncharged_requests=sum(each.requests for each in ended if not each.amount),
    )
    made.check()
    return made


def _groups(account_id: str, period: Period, *, daily: bool) -> "sa.Select[Any]":
    """Entries since the period began: how many are alike, and their sum."""
    after = _E.at_ms >= period.end_ms
    moved = sa.case((sa.text(IS_MOVEMENT), 1), else_=0)
    items = sa.case((after, None), (_E.kind == EntryKind.CLOSE.value, _E.detail), else_=None)
    day = _E.at_ms // DAY_MS if daily else sa.literal(0)
    # Named in a query of their own: what is grouped by must be the same expression everywhere.
    each = (
        sa.select(
            sa.case((after, _AFTER), else_=day).label("day"),
            moved.label("moved"),
            items.label("charged_items"),
            _E.amount,
        )
        .where(_E.account_id == account_id, _E.at_ms >= period.start_ms)
        .where(sa.text(NOT_A_HOLD))
        .subquery("each")
    )
    alike = (each.c.day, each.c.moved, each.c.charged_items)
    sums = (sa.func.count().label("requests"), sa.func.sum(each.c.amount).label("amount"))
    return sa.select(*alike, *sums).group_by(*alike)


def charges(connection: sa.Connection, account_id: str, period: Period) -> list[ChargeLine]:
    """What was charged in a period, by fee type and fee."""
    query = (
        sa.select(_E.detail, sa.func.count(), sa.func.sum(_E.amount))
        .where(_E.account_id == account_id, _E.kind == EntryKind.CLOSE.value)
        .where(_E.at_ms >= period.start_ms, _E.at_ms < period.end_ms)
        .where(sa.text(NOT_A_HOLD))
        .group_by(_E.detail)
    )
    rows = connection.execute(query)
    return charge_lines(EndedRequests(many, int(moved), items) for items, many, moved in rows)


def _ended(row: EntryGroup, *, daily: bool) -> EndedRequests:
    day = date.fromordinal(_EPOCH_DAY + row.day) if daily else None
    return EndedRequests(row.requests, row.amount, row.alike, day)


def latest_movements(connection: sa.Connection, account_id: str, limit: int) -> list[Movement]:
    """The newest top-ups and adjustments of an account, newest first."""
    newest = (_E.at_ms.desc(), _E.reference.desc())
    rows = connection.execute(_moves(account_id).order_by(*newest).limit(limit)).all()
    return [_movement(row) for row in rows]


def _movements(connection: sa.Connection, account_id: str, period: Period) -> list[Movement]:
    query = (
        _moves(account_id)
        .where(_E.at_ms >= period.start_ms, _E.at_ms < period.end_ms)
        .order_by(_E.at_ms, _E.reference)
    )
    rows = connection.execute(query.limit(MOST_MOVEMENTS + 1)).all()
    if len(rows) > MOST_MOVEMENTS:
        raise InvalidInput(_MOVEMENTS_MANY(most=MOST_MOVEMENTS))
    return [_movement(row) for row in rows]


def _moves(account_id: str) -> "sa.Select[Any]":
    reference = TOP_UP_REFERENCES.c
    same = (reference.account_id == _E.account_id) & (reference.entry == _E.reference)
    columns = (_E.reference, _E.at_ms, _E.kind, _E.amount, _E.detail, reference.reference)
    return (
        sa.select(*columns)
        .select_from(LEDGER_ENTRIES.outerjoin(TOP_UP_REFERENCES, same))
        .where(_E.account_id == account_id, sa.text(IS_MOVEMENT))
    )


def _movement(row: Any) -> Movement:
    entry, at_ms, kind, amount, note, named = row
    return Movement(entry, at_ms, EntryKind(kind), amount, note, named)
