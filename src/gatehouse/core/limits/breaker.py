"""A breaker: a party that keeps failing is not asked for a while, and then by one call alone."""

from collections.abc import Callable
from typing import Final

_FAILURES: Final = 3
_PAUSE_S: Final = 1.0


class Breaker:
    """Closed while calls succeed; open after some failures in a row; then one probe decides."""

    def __init__(
        self,
        stopwatch: Callable[[], float],
        *,
        failures: int = _FAILURES,
        pause_s: float = _PAUSE_S,
    ) -> None:
        self._stopwatch = stopwatch
        self._most = failures
        self._pause_s = pause_s
        self._failures = 0
        self._next_probe_s: float | None = None
        """None while it is closed."""

    @property
    def is_open(self) -> bool:
        """Whether calls are held back."""
        return self._next_probe_s is not None

    @property
    def would_allow(self) -> bool:
        """Whether a call may be made now; that spends no probe."""
        return self._next_probe_s is None or self._stopwatch() >= self._next_probe_s

    def allows(self) -> bool:
        """Whether a call may be made now; while it is open, one call per pause, which is a probe.

        A probe that never reports back is followed by the next one after another pause.
        """
        if not self.would_allow:
            return False
        if self._next_probe_s is not None:
            self._next_probe_s = self._stopwatch() + self._pause_s
        return True

    def succeeded(self) -> None:
        """A call was answered."""
        self._failures = 0
        self._next_probe_s = None

    def failed(self) -> None:
        """A call failed or took too long."""
        self._failures += 1
        if self._failures >= self._most:
            self._next_probe_s = self._stopwatch() + self._pause_s
