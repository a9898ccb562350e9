"""Rates of fraud for article 18: value of frauds by value of all payments, in windows of 90 days.

The rate of all payments is compared with the reference rate of each band (article 19). The rate of
the payments of one size is told beside it, to show where the fraud is. Everything is exact until a
face shows it.
"""

import datetime
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

from gatehouse.core.api_values import CamelStruct, Money, doc, money
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.authentication.known import AmountLimits, BandLimit
from gatehouse.sentry.authentication.table import MILLION

FORMULA: Final = Phrase(
    "authentication.rate_formula",
    "100 × value of frauds / value of all settled payments, by the outcomes of {days} days, in per "
    "cent; a payment counts as a fraud once",
)
WINDOW_DAYS: Final = 90
QUARTERS: Final = 4
_QUARTER_MONTHS: Final = 3
_RUNNING: Final = 2
"""So many quarters above the rate stop a band (article 20)."""


class RateFilter(CamelStruct):
    """How far back to look."""

    quarters: Annotated[int, doc("Complete quarters, besides the last 90 days.", ge=2, le=12)] = (
        QUARTERS
    )


class WindowValues(NamedTuple):
    """What payments of one window came to, by size: one place for each band, and one above."""

    settled: tuple[int, ...]
    fraud: tuple[int, ...]

    @property
    def total(self) -> int:
        """The value of all payments."""
        return sum(self.settled)

    @property
    def frauds(self) -> int:
        """The value of all frauds."""
        return sum(self.fraud)


class RateWindow(NamedTuple):
    """A window that a rate is told for."""

    name: str
    since: datetime.date
    until: datetime.date
    """The first day after it."""


class BandStanding(CamelStruct):
    """One band of article 18 in one window."""

    up_to: Annotated[Money, doc("Its largest amount.")]
    reference_rate: Annotated[str, doc("Per cent.", "0.1300")]
    allowed: Annotated[bool, doc("Whether the rate is not above the reference rate.")]
    room: Annotated[Money, doc("How much more fraud fits under the reference rate; 0 for none.")]
    settled: Annotated[Money, doc("Payments of this size.")]
    fraud: Annotated[Money, doc("Frauds of this size.")]


class RateStanding(CamelStruct):
    """The rate of fraud in one window."""

    window: Annotated[str, doc("A quarter, or `now` for the last 90 days.", "2026-Q3")]
    since: Annotated[str, doc("First day.", "2026-07-03")]
    until: Annotated[str, doc("The day after the last.", "2026-10-01")]
    settled: Annotated[Money, doc("All payments.")]
    fraud: Annotated[Money, doc("All frauds.")]
    rate: Annotated[str | None, doc("Per cent, four decimals; null without payments.")]
    bands: Annotated[list[BandStanding], doc("The smallest first.")]


class RateReport(CamelStruct):
    """Rates of fraud by quarter and band."""

    regime: Annotated[str, doc("Whose bands these are.")]
    table_as_of: Annotated[str, doc("Day of the table of limits.")]
    rates_as_of: Annotated[str, doc("Day of the rates of currencies.")]
    formula: Annotated[str, doc("How a rate is worked out, in words.")]
    rates_source: Annotated[str, doc("Where the rates of currencies are from.")]
    standings: Annotated[list[RateStanding], doc("The last 90 days, then quarters, newest first.")]
    stopped: Annotated[
        list[Money], doc("Bands above their rate for two quarters running (article 20).")
    ]
    left_out: Annotated[
        int, doc("Payments and frauds without an amount, or in a currency without a rate.")
    ]


def windows(today: datetime.date, quarters: int) -> list[RateWindow]:
    """The last 90 days, and as many complete quarters, newest first."""
    tomorrow = today + datetime.timedelta(days=1)
    found = [_window("now", tomorrow)]
    end = _quarter_start(today)
    for _ in range(quarters):
        last = end - datetime.timedelta(days=1)
        found.append(_window(f"{last.year}-Q{(last.month - 1) // _QUARTER_MONTHS + 1}", end))
        end = _quarter_start(last)
    return found


def _window(name: str, until: datetime.date) -> RateWindow:
    return RateWindow(name, until - datetime.timedelta(days=WINDOW_DAYS), until)


def _quarter_start(day: datetime.date) -> datetime.date:
    month = (day.month - 1) // _QUARTER_MONTHS * _QUARTER_MONTHS + 1
    return datetime.date(day.year, month, 1)


def standing(window: RateWindow, values: WindowValues, limits: AmountLimits) -> RateStanding:
    """How one window stands against every band."""
    currency = limits.currency
    return RateStanding(
        window.name,
        window.since.isoformat(),
        window.until.isoformat(),
        money(currency, values.total),
        money(currency, values.frauds),
        percent(values.frauds, values.total) if values.total else None,
        [
            BandStanding(
                money(currency, band.micros),
                percent(band.reference_rate, MILLION),
                band.allows(values.frauds, values.total),
                money(currency, room(band, values)),
                money(currency, values.settled[place]),
                money(currency, values.fraud[place]),
            )
            for place, band in enumerate(limits.bands)
        ],
    )


def room(band: BandLimit, values: WindowValues) -> int:
    """How much more fraud the reference rate allows, in millionths."""
    return max(band.reference_rate * values.total // MILLION - values.frauds, 0)


def stopped_bands(quarters: Sequence[WindowValues], limits: AmountLimits) -> list[BandLimit]:
    """Bands whose rate was exceeded in the last two quarters, given the newest first."""
    last = quarters[:_RUNNING]
    return [
        band
        for band in limits.bands
        if len(last) == _RUNNING and not any(band.allows(q.frauds, q.total) for q in last)
    ]


def percent(part: int, whole: int) -> str:
    """A share in per cent with four decimals, halves up."""
    tenths = (2 * part * MILLION + whole) // (2 * whole)
    return f"{tenths // 10_000}.{tenths % 10_000:04d}"
