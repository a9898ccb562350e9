"""Times, numbers and money as a person's locale and zone have them."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale
from babel.dates import format_date, format_datetime, format_skeleton, format_time, format_timedelta
from babel.numbers import format_currency, format_decimal, format_percent
from markupsafe import Markup

from gatehouse.core.clock import LAST_MS, iso_time
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.intel.agents.agents import read_agent
from gatehouse.intel.places import minor_digits

_UNITS: Final = Decimal(MICROS_PER_UNIT)
_SKELETONS: Final = {"day": "MMMd", "month": "yMMM"}


class Formats:
    """Writes values for one person."""

    def __init__(self, locale: Locale, zone: str) -> None:
        self._locale = locale
        self.zone: Final = read_zone(zone)

    def moment(self, at_ms: int, style: str = "medium") -> str:
        """A moment in the person's zone; a style of Babel's, `date`, `day`, `month` or `clock`."""
        # In a zone of the east the last moment lies in a year that nothing can write.
        at = datetime.fromtimestamp(min(at_ms, LAST_MS - 86_400_000) / 1000, self.zone)
        if style == "date":
            return format_date(at, locale=self._locale)
        if style == "clock":
            return format_time(at, "short", locale=self._locale)
        if style in _SKELETONS:
            return format_skeleton(_SKELETONS[style], at, locale=self._locale)
        return format_datetime(at, style, locale=self._locale)

    def time(self, at_ms: int | None, style: str = "medium") -> Markup:
        """A moment as an element that machines can read too; a dash for none."""
        if at_ms is None:
            return Markup("–")
        full = f"{self.moment(at_ms, 'long')}"
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            iso_time(at_ms), full, self.moment(at_ms, style)
        )

    def day(self, day: date | str) -> str:
        """A day of the calendar, whatever the zone; as a date or as 2026-11-16."""
        known = date.fromisoformat(day) if isinstance(day, str) else day
        return format_date(known, locale=self._locale)

    def month(self, month: str) -> str:
        """A month that is written as 2026-11."""
        return format_skeleton("yMMMM", date.fromisoformat(f"{month}-01"), locale=self._locale)

    def ago(self, at_ms: int, now_ms: int) -> Markup:
        """How long ago a moment was, or how far away it is, with the moment itself as its title."""
        words = format_timedelta(
            timedelta(milliseconds=at_ms - now_ms), add_direction=True, locale=self._locale
        )
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            iso_time(at_ms), self.moment(at_ms, "long"), words
        )

    def span(self, length_ms: int) -> str:
        """A length of time in words."""
        return str(format_timedelta(timedelta(milliseconds=length_ms), locale=self._locale))

    def number(self, value: float, digits: int = 2) -> str:
        """A number, with at most so many digits after the point."""
        rounded = round(value, digits)
        return str(format_decimal(rounded, locale=self._locale, decimal_quantization=False))

    def milliseconds(self, microseconds: float) -> str:
        """A short time, with the same digits after the point in every row of a table."""
        shown = format_decimal(microseconds / 1000, "#,##0.00", locale=self._locale)
        return f"{shown}\N{NO-BREAK SPACE}ms"

    def signed(self, value: float, digits: int = 2) -> str:
        """A number with its sign."""
        rounded = round(value, digits)
        sign = "+" if rounded > 0 else "\N{MINUS SIGN}" if rounded < 0 else ""
        return sign + self.number(abs(rounded), digits)

    def percent(self, share: float, digits: int = 1) -> str:
        """A share such as 0.0312 as a percentage."""
        pattern = "#,##0." + "0" * digits + "%" if digits else "#,##0%"
        locale_pattern = self._locale.percent_formats[None].pattern
        if "\N{NO-BREAK SPACE}" in locale_pattern:
            pattern = pattern.replace("%", "\N{NO-BREAK SPACE}%")
        return str(format_percent(share, pattern, locale=self._locale))

    @property
    def percent_sign(self) -> str:
        """What stands behind the number of a percentage."""
        return self.percent(0, 0).removeprefix("0")

    def money(self, micros: int, currency: str) -> str:
        """An amount in millionths; nothing is rounded."""
        return self._amount(Decimal(micros) / _UNITS, currency)

    def minor_money(self, amount: int, currency: str) -> str:
        """An amount in the smallest unit of its currency, such as that of an order."""
        return self._amount(Decimal(amount).scaleb(-currency_digits(currency)), currency)

    def _amount(self, amount: Decimal, currency: str) -> str:
        return str(
            format_currency(amount, currency, locale=self._locale, decimal_quantization=False)
        )


def currency_digits(currency: str) -> int:
    """How many digits after the point a currency has."""
    known = minor_digits(currency)
    return 2 if known is None else known


@cache
def read_zone(named: str) -> ZoneInfo:
    """The zone of that name, or UTC."""
    try:
        return ZoneInfo(named)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def parse_local(text: str, zone: ZoneInfo) -> int:
    """Milliseconds of a form's field, in the person's zone; `ValueError`, `OverflowError`."""
    local = datetime.fromisoformat(text).replace(tzinfo=zone)
    return int(local.astimezone(UTC).timestamp() * 1000)


def parse_day_end(text: str, zone: ZoneInfo) -> int:
    """Milliseconds of the moment in which a form's day ends; or `ValueError`, `OverflowError`.

    A day has 23 or 25 hours when clocks are changed, so the end is the beginning of the next one.
    """
    return parse_local(str(datetime.fromisoformat(text).date() + timedelta(days=1)), zone)


def browser_name(agent: str) -> str:
    """A browser in a few words, as far as it can be told by what it says of itself."""
    read = read_agent(agent)
    parts = [part for part in (read.family, read.system) if part]
    return ", ".join(parts) or agent[:60] or "–"
