"""What happened in a month, to an account's payments of one network and to each merchant id."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import OutcomeKind, region_of
from gatehouse.admin.programmes.types.thresholds import CountedEvents

Regions = Mapping[str | None, str]
"""The region of merchant ids, and under None that of the account, where there is only one."""
CountOf = Callable[[OutcomeGroup], int]


class MonthCounts(msgspec.Struct, frozen=True):
    """What happened in one month."""

    sales: int = 0
    sales_three_ds: int = 0
    """Those that were authenticated."""
    sales_three_ds_told: int = 0
    """Those that say whether they were."""
    fraud_reports: int = 0
    disputes: int = 0
    """All, those about fraud included; without those that a tool settled before."""
    fraud_disputes: int = 0
    report_micros: dict[str, int] = {}
    fraud_micros: dict[str, int] = {}
    other_micros: dict[str, int] = {}
    """What reports, disputes about fraud and other disputes come to, by currency."""

    def plus(self, other: "MonthCounts", times: int = 1) -> "MonthCounts":
        """Both together; with -1, without the other."""
        mine, more = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        sums: dict[str, Any] = {
            name: _sum(value, more[name], times)
            if isinstance(value, dict)
            else value + times * more[name]
            for name, value in mine.items()
        }
        return MonthCounts(**sums)

    def events(self, counted: CountedEvents) -> int:
        """The numerator of a programme's ratio."""
        match counted:
            case CountedEvents.FRAUD_AND_DISPUTES:
                return self.fraud_reports + self.disputes
            case CountedEvents.FRAUD_AND_OTHER_DISPUTES:
                return self.fraud_reports + self.disputes - self.fraud_disputes
            case CountedEvents.CHARGEBACKS:
                return self.disputes
            case CountedEvents.FRAUD_CHARGEBACKS:
                return self.fraud_disputes

    def micros(self, counted: CountedEvents) -> dict[str, int]:
        """What the numerator comes to, by currency."""
        found = dict[str, int]()
        if counted in (CountedEvents.FRAUD_AND_DISPUTES, CountedEvents.FRAUD_AND_OTHER_DISPUTES):
            found = self.report_micros
        if counted is not CountedEvents.FRAUD_AND_OTHER_DISPUTES:
            found = _sum(found, self.fraud_micros)
        if counted is not CountedEvents.FRAUD_CHARGEBACKS:
            found = _sum(found, self.other_micros)
        return found


def _sum(some: dict[str, int], others: dict[str, int], times: int = 1) -> dict[str, int]:
    codes = sorted({*some, *others})
    return {code: some.get(code, 0) + times * others.get(code, 0) for code in codes}


NOTHING = MonthCounts()


class MeteredScope(StrEnum):
    """What is metered together."""

    ACCOUNT = "ACCOUNT"
    """All merchant ids of the account, and payments without one."""
    MERCHANT = "MERCHANT"
    """One merchant id."""


class MeteredPart(NamedTuple):
    """What is metered by itself."""

    network: str
    scope: MeteredScope
    merchant_id: str | None
    """None for all of the account."""
    region: str | None


def told_regions(groups: Iterable[OutcomeGroup]) -> Regions:
    """The regions that can be meant by outcomes which name none.

    Files with reported frauds seldom name a region. Where all outcomes of a merchant id that name
    one name the same, it is meant; likewise for the account.
    """
    seen: defaultdict[str | None, set[str]] = defaultdict(set)
    for each in groups:
        if each.region is not None:
            for name in {None, each.merchant_id}:
                seen[name].add(region_of(each.region))
    return {name: next(iter(found)) for name, found in seen.items() if len(found) == 1}


def parts_of(group: OutcomeGroup, regions: Regions) -> list[MeteredPart]:
    """Where outcomes count: for the account, and for their merchant id."""
    name, region = group.merchant_id, group.region
    region = region_of(region) if region else regions.get(name) or regions.get(None)
    found = [MeteredPart(group.network, MeteredScope.ACCOUNT, None, region)]
    if name is not None:
        found.append(MeteredPart(group.network, MeteredScope.MERCHANT, name, region))
    return found


def month_counts(
    groups: Iterable[OutcomeGroup], regions: Regions, count: CountOf = lambda one: one.number
) -> dict[MeteredPart, MonthCounts]:
    """What happened to each part of an account, out of the outcomes of a month."""
    found: defaultdict[MeteredPart, MonthCounts] = defaultdict(MonthCounts)
    for group in groups:
        counts = counts_of(group, count(group))
        for part in parts_of(group, regions):
            found[part] = found[part].plus(counts)
    return dict(found)


def counts_of(group: OutcomeGroup, number: int) -> MonthCounts:
    """What so many outcomes of a group count for."""
    if group.kind == OutcomeKind.SETTLED:
        return MonthCounts(
            sales=number,
            sales_three_ds=group.authenticated,
            sales_three_ds_told=group.told_authentication,
        )
    amounts = {} if group.currency is None else {group.currency: group.micros}
    if group.is_counted_report:
        return MonthCounts(fraud_reports=number, report_micros=amounts)
    if not group.is_counted_dispute:
        return NOTHING
    if not group.is_fraud:
        return MonthCounts(disputes=number, other_micros=amounts)
    return MonthCounts(disputes=number, fraud_disputes=number, fraud_micros=amounts)
