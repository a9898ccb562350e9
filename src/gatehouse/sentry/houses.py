"""What is remembered of an account as a whole: how much it sells, to how many, for how much."""

from array import array
from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.sentry.memory import Spread

_AMOUNTS_KEPT: Final = 512
_AMOUNTS_NEEDED: Final = 30
_AMOUNTS_BETWEEN: Final = 32
_MOST_CURRENCIES: Final = 200
_MOST_TALLIES: Final = 20_000


class House(msgspec.Struct):
    """An account's own past."""

    events: int = 0
    users: int = 0
    amounts: "dict[str, _Amounts]" = {}
    tallies: dict[int, int] = {}
    """How often what is merely counted was seen, by key."""

    def tally(self, keys: Iterable[int]) -> None:
        """Count each of some things once more."""
        tallies = self.tallies
        times = tallies.get
        for key in keys:
            tallies[key] = times(key, 0) + 1
        if len(tallies) > _MOST_TALLIES:
            self.tallies = {key: times for key, times in tallies.items() if times > 1}
            if len(self.tallies) > _MOST_TALLIES // 2:
                self.tallies = {}

    def take_back(self, key: int) -> None:
        """Count something once less."""
        if self.tallies.get(key, 0) > 1:
            self.tallies[key] -= 1
        else:
            self.tallies.pop(key, None)

    def add(self, currency: str | None, logarithm: float) -> None:
        """Note an amount."""
        name = currency or ""
        known = self.amounts.get(name)
        if known is None:
            if len(self.amounts) >= _MOST_CURRENCIES:
                return
            known = self.amounts[name] = _Amounts(array("d"))
        known.add(logarithm)

    def usual_amounts(self, currency: str | None) -> Spread | None:
        """How the amounts in a currency spread, when enough are known."""
        known = self.amounts.get(currency or "")
        return None if known is None else known.spread


class _Amounts(msgspec.Struct):
    """The last amounts in one currency, and how they spread as of a little while ago."""

    logarithms: "array[float]"
    place: int = 0
    fresh: int = 0
    spread: Spread | None = None

    def add(self, logarithm: float) -> None:
        """Note an amount, in the place of the oldest."""
        kept = self.logarithms
        if len(kept) < _AMOUNTS_KEPT:
            kept.append(logarithm)
        else:
            kept[self.place] = logarithm
            self.place = (self.place + 1) % _AMOUNTS_KEPT
        self.fresh += 1
        # The more are known, the less a few more change.
        if self.fresh >= max(_AMOUNTS_BETWEEN, len(kept) // 4) and len(kept) >= _AMOUNTS_NEEDED:
            self.fresh = 0
            self.spread = _spread(kept)


def _spread(logarithms: "array[float]") -> Spread:
    ordered = sorted(logarithms)
    median = ordered[len(ordered) // 2]
    away = sorted([abs(each - median) for each in ordered])
    return Spread(median, away[len(away) // 2], len(ordered))
