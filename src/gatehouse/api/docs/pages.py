"""Pages that are the same for every reader: made once, compressed once, revalidated by a tag.

Only these are compressed. An answer of the API holds what its caller sent beside what others must
not learn, and its compressed length would tell about both.
"""

import asyncio
import gzip
import re
import threading
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import msgspec

from gatehouse.access.addresses import Header
from gatehouse.api.body import Receive
from gatehouse.api.context import JSON, Reply, RequestContext

HTML: Final = b"text/html; charset=utf-8"
_REVALIDATED: Final = b"no-cache"
"""Readers keep a page and ask whether it is still the same before they show it again."""
_WEIGHT: Final = re.compile(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*")


class _Variant(msgspec.Struct, frozen=True):
    """A page in one coding."""

    body: bytes
    tag: str
    headers: tuple[Header, ...]


class PublicPage:
    """One page; making it waits until it is asked for, or until the server has the time."""

    def __init__(
        self,
        make: Callable[[], bytes],
        content_type: bytes = JSON,
        headers: tuple[Header, ...] = (),
    ) -> None:
        self._make = make
        self._type = content_type
        self._headers = headers
        self._lock = threading.Lock()
        self._made: tuple[_Variant, _Variant] | None = None

    async def answer(self, context: RequestContext, _receive: Receive) -> Reply:
        """The page, or that the reader has it already."""
        made = self._made
        if made is None:
            made = await asyncio.to_thread(self.prepare)
        plain, compressed = made
        wanted = compressed if _takes_gzip(context.header(b"accept-encoding") or "") else plain
        if _has(context.header(b"if-none-match") or "", wanted.tag):
            return Reply(304, b"", wanted.headers, self._type, _REVALIDATED)
        return Reply(200, wanted.body, wanted.headers, self._type, _REVALIDATED)

    def prepare(self) -> tuple[_Variant, _Variant]:
        """Make and compress the page, once."""
        with self._lock:
            if self._made is None:
                body = self._make()
                name = sha256(body).hexdigest()[:32]
                # No time in it: servers of one version give the same bytes and the same tag.
                packed = gzip.compress(body, 9, mtime=0)
                coding = ((b"content-encoding", b"gzip"),)
                self._made = (
                    self._variant(body, f'"{name}"', ()),
                    self._variant(packed, f'"{name}-gzip"', coding),
                )
            return self._made

    def _variant(self, body: bytes, tag: str, coding: tuple[Header, ...]) -> _Variant:
        vary = ((b"vary", b"Accept-Encoding"), (b"etag", tag.encode()))
        return _Variant(body, tag, (*vary, *coding, *self._headers))


def _takes_gzip(accepted: str) -> bool:
    """Whether a reader with this `Accept-Encoding` takes gzip at least as gladly as no coding."""
    weights = {}
    for part in accepted.lower().split(","):
        name, semicolon, parameter = part.partition(";")
        found = _WEIGHT.fullmatch(parameter)
        weights[name.strip()] = float(found[1]) if found else 0.0 if semicolon else 1.0
    weight = weights.get("gzip", weights.get("*", 0.0))
    return weight > 0 and weight >= weights.get("identity", 0.0)


def _has(known: str, tag: str) -> bool:
    """Whether an `If-None-Match` names the tag; a proxy may have marked it as weak."""
    return known.strip() == "*" or tag in (
        one.strip().removeprefix("W/") for one in known.split(",")
    )
