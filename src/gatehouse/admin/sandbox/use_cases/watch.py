"""Lets the watch for attacks look at the made-up past, at the moments when it would have looked."""

from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.alerts.types.lifecycle import WEEKS_MS
from gatehouse.admin.alerts.worker.watch import HOURS_A_LOOK, AlertWatch
from gatehouse.store.admin.admin_session import AdminSession

MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * MINUTE_MS
LOOKS_MS: Final = (
    *range(2 * MINUTE_MS, 40 * MINUTE_MS, 2 * MINUTE_MS),
    *range(_HOUR_MS, 12 * _HOUR_MS, _HOUR_MS // 2),
)
"""When it looks, after an attack began: often while it goes on, then until it is over."""


class DemoWatch:
    """The watch on a past."""

    def __init__(self, session: AdminSession) -> None:
        """`session` has the moved clock."""
        self._watch = AlertWatch(session.acting_as(Actor.system("demo")))

    async def learn(self) -> None:
        """Find out what is usual, which takes the watch of a server as many looks."""
        for _ in range(WEEKS_MS // _HOUR_MS // HOURS_A_LOOK + 1):
            self._watch.look()

    async def look(self) -> None:
        """Look once."""
        self._watch.look()
