"""Reads a request's body; the limits on size and time are enforced while reading."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from gatehouse.api.context import JSON, RequestContext
from gatehouse.api.problems import Problem
from gatehouse.api.serving.exchange import exchange_of
from gatehouse.core.limits.timeouts import with_timeout

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_GZIP: Final = 16 + zlib.MAX_WBITS
_MOST_INLINE: Final = 262_144
"""Bytes that are unpacked at once; more of them would hold up other requests."""


class Disconnected(Exception):
    """The caller disconnected before the request was complete."""


def arrived_body(context: RequestContext, receive: Receive, most_bytes: int) -> bytes | None:
    """The whole body, or the `Problem` with it; None if `read_body` has to wait for it."""
    if b"content-encoding" in context.headers:
        return None
    exchange = exchange_of(receive)
    if exchange is None:
        return None
    _check_head(context, most_bytes)
    body = exchange.take_body()
    if body is not None and len(body) > most_bytes:
        raise _too_large(most_bytes)
    return body


async def read_body(
    context: RequestContext, receive: Receive, most_bytes: int, timeout_ms: int
) -> bytes:
    """The whole body, or the `Problem` with it."""
    _check_head(context, most_bytes)
    packed = b"content-encoding" in context.headers and _is_packed(context)
    try:
        body = await with_timeout(timeout_ms / 1000, _gather(receive, most_bytes))
    except TimeoutError:
        raise Problem("body_timeout", headers=((b"connection", b"close"),)) from None
    if not packed:
        return body
    if most_bytes > _MOST_INLINE:
        return await asyncio.to_thread(_unpacked, body, most_bytes)
    return _unpacked(body, most_bytes)


def _check_head(context: RequestContext, most_bytes: int) -> None:
    given = context.headers.get(b"content-type", b"")
    if given != JSON:
        media_type = given.decode("latin-1").partition(";")[0]
        if media_type.strip().lower() != "application/json":
            raise Problem("unsupported_media_type")
    length = context.headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > most_bytes:
        raise _too_large(most_bytes)


def _is_packed(context: RequestContext) -> bool:
    """Whether the body is compressed; a `Problem` when it is in a way that is not understood."""
    codings = b",".join(context.lines(b"content-encoding")).lower().split(b",")
    named = [each.strip() for each in codings if each.strip() not in (b"", b"identity")]
    if named not in ([], [b"gzip"]):
        said = "send the body as it is, or with Content-Encoding: gzip"
        raise Problem("unsupported_media_type", details=[said])
    return bool(named)


def _unpacked(body: bytes, most_bytes: int) -> bytes:
    """The body of a gzip file with one member; more than the limit is never made."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        plain = unpacking.decompress(body, most_bytes + 1)
    except zlib.error:
        raise Problem("malformed_body", details=["the body is not valid gzip"]) from None
    if len(plain) > most_bytes:
        raise _too_large(most_bytes)
    if not unpacking.eof or unpacking.unused_data:
        raise Problem("malformed_body", details=["the body is not one whole gzip file"])
    return plain


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
