"""The connections to the hosts of one connector: keeps them open and spreads requests over them.

A message is written once, on one link. What becomes of it when the link is lost or the answer is
late is for the caller to decide; here it is only said whether the message may have left.
"""

import asyncio
import logging
import secrets
import ssl
from contextlib import suppress
from typing import Final

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.layout.numbers import MOST_STANS, StanCounter
from gatehouse.connectors.iso8583.link.exchange import APPROVED, MessageExchange, Outgoing
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.link.link import Link, Pending
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.tls import client_context
from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.gateway.sending import refuse_late

_NOT_OPENED: Final = Phrase("connector.not_opened", "no connection was opened yet")
_STOPPED: Final = Phrase("connector.stopped", "the connector was stopped")
_LOST: Final = Phrase("connector.lost", "{host}: {why}")
_NO_ECHO: Final = Phrase("connector.no_echo", "the host did not answer an echo")
_LATE: Final = Phrase("connector.late", "it did not answer in time")
_UNREACHABLE: Final = Phrase("connector.unreachable", "it cannot be reached: {name}")

_log: Final = logging.getLogger("gatehouse.connectors")
_URGENT: Final = 100
"""Reversals that may be in flight besides the requests."""
_SIGN_OFF_S: Final = 1.0
_CONTEXT_S: Final = 60.0
"""How long the files for TLS are not read again."""


class LinkPool:
    """Sends requests and gives back their answers."""

    def __init__(self, dialect: Dialect, options: PoolOptions, clock: Clock) -> None:
        self.options = options
        self.links: list[Link] = []
        """Those that are connected; the one that was not used for the longest comes first."""
        stans = StanCounter(secrets.randbelow(MOST_STANS))
        self.exchange = MessageExchange(dialect, clock, stans, self._unanswered)
        self._framing = dialect.framing
        self._kinds = dialect.kinds
        self._keepers: list[asyncio.Task[None]] = []
        self._is_stopping = False
        self._problem = _NOT_OPENED()
        self._context: tuple[float, ssl.SSLContext] | None = None
        """With the time when it was made."""

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
        while waiting := [
            pending.future
            for link in self.links
            for pending in link.waiting
            if pending.rrn is not None
        ]:
            await asyncio.wait(waiting)

    async def close(self) -> None:
        """Sign off, where the dialect has messages for that, and close all connections."""
        if MessageKind.SIGN_OFF in self._kinds:
            ready = [link for link in self.links if link.is_ready]
            leaving = [self._tell(link, MessageKind.SIGN_OFF, _SIGN_OFF_S) for link in ready]
            await asyncio.gather(*leaving, return_exceptions=True)
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        self.exchange.clear()
        self._problem = _STOPPED()

    def state(self) -> ConnectorState:
        """How it is now."""
        ready, wanted = sum(link.is_ready for link in self.links), self.options.connections
        exchange = self.exchange
        return ConnectorState(
            connections=ready,
            wanted=wanted,
            in_flight=exchange.in_flight,
            problem=None if ready == wanted else self._problem,
            late_answers=exchange.counts.late,
        )

    async def ask(self, message: Outgoing) -> Unpacked:
        """Send a message and wait for its answer; raises `ConnectorFailed`."""
        link = self._choose(urgent=message.urgent)
        refuse_late()
        pending = self.exchange.send(link, message, self.options.timeout_s)
        return await self.exchange.answer_to(pending)

    def received(self, link: Link, body: bytes) -> None:
        """The host has sent a message."""
        self.exchange.received(link, body)

    def link_lost(self, link: Link) -> None:
        """What waits for answers on this link fails at once."""
        if not self._is_stopping:
            self.exchange.counts.lost += 1
        self._problem = _LOST(host=link.host, why=link.why_lost)
        self.exchange.fail_all(link)

    def _choose(self, *, urgent: bool) -> Link:
        """The usable link with the fewest requests in flight."""
        if self._is_stopping and not urgent:
            raise ConnectorFailed("the connector is stopping", sent=False)
        if self.exchange.in_flight >= self.options.in_flight + (_URGENT if urgent else 0):
            raise ConnectorFailed("too many requests wait for the host", sent=False)
        chosen: Link | None = None
        for link in self.links:
            if link.is_usable and (chosen is None or len(link.waiting) < len(chosen.waiting)):
                chosen = link
        if chosen is None:
            raise ConnectorFailed(f"no host can be used: {self._problem}", sent=False)
        self.links.remove(chosen)
        self.links.append(chosen)
        return chosen

    def _unanswered(self, pending: Pending) -> None:
        """A message was not answered in time: look whether the host still answers at all."""
        link = pending.link
        if pending is link.echo:
            link.close(_NO_ECHO())
        # The clock counts milliseconds: what was heard in the same one may have come before.
        elif link.heard_at_s <= pending.sent_at_s:
            self._probe(link)

    def _probe(self, link: Link) -> None:
        """Send an echo, unless one is under way."""
        if not link.is_ready or link.echo is not None or MessageKind.ECHO not in self._kinds:
            return
        message = Outgoing(MessageKind.ECHO, {})
        with suppress(ConnectorFailed):
            link.echo = self.exchange.send(link, message, self.options.timeout_s)
            link.echo.future.add_done_callback(lambda done: _echoed(link, done))

    def _watch(self, link: Link) -> None:
        """Look whether a link was heard of lately, and look again later."""
        quiet_s = link.loop.time() - link.heard_at_s
        echo_s = self.options.echo_s
        if quiet_s >= echo_s:
            self._probe(link)
            quiet_s = 0.0
        link.idle_timer = link.loop.call_later(echo_s - quiet_s, self._watch, link)

    async def _keep(self, number: int) -> None:
        """Keep one connection open, until cancelled."""
        hosts, attempts = self.options.hosts, 0
        while True:
            host = hosts[(number + attempts) % len(hosts)]
            try:
                if await self._serve(host):
                    attempts = 0
            except (OSError, TimeoutError, ConnectorFailed, SettingsError) as error:
                self._problem = _LOST(host=host, why=_in_words(error))
            except Exception:
                # A defect must not end the keeping of connections.
                _log.exception("a connection could not be kept", extra={"host": str(host)})
            pause_s = self.options.pause_s(attempts)
            attempts += 1
            await asyncio.sleep(pause_s)

    async def _serve(self, host: Host) -> bool:
        """Open a connection and wait until it is lost; whether it was of use."""
        link = Link(str(host), Framing(self._framing), self)
        try:
            async with asyncio.timeout(self.options.connect_s):
                await self._open(link, host)
            link.is_ready = True
            if self.options.echo_s > 0:
                self._watch(link)
            await link.lost.wait()
        finally:
            if link.idle_timer is not None:
                link.idle_timer.cancel()
            if link in self.links:
                self.links.remove(link)
            link.close("closed")
        lived_s = link.loop.time() - link.opened_at_s
        return link.has_answered or lived_s > self.options.most_backoff_s

    async def _open(self, link: Link, host: Host) -> None:
        tls, context, name = self.options.tls, None, None
        if tls is not None:
            context, name = await self._tls_context(), tls.server_name or host.name
        await link.loop.create_connection(
            lambda: link, host.name, host.port, ssl=context, server_hostname=name
        )
        self.links.append(link)
        if MessageKind.SIGN_ON in self._kinds:
            await self._tell(link, MessageKind.SIGN_ON, self.options.connect_s)

    async def _tls_context(self) -> ssl.SSLContext:
        """Of the files as they are, or were a moment ago, so that renewed ones are used."""
        assert self.options.tls is not None
        now_s = asyncio.get_running_loop().time()
        if self._context is None or now_s - self._context[0] > _CONTEXT_S:
            made = await asyncio.to_thread(client_context, self.options.tls)
            self._context = (now_s, made)
        return self._context[1]

    async def _tell(self, link: Link, kind: MessageKind, timeout_s: float) -> None:
        """Send a message about the connection itself; the host has to agree."""
        pending = self.exchange.send(link, Outgoing(kind, {}), timeout_s)
        answer = await self.exchange.answer_to(pending)
        code = answer.values.get(Role.RESPONSE_CODE)
        if code != APPROVED:
            raise ConnectorFailed(f"the host refuses {kind} with {code}")


def _echoed(link: Link, done: asyncio.Future[Unpacked]) -> None:
    link.echo = None
    if not done.cancelled():
        done.exception()  # It is taken, so that nobody reports it as forgotten.


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return _LATE()
    if isinstance(error, ConnectorFailed | SettingsError):
        return said_by(error)
    return _UNREACHABLE(name=type(error).__name__)
