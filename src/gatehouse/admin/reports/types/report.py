"""The report on a month: every figure, and what it counts."""

from typing import Annotated, Final

from gatehouse.admin.outcomes.types.money import MoneySum
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment

MonthName = Annotated[
    str, doc("A month, such as 2026-10.", "2026-10", pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])\Z")
]
MOST_CHANGES: Final = 20
"""Changes of rules in one report; the newest."""
LONGEST_SPAN_MS: Final = 7 * 86_400_000
"""Orders before and after a change of rules are compared over as much at most."""


class OrderCounts(CamelStruct, kw_only=True):
    """How many orders there were, and what became of them."""

    orders: Annotated[int, doc("Decisions with an outcome.", 1200)] = 0
    accepted: Annotated[int, doc("Accepted in the end: at once, or by a person.", 1100)] = 0
    reviewed: Annotated[int, doc("Sent to a person first.", 40)] = 0
    declined: Annotated[int, doc("Declined in the end: at once, or by a person.", 90)] = 0
    labelled: Annotated[int, doc("Accepted, and known to be fraud or not.", 300)] = 0
    fraud: Annotated[int, doc("Accepted, and known to be fraud.", 9)] = 0
    disputed: Annotated[int, doc("Accepted, and disputed since.", 5)] = 0


class OrderMoney(CamelStruct):
    """The orders of a month in one currency; amounts of different ones are never added."""

    currency: Annotated[str, doc("ISO 4217 code.", "USD")]
    orders: Annotated[MoneySum, doc("All orders.")]
    accepted: Annotated[MoneySum, doc("Accepted in the end.")]
    fraud: Annotated[MoneySum, doc("Accepted, and known to be fraud.")]
    disputed: Annotated[MoneySum, doc("Accepted, and disputed since.")]
    turned_away: Annotated[MoneySum, doc("Declined in the end.")]
    saved: Annotated[MoneySum, doc("Declined, and known to be fraud.")]
    wrongly_declined: Annotated[MoneySum, doc("Declined, and known to be legitimate.")]


class ReviewTimes(CamelStruct, kw_only=True):
    """How people kept up with the reviews."""

    opened: Annotated[int, doc("Opened in the month.", 40)]
    resolved: Annotated[int, doc("Resolved first in the month.", 38)]
    median_seconds: Annotated[
        int | None, doc("From opening to the first resolution: half took less.")
    ]
    nine_in_ten_seconds: Annotated[int | None, doc("Nine in ten of them took no longer.")]
    target_hours: Annotated[int, doc("The account's target.", 24)]
    within_target: Annotated[int, doc("Resolved within the target.", 36)]
    waiting_before: Annotated[int, doc("Open when the month began.", 2)]
    waiting_after: Annotated[int, doc("Open when it ended.", 4)]


class AnalystMonth(CamelStruct, kw_only=True):
    """The reviews that one person, or one key, resolved."""

    by: Annotated[str, doc("Who.", "user:usr_01kabcdefghjkmnpqrstvwxyz0")]
    handled: Annotated[int, doc("Reviews resolved first.", 20)]
    median_seconds: Annotated[int, doc("From opening: half took less.")]
    overturned: Annotated[int, doc("Of these, corrected since, or contradicted by a later label.")]


class RuleMonth(CamelStruct, kw_only=True):
    """What one rule did in the month, in all versions."""

    rule_set: Annotated[str, doc("Its rule set.", "default")]
    rule: Annotated[str, doc("Its name.", "new_card_large")]
    shadow: Annotated[bool, doc("Whether it only watched.")]
    hits: Annotated[int, doc("Requests that it matched.", 12)]
    declined: Annotated[int, doc("Of these, declined at once.", 9)]
    fraud: Annotated[int, doc("Of these, known to be fraud.", 4)]
    legitimate: Annotated[int, doc("Of these, known to be legitimate.")]


class MarketMonth(OrderCounts, kw_only=True):
    """The orders of one country: of the billing address, else the card, else the network."""

    country: Annotated[str | None, doc("ISO 3166-1 alpha-2; null where none is known.")]


class RuleChangeFigures(CamelStruct, kw_only=True):
    """Orders before and after a version of a rule set came into force, over equal spans.

    Nothing says that the rules made the difference: days of the week, campaigns and attacks do
    the same, and labels of the later orders come later.
    """

    at: Annotated[Moment, doc("When (RFC 3339).")]
    rule_set: Annotated[str, doc("Its name.", "default")]
    version: Annotated[int, doc("The version that came into force.", 4)]
    span_seconds: Annotated[
        int, doc("How long before and after: a week, or up to the next change.")
    ]
    before: Annotated[OrderCounts, doc("Before.")]
    after: Annotated[OrderCounts, doc("After.")]


class MonthlyReport(CamelStruct, kw_only=True):
    """What became of the orders of a month, as known when the report was made."""

    month: Annotated[str, doc("The month.", "2026-10")]
    time_zone: Annotated[str, doc("Whose midnights it begins and ends at.", "Europe/Berlin")]
    since: Annotated[Moment, doc("Its first moment (RFC 3339).")]
    until: Annotated[Moment, doc("The first moment after it (RFC 3339).")]
    made_at: Annotated[
        Moment, doc("When it was made (RFC 3339): what was told later is not in it.")
    ]
    requests: Annotated[int, doc("All requests.", 1300)]
    counts: Annotated[OrderCounts, doc("All orders.")]
    money: Annotated[list[OrderMoney], doc("By currency.")]
    reviews: Annotated[ReviewTimes, doc("How people kept up.")]
    analysts: Annotated[list[AnalystMonth], doc("Who handled most, first.")]
    rules: Annotated[list[RuleMonth], doc("What matched most, first.")]
    markets: Annotated[list[MarketMonth], doc("What has most orders, first.")]
    rule_changes: Annotated[list[RuleChangeFigures], doc("Newest first.")]


class ReportLine(CamelStruct):
    """A report that was made."""

    month: Annotated[str, doc("The month.", "2026-10")]
    made_at: Annotated[Moment, doc("When it was made (RFC 3339).")]


class ReportList(CamelStruct):
    """The reports that were made."""

    reports: Annotated[list[ReportLine], doc("The newest month first.")]


class ReportWanted(CamelStruct):
    """Which month to make a report on."""

    month: MonthName


class ReportSettings(CamelStruct):
    """How reports are made."""

    time_zone: Annotated[
        str, doc("Whose midnights months begin at.", "Europe/Berlin", min_length=1, max_length=64)
    ] = "UTC"
