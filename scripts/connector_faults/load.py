"""Sends requests at a steady rate over kept-alive connections, and keeps what was answered."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from scripts.bench.cards import card_number
from scripts.bench.client import post
from scripts.connector_faults.ground import LIMIT_MS, PIPELINE_ID

_CARDS: Final = 500
_PAYING: Final = 2
"""One request in so many is a payment."""
_TRIES: Final = 30
_PAUSE_S: Final = 1.0
"""What `Retry-After` says."""


class Answered(NamedTuple):
    """A request and what became of it."""

    way: str
    is_payment: bool
    status: int
    """0 when no answer came."""
    request_id: str
    completed: bool
    """Whether every stage could ask its party."""
    payment: str | None
    """What the API says about the payment; None when it was not sent."""
    client_ms: float
    refused: int = 0
    """How often the server had no room for it first; nothing of it was done then."""

    @property
    def limit_ms(self) -> int:
        """How long its stages may take together."""
        return LIMIT_MS * (2 if self.is_payment else 1)


def drive(
    port: int,
    keys: dict[str, str],
    *,
    requests: int,
    rate: float,
    progress: Callable[[int], None] = lambda _sent: None,
) -> list[Answered]:
    """Send so many requests, at most so many a second; `progress` hears how many were sent."""
    return asyncio.run(_drive(port, keys, requests, (rate, progress)))


async def _drive(
    port: int, keys: dict[str, str], requests: int, plan: tuple[float, Callable[[int], None]]
) -> list[Answered]:
    rate, progress = plan
    started, ways = time.perf_counter(), list(keys)
    numbers = iter(range(requests))
    found: list[Answered] = []

    async def work() -> None:
        connection = _Connection(port)
        for number in numbers:
            wait_s = started + number / rate - time.perf_counter()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            progress(number)
            way = ways[number % len(ways)]
            is_payment = number // len(ways) % _PAYING == 0
            path, body = _body(number, is_payment=is_payment)
            request = post(path, json.dumps(body).encode(), {"X-API-KEY": keys[way]})
            refused = 0
            while True:
                begun = time.perf_counter()
                status, answer = await connection.ask(request)
                taken_ms = (time.perf_counter() - begun) * 1000
                if refused == _TRIES or not _is_refused(status, answer):
                    break
                refused += 1
                await asyncio.sleep(_PAUSE_S)
            outcome = _read(way, is_payment, status, answer, taken_ms)
            found.append(outcome._replace(refused=refused))
        connection.close()

    # More connections than requests can be waiting, so that none waits for its turn here.
    await asyncio.gather(*(work() for _ in range(min(400, requests))))
    return found


class _Connection:
    """One connection, opened again when the server has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, dict[str, Any]]:
        """Status and body of the answer; status 0 when none came."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            body = json.loads(await reader.readexactly(length))
            if b"connection: close" in head.lower():
                self.close()
            return int(head.split(b" ", 2)[1]), body
        except (OSError, EOFError):
            self.close()
            return 0, {}

    def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def _body(number: int, *, is_payment: bool) -> tuple[str, dict[str, Any]]:
    card = {
        "cardNumber": card_number(number % _CARDS),
        "cardExpiryDate": "2031-12",
        "cardCvv2Value": "123",
        "cardAddress": {"street": "1 Market Street", "postalCode": "94105"},
    }
    if not is_payment:
        return "/api/v1/precheck", card
    order = {
        "event": {"type": "PURCHASE", "transactionId": f"t-{time.time_ns()}-{number}"},
        "order": {"amount": 10 + number % 90, "currency": "EUR"},
    }
    body = {"pipelineId": PIPELINE_ID, "sentryRequest": order, "preCheckRequest": card}
    return "/api/v1/pipeline", body


def _is_refused(status: int, answer: dict[str, Any]) -> bool:
    """Whether the server was too busy for it, as a busy machine makes it; callers send it again."""
    return status == 503 and (answer.get("errors") or {}).get("code") == "overloaded"


def _read(way: str, is_payment: bool, status: int, answer: dict[str, Any], ms: float) -> Answered:
    billing = answer.get("billing") or {}
    items = billing.get("items") or [{"completed": False}]
    completed = all(item["completed"] for item in items)
    paid = (answer.get("pipelineResponse") or {}).get("gatewayResponse") or {}
    return Answered(
        way, is_payment, status, answer.get("requestId", ""), completed, paid.get("status"), ms
    )
