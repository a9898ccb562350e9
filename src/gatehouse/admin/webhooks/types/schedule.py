"""When a message is tried again, and when an endpoint is given up."""

from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Final

HOUR_MS: Final = 3_600_000
DISABLED_AFTER_MS: Final = 5 * 24 * HOUR_MS
"""An endpoint that accepted nothing for so long is disabled."""
DOWN_MS: Final = 60_000
"""After so long without success, an endpoint is taken to have been down."""
_LONGEST_PAUSE_MS: Final = 24 * HOUR_MS
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


def pause_ms(retry_after: bytes, now_ms: int) -> int:
    """How long a receiver asks us to wait, at most a day; 0 when it does not say."""
    text = retry_after.strip().decode("latin-1")
    if text.isascii() and text.isdigit():
        wanted = int(text[:9]) * 1000
    else:
        try:
            wanted = int(parsedate_to_datetime(text).timestamp() * 1000) - now_ms
        except (ValueError, TypeError, OverflowError):
            return 0
    return max(0, min(wanted, _LONGEST_PAUSE_MS))
