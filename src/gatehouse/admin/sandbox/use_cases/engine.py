"""Sends requests through the engine at moments of the past, in this process.

Everything is what a server uses, but the clock, which the caller moves, and the parties that are
asked, which are the sandbox's.
"""

import asyncio
from typing import Any, cast

import msgspec

from gatehouse.admin.feedback.worker.label_follower import LabelFollower
from gatehouse.admin.memory.queries.memory_rebuild import DecisionHistory, MemoryRebuild
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.intel.bins import load_bins
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.operations.account_setup import Setups
from gatehouse.operations.assembly import (
    assemble,
    engine_options,
    make_engine,
    sandbox_parties,
    with_sandbox_parties,
)
from gatehouse.operations.catalogue import read_policies
from gatehouse.operations.operation import Operation
from gatehouse.pipeline.engine import Engine
from gatehouse.pipeline.job import Job, Processed
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Close,
    Closed,
    Redirect,
    Release,
)
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.records.event import RecordedEvents
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.identities.identity_lookup import RecordedIdentities
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer


class MovedClock:
    """A clock that stands where it was put."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        """Milliseconds since 1970, UTC."""
        return self.now_ms


class _Settlement:
    """The writer, whose holds expire by the real clock: to a server's, all of them would be old."""

    def __init__(self, writer: Writer, session: AdminSession, ttl_ms: int) -> None:
        self._writer = writer
        self._clock = session.clock
        self._ttl_ms = ttl_ms

    def authorize(self, order: Authorize) -> "asyncio.Future[AuthorizationResult]":
        hold = msgspec.structs.replace(order.hold, expires_at_ms=self._clock() + self._ttl_ms)
        return self._writer.authorize(msgspec.structs.replace(order, hold=hold))

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        return self._writer.close(order)

    def redirect(self, order: Redirect) -> "asyncio.Future[None]":
        return self._writer.redirect(order)

    def release(self, order: Release) -> "asyncio.Future[None]":
        return self._writer.release(order)


class DemoEngine:
    """The engine with all that it needs, for one account of a sandbox."""

    def __init__(
        self,
        session: AdminSession,
        settings: Settings,
        account_id: str,
        clock: MovedClock,
        owner: str,
    ) -> None:
        """`session` has the real clock."""
        self._session = session
        self._account_id = account_id
        self._clock = clock
        self._settings = with_sandbox_parties(settings)
        database = session.database
        self._writer = Writer(lambda: open_batch_session(database))
        self._identities = RecordedIdentities(database, session.ring)
        self._memory = LocalMemory(settings.memory_entities)
        self._recorded = RecordedEvents(self._memory, session.fingerprints)
        self._labels = LabelFollower(database, self._recorded.note_label, lambda: False)
        self._feeds = Feeds(load_networks(), settings.intel_dir, clock)
        self._engine = self._make_engine(owner)
        with session.reading() as connection:
            self.key_id = keys.of_account(connection, account_id)[0].key_id
        self._setups: Setups | None = None
        self._operations: dict[str, tuple[Operation, RequestReader[Any]]] = {}

    async def start(self) -> None:
        """Begin, with what was recorded before in memory."""
        self._writer.start()
        self._identities.start()
        history = DecisionHistory(self._session.database, 0, self._session.clock())
        note, note_decline = self._recorded.note, self._recorded.note_decline
        await MemoryRebuild(history.read, note, lambda: False, note_decline=note_decline).run()
        await self._labels.catch_up()
        self.reload()

    async def stop(self) -> None:
        """Finish what was handed over."""
        if self._setups is not None:
            self._setups.stop()
        await self._identities.stop()
        await self._writer.stop()

    def reload(self) -> None:
        """Read again what the account has configured."""
        if self._setups is not None:
            self._setups.stop()
        session, database = self._session, self._session.database
        parties = sandbox_parties(session, self._identities, self._feeds, self._memory)
        made = assemble(self._settings, parties)
        self._setups = Setups(database, made.builder, session.signer)
        self._operations = {
            each.name: (each, RequestReader(each.read_type))
            for each in made.operations(made.pipelines(self._setups))
        }
        with session.reading() as connection:
            self._account = accounts.get(connection, self._account_id)

    async def send(self, operation: str, request_id: str, body: bytes) -> Processed:
        """Have one request worked on, charged and recorded at the moment of the clock."""
        asked, reader = self._operations[operation]
        request = reader.read(body)
        job = Job(
            request_id=request_id,
            operation=operation,
            account_id=self._account_id,
            policies=read_policies(self._account.policies),
            plan=await asked.plan(self._account, request),
            client_reference=request.client_reference_id,
            claim=None,
            render=lambda _done: b"",
            key_id=self.key_id,
            decision_filters=self._account.decision_filters,
            credit_limit=self._account.credit_limit,
        )
        return cast(Processed, await self._engine.process(job))

    async def learn(self) -> None:
        """Note the labels that were recorded since."""
        await self._labels.catch_up()

    def _make_engine(self, owner: str) -> Engine:
        session = self._session
        options = engine_options(self._settings, session, owner)
        settlement = _Settlement(self._writer, session, options.authorization_ttl_ms)
        return make_engine(settlement, session, load_bins(), self._clock, options)
