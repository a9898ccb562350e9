"""Answers to what is refused before it is a request: the same bytes but for the id."""

import asyncio
import logging
import secrets
import time
from functools import lru_cache
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from gatehouse.api import envelope
from gatehouse.api.problems import CODES, Problem
from gatehouse.core.ids import new_id, sibling_id

_ANY_ID: Final = b"req_" + b"?" * 26
"""Stands for the id of a request, which is as long."""
_SIBLINGS: Final = 1024
_LINE_EVERY_S: Final = 1.0


class ShedAnswers:
    """The answers to requests for which there is no room, which come by the thousand.

    So an id is made for the first, and those of the next differ in their last letters alone; and
    one line a second says how many there were.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._origin = ""
        self._number = _SIBLINGS
        self._untold = 0

    def next(self, *, ends: bool = False) -> bytes:
        """The whole answer to one more."""
        if self._number >= _SIBLINGS:
            self._origin = fresh_id()
            self._number = 0
        if not self._untold:
            asyncio.get_running_loop().call_later(_LINE_EVERY_S, self._tell)
        self._untold += 1
        number, self._number = self._number, self._number + 1
        return refusal(sibling_id("req", self._origin, number), "overloaded", ends=ends)

    def _tell(self) -> None:
        """Log how many requests were refused since the last line."""
        about = {"code": "overloaded", "requests": self._untold}
        self._logger.warning("requests were refused", extra=about)
        # The ids of the next tell their moment to a second, too.
        self._untold, self._number = 0, _SIBLINGS


def fresh_id() -> str:
    """An id for what is refused now."""
    return new_id("req", time.time_ns() // 1_000_000, secrets.token_bytes)


def refusal(request_id: str, code: str, *, ends: bool) -> bytes:
    """The whole answer; with `ends`, the connection is closed after it."""
    return request_id.encode().join(_around_ids(code, ends))


@lru_cache
def _around_ids(code: str, ends: bool) -> list[bytes]:
    """What is the same in the answers to all requests: what stands around their ids."""
    body = envelope.failure(_ANY_ID.decode(), Problem(code))
    retry = "retry-after: 1\r\n" if code == "overloaded" else ""
    close = "connection: close\r\n" if ends else ""
    headers = (
        f"content-type: application/json\r\n{close}cache-control: no-store\r\n"
        f"x-content-type-options: nosniff\r\nx-request-id: {_ANY_ID.decode()}\r\n"
        f"{retry}content-length: {len(body)}\r\n\r\n"
    )
    return (STATUS_LINE[CODES[code].status] + headers.encode() + body).split(_ANY_ID)
