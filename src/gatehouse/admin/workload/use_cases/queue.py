"""Use cases about the queue as a whole: how much waits, what it puts at risk, what a day brings."""

from collections import Counter
from datetime import date, datetime
from statistics import median_low
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from gatehouse.access.visitors import Visitor
from gatehouse.admin.accounts.use_cases import policies
from gatehouse.admin.workload import queries
from gatehouse.admin.workload.queries import WaitingGroup
from gatehouse.store.admin.admin_session import AdminSession

_DAY_MS: Final = 86_400_000
_HOUR_MS: Final = 3_600_000
_WEEKS_MS: Final = 28 * _DAY_MS
_MOST_PLANNED: Final = 1000


class QueueCounts(msgspec.Struct, frozen=True):
    """What waits in an account."""

    groups: list[WaitingGroup]
    due_ms: int
    """What was opened before this moment is overdue."""

    @property
    def open(self) -> int:
        """How many reviews are open."""
        return sum(each.reviews for each in self.groups)

    @property
    def overdue(self) -> int:
        """How many of them wait for longer than the account wants."""
        return sum(each.overdue for each in self.groups)

    def of(self, assignee: str | None) -> int:
        """How many a person has; None is nobody."""
        return sum(each.reviews for each in self.groups if each.assignee == assignee)

    @property
    def at_risk(self) -> dict[str, int]:
        """Money at risk by currency, in millionths."""
        found: Counter[str] = Counter()
        for each in self.groups:
            if each.currency is not None:
                found[each.currency] += each.at_risk
        return dict(found.most_common())


class DayPlan(msgspec.Struct, frozen=True):
    """What a person can do today, by what they did in the four weeks before."""

    usual: int | None
    """The median of the days on which they resolved any; None before their first whole day."""
    done: int
    """Resolved today."""
    left: int
    """How many more are to be expected of today."""
    at_risk: dict[str, int]
    """What so many of the most valuable open reviews put at risk, by currency."""


def count_queue(session: AdminSession, account_id: str) -> QueueCounts:
    """What waits, by person and currency."""
    hours = policies.review_target(session, account_id)
    due_ms = session.clock() - hours * _HOUR_MS
    with session.account_reading(account_id) as connection:
        return QueueCounts(queries.waiting(connection, account_id, due_ms), due_ms)


def plan_day(session: AdminSession, account_id: str, person: Visitor, zone: ZoneInfo) -> DayPlan:
    """What a person can be expected to resolve today, and what that is worth if they begin well."""
    now_ms = session.clock()
    span = (now_ms - _WEEKS_MS, now_ms - 2 * _WEEKS_MS)
    with session.account_reading(account_id) as connection:
        found = queries.resolved_at(connection, account_id, str(session.actor), *span)
        days = Counter(_day(each, zone) for each in found)
        done = days.pop(_day(now_ms, zone), 0)
        usual = median_low(days.values()) if days else None
        left = min(max((usual or 0) - done, 0), _MOST_PLANNED)
        worth: Counter[str] = Counter()
        if left:
            for currency, micros in queries.most_at_risk(
                connection, account_id, person.login, left
            ):
                worth[currency or ""] += micros
    return DayPlan(usual, done, left, {name: each for name, each in worth.items() if name})


def _day(at_ms: int, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(at_ms / 1000, zone).date()
