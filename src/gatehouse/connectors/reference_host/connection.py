"""A connection of the reference host, and the ways in which its answers can go wrong."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from typing import Final, cast

import msgspec

from gatehouse.connectors.reference_host.host import HostDecision, HostMessage, ReferenceHost
from gatehouse.connectors.reference_host.misbehaviour import HostFate

MOST_CONNECTIONS: Final = 4096
_NO_LINGER: Final = struct.pack("ii", 1, 0)


class HostAnswer(msgspec.Struct, frozen=True):
    """An answer that is ready to be sent, and what is sent when it goes wrong."""

    message: HostMessage
    decision: HostDecision
    data: bytes
    garbage: Callable[[], bytes]
    wrong_stan: Callable[[], bytes] | None = None
    """None where the protocol has no such number; the answer is then as it should be."""
    error: bytes | None = None
    """A failure of the host, though the message was taken."""
    wrong_amount: bytes | None = None
    """The same about another amount, where an answer names one."""


class HostConnection(asyncio.Protocol):
    """What connections of all protocols have in common."""

    def __init__(self, host: ReferenceHost) -> None:
        self._host = host
        self._transport: asyncio.Transport | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection, unless there are too many."""
        # Those of uvloop have the methods without being of the class.
        usable = cast("asyncio.Transport", transport)
        if len(self._host.connections) >= MOST_CONNECTIONS:
            usable.abort()
            return
        self._transport = usable
        self._host.connections.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget the connection."""
        self._transport = None
        self._host.connections.discard(self)
        self.closed.set_result(None)

    def pause_writing(self) -> None:
        """Read no more while the caller does not."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Read again."""
        if self._transport is not None:
            self._transport.resume_reading()

    def close(self) -> None:
        """Send what is written, then end the connection."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def deliver(self, answer: HostAnswer, fate: HostFate | None) -> None:
        """Send an answer, or let it meet its fate."""
        match fate:
            case None:
                self._send(answer, answer.data)
            case HostFate.SLOW:
                delay_s = self._host.misbehaviour.slow_ms / 1000
                asyncio.get_running_loop().call_later(
                    delay_s, self._send, answer, answer.data, fate
                )
            case HostFate.GARBAGE:
                self._send(answer, answer.garbage(), fate)
            case HostFate.HALF:
                self._send(answer, answer.data[: len(answer.data) // 2], fate)
                self.close()
            case HostFate.DUPLICATE:
                self._send(answer, answer.data + answer.data, fate)
            case HostFate.WRONG_STAN:
                wrong = answer.wrong_stan
                self._send(answer, answer.data if wrong is None else wrong(), fate)
            case HostFate.ERROR:
                self._send(answer, answer.error or answer.data, fate)
            case HostFate.WRONG_AMOUNT:
                self._send(answer, answer.wrong_amount or answer.data, fate)
            case HostFate.RESET:
                self._reset()

    def answered(self) -> None:
        """Go on after an answer, where a protocol has to."""

    def _send(self, answer: HostAnswer, data: bytes, fate: HostFate | None = None) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self._host.sent(answer.message, answer.decision, fate)
        self._transport.write(data)
        self.answered()

    def _reset(self) -> None:
        if self._transport is None:
            return
        connection = self._transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()
