"""How an account's amounts spread, worked out by every server at the same counts."""

from array import array
from functools import lru_cache
from typing import Final

from gatehouse.sentry.memory.account_stats import AMOUNTS_KEPT, Amounts, spread_is_due, spread_of

MOST_BETWEEN: Final = AMOUNTS_KEPT // 4
"""The most amounts between two spreads: so many more are kept, for a server that was away."""


@lru_cache(maxsize=64)
def next_count(count: int) -> int:
    """The count of amounts at which a spread is due after the one of another count."""
    fresh = 1
    while not spread_is_due(fresh, min(count + fresh, AMOUNTS_KEPT)):
        fresh += 1
    return count + fresh


def last_count(count: int) -> int:
    """The latest count, up to this one, at which a spread was due; 0 before the first."""
    last = 0
    while (after := next_count(last)) <= count:
        if last >= AMOUNTS_KEPT:
            # From here on the steps are the same.
            return last + (count - last) // MOST_BETWEEN * MOST_BETWEEN
        last = after
    return last


class FollowedAmounts(Amounts):
    """The spread of the amounts in one currency, as far as this server has followed them."""

    wanted: int = next_count(0)
    """The count at which the next spread is due."""

    def follow(self, packed: bytes) -> None:
        """Work out the spread from amounts of the store: how many are missing before, and each."""
        before, *logarithms = array("d", packed)
        last = last_count(int(before) + len(logarithms))
        end = last - int(before)
        counted = array("d", logarithms[max(end - AMOUNTS_KEPT, 0) : end])
        self.spread = spread_of(counted) if counted else None
        self.wanted = next_count(last)


def new_amounts() -> FollowedAmounts:
    """Amounts of which nothing is known yet."""
    return FollowedAmounts(array("d"))
