"""Reads a request's body; the limits on size and time are enforced while reading."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from gatehouse.core.timeouts import with_timeout
from gatehouse.web.context import RequestContext
from gatehouse.web.problems import Problem

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class Disconnected(Exception):
    """The caller disconnected before the request was complete."""


async def read_body(
    context: RequestContext, receive: Receive, most_bytes: int, timeout_ms: int
) -> bytes:
    """The whole body, or the `Problem` with it."""
    _check_head(context, most_bytes)
    try:
        return await with_timeout(timeout_ms / 1000, _gather(receive, most_bytes))
    except TimeoutError:
        raise Problem("body_timeout", headers=((b"connection", b"close"),)) from None


def _check_head(context: RequestContext, most_bytes: int) -> None:
    media_type = (context.header(b"content-type") or "").partition(";")[0]
    if media_type.strip().lower() != "application/json":
        raise Problem("unsupported_media_type")
    length = context.headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > most_bytes:
        raise _too_large(most_bytes)


async def _gather(receive: Receive, most_bytes: int) -> bytes:
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        if len(body) > most_bytes:
            raise _too_large(most_bytes)
        return body
    parts, size = [], 0
    while True:
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > most_bytes:
            raise _too_large(most_bytes)
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
        message = await receive()


def _too_large(most_bytes: int) -> Problem:
    close = ((b"connection", b"close"),)
    return Problem("body_too_large", details=[f"at most {most_bytes} bytes"], headers=close)
