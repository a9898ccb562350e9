"""Expiring credits as they are kept: how much is left of each, as of a balance of their account.

All of it happens while the account's row is locked. The balance that the rows were last brought
up to tells, with the one of now, what requests have spent meanwhile.
"""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.billing.credits import TOLD_BEFORE_MS, Credit, after_spending
from gatehouse.store.accounts.tables import EXPIRING_CREDITS

_C: Final = EXPIRING_CREDITS.c
_OPEN: Final = _C.ended_at_ms.is_(None)


def open_credits(connection: sa.Connection, account_id: str, balance: int) -> list[Credit]:
    """The credits of an account that have not ended, as of its balance; soonest end first."""
    rows = _open_rows(connection, account_id)
    spent = rows[0].at_balance - balance if rows else 0
    return after_spending([_credit(row) for row in rows], spent)


def settle(connection: sa.Connection, account_id: str, balance: int) -> None:
    """Note what requests have spent of the credits of an account; nothing where it has none."""
    for each in open_credits(connection, account_id, balance):
        now = {"left": each.left, "at_balance": balance}
        connection.execute(_this(account_id, each.entry).values(now))


def brought_up_to(connection: sa.Connection, account_id: str, balance: int) -> None:
    """Note the balance after a movement that was no spending."""
    mine = (_C.account_id == account_id) & _OPEN
    connection.execute(EXPIRING_CREDITS.update().where(mine).values(at_balance=balance))


def add(connection: sa.Connection, account_id: str, new: Credit) -> None:
    """Keep a new credit; the balance is noted with the movement."""
    row = {
        "account_id": account_id,
        "entry": new.entry,
        "amount": new.amount,
        "left": new.left,
        "at_balance": 0,
        "expires_at_ms": new.expires_at_ms,
    }
    connection.execute(EXPIRING_CREDITS.insert(), row)


def end(
    connection: sa.Connection, account_id: str, entry: str, taken: int, by: str | None, at_ms: int
) -> None:
    """Note that a credit has ended, and which entry took back what was left."""
    ended = {"left": taken, "taken_by": by, "ended_at_ms": at_ms}
    connection.execute(_this(account_id, entry).values(ended))


def due(connection: sa.Connection, now_ms: int, limit: int) -> Sequence[Any]:
    """Accounts and entries of credits that have expired and were not ended."""
    wanted = (_C.expires_at_ms <= now_ms) & _OPEN
    query = sa.select(_C.account_id, _C.entry).where(wanted)
    return connection.execute(query.order_by(_C.expires_at_ms, _C.entry).limit(limit)).all()


def untold(connection: sa.Connection, now_ms: int, limit: int) -> Sequence[Any]:
    """Accounts and entries of credits whose end is near and was not told."""
    near = _C.expires_at_ms.between(now_ms + 1, now_ms + TOLD_BEFORE_MS)
    query = sa.select(_C.account_id, _C.entry).where(near, _OPEN, _C.told_at_ms.is_(None))
    return connection.execute(query.order_by(_C.expires_at_ms, _C.entry).limit(limit)).all()


def mark_told(connection: sa.Connection, account_id: str, entry: str, now_ms: int) -> None:
    """Note that an account was told of the end of a credit."""
    connection.execute(_this(account_id, entry).values(told_at_ms=now_ms))


def expired_between(connection: sa.Connection, account_id: str, start_ms: int, end_ms: int) -> int:
    """What was taken back in a span of time."""
    query = sa.select(sa.func.sum(_C.left)).where(
        _C.account_id == account_id, _C.ended_at_ms >= start_ms, _C.ended_at_ms < end_ms
    )
    return int(connection.scalar(query) or 0)


def _open_rows(connection: sa.Connection, account_id: str) -> Sequence[Any]:
    query = sa.select(EXPIRING_CREDITS).where(_C.account_id == account_id, _OPEN)
    return connection.execute(query).all()


def _this(account_id: str, entry: str) -> sa.Update:
    same = (_C.account_id == account_id) & (_C.entry == entry) & _OPEN
    return EXPIRING_CREDITS.update().where(same)


def _credit(row: Any) -> Credit:
    return Credit(row.entry, row.amount, row.left, row.expires_at_ms)
