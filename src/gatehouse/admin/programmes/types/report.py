"""What a merchant is told about the networks' programmes."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.admin.programmes.types.causes import EventCause
from gatehouse.admin.programmes.types.counting import MeteredScope
from gatehouse.admin.programmes.types.formulas import Formula
from gatehouse.admin.programmes.types.meter import OtherCondition
from gatehouse.admin.programmes.types.thresholds import CountedEvents, ProgrammeSubject
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment

Month = Annotated[str, Meta(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])\Z")]


class MeterFilter(CamelStruct):
    """Which month to meter."""

    month: Annotated[
        Month | None, doc("A month in UTC, such as 2026-11; this one if none is given.")
    ] = None


class Outlook(StrEnum):
    """Whether a level will be met when the month is over and everything is told."""

    MET = "MET"
    """It is met already."""
    LIKELY = "LIKELY"
    """Even at the lower bound of the forecast."""
    POSSIBLE = "POSSIBLE"
    """At the upper bound of the forecast."""
    UNLIKELY = "UNLIKELY"


class ProgrammeForecast(CamelStruct):
    """What a month will come to; the bounds hold in four cases of five."""

    events: Annotated[int, doc("Expected events.", 61)]
    events_low: Annotated[int, doc("Fewer in one case of ten.", 52)]
    events_high: Annotated[int, doc("More in one case of ten.", 72)]
    sales: Annotated[int, doc("Expected sales.", 7400)]
    basis_points: Annotated[str | None, doc("The expected ratio in basis points.", "82.43")]
    basis_points_low: Annotated[str | None, doc("Lower in one case of ten.", "69.10")]
    basis_points_high: Annotated[str | None, doc("Higher in one case of ten.", "98.70")]
    outlook: Annotated[Outlook, doc("Whether the level will be met.")]
    months: Annotated[int, doc("Earlier months that it was learnt from.", 6)]
    formula: Formula


class MeteredProgramme(CamelStruct, kw_only=True):
    """How a month stands against one level of a programme."""

    programme: Annotated[str, doc("Its name.", "VAMP")]
    level: Annotated[str, doc("Its level.", "excessive")]
    of: Annotated[
        ProgrammeSubject, doc("Whom the level judges: a merchant, or the acquirer of many.")
    ]
    network: Annotated[str, doc("The card network.", "VISA")]
    scope: Annotated[
        MeteredScope, doc("`ACCOUNT` counts all merchant ids together, `MERCHANT` one of them.")
    ]
    merchant_id: Annotated[str | None, doc("The merchant id; null for all.")]
    region: Annotated[str | None, doc("Its region; null if none is told.")]
    events: Annotated[int, doc("What counts in this month.", 41)]
    sales: Annotated[int, doc("Sales that they are divided by.", 5000)]
    sales_month: Annotated[str, doc("The month of these sales.", "2026-11")]
    basis_points: Annotated[
        str | None,
        doc("The ratio in basis points, rounded to two decimals; null without sales.", "82.00"),
    ]
    formula: Formula
    limit_basis_points: Annotated[int, doc("From where on.", 150)]
    limit_events: Annotated[int, doc("And from how many events on.", 1500)]
    needed_events: Annotated[
        int, doc("The fewest events with which both hold, with these sales.", 1500)
    ]
    reached_percent: Annotated[
        int,
        doc(
            "How far on the way to the level: of the events that it needs, or of its "
            "amount, if that is further away. 0 where its other conditions keep it away.",
            2,
        ),
    ]
    met: Annotated[bool, doc("Whether all conditions of the level hold.")]
    events_left: Annotated[
        int | None,
        doc(
            "How many more events until they do; null while another condition, such "
            "as an amount, keeps the level away."
        ),
    ]
    missing: Annotated[list[OtherCondition], doc("What else the level asks for and does not hold.")]
    amount: Annotated[str | None, doc("What the events come to, where the level has an amount.")]
    limit_amount: Annotated[str | None, doc("From which amount on.")]
    currency: Annotated[str | None, doc("The currency of both amounts.")]
    uncounted: Annotated[
        dict[str, str],
        doc(
            "Amounts in other currencies, which are not counted because the table of "
            "thresholds has no rate for them."
        ),
    ]
    three_d_secure_basis_points: Annotated[
        str | None, doc("The share of sales with 3-D Secure, where the level asks for it.")
    ]
    limit_three_d_secure: Annotated[int | None, doc("It must be below, in basis points.")]
    forecast: Annotated[
        ProgrammeForecast | None,
        doc(
            "What the month will come to; null for a month of long ago, and where no "
            "sales, or neither events nor earlier months, are known."
        ),
    ]
    source: Annotated[str, doc("Where the thresholds are from.")]
    alone: Annotated[str | None, doc("Which figures one source alone states; ask your acquirer.")]
    unverified: Annotated[bool, doc("Whether a figure of them is from memory; ask your acquirer.")]


class ProgrammeAlert(CamelStruct):
    """A step on the way to a level that was reached in a month, and when that was noticed."""

    programme: Annotated[str, doc("The programme.", "VAMP")]
    level: Annotated[str, doc("Its level.", "excessive")]
    network: Annotated[str, doc("The card network.", "VISA")]
    merchant_id: Annotated[str | None, doc("The merchant id; null for all.")]
    region: Annotated[str | None, doc("Its region; null if none is told.")]
    percent: Annotated[int, doc("50, 75, 90, or 100 once met.", 75)]
    at: Annotated[Moment, doc("When it was noticed (RFC 3339).")]


class ProgrammeReport(CamelStruct):
    """How a month stands against all programmes."""

    month: Annotated[str, doc("The month, in UTC.", "2026-11")]
    as_of: Annotated[Moment, doc("When it was metered (RFC 3339).")]
    table_as_of: Annotated[str, doc("The day of the table of thresholds.", "2026-11-01")]
    standings: Annotated[
        list[MeteredProgramme],
        doc("Those of merchants first, and of these the nearest to a level."),
    ]
    alerts: Annotated[list[ProgrammeAlert], doc("Of this month, newest first.")]
    causes: Annotated[
        list[EventCause],
        doc(
            "What let the orders through that the newest 5,000 events of the month are "
            "about: the 50 most frequent causes."
        ),
    ]
    unmetered: Annotated[
        list["ShownUnmetered"],
        doc("Programmes in force where the account sells, with no public figures."),
    ] = []
    warnings: Annotated[
        list[str], doc("What of the month counts nowhere, or not as what it may be.")
    ] = []


class ShownThreshold(CamelStruct, kw_only=True):
    """One level of a programme, as the table in force has it."""

    programme: Annotated[str, doc("The programme.", "VAMP")]
    level: Annotated[str, doc("Its level.", "excessive")]
    of: Annotated[ProgrammeSubject, doc("Whom it judges.")]
    network: Annotated[str, doc("The card network.", "VISA")]
    since: Annotated[str, doc("From this day on.", "2026-04-01")]
    until: Annotated[str | None, doc("Until before this day.")]
    counts: Annotated[CountedEvents, doc("Which events are counted.")]
    sales_of: Annotated[str, doc("Whose sales they are divided by.", "same month")]
    basis_points: Annotated[int, doc("From which ratio on.", 150)]
    events: Annotated[int, doc("And how many events.", 1500)]
    sales: Annotated[int, doc("And how many sales.", 0)]
    amount: Annotated[str | None, doc("And which amount of these events.")]
    currency: Annotated[str | None, doc("The currency of the amount.")]
    three_d_secure_below: Annotated[
        int | None, doc("And below which share of sales with 3-D Secure.")
    ]
    regions: Annotated[list[str], doc("Only there; everywhere if none is named.")]
    except_regions: Annotated[list[str], doc("Not there.")]
    unverified: Annotated[bool, doc("Whether a figure is from memory.")]
    source: Annotated[str, doc("Where the figures are from.")]
    sources: Annotated[
        list[str], doc("Who states them, each with the date and the region that it names.")
    ]
    alone: Annotated[str | None, doc("Which figures one source alone states; ask your acquirer.")]


class ShownUnmetered(CamelStruct, kw_only=True):
    """A programme that is in force and whose figures are not public, so that it is not metered."""

    programme: Annotated[str, doc("The programme.", "MERP")]
    network: Annotated[str, doc("The card network.", "VISA")]
    regions: Annotated[list[str], doc("Where it is in force.")]
    since: Annotated[str, doc("From this day on.", "2026-10-01")]
    until: Annotated[str | None, doc("Until before this day.")]
    about: Annotated[str, doc("What the network looks at.")]
    sources: Annotated[list[str], doc("Who says so.")]
    alone: Annotated[str | None, doc("Which figures one source alone states; ask your acquirer.")]


class ShownRate(msgspec.Struct, frozen=True, rename={"currency": "from"}):
    """What a unit of a currency is worth in another, as an operator's table states it."""

    currency: Annotated[str, doc("The currency.", "GBP")]
    to: Annotated[str, doc("The other one.", "USD")]
    rate: Annotated[str, doc("As a decimal.", "1.27")]
    since: Annotated[str, doc("From this day on.", "2026-01-01")]
    until: Annotated[str | None, doc("Until before this day.")]


class ThresholdTable(CamelStruct):
    """The table of thresholds that is in force."""

    as_of: Annotated[str, doc("The day of the table.", "2026-11-01")]
    own: Annotated[bool, doc("Whether the operator has replaced the table that ships.")]
    thresholds: Annotated[list[ShownThreshold], doc("In the order of the file.")]
    rates: Annotated[list[ShownRate], doc("Exchange rates; none ships.")]
    unmetered: Annotated[list[ShownUnmetered], doc("Programmes whose figures are not public.")] = []
