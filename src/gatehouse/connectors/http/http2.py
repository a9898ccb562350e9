"""A connection that speaks HTTP/2: many requests at a time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings

from gatehouse.connectors.http.wire import (
    ANSWER_LARGE,
    CLOSED_EARLY,
    LARGEST_ANSWER,
    LARGEST_HEAD,
    CallFailed,
    Connection,
    PartyAnswer,
    PartyRequest,
    set_failure,
    set_result,
)
from gatehouse.core.wording.sentences import Phrase

_BROKEN_OFF: Final = Phrase("connector.broken_off", "the answer was broken off")
_FAREWELL: Final = Phrase("connector.farewell", "the other side closes the connection")

_LAST_STREAM: Final = 2**30
"""Ids of streams are used up at twice this; a new connection begins anew."""
# Our own headers are checked when a mapping is compiled, and of an answer's we read two.
_CONFIG: Final = H2Configuration(
    client_side=True,
    header_encoding=None,
    validate_inbound_headers=False,
    validate_outbound_headers=False,
    normalize_outbound_headers=False,
)


class _Stream:
    """One request and what has come of its answer."""

    __slots__ = ("body", "future", "retry_after", "status", "unsent")

    def __init__(self, future: asyncio.Future[PartyAnswer], unsent: bytes) -> None:
        self.future = future
        self.unsent = unsent
        self.status = 0
        self.body = bytearray()
        self.retry_after = b""


class Http2Connection(Connection):
    """Sends requests beside each other, and matches the answers to them."""

    def __init__(self, host: bytes, on_free: Callable[[], None]) -> None:
        super().__init__(host, on_free)
        self._streams: dict[int, _Stream] = {}
        self._answers = 0
        """How many have begun."""
        self._unread = 0
        """Bytes that came and are no whole frame yet."""
        self._protocol = H2Connection(_CONFIG)
        self._protocol.local_settings = Settings(
            client=True,
            initial_values={
                SettingCodes.ENABLE_PUSH: 0,
                SettingCodes.MAX_HEADER_LIST_SIZE: LARGEST_HEAD,
            },
        )

    @property
    def has_room(self) -> bool:
        """Whether another stream can be opened."""
        most = self._protocol.remote_settings.max_concurrent_streams
        return self.is_usable and len(self._streams) < most

    @property
    def in_flight(self) -> int:
        """Streams that wait for an answer."""
        return len(self._streams)

    async def ask(self, request: PartyRequest) -> PartyAnswer:
        """Send a request and wait for its answer; one that is given up ends its stream alone."""
        self._open_transport()
        stream = _Stream(asyncio.get_running_loop().create_future(), request.body)
        try:
            number = self._open_stream(request, stream)
        except H2Error:
            self.is_usable = False
            raise CallFailed("the connection takes no more requests", sent=False) from None
        answers = self._answers
        try:
            return await stream.future
        except asyncio.CancelledError:
            self._give_up(number)
            if self._answers == answers:
                # No answer came since: the other side may be gone, so nothing new is sent there.
                self.is_usable = False
            raise
        finally:
            self._streams.pop(number, None)
            self._end_if_unused()
            self._on_free()

    def _open_stream(self, request: PartyRequest, stream: _Stream) -> int:
        protocol = self._protocol
        number = protocol.get_next_available_stream_id()
        if number > _LAST_STREAM:
            self.is_usable = False
        headers = [
            (b":method", request.method),
            (b":scheme", b"https"),
            (b":authority", self._host),
            (b":path", request.target),
            *request.headers,
        ]
        protocol.send_headers(number, headers, end_stream=not request.body)
        self._streams[number] = stream
        self._send_rest(number, stream)
        request.sent = True
        self._flush()
        return number

    def _send_rest(self, number: int, stream: _Stream) -> None:
        """Send of a body what the other side takes now; the rest follows when it takes more."""
        protocol = self._protocol
        while stream.unsent:
            room = protocol.local_flow_control_window(number)
            size = min(room, protocol.max_outbound_frame_size, len(stream.unsent))
            if size <= 0:
                return
            part, stream.unsent = stream.unsent[:size], stream.unsent[size:]
            protocol.send_data(number, part, end_stream=not stream.unsent)

    def _give_up(self, number: int) -> None:
        if number in self._streams:
            with suppress(H2Error):
                self._protocol.reset_stream(number, ErrorCodes.CANCEL)
            self._flush()

    def _flush(self) -> None:
        data = self._protocol.data_to_send()
        if data and self._transport is not None:
            self._transport.write(data)

    def _end_if_unused(self) -> None:
        self.idle_since = asyncio.get_running_loop().time()
        if not self.is_usable and not self._streams:
            self.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        super().connection_made(transport)
        self._protocol.initiate_connection()
        self._flush()

    def connection_lost(self, _exc: Exception | None) -> None:
        """The connection has ended; what waits has failed."""
        self._fail_all(CLOSED_EARLY(), was_reset=True)
        self._on_free()

    def data_received(self, data: bytes) -> None:
        """A part of answers came."""
        try:
            events = self._protocol.receive_data(data)
            for event in events:
                self._take(event)
            self._flush()
        except (H2Error, ValueError, IndexError, KeyError):
            self._refuse()
            return
        self._unread = 0 if events else self._unread + len(data)
        if self._unread > LARGEST_ANSWER:
            self._refuse()

    def _refuse(self) -> None:
        self._fail_all("the answer is not HTTP/2")
        self._flush()
        self.close()

    def _take(self, event: Event) -> None:
        match event:
            case ResponseReceived():
                self._answers += 1
                self._take_head(event)
            case DataReceived():
                self._take_data(event)
            case StreamEnded():
                stream = self._streams.pop(event.stream_id, None)
                if stream is not None:
                    answer = PartyAnswer(stream.status, bytes(stream.body), stream.retry_after)
                    set_result(stream.future, answer)
            case StreamReset():
                stream = self._streams.pop(event.stream_id, None)
                if stream is not None:
                    failure = CallFailed(_BROKEN_OFF(), sent=True, was_reset=not stream.status)
                    set_failure(stream.future, failure)
            case WindowUpdated():
                for number, waiting in self._streams.items():
                    self._send_rest(number, waiting)
            case ConnectionTerminated():
                self._take_farewell(event.last_stream_id or 0)

    def _take_head(self, event: ResponseReceived) -> None:
        stream = self._streams.get(event.stream_id)
        if stream is None:
            return
        headers: list[tuple[Any, Any]] = list(event.headers or ())
        for name, value in headers:
            if name == b":status":
                stream.status = int(value)
            elif name == b"retry-after":
                stream.retry_after = bytes(value)

    def _take_data(self, event: DataReceived) -> None:
        number = event.stream_id
        # A stream may have ended in the same piece of data.
        with suppress(H2Error):
            self._protocol.acknowledge_received_data(event.flow_controlled_length or 0, number)
        stream = self._streams.get(number)
        if stream is None:
            return
        stream.body += event.data or b""
        if len(stream.body) > LARGEST_ANSWER:
            message = ANSWER_LARGE(most=LARGEST_ANSWER)
            self._give_up(number)
            del self._streams[number]
            set_failure(stream.future, CallFailed(message, sent=True))

    def _take_farewell(self, last: int) -> None:
        """The other side will answer no streams after the last one that it names."""
        self.is_usable = False
        for number in [each for each in self._streams if each > last]:
            failure = CallFailed(_FAREWELL(), sent=True, was_reset=True)
            set_failure(self._streams.pop(number).future, failure)
        self._end_if_unused()

    def _fail_all(self, message: str, *, was_reset: bool = False) -> None:
        self.is_usable = False
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            reset = was_reset and not stream.status
            set_failure(stream.future, CallFailed(message, sent=True, was_reset=reset))
