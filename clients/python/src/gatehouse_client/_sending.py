"""Sends calls over HTTP and waits between attempts: once blocking, once for asyncio."""

import asyncio
import time
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
                response = self.http.send(_request(self.http, exchange.request))
                outcome = exchange.received(
                    response.status_code, response.headers, response.content
                )
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
                response = await self.http.send(_request(self.http, exchange.request))
                outcome = exchange.received(
                    response.status_code, response.headers, response.content
                )
            except httpx2.RequestError as failure:
                outcome = _failed(exchange, failure)
            if not isinstance(outcome, Wait):
                return outcome
            await asyncio.sleep(outcome.seconds)


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
