"""Refuses requests before they wait too long: a limit on those in flight that follows the delay.

What a request waits for in a server is its turn on the event loop and the commit of the batch that
it is in. Some fifty times a second the server looks at both; a commit that does not end counts for
as long as it has lasted. While together they take longer than they may, it lowers the number of
requests that it works on at once in proportion, by half at most; otherwise it lets the number grow
again, as far as it is needed: a number that grew without being used would let in far too many when
far too many come at once. Each request beyond the number is refused before it is parsed, which
costs little, so that those that are let in are answered as fast as in a server that is merely full.
Requests that wait for an outside party, such as an issuer, do not count: they take next to nothing
of the server, and may be many. A server without requests does not look: that alone took a fiftieth
of a core.
"""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple, NoReturn

from gatehouse.api.serving.in_flight import InFlight

LEAST: Final = 64
"""So many are never refused: a server that is slow for another reason goes on serving."""
ROOM: Final = 128
"""So many may come at once to a server that was idle."""
_PROBE_S: Final = 0.01
_WINDOW_S: Final = 0.02
_DEEPEST_CUT: Final = 0.5
_UNUSED_KEPT: Final = 0.95
"""How much of a number that is not needed any more stays each time."""


class ServerLoad(NamedTuple):
    """What requests of a server wait for now."""

    outside: int = 0
    """Requests that wait for an outside party."""
    entering: int = 0
    """Requests of known callers that have no slot yet."""
    committing_s: float = 0.0
    """For how long the oldest commit that has not ended is under way."""


class LoadGate:
    """Says for each request whether it is let in."""

    def __init__(
        self,
        in_flight: InFlight,
        most: int,
        delay_ms: int,
        load: Callable[[], ServerLoad] = ServerLoad,
    ) -> None:
        """`most` are let in at any time; with a `delay_ms` of 0 only that counts."""
        self._in_flight = in_flight
        self._load = load
        self._most = most
        self._delay_s = delay_ms / 1000
        self._least = min(LEAST, most)
        self._left: float | None = None
        """How many more are let in within this turn of the event loop; None if none came yet."""
        self._refused = False
        self._comes = asyncio.Event()
        """A request was let in since there was nothing to do."""
        self._commit_s = 0.0
        self._room = min(ROOM, most) if delay_ms else most
        self.limit: float = self._room
        """How many may be in flight now."""
        self.shed = 0
        """Requests that were refused since the start."""

    def admits(self) -> bool:
        """Whether a request is worked on."""
        if self.is_full():
            self.shed += 1
            self._refused = True
            return False
        if self._left is not None:
            self._left -= 1
        self._comes.set()
        return True

    def is_full(self) -> bool:
        """Whether the next request would be refused; it is not counted.

        The requests in flight are counted once in a turn of the event loop: the tasks of those that
        are let in run after it, and take their slots.
        """
        if self._left is None:
            self._left = self.limit - self._busy()
            asyncio.get_running_loop().call_soon(self._turn_ends)
        return self._left <= 0

    def _busy(self) -> int:
        """How many requests wait for this server."""
        load = self._load()
        return self._in_flight.taken + load.entering - load.outside

    def _turn_ends(self) -> None:
        self._left = None

    def committed(self, seconds: float) -> None:
        """Note how long a commit took; called by the writer's thread."""
        self._commit_s = max(self._commit_s, seconds)

    async def run(self) -> NoReturn:
        """Follow the delay until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            if self._rests():
                self._comes.clear()
                await self._comes.wait()
                self._commit_s = 0.0
            began, late, probes = loop.time(), 0.0, 0
            while (now := loop.time()) < began + _WINDOW_S:
                await asyncio.sleep(_PROBE_S)
                late += max(0.0, loop.time() - now - _PROBE_S)
                probes += 1
            commit_s, self._commit_s = self._commit_s, 0.0
            self.adjust(late / probes + max(commit_s, self._load().committing_s))

    def _rests(self) -> bool:
        """Whether nothing is under way, and the limit is as it was at first."""
        return self.limit == self._room and self._left is None and not self._busy()

    def adjust(self, delay_s: float) -> None:
        """Set the limit by how long requests waited lately."""
        refused, self._refused = self._refused, False
        if self._delay_s and delay_s > self._delay_s:
            busy = min(self.limit, self._busy())
            self.limit = max(busy * max(self._delay_s / delay_s, _DEEPEST_CUT), self._least)
        else:
            # Close to where it was too much, the number grows slowly.
            slowly = refused and delay_s > self._delay_s / 4
            needed = max(self._room, 2 * self._busy(), self.limit * _UNUSED_KEPT)
            self.limit = min(self.limit * (1.02 if slowly else 1.2), needed, self._most)
