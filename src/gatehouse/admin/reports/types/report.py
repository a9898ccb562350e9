"""The report on a month: every figure, and what it counts."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.outcomes.types.money import MoneySum
from gatehouse.core.clock import Moment

MonthName = Annotated[
    Annotated[str, Meta(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])\Z")],
    Meta(description="A month, such as 2026-10.", examples=["2026-10"]),
]
MOST_CHANGES: Final = 20
"""Changes of rules in one report; the newest."""
LONGEST_SPAN_MS: Final = 7 * 86_400_000
"""Orders before and after a change of rules are compared over as much at most."""


class OrderCounts(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How many orders there were, and what became of them."""

    orders: Annotated[int, Meta(description="Decisions with an outcome.", examples=[1200])] = 0
    accepted: Annotated[
        int, Meta(description="Accepted in the end: at once, or by a person.", examples=[1100])
    ] = 0
    reviewed: Annotated[int, Meta(description="Sent to a person first.", examples=[40])] = 0
    declined: Annotated[
        int, Meta(description="Declined in the end: at once, or by a person.", examples=[90])
    ] = 0
    labelled: Annotated[
        int, Meta(description="Accepted, and known to be fraud or not.", examples=[300])
    ] = 0
    fraud: Annotated[int, Meta(description="Accepted, and known to be fraud.", examples=[9])] = 0
    disputed: Annotated[int, Meta(description="Accepted, and disputed since.", examples=[5])] = 0


class OrderMoney(msgspec.Struct, frozen=True, rename="camel"):
    """The orders of a month in one currency; amounts of different ones are never added."""

    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    orders: Annotated[MoneySum, Meta(description="All orders.")]
    accepted: Annotated[MoneySum, Meta(description="Accepted in the end.")]
    fraud: Annotated[MoneySum, Meta(description="Accepted, and known to be fraud.")]
    disputed: Annotated[MoneySum, Meta(description="Accepted, and disputed since.")]
    turned_away: Annotated[MoneySum, Meta(description="Declined in the end.")]
    saved: Annotated[MoneySum, Meta(description="Declined, and known to be fraud.")]
    wrongly_declined: Annotated[MoneySum, Meta(description="Declined, and known to be legitimate.")]


class ReviewTimes(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How people kept up with the reviews."""

    opened: Annotated[int, Meta(description="Opened in the month.", examples=[40])]
    resolved: Annotated[int, Meta(description="Resolved first in the month.", examples=[38])]
    median_seconds: Annotated[
        int | None, Meta(description="From opening to the first resolution: half took less.")
    ]
    nine_in_ten_seconds: Annotated[
        int | None, Meta(description="Nine in ten of them took no longer.")
    ]
    target_hours: Annotated[int, Meta(description="The account's target.", examples=[24])]
    within_target: Annotated[int, Meta(description="Resolved within the target.", examples=[36])]
    waiting_before: Annotated[int, Meta(description="Open when the month began.", examples=[2])]
    waiting_after: Annotated[int, Meta(description="Open when it ended.", examples=[4])]


class AnalystMonth(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The reviews that one person, or one key, resolved."""

    by: Annotated[str, Meta(description="Who.", examples=["user:usr_01kabcdefghjkmnpqrstvwxyz0"])]
    handled: Annotated[int, Meta(description="Reviews resolved first.", examples=[20])]
    median_seconds: Annotated[int, Meta(description="From opening: half took less.")]
    overturned: Annotated[
        int,
        Meta(description="Of these, corrected since, or contradicted by a later label."),
    ]


class RuleMonth(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What one rule did in the month, in all versions."""

    rule_set: Annotated[str, Meta(description="Its rule set.", examples=["default"])]
    rule: Annotated[str, Meta(description="Its name.", examples=["new_card_large"])]
    shadow: Annotated[bool, Meta(description="Whether it only watched.")]
    hits: Annotated[int, Meta(description="Requests that it matched.", examples=[12])]
    declined: Annotated[int, Meta(description="Of these, declined at once.", examples=[9])]
    fraud: Annotated[int, Meta(description="Of these, known to be fraud.", examples=[4])]
    legitimate: Annotated[int, Meta(description="Of these, known to be legitimate.")]


class MarketMonth(OrderCounts, frozen=True, rename="camel", kw_only=True):
    """The orders of one country: of the billing address, else the card, else the network."""

    country: Annotated[
        str | None, Meta(description="ISO 3166-1 alpha-2; null where none is known.")
    ]


class RuleChangeFigures(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Orders before and after a version of a rule set came into force, over equal spans.

    Nothing says that the rules made the difference: days of the week, campaigns and attacks do
    the same, and labels of the later orders come later.
    """

    at: Annotated[Moment, Meta(description="When (RFC 3339).")]
    rule_set: Annotated[str, Meta(description="Its name.", examples=["default"])]
    version: Annotated[int, Meta(description="The version that came into force.", examples=[4])]
    span_seconds: Annotated[
        int,
        Meta(description="How long before and after: a week, or up to the next change."),
    ]
    before: Annotated[OrderCounts, Meta(description="Before.")]
    after: Annotated[OrderCounts, Meta(description="After.")]


class MonthlyReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What became of the orders of a month, as known when the report was made."""

    month: Annotated[str, Meta(description="The month.", examples=["2026-10"])]
    time_zone: Annotated[
        str, Meta(description="Whose midnights it begins and ends at.", examples=["Europe/Berlin"])
    ]
    since: Annotated[Moment, Meta(description="Its first moment (RFC 3339).")]
    until: Annotated[Moment, Meta(description="The first moment after it (RFC 3339).")]
    made_at: Annotated[
        Moment, Meta(description="When it was made (RFC 3339): what was told later is not in it.")
    ]
    requests: Annotated[int, Meta(description="All requests.", examples=[1300])]
    counts: Annotated[OrderCounts, Meta(description="All orders.")]
    money: Annotated[list[OrderMoney], Meta(description="By currency.")]
    reviews: Annotated[ReviewTimes, Meta(description="How people kept up.")]
    analysts: Annotated[list[AnalystMonth], Meta(description="Who handled most, first.")]
    rules: Annotated[list[RuleMonth], Meta(description="What matched most, first.")]
    markets: Annotated[list[MarketMonth], Meta(description="What has most orders, first.")]
    rule_changes: Annotated[list[RuleChangeFigures], Meta(description="Newest first.")]


class ReportLine(msgspec.Struct, frozen=True, rename="camel"):
    """A report that was made."""

    month: Annotated[str, Meta(description="The month.", examples=["2026-10"])]
    made_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]


class ReportList(msgspec.Struct, frozen=True, rename="camel"):
    """The reports that were made."""

    reports: Annotated[list[ReportLine], Meta(description="The newest month first.")]


class ReportWanted(msgspec.Struct, frozen=True, rename="camel"):
    """Which month to make a report on."""

    month: MonthName


class ReportSettings(msgspec.Struct, frozen=True, rename="camel"):
    """How reports are made."""

    time_zone: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)],
        Meta(description="Whose midnights months begin at.", examples=["Europe/Berlin"]),
    ] = "UTC"
