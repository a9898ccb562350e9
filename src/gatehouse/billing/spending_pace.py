"""How fast an account spends, and how long its balance lasts at that pace."""

from typing import Final

import msgspec

LONGEST_MS: Final = 7 * 86_400_000
SHORTEST_MS: Final = 3_600_000
"""What was spent in less than an hour tells nothing about a day."""


class SpendingPace(msgspec.Struct, frozen=True):
    """What was charged since a moment."""

    charged: int
    since_ms: int
    until_ms: int

    @property
    def span_ms(self) -> int:
        """How long that is."""
        return self.until_ms - self.since_ms

    def lasts_ms(self, available: int) -> int:
        """How long an amount lasts at this pace."""
        return max(available, 0) * self.span_ms // self.charged
