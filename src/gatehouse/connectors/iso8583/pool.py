"""The connections to the hosts of one connector: keeps them open and spreads requests over them.

A message is written once, on one link. What becomes of it when the link is lost or the answer is
late is for the caller to decide; here it is only said whether the message may have left.
"""

import asyncio
import logging
import random
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.framing import Framing
from gatehouse.connectors.iso8583.link import Link, Pending
from gatehouse.connectors.iso8583.malformed import MalformedMessage
from gatehouse.connectors.iso8583.matching import LinkCounts, PendingTable
from gatehouse.connectors.iso8583.numbers import (
    MOST_STANS,
    StanCounter,
    transmission_time,
)
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.tls import TlsOptions, client_context
from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed, SettingsError

_log: Final = logging.getLogger("gatehouse.connectors")
# Named once, as in `card_values`.
_STAN: Final = Role.STAN
_RRN: Final = Role.RRN
_TRANSMITTED_AT: Final = Role.TRANSMITTED_AT
_LOCAL_DATE: Final = Role.LOCAL_DATE
_LOCAL_TIME: Final = Role.LOCAL_TIME
_RESPONSE_CODE: Final = Role.RESPONSE_CODE
_APPROVED: Final = "00"
_LAST_TURNS: Final = 4
"""If it was the event loop that was late, an answer that is there is read in so many turns."""
_URGENT: Final = 100
"""Reversals that may be in flight besides the requests."""
_DEFECT: Final = "a connection to an ISO 8583 host could not be kept"


class Host(NamedTuple):
    """Where a host listens."""

    name: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}:{self.port}" if ":" not in self.name else f"[{self.name}]:{self.port}"


class PoolOptions(NamedTuple):
    """How connections are kept."""

    hosts: Sequence[Host]
    connections: int = 2
    in_flight: int = 200
    timeout_s: float = 2.5
    connect_s: float = 5.0
    """For connecting and signing on."""
    echo_s: float = 30.0
    """A link on which nothing was heard for so long is tried with an echo."""
    tls: TlsOptions | None = None
    least_backoff_s: float = 0.1
    most_backoff_s: float = 10.0
    jitter: Callable[[float, float], float] = random.uniform
    """Gives a number between two; the pause before a host is tried again."""


class Outgoing(NamedTuple):
    """A message to send."""

    kind: MessageKind
    values: dict[Role, str]
    on_late: Callable[[Unpacked], None] | None = None
    """Hears the answer if it comes when nobody waits for it any more."""
    urgent: bool = False
    """Whether it is sent although the limit of requests in flight is reached."""


class LinkPool:
    """Sends requests and gives back their answers."""

    def __init__(self, dialect: Dialect, options: PoolOptions, clock: Clock) -> None:
        self.counts = LinkCounts()
        self.stans = StanCounter(secrets.randbelow(MOST_STANS))
        self._dialect = dialect
        self._kinds = dialect.kinds
        self.options = options
        self._clock = clock
        self.links: list[Link] = []
        self._table = PendingTable()
        self._keepers: list[asyncio.Task[None]] = []
        self._in_flight = 0
        self._is_stopping = False
        self._problem: str | None = "no connection was opened yet"

    def start(self) -> None:
        """Begin to open connections."""
        loop = asyncio.get_running_loop()
        self._is_stopping = False
        self._keepers = [
            loop.create_task(self._keep(number)) for number in range(self.options.connections)
        ]

    async def drain(self) -> None:
        """Take no more requests, and let what is in flight end; each has its time limit."""
        self._is_stopping = True
        while waiting := [each.future for link in self.links for each in link.waiting]:
            await asyncio.wait(waiting)

    async def close(self) -> None:
        """Sign off, where the dialect asks for that, and close all connections."""
        if MessageKind.SIGN_OFF in self._kinds:
            ready = [link for link in self.links if link.is_ready]
            leaving = [self._ask_host(link, MessageKind.SIGN_OFF) for link in ready]
            await asyncio.gather(*leaving, return_exceptions=True)
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        self._table.clear()

    def state(self) -> ConnectorState:
        """How it is now."""
        ready = sum(link.is_ready for link in self.links)
        wanted = self.options.connections
        problem = None if ready == wanted else self._problem
        return ConnectorState(ready, wanted, self._in_flight, problem, self.counts.late)

    def new_stan(self) -> str:
        """A STAN that no message has that waits for its answer."""
        return self.stans.take(self._table)

    async def ask(self, message: Outgoing) -> Unpacked:
        """Send a message and wait for its answer; raises `ConnectorFailed`."""
        link = self._choose(urgent=message.urgent)
        pending = self._send(link, message, self.options.timeout_s)
        try:
            return await pending.future
        except asyncio.CancelledError:
            self._gave_up(pending)
            raise

    def received(self, link: Link, body: bytes) -> None:
        """Pass an answer on to its request."""
        try:
            answer = self._dialect.unpack(body)
        except MalformedMessage:
            self.counts.malformed += 1
            return
        link.heard_at_s = link.loop.time()
        if answer.kind in _REQUESTS:
            self._reply(link, answer)
            return
        pending = self._table.take(answer.values.get(_STAN, ""), answer.values.get(_RRN))
        if pending is None:
            self.counts.unmatched += 1
            return
        link.has_answered = True
        self._end(pending)
        if pending.future.done():
            self._came_late(pending, answer)
        else:
            self.counts.answered += 1
            pending.future.set_result(answer)

    def link_lost(self, link: Link) -> None:
        """Tell everybody who waits for an answer on this link."""
        self.counts.lost += 1
        self._problem = f"{link.host}: {link.why_lost}"
        if link.idle_timer is not None:
            link.idle_timer.cancel()
        for pending in list(link.waiting):
            self._fail(pending, link.why_lost)

    def _choose(self, *, urgent: bool) -> Link:
        """The usable link with the fewest requests in flight."""
        if self._is_stopping and not urgent:
            raise ConnectorFailed("the connector is stopping", sent=False)
        if self._in_flight >= self.options.in_flight + (_URGENT if urgent else 0):
            raise ConnectorFailed("too many requests wait for the host", sent=False)
        chosen: Link | None = None
        for link in self.links:
            if link.is_usable and (chosen is None or len(link.waiting) < len(chosen.waiting)):
                chosen = link
        if chosen is None:
            raise ConnectorFailed(f"no host can be used: {self._problem}", sent=False)
        return chosen

    def _send(self, link: Link, message: Outgoing, timeout_s: float) -> Pending:
        values = message.values
        stan = values.get(_STAN)
        if stan is None:
            stan = values[_STAN] = self.stans.take(self._table)
        elif stan in self._table:
            raise ConnectorFailed("the STAN of the message is in use", sent=False)
        if _TRANSMITTED_AT not in values:
            values[_TRANSMITTED_AT] = transmission_time(self._clock() // 1000)
        if _LOCAL_TIME not in values:
            values |= local_time(values[_TRANSMITTED_AT])
        try:
            body = self._dialect.pack(message.kind, values)
        except MalformedMessage:
            raise ConnectorFailed(
                f"a value does not fit the dialect's {message.kind}", sent=False
            ) from None
        pending = Pending(link, message.kind, stan, values.get(_RRN))
        pending.on_late = message.on_late
        pending.timer = link.loop.call_later(timeout_s, self._time_out, pending, _LAST_TURNS)
        self._table.add(pending)
        link.waiting.add(pending)
        self._in_flight += 1
        self.counts.sent += 1
        link.send(body, pending)
        return pending

    def _end(self, pending: Pending) -> None:
        """Nobody waits for this answer any more."""
        if pending.is_open:
            pending.is_open = False
            pending.link.waiting.discard(pending)
            self._in_flight -= 1
            if pending.timer is not None:
                pending.timer.cancel()
                pending.timer = None

    def _fail(self, pending: Pending, why: str) -> None:
        """Tell the caller that no answer came; one that comes later is still recognised."""
        self._give_up(pending)
        if not pending.future.done():
            failure = ConnectorFailed(f"{pending.link.host}: {why}", sent=pending.is_written)
            pending.future.set_exception(failure)

    def _give_up(self, pending: Pending) -> None:
        if pending.is_open:
            self._end(pending)
            if pending.is_written:
                self._table.keep(pending)
            else:
                self._table.drop(pending)

    def _gave_up(self, pending: Pending) -> None:
        """The caller was cancelled, perhaps in the turn in which the answer came."""
        future = pending.future
        if future.cancelled():
            self._give_up(pending)
        elif future.done() and future.exception() is None:
            self._came_late(pending, future.result())

    def _came_late(self, pending: Pending, answer: Unpacked) -> None:
        self.counts.late += 1
        on_late, pending.on_late = pending.on_late, None
        if on_late is not None:
            on_late(answer)

    def _time_out(self, pending: Pending, turns: int) -> None:
        """Give an answer up, unless only this event loop was late to read it."""
        if not pending.is_open:
            return
        if turns:
            pending.link.loop.call_soon(self._time_out, pending, turns - 1)
            return
        self.counts.timed_out += 1
        self._fail(pending, "no answer in time")
        link = pending.link
        if pending is link.echo:
            link.close("the host did not answer an echo")
        elif link.heard_at_s < pending.sent_at_s:
            self._probe(link)

    def _probe(self, link: Link) -> None:
        """Find out whether the host still answers on a link."""
        if not link.is_ready or link.echo is not None or MessageKind.ECHO not in self._kinds:
            return
        with suppress(ConnectorFailed):
            link.echo = self._send(link, Outgoing(MessageKind.ECHO, {}), self.options.timeout_s)
            link.echo.future.add_done_callback(lambda done: self._echoed(link, done))

    def _echoed(self, link: Link, done: asyncio.Future[Unpacked]) -> None:
        link.echo = None
        if not done.cancelled():
            done.exception()  # It is taken, so that nobody reports it as forgotten.

    def _watch(self, link: Link) -> None:
        """Look whether a link was heard of lately, and look again later."""
        quiet_s = link.loop.time() - link.heard_at_s
        echo_s = self.options.echo_s
        if quiet_s >= echo_s:
            self._probe(link)
            quiet_s = 0.0
        link.idle_timer = link.loop.call_later(echo_s - quiet_s, self._watch, link)

    def _reply(self, link: Link, asked: Unpacked) -> None:
        """Answer a message with which the host tries the connection; nothing else is answered."""
        kind = _OF_HOSTS.get(asked.kind)
        if kind is None:
            self.counts.unmatched += 1
            return
        values = dict(asked.values) | {_RESPONSE_CODE: _APPROVED}
        with suppress(MalformedMessage):
            link.send(self._dialect.pack(kind, values), None)

    async def _keep(self, number: int) -> None:
        """Keep one connection open, until cancelled."""
        options, attempts = self.options, 0
        while True:
            host = options.hosts[(number + attempts) % len(options.hosts)]
            try:
                if await self._serve(host):
                    attempts = 0
            except (OSError, TimeoutError, ConnectorFailed, SettingsError) as error:
                self._problem = f"{host}: {_in_words(error)}"
            except Exception:
                # A defect must not end the keeping of connections.
                _log.exception(_DEFECT, extra={"host": str(host)})
            longest_s = min(
                options.most_backoff_s, options.least_backoff_s * 2 ** min(attempts, 16)
            )
            attempts += 1
            await asyncio.sleep(options.jitter(0.0, longest_s))

    async def _serve(self, host: Host) -> bool:
        """Open a connection and wait until it is lost; whether the host ever answered a request."""
        link = Link(str(host), Framing(self._dialect.framing), self)
        try:
            async with asyncio.timeout(self.options.connect_s):
                await self._open(link, host)
            link.is_ready = True
            if self.options.echo_s > 0:
                self._watch(link)
            await link.lost.wait()
        finally:
            if link in self.links:
                self.links.remove(link)
            link.close("closed")
        return link.has_answered

    async def _open(self, link: Link, host: Host) -> None:
        tls = self.options.tls
        context = None
        if tls is not None:
            # Files are read anew, so that renewed certificates are used; not on the event loop.
            context = await asyncio.to_thread(client_context, tls)
        name = None if tls is None else tls.server_name or host.name
        await link.loop.create_connection(
            lambda: link, host.name, host.port, ssl=context, server_hostname=name
        )
        self.links.append(link)
        if MessageKind.SIGN_ON in self._kinds:
            await self._ask_host(link, MessageKind.SIGN_ON)

    async def _ask_host(self, link: Link, kind: MessageKind) -> None:
        """Send a message about the connection itself; the host has to agree."""
        pending = self._send(link, Outgoing(kind, {}), self.options.connect_s)
        try:
            answer = await pending.future
        except asyncio.CancelledError:
            self._gave_up(pending)
            raise
        code = answer.values.get(_RESPONSE_CODE)
        if code != _APPROVED:
            raise ConnectorFailed(f"the host refuses {kind} with {code}")


_OF_HOSTS: Final = {
    MessageKind.ECHO: MessageKind.ECHO_ANSWER,
    MessageKind.SIGN_ON: MessageKind.SIGN_ON_ANSWER,
    MessageKind.SIGN_OFF: MessageKind.SIGN_OFF_ANSWER,
}
"""What a host may ask us, and the answer."""
_REQUESTS: Final = frozenset(kind for kind in MessageKind if kind.answer is not None)


def local_time(transmitted_at: str) -> dict[Role, str]:
    """The date and the time of a transmission, for hosts that want them apart; in UTC as well."""
    return {_LOCAL_DATE: transmitted_at[:4], _LOCAL_TIME: transmitted_at[4:]}


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, ConnectorFailed | SettingsError):
        return str(error)
    return f"it cannot be reached: {type(error).__name__}"
