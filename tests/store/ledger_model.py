"""What a ledger must do, in memory and as simply as possible; and servers that can be cut off."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import psycopg

from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Close,
    Closed,
    Insufficient,
    KeyReused,
    Release,
    Replay,
    StillInFlight,
)
from gatehouse.store.database import Database
from gatehouse.store.requests.batch_sql import NO_RECORDS, BatchSession, open_batch_session
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, Settlement
from gatehouse.store.requests.writer import Writer

LOST = "the authorization has ended"


@dataclass
class ModelRequest:
    """A request that was authorized."""

    amount: int
    card: str | None
    key: str | None
    pays: bool
    is_open: bool = True
    charged: int | None = None
    """None unless it was closed."""


@dataclass
class ModelClaim:
    """An idempotency key that was used."""

    body: str
    request_id: str
    answer: bytes | None = None


@dataclass
class LedgerModel:
    """One account."""

    balance: int = 0
    credit: int | None = None
    """How far below nothing the balance may go."""
    requests: dict[str, ModelRequest] = field(default_factory=dict)
    claims: dict[str, ModelClaim] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)
    """By card: how often its code was wrong."""

    @property
    def open(self) -> dict[str, ModelRequest]:
        """The requests in flight."""
        return {name: each for name, each in self.requests.items() if each.is_open}

    @property
    def held(self) -> int:
        """What is held for them."""
        return sum(each.amount for each in self.open.values())

    @property
    def available(self) -> int:
        """What can be spent."""
        return self.balance + (self.credit or 0) - self.held

    def authorize(self, order: Authorize) -> object:
        """What the answer must be."""
        hold, claim = order.hold, order.claim
        kept = None if claim is None else self.claims.get(claim.claim_id)
        if claim is not None and kept is not None:
            if kept.body != claim.body:
                return KeyReused()
            return StillInFlight() if kept.answer is None else Replay(kept.answer)
        if hold.amount > self.available:
            return Insufficient(self.available)
        others = [each for each in self.open.values() if hold.card and each.card == hold.card]
        pays = order.intent is not None
        self.requests[hold.request_id] = ModelRequest(hold.amount, hold.card, hold.claim, pays)
        if claim is not None:
            self.claims[claim.claim_id] = ModelClaim(claim.body, hold.request_id)
        return Authorized(self.available, self.wrong.get(hold.card or "", 0), len(others))

    def close(self, order: Close) -> object:
        """What the answer must be."""
        request = self.requests.get(order.request_id)
        if request is None or not request.is_open:
            return LOST
        request.is_open = False
        request.charged = sum(item.fee for item in order.items if item.completed)
        self.balance -= request.charged
        if order.mismatch is not None:
            self.wrong[order.mismatch.card] = self.wrong.get(order.mismatch.card, 0) + 1
        answer = None
        if request.key is not None:
            answer = self.claims[request.key].answer = f"left {self.available}".encode()
        return Closed(self.available, answer)

    def release(self, order: Release) -> None:
        """The hold and the key are free again."""
        request = self.requests.get(order.request_id)
        if request is not None and request.is_open:
            request.is_open = False
            if request.key is not None:
                del self.claims[request.key]


class CutSession(BatchSession):
    """A batch session whose connection is lost at a moment that a test chooses."""

    def __init__(self, inner: BatchSession, server: "CutServer") -> None:
        self._inner = inner
        self._server = server
        self.flushes = inner.flushes

    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
        return self._inner.load(wanted, records, durable=durable)

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        if self._server.cut == "before the commit":
            self._lose()
        flush_later = self._server.cut == "before the flush"
        self._inner.save(changes, flush=flush and not flush_later)
        if self._server.cut is not None:
            self._lose()

    def flush(self) -> None:
        self._inner.flush()

    def abandon(self) -> None:
        self._inner.abandon()

    def close(self) -> None:
        self._inner.close()

    def _lose(self) -> None:
        if self._server.crash is not None:
            self._server.crash()
            # The connection did not survive: it must not say that a lost commit is durable.
            self._inner.flush()
        self._inner.close()
        error = psycopg.OperationalError if self.flushes else sqlite3.OperationalError
        raise error("the connection was lost")


class CutServer:
    """The writer of a server, driven from outside its event loop."""

    def __init__(
        self,
        database: Database,
        loop: asyncio.AbstractEventLoop,
        crash: Callable[[], None] | None = None,
    ) -> None:
        """With `crash`, the connection is lost because the database crashes."""
        self.crash = crash
        self.cut: str | None = None
        """When the connection is lost, if it is to be."""
        threads = 1 if database.is_sqlite else 2
        self.writer = Writer(
            lambda: CutSession(open_batch_session(database), self), threads=threads
        )
        self._loop = loop
        self.run(self._start())

    def settle(self, order: Settlement) -> Any:
        """The answer to an order."""

        async def answer() -> Any:
            return await self.writer.submit(order)

        return self.run(answer())

    async def _start(self) -> None:
        self.writer.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of what runs on the loop."""
        return self._loop.run_until_complete(work)

    def stop(self) -> None:
        """End the threads."""
        self.run(self.writer.stop())
