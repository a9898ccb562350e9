"""What a merchant is told about the networks' programmes."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.core.clock import Moment

Month = Annotated[str, Meta(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$")]


class MeterFilter(msgspec.Struct, frozen=True, rename="camel"):
    """Which month to meter."""

    month: Annotated[
        Month | None,
        Meta(description="A month in UTC, such as 2026-11; this one if none is given."),
    ] = None


class MeteredProgramme(msgspec.Struct, frozen=True, rename="camel"):
    """How a month stands against one level of a programme."""

    programme: Annotated[str, Meta(description="Its name.", examples=["VAMP"])]
    level: Annotated[str, Meta(description="Its level.", examples=["excessive"])]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    merchant_id: Annotated[str | None, Meta(description="The merchant id; null if none is told.")]
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
    limit_basis_points: Annotated[int, Meta(description="From where on.", examples=[150])]
    limit_events: Annotated[int, Meta(description="And from how many events on.", examples=[1500])]
    met: Annotated[bool, Meta(description="Whether all conditions of the level hold.")]
    events_left: Annotated[
        int | None,
        Meta(
            description="How many more events until they do; null while another condition, such "
            "as an amount, keeps the level away."
        ),
    ]
    source: Annotated[str, Meta(description="Where the thresholds are from.")]


class ProgrammeReport(msgspec.Struct, frozen=True, rename="camel"):
    """How a month stands against all programmes."""

    month: Annotated[str, Meta(description="The month, in UTC.", examples=["2026-11"])]
    as_of: Annotated[Moment, Meta(description="When it was metered (RFC 3339).")]
    table_as_of: Annotated[
        str, Meta(description="The day of the table of thresholds.", examples=["2026-11-01"])
    ]
    standings: Annotated[list[MeteredProgramme], Meta(description="The nearest to a level first.")]
