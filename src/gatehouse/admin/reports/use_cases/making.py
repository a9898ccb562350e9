"""Makes the report on a month: orders from the copy in columns, the rest from tables."""

import statistics
from collections.abc import Sequence
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from gatehouse.admin.accounts.use_cases.policies import review_target
from gatehouse.admin.figures.use_cases.opening import columns_for_now
from gatehouse.admin.outcomes.use_cases.counting import disputed_requests
from gatehouse.admin.reports import queries
from gatehouse.admin.reports.queries import ResolvedReview
from gatehouse.admin.reports.types.months import ZonedMonth
from gatehouse.admin.reports.types.report import (
    LONGEST_SPAN_MS,
    MOST_CHANGES,
    AnalystMonth,
    MonthlyReport,
    ReviewTimes,
    RuleChangeFigures,
)
from gatehouse.admin.reports.types.summing import counts_of, markets_of, money_of, rules_of
from gatehouse.admin.reports.use_cases.settings import zone_of_account
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict
from gatehouse.core.events import EventName
from gatehouse.core.ids import id_time_ms
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.month_orders import AskedOrders, OrderGroup, count_orders
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.audit import LineSearch

_FEWER: Final = Phrase(
    "refused.report_fewer",
    "fewer requests of {month} are left than when its report was made, so it stays as it is",
)
_HOUR_MS: Final = 3_600_000
_MOST_ANALYSTS: Final = 200
_CHANGED: Final = ("rules.apply", "rules.activate")
_SCANNED: Final = 1000


def make_report(session: AdminSession, columns: AccountColumns, month_name: str) -> MonthlyReport:
    """Make the report on a month, keep it, and tell the account that it is there."""
    report = count_month(session, columns, month_name)
    with session.account_change(columns.account_id) as change:
        kept = queries.find(change.connection, columns.account_id, report.month)
        if kept is not None and report.requests < kept.requests:
            raise Conflict(_FEWER(month=report.month))
        queries.keep(change.connection, columns.account_id, report)
        change.audit("report.make", columns.account_id, month=report.month)
        said = {
            "month": report.month,
            "orders": report.counts.orders,
            "accepted": report.counts.accepted,
            "fraud": report.counts.fraud,
            "disputed": report.counts.disputed,
        }
        change.event(EventName.REPORT_READY, columns.account_id, report.month, said)
    return report


def make_report_now(session: AdminSession, account_id: str, month_name: str) -> MonthlyReport:
    """Make it where nobody keeps a copy of the decisions: on one of so much as it counts."""
    month = ZonedMonth.named(month_name, zone_of_account(session, account_id))
    enough = max(0, month.since_ms - LONGEST_SPAN_MS)
    with columns_for_now(session, account_id, session.settings.home, enough) as columns:
        return make_report(session, columns, month_name)


def count_month(session: AdminSession, columns: AccountColumns, month_name: str) -> MonthlyReport:
    """The report on a month as of now; keeps nothing."""
    account_id, now_ms = columns.account_id, session.clock()
    zone = zone_of_account(session, account_id)
    month = ZonedMonth.named(month_name, zone)
    since_ms, until_ms = month.since_ms, month.until_ms
    target = review_target(session, account_id)
    with session.account_reading(account_id) as connection:
        changes = _changes(connection, account_id, month, now_ms)
        disputed = disputed_requests(connection, account_id, since_ms, until_ms)
        reviews = _Reviews(connection, account_id, month)
    spans = [part for each in changes for part in each.spans]
    asked = AskedOrders(since_ms, until_ms, disputed, reviews.ids, spans)
    counted = count_orders(columns, asked)
    return MonthlyReport(
        month=str(month),
        time_zone=str(zone),
        since=Moment(since_ms),
        until=Moment(until_ms),
        made_at=Moment(now_ms),
        requests=counted.requests,
        counts=counts_of(counted.orders),
        money=money_of(counted.orders),
        reviews=reviews.times(target),
        analysts=reviews.analysts(counted.labels),
        rules=rules_of(counted.rules),
        markets=markets_of(counted.orders),
        rule_changes=[
            each.compared(*counted.spans[2 * place : 2 * place + 2])
            for place, each in enumerate(changes)
        ],
    )


class _RuleChange(NamedTuple):
    """When a version of a rule set came into force, and what can be compared around it."""

    at_ms: int
    rule_set: str
    version: int
    span_ms: int

    @property
    def spans(self) -> list[tuple[int, int]]:
        at_ms, span_ms = self.at_ms, self.span_ms
        return [(at_ms - span_ms, at_ms), (at_ms, at_ms + span_ms)]

    def compared(
        self, before: Sequence[OrderGroup], after: Sequence[OrderGroup]
    ) -> RuleChangeFigures:
        """What the report says of it."""
        return RuleChangeFigures(
            at=Moment(self.at_ms),
            rule_set=self.rule_set,
            version=self.version,
            span_seconds=self.span_ms // 1000,
            before=counts_of(before),
            after=counts_of(after),
        )


def _changes(
    connection: sa.Connection, account_id: str, month: ZonedMonth, now_ms: int
) -> list[_RuleChange]:
    """The changes of a month, newest first, with spans in which nothing else changed."""
    around = LineSearch(
        limit=_SCANNED,
        action="rules.",
        since_ms=month.since_ms - LONGEST_SPAN_MS,
        until_ms=month.until_ms + LONGEST_SPAN_MS,
    )
    lines = audit.search(connection, account_id, around)
    lines = [each for each in reversed(lines) if each.action in _CHANGED]
    found = []
    for place, line in enumerate(lines):
        if not month.since_ms <= line.at_ms < month.until_ms:
            continue
        before_ms = lines[place - 1].at_ms if place else 0
        after_ms = lines[place + 1].at_ms if place + 1 < len(lines) else now_ms
        span_ms = min(LONGEST_SPAN_MS, line.at_ms - before_ms, after_ms - line.at_ms)
        if span_ms > 0:
            name, version = str(line.details.get("name", "")), int(line.details.get("version", 0))
            found.append(_RuleChange(line.at_ms, name, version, span_ms))
    return found[: -MOST_CHANGES - 1 : -1]


class _Reviews:
    """The reviews of a month and who resolved them."""

    def __init__(self, connection: sa.Connection, account_id: str, month: ZonedMonth) -> None:
        since_ms, until_ms = month.since_ms, month.until_ms
        every = queries.resolved(connection, account_id, since_ms, until_ms)
        self._mine = [each for each in every if since_ms <= each.at_ms < until_ms]
        self._opened = len(queries.opened(connection, account_id, since_ms, until_ms))
        self._waiting = [
            queries.still_open_before(connection, account_id, at_ms)
            + sum(each.at_ms >= at_ms > id_time_ms(each.request_id) for each in every)
            for at_ms in (since_ms, until_ms)
        ]

    @property
    def ids(self) -> list[str]:
        """The requests that were resolved in the month."""
        return [each.request_id for each in self._mine]

    def times(self, target_hours: int) -> ReviewTimes:
        """How people kept up."""
        took = sorted(each.took_ms // 1000 for each in self._mine)
        before, after = self._waiting
        return ReviewTimes(
            opened=self._opened,
            resolved=len(took),
            median_seconds=statistics.median_low(took) if took else None,
            nine_in_ten_seconds=took[(len(took) * 9 + 9) // 10 - 1] if took else None,
            target_hours=target_hours,
            within_target=sum(each.took_ms <= target_hours * _HOUR_MS for each in self._mine),
            waiting_before=before,
            waiting_after=after,
        )

    def analysts(self, labels: dict[str, bool]) -> list[AnalystMonth]:
        """What each person did."""
        by: dict[str, list[ResolvedReview]] = {}
        for each in self._mine:
            by.setdefault(each.by, []).append(each)
        found = [
            AnalystMonth(
                by=name,
                handled=len(some),
                median_seconds=statistics.median_low(each.took_ms // 1000 for each in some),
                overturned=sum(
                    each.corrected or labels.get(each.request_id) is each.approved for each in some
                ),
            )
            for name, some in by.items()
        ]
        return sorted(found, key=lambda each: (-each.handled, each.by))[:_MOST_ANALYSTS]


def month_before(now_ms: int, zone: ZoneInfo) -> ZonedMonth:
    """The newest month that is over."""
    return ZonedMonth.at(now_ms, zone).moved(-1)
