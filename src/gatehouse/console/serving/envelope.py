"""What surrounds every answer: a request id, security headers, a log line, and bounds."""

import logging
import time
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gatehouse.console import failures
from gatehouse.console.refusals import PageRefused
from gatehouse.console.visit import Incoming, Visit
from gatehouse.core.ids import new_id

if TYPE_CHECKING:
    from gatehouse.console.desk import Desk

_log: Final = logging.getLogger("gatehouse.console.request")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": (
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), "
        "publickey-credentials-get=(self), publickey-credentials-create=(self)"
    ),
}
_HEADER_BYTES: Final = 16 * 1024
_HSTS: Final = "max-age=31536000"


class Envelope:
    """Wraps the application: nothing leaves without its headers and its line in the log."""

    def __init__(self, inner: ASGIApp, desk: "Desk") -> None:
        self._inner = inner
        self._desk = desk
        fixed = {
            **HEADERS,
            **({"strict-transport-security": _HSTS} if desk.guard.is_secure else {}),
        }
        self._headers = [(name.encode(), value.encode()) for name, value in fixed.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        session = self._desk.session
        started = time.perf_counter()
        at_ms = session.clock()
        request_id = new_id("req", at_ms, session.randomness)
        scope["gatehouse.request_id"] = request_id
        scope["gatehouse.address"] = self._desk.address_of(scope)
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = self._completed(message["headers"], request_id)
                message["headers"] = [*headers, *_timing(scope, started)]
            await send(message)

        try:
            await self._inside(scope, receive, send_with_headers)
        finally:
            self._write_line(scope, status, time.perf_counter() - started)

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            _check_size(scope)
            self._desk.guard.check_host(request.headers)
        except PageRefused as refused:
            visit = Visit(
                self._desk,
                Incoming(
                    request_id=scope["gatehouse.request_id"],
                    method=request.method,
                    path=scope["path"],
                    headers=request.headers,
                    cookies={},
                ),
            )
            await failures.refused(visit, refused)(scope, receive, send)
            return
        await self._inner(scope, receive, send)

    def _completed(self, headers: list[Any], request_id: str) -> list[Any]:
        names = {name for name, _ in headers}
        kept = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
        return [*headers, *kept, *self._headers, (b"x-request-id", request_id.encode())]

    def _write_line(self, scope: Scope, status: int, seconds: float) -> None:
        """The line of a request: the route, not the path, and never the query."""
        _log.info(
            "request",
            extra={
                "requestId": scope["gatehouse.request_id"],
                "method": scope["method"],
                "route": scope.get("gatehouse.route", "unmatched"),
                "status": status,
                "accountId": scope.get("gatehouse.account"),
                "userId": scope.get("gatehouse.user"),
                "address": scope["gatehouse.address"],
                "durationMs": round(seconds * 1000, 3),
            },
        )


def _timing(scope: Scope, started: float) -> list[tuple[bytes, bytes]]:
    """How long the answer took, for people who are signed in: strangers could time passwords."""
    if "gatehouse.user" not in scope:
        return []
    milliseconds = (time.perf_counter() - started) * 1000
    return [(b"server-timing", b"total;dur=%.1f" % milliseconds)]


def _check_size(scope: Scope) -> None:
    """Refuse headers that no browser of ours sends; the parser only bounds what is incomplete."""
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEADER_BYTES:
        raise PageRefused(431, "problems.too_large")
