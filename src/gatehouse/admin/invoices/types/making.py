"""Works out an invoice: lines, tiers, whole minor units, tax. Pure; nothing is ever lost."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gatehouse.billing.price_list import FeeTier, PricesInForce
from gatehouse.billing.statement import ChargeLine
from gatehouse.core.money import MICROS_PER_UNIT

Counts = Mapping[str, int]
"""How often each fee type was charged at each fee, as `charge_key` writes them."""
MOST_DECIMALS = 2
"""Of amounts on invoices, as EN 16931 allows; what is less is carried on to the next."""


def charge_key(fee_type: str, unit_fee: int) -> str:
    """What counts are kept by."""
    return f"{fee_type}={unit_fee}"


def read_key(key: str) -> tuple[str, int]:
    """The fee type and the fee of a count."""
    fee_type, _, fee = key.rpartition("=")
    return fee_type, int(fee)


def counts_of(lines: Iterable[ChargeLine]) -> dict[str, int]:
    """The counts of a statement's charges."""
    counts: dict[str, int] = {}
    for line in lines:
        name = charge_key(line.fee_type, line.unit_fee)
        counts[name] = counts.get(name, 0) + line.count
    return counts


def with_late(now: Counts, earlier_now: Counts, earlier_closed: Counts) -> dict[str, int]:
    """A month's counts with those that came into the month before after it was closed."""
    found = dict(now)
    for name, count in earlier_now.items():
        if late := count - earlier_closed.get(name, 0):
            found[name] = found.get(name, 0) + late
    return found


def total_of(counts: Counts) -> int:
    """What was charged, in millionths."""
    return sum(read_key(name)[1] * count for name, count in counts.items())


def volume_credit(parts: Sequence[tuple[PricesInForce, Sequence[ChargeLine]]]) -> int:
    """What tiers take off a month, whose parts have one price list each.

    Uses at the list's price count, in order of the parts; those at a price of their own do not.
    """
    used: dict[str, int] = {}
    credit = 0
    for prices, lines in parts:
        for line in lines:
            if line.unit_fee != prices.fees.get(line.fee_type):
                continue
            before = used.get(line.fee_type, 0)
            used[line.fee_type] = after = before + line.count
            tiers = prices.tiers.get(line.fee_type, ())
            credit += line.total - (
                _cost(after, line.unit_fee, tiers) - _cost(before, line.unit_fee, tiers)
            )
    return credit


def _cost(count: int, fee: int, tiers: Sequence[FeeTier]) -> int:
    """What so many uses cost from the beginning of a month."""
    bounds = [0, *(tier.above for tier in tiers), count]
    fees = [fee, *(tier.fee for tier in tiers)]
    return sum(
        max(0, min(end, count) - start) * each
        for start, end, each in zip(bounds, [*bounds[1:-1], count], fees, strict=False)
    )


class Rounded(msgspec.Struct, frozen=True):
    """Amounts in whole units that add up, and what is left over, all in millionths."""

    amounts: list[int]
    left: int

    @property
    def total(self) -> int:
        """Their sum."""
        return sum(self.amounts)


def minor_unit(digits: int) -> int:
    """The least amount of an invoice in a currency with so many decimals, in millionths."""
    return int(MICROS_PER_UNIT // 10 ** min(digits, MOST_DECIMALS))


def in_whole_units(amounts: Sequence[int], carried: int, unit: int) -> Rounded:
    """Amounts in whole units, each rounded so that the sum up to it is; begins with `carried`.

    The sum of the result and what is left over is the sum of the amounts and what was carried:
    exactly, over any number of invoices.
    """
    sum_before, rounded = carried, []
    for amount in amounts:
        sum_after = sum_before + amount
        rounded.append((sum_after // unit - sum_before // unit) * unit)
        sum_before = sum_after
    return Rounded(rounded, sum_before - sum_before // unit * unit)


def tax_on(net: int, hundredths: int, unit: int) -> int:
    """The tax in whole units, halves up; the rate is in hundredths of a percent."""
    return (2 * net * hundredths + 10_000 * unit) // (20_000 * unit) * unit
