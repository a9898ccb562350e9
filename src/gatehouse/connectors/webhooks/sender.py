"""Sends webhooks over HTTP/1.1: to an address that was checked, within a time limit, once."""

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import gatehouse
from gatehouse.connectors.http.client import Endpoint, HttpClient
from gatehouse.connectors.http.wire import CallFailed, PartyAnswer, PartyRequest
from gatehouse.connectors.tls import TlsOptions, client_context
from gatehouse.connectors.webhooks.destinations import (
    Destination,
    DestinationPolicy,
    DestinationRefused,
)
from gatehouse.connectors.webhooks.sending import TIME_LIMIT_S, SendResult, WebhookMessage
from gatehouse.core.errors import SettingsError
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.core.wording.sentences import Phrase, said_by

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as texts."""

_LATE: Final = Phrase("connector.webhook_late", "no answer within {seconds} s")
_UNRESOLVED: Final = Phrase("connector.unresolved", "the name of the host cannot be resolved")
_MOST_CLIENTS: Final = 64
_MOST_DESTINATIONS: Final = 1024
_CONNECTIONS: Final = 8
_MOST_ADDRESSES: Final = 3
_CONNECT_S: Final = 5.0
_AGENT: Final = f"Gatehouse/{gatehouse.__version__} (webhooks)".encode()


# The owner of a name can make its resolution slow. It must not take the threads of requests; and
# what an account sends at once, with what it gave up and the system goes on looking for, not all.
_RESOLVERS: Final = ThreadPoolExecutor(128, "gatehouse-names")


async def resolve(host: str, port: int) -> list[str]:
    """What the system's resolver says."""
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await asyncio.get_running_loop().run_in_executor(_RESOLVERS, ask)
    return [str(address[0]) for *_, address in found]


class HttpWebhookSender:
    """Sends over connections that are kept open for a while, each to one checked address."""

    def __init__(
        self,
        policy: DestinationPolicy,
        *,
        ca_file: str | None = None,
        proxy: tuple[str, int] | None = None,
        resolve: Resolve = resolve,
    ) -> None:
        self._policy = policy
        self._ca_file = ca_file
        self._proxy = proxy
        self._resolve = resolve
        self._context: ssl.SSLContext | None = None
        self._clients: dict[Endpoint, HttpClient] = {}
        self._destinations: LruCache[str, tuple[Destination, list[str]]] = LruCache(
            _MOST_DESTINATIONS
        )

    async def send(self, message: WebhookMessage) -> SendResult:
        """Check the URL and its addresses, send the message, and read the status of the answer."""
        began = time.perf_counter()
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                answer = await self._ask(message)
        except TimeoutError:
            return SendResult(None, _LATE(seconds=round(TIME_LIMIT_S)), _since_ms(began))
        except (CallFailed, DestinationRefused, SettingsError) as error:
            return SendResult(None, said_by(error), _since_ms(began))
        except OSError:
            return SendResult(None, _UNRESOLVED(), _since_ms(began))
        failure = None if 200 <= answer.status < 300 else f"answered {answer.status}"
        return SendResult(answer.status, failure, _since_ms(began), answer.retry_after)

    def prepare(self) -> None:
        """Read the certificates that are trusted; otherwise the first message has them read."""
        with contextlib.suppress(SettingsError):
            self._context = client_context(TlsOptions(ca_file=self._ca_file))

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    async def _ask(self, message: WebhookMessage) -> PartyAnswer:
        destination, addresses = self._destination(message.url)
        if not addresses:
            found = await self._resolve(destination.host, destination.port)
            addresses = self._policy.check_addresses(destination, found)
        request = PartyRequest(b"POST", destination.target, _headers(message), message.body)
        unreachable = CallFailed("no connection", sent=False)
        for address in addresses[:_MOST_ADDRESSES]:
            try:
                return await self._client(destination, address).ask(request)
            except CallFailed as error:
                if error.sent:
                    raise
                unreachable = error
        raise unreachable

    def _destination(self, url: str) -> tuple[Destination, list[str]]:
        """Where a URL leads, and its address if it names one; the addresses of a name change.

        What was found before holds, because the policy never changes.
        """
        known = self._destinations.find(url)
        if known is None:
            destination, addresses = self._policy.check_url(url), []
            if destination.address is not None:
                addresses = self._policy.check_addresses(destination, [destination.address])
            known = destination, addresses
            self._destinations.put(url, known)
        return known

    def _client(self, destination: Destination, address: str) -> HttpClient:
        endpoint = Endpoint(
            destination.host,
            destination.port,
            destination.is_secure,
            address=address,
            proxy=self._proxy if destination.is_secure else None,
        )
        client = self._clients.pop(endpoint, None) or self._open(endpoint)
        # The last in the dictionary is the one that was used last.
        self._clients[endpoint] = client
        if len(self._clients) > _MOST_CLIENTS:
            self._close_idle()
        return client

    def _open(self, endpoint: Endpoint) -> HttpClient:
        if endpoint.is_secure and self._context is None:
            self._context = client_context(TlsOptions(ca_file=self._ca_file))
        context = self._context if endpoint.is_secure else None
        return HttpClient(endpoint, context, connections=_CONNECTIONS, connect_timeout_s=_CONNECT_S)

    def _close_idle(self) -> None:
        for endpoint in [each for each, client in self._clients.items() if not client.is_busy]:
            self._clients.pop(endpoint).close()
            if len(self._clients) <= _MOST_CLIENTS // 2:
                return


def _headers(message: WebhookMessage) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-type", b"application/json"),
        (b"user-agent", _AGENT),
        (b"webhook-id", message.id.encode()),
        (b"webhook-timestamp", message.timestamp),
        (b"webhook-signature", message.signature),
    ]


def _since_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)
