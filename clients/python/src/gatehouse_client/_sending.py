"""Sends calls over HTTP and waits between attempts: once blocking, once for asyncio."""

import asyncio
import contextlib
import time
from time import monotonic
from typing import Final, TypeVar

import httpx2

from gatehouse_client._calls import Answer, Call, Exchange, Options, Wait, WireRequest

T = TypeVar("T")
_NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Sender:
    """Sends calls and blocks until they are answered."""

    def __init__(self, http: httpx2.Client, options: Options) -> None:
        self.http, self.options = http, options

    def send(self, call: Call[T]) -> Answer[T]:
        """The answer to a call, after as many attempts as it takes and as are allowed."""
        exchange = Exchange(call, self.options)
        while True:
            try:
                limit = _Limit(exchange.request)
                response = self.http.send(_request(self.http, exchange.request), stream=True)
                with contextlib.closing(response):
                    body = b"".join([limit.checked(part) for part in response.iter_bytes()])
                outcome = exchange.received(response.status_code, response.headers, body)
            except httpx2.RequestError as failure:
                outcome = _failed(exchange, failure)
            if not isinstance(outcome, Wait):
                return outcome
            time.sleep(outcome.seconds)


class AsyncSender:
    """Sends calls while other tasks go on."""

    def __init__(self, http: httpx2.AsyncClient, options: Options) -> None:
        self.http, self.options = http, options

    async def send(self, call: Call[T]) -> Answer[T]:
        """The answer to a call, after as many attempts as it takes and as are allowed."""
        exchange = Exchange(call, self.options)
        while True:
            try:
                limit = _Limit(exchange.request)
                response = await self.http.send(_request(self.http, exchange.request), stream=True)
                async with contextlib.aclosing(response):
                    body = b"".join([limit.checked(part) async for part in response.aiter_bytes()])
                outcome = exchange.received(response.status_code, response.headers, body)
            except httpx2.RequestError as failure:
                outcome = _failed(exchange, failure)
            if not isinstance(outcome, Wait):
                return outcome
            await asyncio.sleep(outcome.seconds)


class _Limit:
    """The time for a whole answer: a server that sends it bit by bit is never silent for long."""

    def __init__(self, wire: WireRequest) -> None:
        self._ends_at = monotonic() + wire.timeout_s

    def checked(self, part: bytes) -> bytes:
        """A part of the body, if it came in time."""
        if monotonic() > self._ends_at:
            raise httpx2.ReadTimeout("the answer takes too long")
        return part


def _request(http: httpx2.Client | httpx2.AsyncClient, wire: WireRequest) -> httpx2.Request:
    return http.build_request(
        wire.method,
        wire.url,
        headers=wire.headers,
        content=wire.content,
        timeout=wire.timeout_s,
    )


def _failed(exchange: Exchange[T], failure: httpx2.RequestError) -> Wait:
    return exchange.failed(
        sent=not isinstance(failure, _NEVER_SENT),
        timed_out=isinstance(failure, httpx2.TimeoutException),
    )
