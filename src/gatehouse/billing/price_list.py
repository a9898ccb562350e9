"""The price list of an installation: what each function costs in a currency, from a day on.

Prices are written in minor units, so that a price in yen is a number of yen. A price that is not
in the list is the default, which no currency pays in parts that it does not have.
"""

import datetime
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.billing.fees import DEFAULT_FEES, MINOR_UNITS_OF_DEFAULTS, is_fee_type
from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT

MOST_BYTES: Final = 256 * 1024
_EPOCH: Final = datetime.date(1970, 1, 1)
_END_MS: Final = 2**63

Digits = Callable[[str], int | None]
"""How many decimals a currency has; None for what is no currency."""
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
_Text = Annotated[str, Meta(pattern=r"^[0-9]{1,12}(\.[0-9]{1,6})?\Z")]


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What each use beyond a number of them in a month costs."""

    above: Annotated[int, Meta(ge=1, le=10**12)]
    fee: _Text


class ListedPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The prices in a currency from the beginning of a day on, in UTC."""

    currency: Currency
    since: datetime.date
    fees: dict[str, _Text]
    tiers: dict[str, Annotated[tuple[Tier, ...], Meta(min_length=1, max_length=20)]] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prices: Annotated[tuple[ListedPrices, ...], Meta(max_length=5000)] = ()


class FeeTier(msgspec.Struct, frozen=True):
    """A tier in millionths."""

    above: int
    fee: int


class PricesInForce(msgspec.Struct, frozen=True):
    """What holds in a currency for a span of time, in millionths."""

    start_ms: int
    end_ms: int
    fees: Mapping[str, int]
    tiers: Mapping[str, tuple[FeeTier, ...]]


class PriceList:
    """Finds the prices of a currency at a moment; those of now are kept."""

    def __init__(self, digits: Digits, listed: tuple[ListedPrices, ...] = ()) -> None:
        self._digits = digits
        self._listed: dict[str, list[ListedPrices]] = {}
        for each in sorted(listed, key=lambda each: each.since):
            self._listed.setdefault(each.currency, []).append(each)
        self._current: dict[str, PricesInForce] = {}

    def at(self, currency: str, at_ms: int) -> PricesInForce:
        """The prices of a currency at a moment."""
        known = self._current.get(currency)
        if known is None or not known.start_ms <= at_ms < known.end_ms:
            known = self._current[currency] = self._find(currency, at_ms)
        return known

    def schedule(self, currency: str, own: Mapping[str, int], at_ms: int) -> Mapping[str, int]:
        """The full schedule of an account: its own fees over those of the list."""
        fees = self.at(currency, at_ms).fees
        return {**fees, **own} if own else fees

    def within(self, currency: str, period: Period) -> list[tuple[Period, PricesInForce]]:
        """The prices that hold in a period, one after the other."""
        changes = {each.since for each in self._listed.get(currency, ())}
        days = sorted({period.first} | {day for day in changes if period.first < day < period.end})
        parts = [Period(*each) for each in zip(days, [*days[1:], period.end], strict=True)]
        return [(part, self._find(currency, part.start_ms)) for part in parts]

    def _find(self, currency: str, at_ms: int) -> PricesInForce:
        listed = self._listed.get(currency, [])
        starts = [(each.since - _EPOCH).days * DAY_MS for each in listed]
        place = bisect_right(starts, at_ms)
        start_ms = starts[place - 1] if place else 0
        end_ms = starts[place] if place < len(starts) else _END_MS
        digits = self._digits(currency)
        fees = {
            name: fee if digits else fee * MINOR_UNITS_OF_DEFAULTS
            for name, fee in DEFAULT_FEES.items()
        }
        if not place:
            return PricesInForce(start_ms, end_ms, fees, {})
        chosen, minor = listed[place - 1], 10 ** (digits or 0)
        fees |= {name: _micros(fee, minor) for name, fee in chosen.fees.items()}
        tiers = {
            name: tuple(FeeTier(each.above, _micros(each.fee, minor)) for each in tiers)
            for name, tiers in chosen.tiers.items()
        }
        return PricesInForce(start_ms, end_ms, fees, tiers)


def read_price_list(text: str, digits: Digits) -> PriceList:
    """The list in a file; `ValueError` says what is wrong with it."""
    try:
        # As text, so that 4.25 is never anything else.
        found = tomllib.loads(text, parse_float=str)
        listed = msgspec.convert(_as_text(found), _File).prices
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(str(error)) from None
    seen: set[tuple[str, datetime.date]] = set()
    for each in listed:
        _check(each, digits)
        if (each.currency, each.since) in seen:
            raise ValueError(f"{each.currency} has two lists of prices since {each.since}")
        seen.add((each.currency, each.since))
    return PriceList(digits, listed)


def _check(listed: ListedPrices, digits: Digits) -> None:
    name = f"{listed.currency} since {listed.since}"
    decimals = digits(listed.currency)
    if decimals is None:
        raise ValueError(f"{name}: is no currency of ISO 4217")
    tiers = {kind: [tier.fee for tier in tiers] for kind, tiers in listed.tiers.items()}
    for kind, fees in [*((kind, [fee]) for kind, fee in listed.fees.items()), *tiers.items()]:
        if not is_fee_type(kind):
            raise ValueError(f"{name}: no fee type {kind}; there are {', '.join(DEFAULT_FEES)}")
        for fee in fees:
            if not 0 <= _micros(fee, 10**decimals) <= MAX_AMOUNT:
                raise ValueError(f"{name}: {kind} is too large")
    for kind, steps in listed.tiers.items():
        if kind not in listed.fees:
            raise ValueError(f"{name}: {kind} has tiers and no price")
        if "/" in kind:
            raise ValueError(f"{name}: {kind}: a fee with a name has no tiers")
        above = [tier.above for tier in steps]
        falling = [Decimal(listed.fees[kind]), *(Decimal(tier.fee) for tier in steps)]
        if above != sorted(set(above)) or falling != sorted(falling, reverse=True):
            raise ValueError(f"{name}: the tiers of {kind} must grow, and their prices fall")


def _as_text(found: Any) -> Any:
    """Whole prices as text, too, wherever a fee may stand."""
    for each in found.get("prices", []) if isinstance(found, dict) else ():
        if isinstance(each, dict):
            fees, tiers = each.get("fees"), each.get("tiers")
            if isinstance(fees, dict):
                each["fees"] = {name: _plain(fee) for name, fee in fees.items()}
            for steps in tiers.values() if isinstance(tiers, dict) else ():
                for step in steps if isinstance(steps, list) else ():
                    if isinstance(step, dict) and "fee" in step:
                        step["fee"] = _plain(step["fee"])
    return found


def _plain(fee: Any) -> Any:
    return str(fee) if type(fee) is int else fee


def _micros(fee: str, minor: int) -> int:
    """Minor units in millionths of the currency; `ValueError` where that is not exact."""
    try:
        exact = Decimal(fee) * MICROS_PER_UNIT / minor
        micros = int(exact)
    except InvalidOperation:
        raise ValueError(f"{fee} is no price") from None
    if micros != exact:
        raise ValueError(f"{fee} minor units are less than a millionth of the currency")
    return micros
