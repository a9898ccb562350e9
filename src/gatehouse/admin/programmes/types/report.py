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
from gatehouse.core.clock import Moment

Month = Annotated[str, Meta(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])\Z")]


class MeterFilter(msgspec.Struct, frozen=True, rename="camel"):
    """Which month to meter."""

    month: Annotated[
        Month | None,
        Meta(description="A month in UTC, such as 2026-11; this one if none is given."),
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


class ProgrammeForecast(msgspec.Struct, frozen=True, rename="camel"):
    """What a month will come to; the bounds hold in four cases of five."""

    events: Annotated[int, Meta(description="Expected events.", examples=[61])]
    events_low: Annotated[int, Meta(description="Fewer in one case of ten.", examples=[52])]
    events_high: Annotated[int, Meta(description="More in one case of ten.", examples=[72])]
    sales: Annotated[int, Meta(description="Expected sales.", examples=[7400])]
    basis_points: Annotated[
        str | None, Meta(description="The expected ratio in basis points.", examples=["82.43"])
    ]
    basis_points_low: Annotated[
        str | None, Meta(description="Lower in one case of ten.", examples=["69.10"])
    ]
    basis_points_high: Annotated[
        str | None, Meta(description="Higher in one case of ten.", examples=["98.70"])
    ]
    outlook: Annotated[Outlook, Meta(description="Whether the level will be met.")]
    months: Annotated[
        int, Meta(description="Earlier months that it was learnt from.", examples=[6])
    ]
    formula: Formula


class MeteredProgramme(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How a month stands against one level of a programme."""

    programme: Annotated[str, Meta(description="Its name.", examples=["VAMP"])]
    level: Annotated[str, Meta(description="Its level.", examples=["excessive"])]
    of: Annotated[
        ProgrammeSubject,
        Meta(description="Whom the level judges: a merchant, or the acquirer of many."),
    ]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    scope: Annotated[
        MeteredScope,
        Meta(description="`ACCOUNT` counts all merchant ids together, `MERCHANT` one of them."),
    ]
    merchant_id: Annotated[str | None, Meta(description="The merchant id; null for all.")]
    region: Annotated[str | None, Meta(description="Its region; null if none is told.")]
    events: Annotated[int, Meta(description="What counts in this month.", examples=[41])]
    sales: Annotated[int, Meta(description="Sales that they are divided by.", examples=[5000])]
    sales_month: Annotated[str, Meta(description="The month of these sales.", examples=["2026-11"])]
    basis_points: Annotated[
        str | None,
        Meta(
            description="The ratio in basis points, rounded to two decimals; null without sales.",
            examples=["82.00"],
        ),
    ]
    formula: Formula
    limit_basis_points: Annotated[int, Meta(description="From where on.", examples=[150])]
    limit_events: Annotated[int, Meta(description="And from how many events on.", examples=[1500])]
    needed_events: Annotated[
        int,
        Meta(
            description="The fewest events with which both hold, with these sales.",
            examples=[1500],
        ),
    ]
    reached_percent: Annotated[
        int,
        Meta(
            description="How far on the way to the level: of the events that it needs, or of its "
            "amount, if that is further away. 0 where its other conditions keep it away.",
            examples=[2],
        ),
    ]
    met: Annotated[bool, Meta(description="Whether all conditions of the level hold.")]
    events_left: Annotated[
        int | None,
        Meta(
            description="How many more events until they do; null while another condition, such "
            "as an amount, keeps the level away."
        ),
    ]
    missing: Annotated[
        list[OtherCondition],
        Meta(description="What else the level asks for and does not hold."),
    ]
    amount: Annotated[
        str | None,
        Meta(description="What the events come to, where the level has an amount."),
    ]
    limit_amount: Annotated[str | None, Meta(description="From which amount on.")]
    currency: Annotated[str | None, Meta(description="The currency of both amounts.")]
    uncounted: Annotated[
        dict[str, str],
        Meta(
            description="Amounts in other currencies, which are not counted because the table of "
            "thresholds has no rate for them."
        ),
    ]
    three_d_secure_basis_points: Annotated[
        str | None,
        Meta(description="The share of sales with 3-D Secure, where the level asks for it."),
    ]
    limit_three_d_secure: Annotated[
        int | None, Meta(description="It must be below, in basis points.")
    ]
    forecast: Annotated[
        ProgrammeForecast | None,
        Meta(
            description="What the month will come to; null for a month of long ago, and where no "
            "sales, or neither events nor earlier months, are known."
        ),
    ]
    source: Annotated[str, Meta(description="Where the thresholds are from.")]
    alone: Annotated[
        str | None, Meta(description="Which figures one source alone states; ask your acquirer.")
    ]
    unverified: Annotated[
        bool, Meta(description="Whether a figure of them is from memory; ask your acquirer.")
    ]


class ProgrammeAlert(msgspec.Struct, frozen=True, rename="camel"):
    """A step on the way to a level that was reached in a month, and when that was noticed."""

    programme: Annotated[str, Meta(description="The programme.", examples=["VAMP"])]
    level: Annotated[str, Meta(description="Its level.", examples=["excessive"])]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    merchant_id: Annotated[str | None, Meta(description="The merchant id; null for all.")]
    region: Annotated[str | None, Meta(description="Its region; null if none is told.")]
    percent: Annotated[int, Meta(description="50, 75, 90, or 100 once met.", examples=[75])]
    at: Annotated[Moment, Meta(description="When it was noticed (RFC 3339).")]


class ProgrammeReport(msgspec.Struct, frozen=True, rename="camel"):
    """How a month stands against all programmes."""

    month: Annotated[str, Meta(description="The month, in UTC.", examples=["2026-11"])]
    as_of: Annotated[Moment, Meta(description="When it was metered (RFC 3339).")]
    table_as_of: Annotated[
        str, Meta(description="The day of the table of thresholds.", examples=["2026-11-01"])
    ]
    standings: Annotated[
        list[MeteredProgramme],
        Meta(description="Those of merchants first, and of these the nearest to a level."),
    ]
    alerts: Annotated[list[ProgrammeAlert], Meta(description="Of this month, newest first.")]
    causes: Annotated[
        list[EventCause],
        Meta(
            description="What let the orders through that the newest 5,000 events of the month are "
            "about: the 50 most frequent causes."
        ),
    ]
    unmetered: Annotated[
        list["ShownUnmetered"],
        Meta(description="Programmes in force where the account sells, with no public figures."),
    ] = []
    warnings: Annotated[
        list[str],
        Meta(description="What of the month counts nowhere, or not as what it may be."),
    ] = []


class ShownThreshold(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One level of a programme, as the table in force has it."""

    programme: Annotated[str, Meta(description="The programme.", examples=["VAMP"])]
    level: Annotated[str, Meta(description="Its level.", examples=["excessive"])]
    of: Annotated[ProgrammeSubject, Meta(description="Whom it judges.")]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    since: Annotated[str, Meta(description="From this day on.", examples=["2026-04-01"])]
    until: Annotated[str | None, Meta(description="Until before this day.")]
    counts: Annotated[CountedEvents, Meta(description="Which events are counted.")]
    sales_of: Annotated[
        str, Meta(description="Whose sales they are divided by.", examples=["same month"])
    ]
    basis_points: Annotated[int, Meta(description="From which ratio on.", examples=[150])]
    events: Annotated[int, Meta(description="And how many events.", examples=[1500])]
    sales: Annotated[int, Meta(description="And how many sales.", examples=[0])]
    amount: Annotated[str | None, Meta(description="And which amount of these events.")]
    currency: Annotated[str | None, Meta(description="The currency of the amount.")]
    three_d_secure_below: Annotated[
        int | None, Meta(description="And below which share of sales with 3-D Secure.")
    ]
    regions: Annotated[list[str], Meta(description="Only there; everywhere if none is named.")]
    except_regions: Annotated[list[str], Meta(description="Not there.")]
    unverified: Annotated[bool, Meta(description="Whether a figure is from memory.")]
    source: Annotated[str, Meta(description="Where the figures are from.")]
    sources: Annotated[
        list[str],
        Meta(description="Who states them, each with the date and the region that it names."),
    ]
    alone: Annotated[
        str | None, Meta(description="Which figures one source alone states; ask your acquirer.")
    ]


class ShownUnmetered(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A programme that is in force and whose figures are not public, so that it is not metered."""

    programme: Annotated[str, Meta(description="The programme.", examples=["MERP"])]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    regions: Annotated[list[str], Meta(description="Where it is in force.")]
    since: Annotated[str, Meta(description="From this day on.", examples=["2026-10-01"])]
    until: Annotated[str | None, Meta(description="Until before this day.")]
    about: Annotated[str, Meta(description="What the network looks at.")]
    sources: Annotated[list[str], Meta(description="Who says so.")]
    alone: Annotated[
        str | None, Meta(description="Which figures one source alone states; ask your acquirer.")
    ]


class ShownRate(msgspec.Struct, frozen=True, rename={"currency": "from"}):
    """What a unit of a currency is worth in another, as an operator's table states it."""

    currency: Annotated[str, Meta(description="The currency.", examples=["GBP"])]
    to: Annotated[str, Meta(description="The other one.", examples=["USD"])]
    rate: Annotated[str, Meta(description="As a decimal.", examples=["1.27"])]
    since: Annotated[str, Meta(description="From this day on.", examples=["2026-01-01"])]
    until: Annotated[str | None, Meta(description="Until before this day.")]


class ThresholdTable(msgspec.Struct, frozen=True, rename="camel"):
    """The table of thresholds that is in force."""

    as_of: Annotated[str, Meta(description="The day of the table.", examples=["2026-11-01"])]
    own: Annotated[
        bool, Meta(description="Whether the operator has replaced the table that ships.")
    ]
    thresholds: Annotated[list[ShownThreshold], Meta(description="In the order of the file.")]
    rates: Annotated[list[ShownRate], Meta(description="Exchange rates; none ships.")]
    unmetered: Annotated[
        list[ShownUnmetered], Meta(description="Programmes whose figures are not public.")
    ] = []
