"""Waiting for what must come, however busy the machine is."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")


PATIENCE_S: Final = 120
"""How long to wait for what must come; far longer than it takes on a busy machine."""


def until(ask: Callable[[], T], holds: Callable[[T], object] = bool) -> T:
    """Ask until the answer is as wanted, and give it back; fail when it never is."""
    ends_at = time.monotonic() + PATIENCE_S
    while not holds(answer := ask()):
        assert time.monotonic() < ends_at, f"never came, but: {answer}"
        time.sleep(0.02)
    return answer
