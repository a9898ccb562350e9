"""How the connections of one connector are kept."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gatehouse.connectors.tls import TlsOptions


class Host(NamedTuple):
    """Where a host listens."""

    name: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}:{self.port}" if ":" not in self.name else f"[{self.name}]:{self.port}"


class PoolOptions(NamedTuple):
    """How many connections, to whom, and how long to wait for what."""

    hosts: Sequence[Host]
    connections: int = 2
    in_flight: int = 200
    timeout_s: float = 2.5
    connect_s: float = 5.0
    """For connecting and signing on."""
    echo_s: float = 30.0
    """A link on which nothing was heard for so long is tried with an echo; 0 for never."""
    tls: TlsOptions | None = None
    least_backoff_s: float = 0.1
    most_backoff_s: float = 10.0
    jitter: Callable[[float, float], float] = random.uniform
    """Gives a number between two: the pause before a host is tried again."""

    def pause_s(self, attempts: int) -> float:
        """The pause after so many attempts in a row that failed."""
        longest_s = self.least_backoff_s * 2 ** min(attempts, 16)
        return self.jitter(0.0, min(longest_s, self.most_backoff_s))
