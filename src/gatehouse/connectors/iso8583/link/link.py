"""One connection to a host: bytes in and out, and what waits for an answer on it.

What is sent in one turn of the event loop is written at once, because a write costs a system call.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Final, Protocol, cast

from gatehouse.connectors.iso8583.dialect import Unpacked
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.core.wording.sentences import Phrase

_CLOSED: Final = Phrase("connector.closed", "the host closed the connection")
_NO_MESSAGE: Final = Phrase("connector.no_message", "the host sent something that is no message")
_FLOOD: Final = Phrase("connector.flood", "the host sent too much that was no answer")
_BROKE: Final = Phrase("connector.broke", "the connection broke: {name}")

_MOST_UNSENT: Final = 262_144
"""Bytes that the host has not taken yet: with more, a link takes no further requests."""


_UNASKED_S: Final = 0.001
"""So much time pays for one message that is no answer."""
_MOST_UNASKED_S: Final = 1.0
"""So far ahead of the time may they be, or they would leave none to requests."""


class Pending:
    """One message that waits for its answer, or whose answer may still come too late."""

    __slots__ = (
        "answer_mti",
        "future",
        "is_open",
        "is_written",
        "link",
        "on_late",
        "rrn",
        "sent_at_s",
        "stan",
        "timer",
    )

    def __init__(self, link: "Link", stan: str, rrn: str | None, answer_mti: str) -> None:
        loop = link.loop
        self.link = link
        self.stan = stan
        self.rrn = rrn
        """None of messages about the connection itself, such as an echo."""
        self.answer_mti = answer_mti
        self.future: asyncio.Future[Unpacked] = loop.create_future()
        self.on_late: Callable[[Unpacked], None] | None = None
        """Hears the answer if it comes when nobody waits for it any more."""
        self.timer: asyncio.TimerHandle | None = None
        self.sent_at_s = loop.time()
        self.is_written = False
        """Whether the message may have left this process."""
        self.is_open = True
        """Whether somebody still waits."""


class LinkOwner(Protocol):
    """The pool that a link belongs to, as the link sees it."""

    def received(self, link: "Link", body: bytes) -> None:
        """The host has sent a message."""

    def link_lost(self, link: "Link") -> None:
        """The connection is gone."""


class Link(asyncio.Protocol):
    """A connection; not usable before the owner says so."""

    def __init__(self, host: str, framing: Framing, owner: LinkOwner) -> None:
        self.host = host
        self.loop = asyncio.get_running_loop()
        self.waiting: set[Pending] = set()
        self.is_ready = False
        """Whether the host is signed on to, where it asks for that."""
        self.opened_at_s = self.heard_at_s = self.loop.time()
        """When it sent its last message that could be read."""
        self.has_answered = False
        """Whether the host has answered a request on it."""
        self.echo: Pending | None = None
        self.idle_timer: asyncio.TimerHandle | None = None
        self.why_lost: str = _CLOSED()
        self.lost = asyncio.Event()
        self._framing = framing
        self._owner = owner
        self._transport: asyncio.Transport | None = None
        self._outgoing: list[tuple[bytes, Pending | None]] = []
        self.is_full = False
        """Whether the host takes less than it is sent."""
        self._unasked_s = self.opened_at_s

    @property
    def is_usable(self) -> bool:
        """Whether it takes requests now."""
        return self.is_ready and not self.is_full

    def framed(self, body: bytes) -> bytes:
        """A message as it is sent here; `MalformedMessage` when it is too long."""
        return self._framing.frame(body)

    def send(self, frame: bytes, pending: Pending | None) -> None:
        """Send a framed message with the others of this turn of the event loop."""
        if not self._outgoing:
            self.loop.call_soon(self._flush)
        self._outgoing.append((frame, pending))

    def close(self, why: str) -> None:
        """Give the connection up at once."""
        self.is_ready = False
        if self._transport is not None and not self._transport.is_closing():
            self.why_lost = why
            self._transport.abort()

    def note_unasked(self) -> None:
        """Give the connection up when too many messages are no answers."""
        now_s = self.loop.time()
        self._unasked_s = max(self._unasked_s, now_s) + _UNASKED_S
        if self._unasked_s > now_s + _MOST_UNASKED_S:
            self.close(_FLOOD())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_MOST_UNSENT)
        opened = transport.get_extra_info("socket")
        if opened is not None:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        """Bytes of the host; one that sends no messages cannot be followed any further."""
        try:
            bodies = self._framing.feed(data)
        except MalformedMessage:
            self.close(_NO_MESSAGE())
            return
        for body in bodies:
            if self._transport is None or self._transport.is_closing():
                return
            self._owner.received(self, body)

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        if error is not None:
            self.why_lost = _BROKE(name=type(error).__name__)
        self.is_ready = False
        self.lost.set()
        self._owner.link_lost(self)

    def pause_writing(self) -> None:
        """The host takes less than it is sent."""
        self.is_full = True

    def resume_writing(self) -> None:
        """It has taken enough."""
        self.is_full = False

    def _flush(self) -> None:
        outgoing, self._outgoing = self._outgoing, []
        if self._transport is None or self._transport.is_closing():
            return
        frames = []
        for frame, pending in outgoing:
            if pending is not None:
                if pending.future.done():
                    continue  # It was given up before it was sent.
                pending.is_written = True
            frames.append(frame)
        if frames:
            self._transport.write(b"".join(frames))
