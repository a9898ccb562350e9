"""The networks' programmes as an operator's table states them: which ratio of which events counts.

The table is a file with dates, because networks change their thresholds by a date, and because
some values are only known from summaries: an operator can replace it. Nothing here knows a figure.
"""

import datetime
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.admin.outcomes.types.outcome import REGIONS

FILE: Final = "thresholds.toml"
LARGEST_BP: Final = 10_000
MOST_BYTES: Final = 256 * 1024
"""Of a file with thresholds; the one that ships has about six thousand."""


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


class ProgrammeSubject(StrEnum):
    """Whose month a level judges."""

    MERCHANT = "MERCHANT"
    ACQUIRER = "ACQUIRER"
    """All merchants of an acquirer together, of which an account is one, or of a facilitator."""


BasisPoints = Annotated[int, Meta(ge=0, le=LARGEST_BP)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]
Source = Annotated[str, Meta(max_length=500)]
Region = Annotated[str, Meta(min_length=1, max_length=64)]
CurrencyCode = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
WholeNumber = Annotated[int, Meta(ge=0, le=10**18)]


class _Dated(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that holds from a day on."""

    since: datetime.date
    until: datetime.date | None = None
    """The first day on which it holds no longer."""

    def is_in_force(self, month: datetime.date) -> bool:
        """Whether it holds in a month, by the month's first day."""
        return self.since <= month and (self.until is None or month < self.until)


class ProgrammeLevel(_Dated, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What has to hold in one month, all of it, to be in a programme."""

    name: Name
    source: Source = ""
    """What is to be said of the figures beyond who states them."""
    sources: tuple[Source, ...] = ()
    """Who states them, each with the date and the region that it names."""
    alone: Source | None = None
    """Which figures one of the sources alone states."""
    unverified: bool = False
    """Whether a figure is from memory, without a text that says so."""
    of: ProgrammeSubject = ProgrammeSubject.MERCHANT
    basis_points: BasisPoints = 0
    events: WholeNumber = 0
    sales: WholeNumber = 0
    """Sales that the denominator must have."""
    amount_micros: WholeNumber = 0
    """What the events must come to, in the currency of `currency`."""
    currency: CurrencyCode | None = None
    three_ds_below: BasisPoints | None = None
    """The share of sales with 3-D Secure must be below."""
    regions: tuple[Region, ...] = ()
    """Only in these; everywhere when there are none."""
    except_regions: tuple[Region, ...] = ()

    @property
    def said_by(self) -> str:
        """Where the figures are from, and how sure they are, in one text."""
        return "; ".join(each for each in (*self.sources, self.source) if each)

    def holds_in(self, region: str | None, month: datetime.date) -> bool:
        """Whether it is in force for a region in a month."""
        if not self.is_in_force(month) or (self.regions and region not in self.regions):
            return False
        return region not in self.except_regions


class Programme(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"levels": "level"}
):
    """One programme of a network, with its levels, the mildest first."""

    name: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z", max_length=40)]
    network: ProgrammeNetwork
    counts: CountedEvents
    sales_of: Literal["same month", "month before"]
    """Which month's sales are the denominator."""
    levels: Annotated[tuple[ProgrammeLevel, ...], Meta(min_length=1, max_length=100)]


class UnmeteredProgramme(_Dated, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A programme whose figures its network does not publish: it can be named, not metered."""

    name: Name
    network: ProgrammeNetwork
    regions: tuple[Region, ...]
    about: Source
    sources: tuple[Source, ...]
    alone: Source | None = None


class ExchangeRate(
    _Dated, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"currency": "from"}
):
    """How many units of one currency a unit of another is worth, as an operator states it."""

    currency: CurrencyCode
    to: CurrencyCode
    rate: Annotated[str, Meta(pattern=r"^[0-9]{1,12}(\.[0-9]{1,12})?\Z")]
    """A decimal as text, so that it stays exact."""


class BurstLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """From where on a network speaks of enumeration, and what is taken for it here."""

    source: Source
    unverified: bool = False
    basis_points: Annotated[int, Meta(ge=1, le=LARGEST_BP)]
    events: WholeNumber
    burst_minutes: Annotated[int, Meta(ge=1, le=1440)]
    burst_cards: Annotated[int, Meta(ge=2, le=100_000)]
    """Different cards with one BIN within these minutes."""
    burst_amounts: Annotated[int, Meta(ge=1, le=1000)]
    """Different amounts that they are tried with, at most."""


class ProgrammeTable(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"programmes": "programme", "rates": "rate"},
):
    """All programmes, as of a day."""

    as_of: datetime.date
    programmes: Annotated[tuple[Programme, ...], Meta(min_length=1, max_length=50)]
    enumeration: BurstLimit
    rates: Annotated[tuple[ExchangeRate, ...], Meta(max_length=5000)] = ()
    unmetered: Annotated[tuple[UnmeteredProgramme, ...], Meta(max_length=50)] = ()

    def rates_to(self, currency: str, month: datetime.date) -> dict[str, Fraction]:
        """What other currencies are worth in one, in a month; the last of several counts."""
        found = {
            each.currency: Fraction(each.rate)
            for each in self.rates
            if each.to == currency and each.is_in_force(month)
        }
        return {**found, currency: Fraction(1)}


def read_table(text: str, name: str = FILE) -> ProgrammeTable:
    """The table in a file; `ValueError` says what is wrong with it."""
    try:
        table = msgspec.convert(tomllib.loads(text), ProgrammeTable)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(f"{name}: {error}") from None
    if wrong := next(_contradictions(table), None):
        raise ValueError(f"{name}: {wrong}")
    return table


def _contradictions(table: ProgrammeTable) -> Iterator[str]:
    """What the types of the fields do not express."""
    names = [each.name for each in table.programmes]
    if len(names) != len({*names}):
        yield "two programmes have one name"
    for programme in table.programmes:
        for level in programme.levels:
            where = f"{programme.name} ({level.name})"
            if not level.said_by:
                yield f"{where} has no source"
            unknown = {*level.regions, *level.except_regions} - {*REGIONS}
            if unknown:
                yield f"{where} names a region that is none of {', '.join(REGIONS)}: {min(unknown)}"
            if level.amount_micros and level.currency is None:
                yield f"{where} has an amount without a currency"
            if level.until is not None and level.until <= level.since:
                yield f"{where} ends before it begins"
            if not (level.basis_points or level.events):
                yield f"{where} asks for neither a ratio nor a number of events"
    if any(not Fraction(each.rate) for each in table.rates):
        yield "a rate is zero"
