"""When a message is tried again, and when an endpoint is given up."""

from collections.abc import Sequence
from typing import Final

DISABLED_AFTER_MS: Final = 5 * 86_400_000
"""An endpoint that accepted nothing for so long is disabled."""
DOWN_MS: Final = 60_000
"""After so long without success, an endpoint is taken to have been down."""
_JITTER: Final = 0.2


def next_attempt_ms(
    retries_ms: Sequence[int], attempts: int, now_ms: int, share: float
) -> int | None:
    """When to try again after so many attempts; None when it is given up.

    `share` is random, 0 to 1: waits are up to a fifth longer, so that messages spread.
    """
    if attempts > len(retries_ms):
        return None
    wait_ms = retries_ms[attempts - 1]
    return now_ms + wait_ms + int(wait_ms * _JITTER * share)
