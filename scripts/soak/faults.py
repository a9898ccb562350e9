"""The faults of a run: each begins, lasts for a while, ends, and the service has to recover."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from scripts.soak.servers import SoakServer
from scripts.soak.stores import DurablePostgres, DurableValkey

_SHORT_S: Final = 3.0
_PAUSED_S: Final = 10.0
KEYS: Final = (
    *("kill-server", "restart-postgres", "crash-postgres", "kill-valkey", "pause-valkey"),
    *("cut", "pause-server", "fill-logs"),
)


class Fault(NamedTuple):
    """Something that goes wrong; it returns when the fault has ended."""

    key: str
    """By which `--only` chooses it."""
    name: str
    happen: Callable[[], None]
    probe: str = "precheck"
    """The operation that has to work again afterwards."""


class Ended(NamedTuple):
    """A fault that happened, and how long the service needed afterwards."""

    name: str
    at_s: float
    """When it began, in seconds after the start of the load."""
    lasted_s: float
    recovered_s: float
    """From the end of the fault until every server answered a charged request again."""

    def __str__(self) -> str:
        return (
            f"{self.name}: lasted {self.lasted_s:.1f} s, recovered {self.recovered_s:.1f} s later"
        )


def all_faults(
    servers: Sequence[SoakServer],
    postgres: DurablePostgres,
    valkey: DurableValkey,
    chance: random.Random,
) -> list[Fault]:
    """Every fault that can happen; the server that is hit is drawn anew each time."""

    def one() -> SoakServer:
        return chance.choice(servers)

    def kill_server() -> None:
        hit = one()
        hit.kill()
        hit.start()

    def pause_server() -> None:
        hit = one()
        hit.pause()
        time.sleep(_PAUSED_S)
        hit.go_on()

    def fill_logs() -> None:
        hit = one()
        hit.fill_log_volume()
        time.sleep(_SHORT_S)
        hit.empty_log_volume()

    def kill_valkey() -> None:
        valkey.kill()
        time.sleep(_SHORT_S)
        valkey.start()

    def pause_valkey() -> None:
        valkey.pause()
        time.sleep(_SHORT_S)
        valkey.go_on()

    def cut_connections() -> None:
        postgres.cut_connections()
        valkey.cut_connections()

    return [
        Fault("kill-server", "a server killed", kill_server),
        Fault("restart-postgres", "PostgreSQL restarted, fast", lambda: postgres.restart("fast")),
        Fault(
            "crash-postgres",
            "PostgreSQL restarted, immediate",
            lambda: postgres.restart("immediate"),
        ),
        Fault("kill-valkey", "Valkey killed", kill_valkey, "sentry"),
        Fault("pause-valkey", "Valkey paused", pause_valkey, "sentry"),
        Fault("cut", "connections cut", cut_connections, "sentry"),
        Fault("pause-server", "a server paused for 10 s", pause_server),
        Fault("fill-logs", "disk full for logs", fill_logs),
    ]
