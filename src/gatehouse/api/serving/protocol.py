"""One connection: uvicorn's protocol with limits on time and size, and envelopes for refusals."""

import asyncio
import urllib.parse
from typing import Any, Final

import httptools
import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import (
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from gatehouse.access.addresses import shown_address
from gatehouse.api.logs import ThrottledLog
from gatehouse.api.serving.connection_limits import Limits
from gatehouse.api.serving.exchange import Exchange
from gatehouse.api.serving.refusals import ShedAnswers, fresh_id, refusal
from gatehouse.api.serving.whole_calls import is_shed, is_whole_call

_MOST_WAITING: Final = 32
"""Requests that may wait on one connection for the answers to those before them."""


class _Beyond(Exception):
    """A limit was met within a callback of the parser."""


class FrontProtocol(HttpToolsProtocol):
    """One connection of uvicorn, with what its settings cannot express.

    Uvicorn's protocol for httptools takes the trailers of a body for headers, has no limit on the
    time and size of a head, on trailers, on waiting requests or on the time an answer takes to be
    read, answers malformed requests in plain text, drops answers when the caller half-closes, and
    loses the body of a request that offers an upgrade, which Java's own client does with every
    one. A request that was charged must get its answer, so none of these can be left to it.
    """

    def __init__(
        self,
        limits: Limits,
        refusals: tuple[ThrottledLog, ShedAnswers],
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._limits = limits
        self._log, self._shed_answers = refusals
        self._in_head = True
        self._in_body = False
        self._refused = False
        self._was_shed = False
        """Whether the newest request was answered when its head was read."""
        self._offered = False
        self._body_arrived = False
        self._trailers = 0
        self._unread_bytes = 0
        """Bytes of an incomplete head, or of a body's framing since its last content."""
        self._running: RequestResponseCycle | None = None
        self._idle_since = 0.0
        """When the last answer was sent, by the loop's clock; 0 while a request is under way."""
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    # Uvicorn narrows the types of asyncio's protocol in these two, and so do we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head from now on, unless there are too many connections."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            self._reject("overloaded")
        else:
            self._start_timer(self._limits.header_timeout_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers, and let go of everything that refers to this connection."""
        super().connection_lost(exc)
        self._stop_timer()
        self._stop_write_timer()
        self._unset_keepalive_if_required()
        for cycle in (self.cycle, self._running):
            # Uvicorn tells only the newest request, which may wait behind the one that runs.
            if cycle is not None:
                cycle.on_response = _nothing
                cycle.disconnected = not cycle.response_complete
                cycle.message_event.set()
        self._running = None
        self.pipeline.clear()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer the requests of a caller that sends nothing more, then close."""
        if not self._owes_answer or self.scheme == "https":
            return False
        self.shutdown()
        return True

    def data_received(self, data: bytes) -> None:
        """Feed the parser, then check whether a head or a body is still incomplete."""
        if self._refused:
            return
        if self._limits.is_full() and self._is_between and is_whole_call(data):
            self._shed_unread()
            return
        self._idle_since = 0.0
        try:
            self._feed(data)
        except httptools.HttpParserCallbackError as failure:
            beyond = isinstance(failure.__context__, _Beyond)
            self._reject("headers_too_large" if beyond else "malformed_http")
        except httptools.HttpParserError:
            self._reject("malformed_http")
        else:
            self._check_progress(len(data))

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            # The connection ends after the answer to an offer, so what follows is not read.
            if not self._offered:
                self._offered = True
                self._feed(self._without_offer(data[offer.args[0] :]))

    def _check_progress(self, size: int) -> None:
        if self._in_head or self._in_body:
            self._unread_bytes = 0 if self._body_arrived else self._unread_bytes + size
            self._body_arrived = False
            if self._unread_bytes > self._limits.header_bytes:
                self._reject("headers_too_large")
                return
        if self._in_head:
            self._start_timer(self._limits.header_timeout_s)
        elif not self._answered:
            self._stop_timer()
        elif self._in_body:
            self._start_timer(self._limits.body_timeout_s)
        elif not self._idle_since:
            # Empty lines between two requests do not begin a head, but must not go on for ever.
            self._start_timer(self._limits.header_timeout_s)

    @property
    def _is_between(self) -> bool:
        """Whether the parser has seen nothing of a request that is not answered."""
        begun = self._in_body or (self._in_head and self._unread_bytes > 0)
        return not begun and self._answered

    def _shed_unread(self) -> None:
        """Answer a request for which there is no room, without a look at it.

        This is all that a server does for most requests while it gets far too many.
        """
        self._limits.admits()  # says no, and counts it
        self.server_state.total_requests += 1
        self.transport.write(self._shed_answers.next())
        self._stop_timer()
        self._begin_idle()

    @property
    def _answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _is_half_read(self) -> bool:
        """Whether the newest request is worked on, or was refused, while its body is incomplete."""
        if self._was_shed:
            return self._in_body
        return self._in_body and self.cycle is not None and self.cycle.scope is self.scope

    @property
    def _owes_answer(self) -> bool:
        """Whether a complete request waits for its answer."""
        return bool(self.pipeline) or not (self._is_half_read or self._answered)

    def on_message_begin(self) -> None:
        """A new head begins."""
        self.url = b""
        self.expect_100_continue = False
        self.headers = []
        self._in_head = True
        self._in_body = False
        self._was_shed = False
        self._body_arrived = False
        self._trailers = 0
        self._unread_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a line of the head; a trailer, which comes after the head, is only counted."""
        if self._in_body:
            self._trailers += 1
            if self._trailers > self._limits.header_lines:
                raise _Beyond
            return
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))
        if len(self.headers) > self._limits.header_lines:
            raise _Beyond

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._in_head = False
        self._in_body = True
        if len(self.pipeline) >= _MOST_WAITING:
            raise _Beyond
        parser = self.parser
        if self._is_too_much():
            self._shed()
            return
        version = parser.get_http_version()
        self.scope = self._scope(version)
        if parser.should_upgrade() and self._should_upgrade():
            return
        before, waits = self.cycle, self.expect_100_continue
        keep_alive = self._keeps_alive(version)
        self.cycle = Exchange(self, self.scope, keep_alive=keep_alive, waits=waits)
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))

    def _is_too_much(self) -> bool:
        """Whether there is no room for the request whose head was read."""
        if not (self._answered and is_shed(self.url)):
            return False
        # One that offers an upgrade is parsed again, and looked at then.
        return not (self.parser.should_upgrade() or self._limits.admits())

    def _shed(self) -> None:
        """Answer a request for which there is no room; what comes of its body is not read."""
        self._was_shed = True
        self.server_state.total_requests += 1
        # A caller that waits to be told to send its body may send it or not.
        ends = self.expect_100_continue or not self._keeps_alive(self.parser.get_http_version())
        self.transport.write(self._shed_answers.next(ends=ends))
        if ends:
            self._close()
        else:
            self._begin_idle()

    def _keeps_alive(self, version: str) -> bool:
        return version != "1.0" and bool(self.parser.should_keep_alive())

    def _scope(self, version: str) -> Any:
        """What the application is told of a request, of ASGI's scope what it reads."""
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        return {
            "type": "http",
            "http_version": version,
            "method": self.parser.get_method().decode("ascii"),
            "scheme": self.scheme,
            "path": urllib.parse.unquote(path) if "%" in path else path,
            "query_string": url.query or b"",
            "headers": self.headers,
            "client": self.client,
        }

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        """A part of the body has arrived."""
        self._body_arrived = True
        if self._is_left_unread:
            return
        cycle = self.cycle
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._in_body = False
        if self._answered:
            self._stop_timer()
        if not self._is_left_unread:
            self.cycle.more_body = False
            self.cycle.message_event.set()

    @property
    def _is_left_unread(self) -> bool:
        """Whether what comes of a body is for nobody: it is parsed again, or was answered."""
        offered = self.parser.should_upgrade() and self._should_upgrade()
        return offered or self._answered

    def on_response_complete(self) -> None:
        """The answer is sent; the rest of the request's body must arrive in time."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            self._start_write_timer()
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._begin_idle()
        if self._in_body:
            self._start_timer(self._limits.body_timeout_s)

    def _begin_idle(self) -> None:
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._wait_idle(self.timeout_keep_alive)

    def _wait_idle(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self._check_idle)

    def _check_idle(self) -> None:
        """Close a connection that has been idle for long.

        A timer that is looked at now and then saves each request to make one and to cancel it.
        """
        self.timeout_keep_alive_task = None
        if self._idle_since:
            left = self._idle_since + self.timeout_keep_alive - self.loop.time()
            if left > 0:
                self._wait_idle(left)
            else:
                self.timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        """The caller does not read: it must begin to within the time limit."""
        super().pause_writing()
        self._start_write_timer()

    def resume_writing(self) -> None:
        """The caller has read most of what was sent."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_write_timer()

    def shutdown(self) -> None:
        """Close after the answers that are due, which the caller must read in time."""
        super().shutdown()
        if self.transport.is_closing():
            self._start_write_timer()

    def _close(self) -> None:
        self.transport.close()
        self._start_write_timer()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection whose caller sends nothing, or not what it began to send."""
        self._refused = True
        self.shutdown()

    def _should_upgrade(self) -> bool:
        # Uvicorn then takes no notice of the request, which is parsed again without the offer.
        return self._get_upgrade() is not None

    def _without_offer(self, rest: bytes) -> bytes:
        """The request without its offer, for a new parser: one that met an offer has stopped."""
        if not self._should_upgrade():
            raise httptools.HttpParserError("a CONNECT request")
        version = self.scope["http_version"]
        lines = [f"{self.scope['method']} ".encode() + self.url + f" HTTP/{version}".encode()]
        dropped = (b"upgrade", b"connection")
        lines += [name + b": " + value for name, value in self.headers if name not in dropped]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return b"\r\n".join([*lines, b"connection: close", b"", rest])

    def _start_timer(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_write_timer(self) -> None:
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self._limits.write_timeout_s, self._give_up)

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _give_up(self) -> None:
        """Drop a caller that does not read its answer."""
        self._log.warning("an answer was not read in time", address=self._address())
        self.transport.abort()

    def _reject(self, code: str) -> None:
        """Close with an envelope, or after the answers that are still due."""
        self._refused = True
        self._stop_timer()
        if self.transport.is_closing():
            return
        request_id = fresh_id()
        self._log.warning(
            "a connection was refused", requestId=request_id, code=code, address=self._address()
        )
        if self._owes_answer:
            self.shutdown()
            return
        if self._is_half_read:
            # Nothing is sent after an answer: it would be taken for that of a next request.
            if not self._was_shed:
                if not self.cycle.response_started:
                    self._write_refusal(request_id, code)
                self.cycle.disconnected = True
                self.cycle.message_event.set()
        else:
            self._write_refusal(request_id, code)
        self._close()

    def _write_refusal(self, request_id: str, code: str) -> None:
        self.transport.write(refusal(request_id, code, ends=True))

    def _address(self) -> str | None:
        """The caller's address, as far as a complete head tells it."""
        peer = self.client[0] if self.client else ""
        headers = [] if self._in_head else self.headers
        return shown_address(peer, headers, self._limits.proxies)


def _nothing() -> None:
    """Stands for the callback of a connection that is gone."""
