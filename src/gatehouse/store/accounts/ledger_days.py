"""Remembers what the days of a ledger add up to, so that a page need not read every entry.

Entries are only ever added, so a day that is over stays as it was. Should it not, because a backup
was restored or a past was made up, then the balance at its end is another one, which is compared.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.billing.ledger import STEP_OPEN, EntryKind
from gatehouse.billing.statement import DAY_MS
from gatehouse.store.accounts import accounts
from gatehouse.store.database import Database
from gatehouse.store.tables import IS_MOVEMENT, LEDGER_ENTRIES, NOT_A_HOLD

MOST_GROUPS: Final = 50_000
"""How many are remembered; beyond, those of the account that nobody asked for longest go."""
_LATE_MS: Final = 3_600_000
"""So long after its end a day is taken to be over."""
_E: Final = LEDGER_ENTRIES.c
_OPENED: Final = LEDGER_ENTRIES.alias("opened")


class EntryGroup(NamedTuple):
    """Entries of one day that are alike: how many there are, and their sum."""

    day: int
    """Days since 1970, in UTC."""
    moved: int
    """Whether they are something else than what is told apart, such as top-ups."""
    alike: str | None
    """What is the same in all of them: the charged items, or who sent the requests."""
    requests: int
    amount: int


ReadGroups = Callable[[sa.Connection, str, int, int | None], list[EntryGroup]]
"""Reads the groups of an account from a day on and before another, if there is one."""


class _Kept:
    """What is remembered of one account."""

    def __init__(self) -> None:
        self.days: dict[int, list[EntryGroup]] = {}
        self.checked: tuple[int, int] | None = None
        """A day, and the balance with which it began."""


class LedgerDays:
    """The sums of days that are over, of the accounts that were asked for last."""

    def __init__(self, most_groups: int = MOST_GROUPS, read: ReadGroups | None = None) -> None:
        """`read` tells entries apart; they are told apart by their charged items without it."""
        self._most = most_groups
        self._read = read or read_groups
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    @property
    def accounts(self) -> list[str]:
        """Whose days are remembered, the one that was asked for last at the end."""
        with self._lock:
            return list(self._kept)

    def prepare(self, database: Database, account_id: str, first: int, now_ms: int) -> None:
        """Read the days that are not remembered yet, each by itself: no reading takes long."""
        kept, end = self._of(account_id), _over_until(now_ms)
        with database.reading() as connection:
            if kept.checked is None:
                recent = self._read(connection, account_id, end, None)
                kept.checked = (end, _balance_before(connection, account_id, recent))
            first = _first_day(connection, account_id, min(first, kept.checked[0]), end)
        for day in range(first, end):
            if day not in kept.days:
                with database.reading() as connection:
                    kept.days[day] = self._read(connection, account_id, day, day + 1)
        self._forget()

    def groups(
        self, connection: sa.Connection, account_id: str, first: int, now_ms: int
    ) -> list[EntryGroup]:
        """All groups from a day on; `prepare` has read those that are over."""
        kept, end = self._of(account_id), _over_until(now_ms)
        recent = self._read(connection, account_id, end, None)
        balance = _balance_before(connection, account_id, recent)
        if kept.checked is None or kept.checked[1] + _sum(kept, kept.checked[0], end) != balance:
            kept.days = {day: [] for day in range(first, end)}
            for group in self._read(connection, account_id, first, end):
                kept.days[group.day].append(group)
        kept.checked = (end, balance)
        past = [group for day in range(first, end) for group in kept.days.get(day, ())]
        return [*past, *(group for group in recent if group.day >= first)]

    def _of(self, account_id: str) -> _Kept:
        with self._lock:
            known = self._kept.setdefault(account_id, _Kept())
            self._kept.move_to_end(account_id)
            return known

    def _forget(self) -> None:
        with self._lock:
            while len(self._kept) > 1 and self._size() > self._most:
                self._kept.popitem(last=False)

    def _size(self) -> int:
        return sum(1 + len(day) for each in self._kept.values() for day in [*each.days.values()])


def _sum(kept: _Kept, first: int, end: int) -> int:
    """What the days from one to another moved."""
    return sum(group.amount for day in range(first, end) for group in kept.days.get(day, ()))


def _balance_before(
    connection: sa.Connection, account_id: str, recent: Sequence[EntryGroup]
) -> int:
    """The balance before the newest entries."""
    balance = accounts.state(connection, account_id).balance
    return balance - sum(group.amount for group in recent)


def read_groups(
    connection: sa.Connection, account_id: str, first: int, end: int | None
) -> list[EntryGroup]:
    """The groups of some days by charged items, added up by the database."""
    items = sa.case((_E.kind == EntryKind.CLOSE.value, _E.detail), else_=None)
    moved = sa.case((sa.text(IS_MOVEMENT), 1), else_=0)
    return _added_up(connection, _entries(moved, items).where(*_between(account_id, first, end)))


def read_senders(
    connection: sa.Connection, account_id: str, first: int, end: int | None
) -> list[EntryGroup]:
    """The same by who sent the requests; what did not end with a decision is something else."""
    opened = (
        (_OPENED.c.account_id == _E.account_id)
        & (_OPENED.c.reference == _E.reference)
        & (_OPENED.c.step == STEP_OPEN)
    )
    closes = _E.kind == EntryKind.CLOSE.value
    sender = sa.case((closes, _OPENED.c.detail), else_=None)
    query = _entries(sa.case((closes, 0), else_=1), sender)
    both = query.select_from(LEDGER_ENTRIES.outerjoin(_OPENED, opened))
    return _added_up(connection, both.where(*_between(account_id, first, end)))


def _entries(moved: sa.ColumnElement[int], alike: sa.ColumnElement[str | None]) -> "sa.Select[Any]":
    return sa.select(
        (_E.at_ms // DAY_MS).label("day"), moved.label("moved"), alike.label("alike"), _E.amount
    )


def _added_up(connection: sa.Connection, entries: "sa.Select[Any]") -> list[EntryGroup]:
    # Named in a query of their own: what is grouped by must be the same expression everywhere.
    each = entries.subquery("each")
    same = (each.c.day, each.c.moved, each.c.alike)
    query = sa.select(*same, sa.func.count(), sa.func.sum(each.c.amount)).group_by(*same)
    return [
        EntryGroup(int(day), moved, name, requests, int(amount))
        for day, moved, name, requests, amount in connection.execute(query)
    ]


def _first_day(connection: sa.Connection, account_id: str, first: int, end: int) -> int:
    """The first of some days that has an entry; the end when none has."""
    query = sa.select(sa.func.min(_E.at_ms)).where(*_between(account_id, first, end))
    found = connection.scalar(query)
    return end if found is None else int(found) // DAY_MS


def _between(account_id: str, first: int, end: int | None) -> Iterator[Any]:
    yield _E.account_id == account_id
    yield _E.at_ms >= first * DAY_MS
    if end is not None:
        yield _E.at_ms < end * DAY_MS
    yield sa.text(f"{LEDGER_ENTRIES.name}.{NOT_A_HOLD}")


def _over_until(now_ms: int) -> int:
    """The first day that is not over."""
    return (now_ms - _LATE_MS) // DAY_MS
