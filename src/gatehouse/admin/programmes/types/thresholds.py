"""The networks' programmes as an operator's table states them: which ratio of which events counts.

The table is a file with dates, because networks change their thresholds by a date, and because
some values are only known from summaries: an operator can replace it. Nothing here knows a figure.
"""

import datetime
import tomllib
from enum import StrEnum
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.core.errors import InvalidInput

FILE: Final = "thresholds.toml"
LARGEST_BP: Final = 10_000


class ProgrammeNetwork(StrEnum):
    """A card network that has programmes."""

    VISA = "VISA"
    MASTERCARD = "MASTERCARD"


class CountedEvents(StrEnum):
    """What the numerator of a ratio counts."""

    FRAUD_AND_DISPUTES = "FRAUD_AND_DISPUTES"
    """Reported frauds and all disputes: one fraud may count twice."""
    FRAUD_AND_OTHER_DISPUTES = "FRAUD_AND_OTHER_DISPUTES"
    """Reported frauds and the disputes that are not about fraud: no fraud counts twice."""
    CHARGEBACKS = "CHARGEBACKS"
    """First chargebacks."""
    FRAUD_CHARGEBACKS = "FRAUD_CHARGEBACKS"
    """First chargebacks with a reason of fraud."""


BasisPoints = Annotated[int, Meta(ge=0, le=LARGEST_BP)]


class ProgrammeLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has to hold in one month, all of it, to be in a programme."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    source: Annotated[str, Meta(min_length=1)]
    """Where the figures are from, and how sure they are."""
    since: datetime.date
    until: datetime.date | None = None
    """The first day on which it holds no longer."""
    basis_points: BasisPoints = 0
    events: Annotated[int, Meta(ge=0)] = 0
    sales: Annotated[int, Meta(ge=0)] = 0
    """Sales that the denominator must have."""
    amount_micros: Annotated[int, Meta(ge=0)] = 0
    """What the counted events must come to, in the currency of `currency`."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] | None = None
    three_ds_below: BasisPoints | None = None
    """The share of sales with 3-D Secure must be below."""
    regions: tuple[str, ...] = ()
    """Only in these; everywhere when there are none."""
    except_regions: tuple[str, ...] = ()

    def holds_in(self, region: str | None, month: datetime.date) -> bool:
        """Whether it is in force for a region in a month, by the month's first day."""
        if month < self.since or (self.until is not None and month >= self.until):
            return False
        if self.regions and region not in self.regions:
            return False
        return region not in self.except_regions


class Programme(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"levels": "level"}
):
    """One programme of a network, with its levels, the mildest first."""

    name: Annotated[str, Meta(pattern="^[A-Z][A-Z0-9_]*$")]
    network: ProgrammeNetwork
    counts: CountedEvents
    sales_of: Literal["same month", "month before"]
    """Which month's sales are the denominator."""
    levels: Annotated[tuple[ProgrammeLevel, ...], Meta(min_length=1)]


class ProgrammeTable(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"programmes": "programme"}
):
    """All programmes, as of a day."""

    as_of: datetime.date
    programmes: tuple[Programme, ...]


def read_table(text: str, name: str = FILE) -> ProgrammeTable:
    """The table in a file; `InvalidInput` says what is wrong with it."""
    try:
        return msgspec.convert(tomllib.loads(text), ProgrammeTable)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InvalidInput(f"{name}: {error}") from None
