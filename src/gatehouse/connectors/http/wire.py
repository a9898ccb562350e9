"""What the client of HTTP and its connections share: a request, an answer, and how a call fails."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, cast

from gatehouse.core.wording.sentences import Phrase

CLOSED_EARLY: Final = Phrase(
    "connector.closed_early", "the connection was closed before the answer"
)
NOT_HTTP: Final = Phrase("connector.not_http", "the answer is not HTTP")
ANSWER_LARGE: Final = Phrase("connector.answer_large", "the answer is larger than {most} bytes")
LARGEST_ANSWER: Final = 256 * 1024
"""Bytes of a body; more than any answer about one card or payment."""
LARGEST_HEAD: Final = 64 * 1024

Header = tuple[bytes, bytes]


class PartyRequest:
    """One request. It holds secrets: it is never printed."""

    __slots__ = ("body", "headers", "method", "sent", "target")

    def __init__(self, method: bytes, target: bytes, headers: list[Header], body: bytes) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        """Names in small letters; neither the host nor the length."""
        self.body = body
        self.sent = False
        """Whether anything of it may have left this process."""

    def __repr__(self) -> str:
        return f"PartyRequest({self.method.decode()})"


class PartyAnswer:
    """One answer. What it holds is not printed."""

    __slots__ = ("body", "retry_after", "status")

    def __init__(self, status: int, body: bytes, retry_after: bytes = b"") -> None:
        self.status = status
        self.body = body
        self.retry_after = retry_after

    def __repr__(self) -> str:
        return f"PartyAnswer({self.status})"


class CallFailed(Exception):
    """No answer came."""

    def __init__(self, message: str, *, sent: bool, was_reset: bool = False) -> None:
        super().__init__(message)
        self.sent = sent
        """Whether anything of the request may have left this process."""
        self.was_reset = was_reset
        """Whether the connection ended before any part of the answer came."""


class Connection(asyncio.Protocol, ABC):
    """An open connection, whatever version of HTTP it speaks."""

    def __init__(self, host: bytes, on_free: Callable[[], None]) -> None:
        self.is_usable = True
        """Whether another request can be sent."""
        self.idle_since = asyncio.get_running_loop().time()
        """When its last answer came, by the loop's clock."""
        self._host = host
        self._on_free = on_free
        self._transport: asyncio.Transport | None = None

    @property
    @abstractmethod
    def has_room(self) -> bool:
        """Whether another request can be sent now."""

    @property
    @abstractmethod
    def in_flight(self) -> int:
        """Requests that wait for an answer."""

    @abstractmethod
    async def ask(self, request: PartyRequest) -> PartyAnswer:
        """Send a request and wait for its answer; or `CallFailed`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        self._transport = cast("asyncio.Transport", transport)

    def close(self) -> None:
        """Close it at once; what waits fails."""
        self.is_usable = False
        if self._transport is not None:
            self._transport.abort()

    def _open_transport(self) -> asyncio.Transport:
        """Where a request is written; `CallFailed` when the connection was closed before."""
        transport = self._transport
        if not self.is_usable or transport is None or transport.is_closing():
            # Otherwise the client would try it again and again, and nothing else would run.
            self.is_usable = False
            raise CallFailed("the connection was closed before", sent=False)
        return transport


def set_result(future: "asyncio.Future[PartyAnswer]", answer: PartyAnswer) -> None:
    """Give an answer to the caller, if it still waits."""
    if not future.done():
        future.set_result(answer)


def set_failure(future: "asyncio.Future[PartyAnswer]", failure: CallFailed) -> None:
    """Give a failure to the caller, if it still waits."""
    if not future.done():
        future.set_exception(failure)
