"""What is remembered of an account as a whole: its events, users and usual amounts."""

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from gatehouse.sentry.memory.memory import Spread
from gatehouse.sentry.memory.reputation import HALF_LIFE_DAYS

AMOUNTS_KEPT: Final = 512
_AMOUNTS_NEEDED: Final = 30
_AMOUNTS_BETWEEN: Final = 32
MOST_CURRENCIES: Final = 200
MOST_TALLIES: Final = 20_000
MOST_GOODS: Final = 100_000
FADING: Final = -math.log(2) / (HALF_LIFE_DAYS * 86_400)


class AccountStats(msgspec.Struct):
    """The totals of one account."""

    events: int = 0
    users: int = 0
    recent: float = 0.0
    """The same events, each worth less the older it is, as of `recent_s`."""
    recent_s: float = 0.0
    amounts: "dict[str, Amounts]" = {}
    tallies: dict[int, int] = {}
    """How often entities without a history were seen, by key."""
    sold: dict[int, int] = {}
    """How often goods were bought, by key."""

    def count(self, at_s: float) -> None:
        """Count an event."""
        self.events += 1
        later_s = at_s - self.recent_s
        if later_s > 0:
            self.recent = self.recent * math.exp(later_s * FADING) + 1.0
            self.recent_s = at_s
        else:
            # A late event, or one from before this process: it is worth what is left of it by now.
            self.recent += math.exp(-later_s * FADING)

    def uncount(self, at_s: float) -> None:
        """Take an event back."""
        self.events -= 1
        left = self.recent - math.exp((self.recent_s - at_s) * FADING)
        self.recent = max(left, 0.0)

    def tally(self, keys: Iterable[int]) -> None:
        """Count each of these entities once more."""
        self.tallies = _counted(self.tallies, keys, MOST_TALLIES)

    def sell(self, keys: Sequence[int]) -> None:
        """Count goods once more; goods on several lines of a cart count once."""
        if keys:
            self.sold = _counted(self.sold, dict.fromkeys(keys), MOST_GOODS)

    def take_back(self, key: int) -> None:
        """Count an entity once less."""
        counts = self.sold if key in self.sold else self.tallies
        if counts.get(key, 0) > 1:
            counts[key] -= 1
        else:
            counts.pop(key, None)

    def add(self, currency: str | None, logarithm: float) -> None:
        """Note an amount."""
        name = currency or ""
        known = self.amounts.get(name)
        if known is None:
            if len(self.amounts) >= MOST_CURRENCIES:
                return
            known = self.amounts[name] = Amounts(array("d"))
        known.add(logarithm)

    def usual_amounts(self, currency: str | None) -> Spread | None:
        """How the amounts in a currency spread, when enough are known."""
        known = self.amounts.get(currency or "")
        return None if known is None else known.spread


class Amounts(msgspec.Struct):
    """The last amounts in one currency, and how they spread as of a little while ago."""

    logarithms: "array[float]"
    place: int = 0
    fresh: int = 0
    spread: Spread | None = None

    def add(self, logarithm: float) -> None:
        """Note an amount, in the place of the oldest."""
        kept = self.logarithms
        if len(kept) < AMOUNTS_KEPT:
            kept.append(logarithm)
        else:
            kept[self.place] = logarithm
            self.place = (self.place + 1) % AMOUNTS_KEPT
        self.fresh += 1
        if spread_is_due(self.fresh, len(kept)):
            self.fresh = 0
            self.spread = spread_of(kept)


def spread_is_due(fresh: int, kept: int) -> bool:
    """Whether to work out a spread again; the more amounts there are, the less a few change."""
    return fresh >= _AMOUNTS_BETWEEN and fresh >= kept // 4 and kept >= _AMOUNTS_NEEDED


def _counted(counts: dict[int, int], keys: Iterable[int], most: int) -> dict[int, int]:
    """The counts with each key once more; of too many, the rare ones are dropped: they say little.

    A frequent entity must not be forgotten, or a single fraud would be all that it ever did.
    """
    times = counts.get
    for key in keys:
        counts[key] = times(key, 0) + 1
    if len(counts) > most:
        least = 1
        while len(counts) > most // 2:
            counts = {key: times for key, times in counts.items() if times > least}
            least *= 2
    return counts


def spread_of(logarithms: "array[float]") -> Spread:
    """How amounts spread."""
    ordered = sorted(logarithms)
    median = ordered[len(ordered) // 2]
    away = sorted([abs(each - median) for each in ordered])
    return Spread(median, away[len(away) // 2], len(ordered))
