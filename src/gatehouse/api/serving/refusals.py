"""Answers to what is refused before it is a request: the same bytes but for the id."""

from functools import lru_cache
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from gatehouse.api import envelope
from gatehouse.api.problems import CODES, Problem

_ANY_ID: Final = b"req_" + b"?" * 26
"""Stands for the id of a request, which is as long."""


def refusal(request_id: str, code: str, *, ends: bool) -> bytes:
    """The whole answer; with `ends`, the connection is closed after it."""
    return _refusal(code, ends=ends).replace(_ANY_ID, request_id.encode())


@lru_cache
def _refusal(code: str, *, ends: bool) -> bytes:
    """An answer that is the same for all requests but for their ids."""
    body = envelope.failure(_ANY_ID.decode(), Problem(code))
    retry = "retry-after: 1\r\n" if code == "overloaded" else ""
    close = "connection: close\r\n" if ends else ""
    headers = (
        f"content-type: application/json\r\n{close}cache-control: no-store\r\n"
        f"x-content-type-options: nosniff\r\nx-request-id: {_ANY_ID.decode()}\r\n"
        f"{retry}content-length: {len(body)}\r\n\r\n"
    )
    return STATUS_LINE[CODES[code].status] + headers.encode() + body
