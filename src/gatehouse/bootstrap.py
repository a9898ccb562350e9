"""Builds the running service from the settings; the only module that knows all rooms."""

import asyncio
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import gatehouse.operations.stages  # noqa: F401  # registers the stages
from gatehouse.access.limits import SharedRateLimiter
from gatehouse.admin.accounts.worker import InputKeeper
from gatehouse.admin.decisions.routes import DecisionRoutes
from gatehouse.admin.decisions.use_cases.decisions import LiveDecisions
from gatehouse.admin.events.routes import EventRoutes
from gatehouse.admin.events.worker import LiveEvents
from gatehouse.admin.feedback.routes import FeedbackRoutes
from gatehouse.admin.feedback.worker.label_follower import LabelFollower
from gatehouse.admin.feedback.worker.live import LiveFeedback, announce
from gatehouse.admin.memory.queries.memory_rebuild import DecisionHistory, MemoryRebuild
from gatehouse.admin.memory.worker.live_memory import LiveSharedMemory, open_live_memory
from gatehouse.admin.money.routes import BillingRoutes
from gatehouse.admin.money.use_cases.statements import LiveBilling
from gatehouse.admin.notifications.routes import NotificationRoute
from gatehouse.admin.pipelines.routes import PipelineRoutes
from gatehouse.admin.privacy.worker import Forgetter
from gatehouse.admin.reviews.routes import ReviewRoutes
from gatehouse.admin.reviews.worker import LiveReviews
from gatehouse.admin.search.routes import SearchRoutes
from gatehouse.api.app import App, life_of
from gatehouse.api.entry import Entry
from gatehouse.api.logs import log_lost_failure
from gatehouse.api.manage.desk import ManageDesk
from gatehouse.api.metrics.metrics import Metrics, watch_lag
from gatehouse.api.repetitions import Repetitions
from gatehouse.api.routes import Offered, Routes, make_routes
from gatehouse.api.serving.in_flight import InFlight
from gatehouse.api.serving.shedding import LoadGate, ServerLoad
from gatehouse.api.v1 import Api
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.ids import new_id
from gatehouse.core.secrets import keyring
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import PackedNetworks
from gatehouse.operations import warmup
from gatehouse.operations.account_setup import Setups
from gatehouse.operations.assembly import assemble, engine_options
from gatehouse.operations.catalogue import Parties
from gatehouse.operations.connectors import (
    has_own_records,
    load_addresses,
    load_gateway,
    load_identities,
    load_issuer,
    load_test_cards,
    make_roster,
)
from gatehouse.operations.installation import root_secrets, system_clock
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.operations.measured import (
    MeasuredGateway,
    MeasuredIdentities,
    MeasuredIssuer,
    Observe,
    Outside,
)
from gatehouse.operations.shared_limits import SharedLimits, open_shared_limits
from gatehouse.pipeline.engine import Engine
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.port import ServerMemory
from gatehouse.sentry.records.event import RecordedEvents
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.keyring import open_ring
from gatehouse.store.background import repeat
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.decisions.decisions import DecisionArchive
from gatehouse.store.identities.identity_lookup import RecordedIdentities
from gatehouse.store.lookout import SeenChanges
from gatehouse.store.notices import ChangeNotice
from gatehouse.store.payments.earlier import StoredPayments
from gatehouse.store.presence import Presence
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.requests.writer import Writer
from gatehouse.store.state import write_probe
from gatehouse.workers.background.child import BackgroundChild
from gatehouse.workers.background.notices import BackgroundNotice
from gatehouse.workers.background.work import BackgroundWork
from gatehouse.workers.due_work import make_due_work
from gatehouse.workers.gauges import ServiceGauges
from gatehouse.workers.supervisor import BackgroundTask, TaskSupervisor
from gatehouse.workers.tracing.opening import open_tracing

_MOST_DIGITS: Final = 640
_DAY_MS: Final = 86_400_000
_PROBE_S: Final = 1.0


class Service(ServiceGauges):
    """Everything that runs while the server does."""

    def __init__(
        self,
        settings: Settings,
        session: AdminSession,
        networks: Callable[[], PackedNetworks],
        *,
        alone: bool,
        worker: int = 1,
    ) -> None:
        """`worker` is the number of this process among those of one supervisor."""
        database = session.database
        self.owner = owner = new_id("srv", system_clock(), secrets.token_bytes)
        self.refusals = Refusals()
        self.metrics = Metrics()
        self._tracing = open_tracing(settings)
        self._in_flight = InFlight(settings.max_in_flight)
        self._outside = Outside()
        most, delay_ms = settings.max_in_flight, settings.shed_delay_ms
        self.gate = LoadGate(self._in_flight, most, delay_ms, self._load)
        self.writer = Writer(
            lambda: open_batch_session(database),
            self._committed,
            threads=1 if database.is_sqlite else 2,
        )
        self.identities = RecordedIdentities(
            database,
            session.ring,
            lambda: open_ring(database, root_secrets(settings), system_clock, secrets.token_bytes),
        )
        self.sweeper = Sweeper(database, self.writer, system_clock, owner if alone else None)
        self.feeds = Feeds(networks(), settings.intel_dir, system_clock)
        self._memory_days = settings.memory_days
        self._database = database
        self._shared = self._open_shared(settings, session)
        self.memory: ServerMemory = (
            LocalMemory(settings.memory_entities, shared_reputation=settings.shares_reputation)
            if self._shared is None
            else self._shared.memory
        )
        self._bins = load_bins()
        roster = make_roster(
            settings, self._bins, self._traced(self.metrics.asked), self.identities
        )
        self.connectors = (
            None if roster is None else LiveConnectors(session, roster, self.refusals, owner)
        )
        self._make_stages(settings, session)
        self._make_followers(session)
        self._warm, self._remembered = asyncio.Event(), asyncio.Event()
        self.callers = CallerDirectory(
            database, session.signer, time.monotonic, self._data_changed, self.refusals, self._saw
        )
        self._seen = SeenChanges()
        if settings.background == "inside":
            self.background = BackgroundWork(
                settings, session, owner, self.metrics.called, alone=alone
            )
        else:
            # One process for all workers, and not before the first requests are as quick as any.
            self.background = BackgroundChild(self.metrics, self._warm.wait, runs=worker == 1)
        self.events = LiveEvents(session)
        self.presence = Presence(database, owner, self._heard)
        self.limits: SharedLimits | None = None
        self.fill_history: Callable[[], Awaitable[None]] | None = None
        """Makes records of earlier requests, before the memory is filled with such records."""
        self.tasks = TaskSupervisor()
        self._running = False
        self._routes = self._build(settings, session, owner)
        self._watch(settings)
        self.application = self._serve(settings)

    async def start(self) -> None:
        """Begin to serve: start the writer and recover what a crash left behind."""
        warmup.settle()
        # The writer's thread has little to do between two waits for the disk; the usual five
        # milliseconds until a busy event loop lets it go on would be most of a commit.
        sys.setswitchinterval(0.001)
        # The time to read a number grows with the square of its digits. This is the least that
        # Python lets us set, and far more than any field means.
        sys.set_int_max_str_digits(_MOST_DIGITS)
        asyncio.get_running_loop().set_exception_handler(log_lost_failure)
        await self.events.start()
        self.writer.start()
        self.identities.start()
        self.presence.start()
        # What the operator blocks must count for the first request, too.
        await asyncio.to_thread(self.feeds.start)
        await self.callers.check()
        if self.connectors is not None:
            await self.connectors.start()
        await self.sweeper.release_orphans()
        if self._shared is not None:
            await self._shared.start()
        self.tasks.start(*self._beside(system_clock()))
        self._running = True

    def _beside(self, started_ms: int) -> Iterator[BackgroundTask]:
        """What runs beside requests.

        Without the first two a server would go on with revoked keys and replaced rules.
        """
        yield BackgroundTask("keys", self.callers.poll, is_needed=True)
        yield BackgroundTask("setups", self.setups.run, is_needed=True)
        yield BackgroundTask("prepare", lambda: self._prepare(started_ms), may_end=True)
        yield from self.background.tasks()
        others: dict[str, Callable[[], Awaitable[object]] | None] = {
            "sweeper": self.due_work.sweep,
            "reversals": self.due_work.reverse,
            "operations": self.due_work.operate,
            "notifications": self.due_work.apply,
            "labels": self.labels.run,
            "inputs": self.inputs.run,
            "commits": lambda: repeat(self._try_commit, _PROBE_S, "commits still fail"),
            "lag": lambda: watch_lag(self.metrics.lag),
            "load": self.gate.run,
            "erasure": lambda: self.forgetter.run(self._remembered.wait),
            "memory": None if self._shared is None else self._shared.run,
            "limits": None if self.limits is None else self.limits.run,
            "connectors": None if self.connectors is None else self.connectors.run,
        }
        for name, run in others.items():
            if run is not None:
                yield BackgroundTask(name, run)

    async def _managed(self) -> None:
        """Notice at once what the management API has changed, and take a job that waits."""
        self.background.tell(BackgroundNotice.JOBS)
        await self.callers.check()
        await announce(self.labels.labels_recorded)

    def _load(self) -> ServerLoad:
        return ServerLoad(self._outside.waiting, self.callers.waiting, self.writer.under_way_s)

    def _committed(self, settlements: int, seconds: float) -> None:
        self.metrics.commit(settlements, seconds)
        self.gate.committed(seconds)

    def _heard(self, notice: ChangeNotice | None) -> None:
        """Look at what has changed, by this server or another; at everything if that is unknown."""
        followers: dict[ChangeNotice, Callable[[], None]] = {
            ChangeNotice.REVISION: self.callers.look_now,
            ChangeNotice.LABELS: self.labels.look_now,
            ChangeNotice.ERASED: self.forgetter.look_now,
            ChangeNotice.JOBS: lambda: self.background.tell(BackgroundNotice.JOBS),
        }
        for look in followers.values() if notice is None else (followers[notice],):
            look()

    def _saw(self, seen: SeenChanges) -> None:
        """Pass on what one look has found: nobody else needs to look as often."""
        before, self._seen = self._seen, seen
        if seen.labels != before.labels:
            self.labels.look_now()
        if seen.erased != before.erased:
            self.forgetter.look_now()
        if seen.audited != before.audited:
            self.background.tell(BackgroundNotice.AUDITED)
        if seen.told != before.told:
            self.background.tell(BackgroundNotice.TOLD)
        self.due_work.saw(seen)

    def _data_changed(self) -> None:
        self.setups.changed()
        self.background.tell(BackgroundNotice.CHANGED)
        if self.connectors is not None:
            self.connectors.changed()

    async def _prepare(self, started_ms: int) -> None:
        """Warm up, and fill the memory with what was recorded before this process began to serve.

        Requests are answered meanwhile.
        """
        await warmup.run(self._routes.prepare)
        self._warm.set()
        if self.fill_history is not None:
            await self.fill_history()
        self.forgetter.since_ms = since_ms = started_ms - self._memory_days * _DAY_MS
        if self._shared is None:
            await self.forgetter.pass_over()
        if self._memory_days and self._shared is None:
            history = DecisionHistory(self._database, since_ms, started_ms)
            await MemoryRebuild(
                history.read,
                self._recorded.note,
                lambda: self._in_flight.busy,
                note_decline=self._recorded.note_decline,
            ).run()
        await self.labels.current.wait()
        warmup.remembered()
        self._remembered.set()
        if self._shared is None:
            self.memory.rebuilt = True

    def refuse_traffic(self) -> None:
        """Tell load balancers that this server stops; requests are still answered."""
        self._running = False
        self.events.stop()

    async def stop(self) -> None:
        """Finish what was handed over and close the database."""
        self._running = False
        self.events.stop()
        await self.tasks.stop()
        await asyncio.to_thread(self.setups.stop)
        await asyncio.to_thread(self.feeds.stop)
        await self.callers.flush()
        if self.connectors is not None:
            await self.connectors.stop()
        await self.identities.stop()
        await self.writer.stop()
        await self.presence.stop()
        if self._shared is not None:
            await self._shared.stop()
        if self.limits is not None:
            await self.limits.stop()
        if self._tracing is not None:
            await asyncio.to_thread(self._tracing.stop)
        # A look at the database that was given up still runs on its thread, with a connection.
        await asyncio.to_thread(self.callers.stop)
        await asyncio.get_running_loop().shutdown_default_executor()
        self._database.dispose()

    def _serve(self, settings: Settings) -> Callable[[Any, Any, Any], Awaitable[None]]:
        life = life_of(self.start, self.stop)
        app = App(self._routes, self.callers, system_clock, self.metrics, settings, life)
        return app if self._tracing is None else self._tracing.application(app)

    def _traced(self, observe: Observe) -> Observe:
        return observe if self._tracing is None else self._tracing.calls(observe)

    async def _try_commit(self) -> None:
        """See whether commits succeed again; a server that is not ready gets no requests to try."""
        if not self.writer.commits:
            await self._database.write_on_thread(write_probe)
            self.writer.commits = True

    def _open_shared(self, settings: Settings, session: AdminSession) -> LiveSharedMemory | None:
        """The memory that several servers share, if the settings name one."""

        def observe(seconds: float, succeeded: bool) -> None:
            self.metrics.called("memory", "call", "answered" if succeeded else "failed", seconds)

        if not settings.memory_url:
            return None
        return open_live_memory(settings, session, observe, lambda: self._in_flight.busy)

    def _build(self, settings: Settings, session: AdminSession, owner: str) -> Routes:
        ring = session.ring
        options = engine_options(settings, session, owner)
        masker = CardMasker(self._bins, session.fingerprints)
        make_engine = Engine if self._tracing is None else self._tracing.engine
        engine = make_engine(self.writer, masker, system_clock, time.perf_counter, options)
        self.sweeper.look_after(owner, engine.under_way)
        decisions = LiveDecisions(session)
        hashing_key = ring.current(keyring.API_KEYS)[1]
        entry = Entry(self.callers, settings, hashing_key, system_clock, self._in_flight)
        if isinstance(entry.limiter, SharedRateLimiter) and self._shared is not None:
            self.limits = open_shared_limits(settings, self._shared.keys, entry.limiter)
        api = Api(
            engine,
            entry,
            DecisionArchive(self._database),
            system_clock,
            repetitions=Repetitions(
                ring.current(keyring.IDEMPOTENCY)[1], settings.idempotency_ttl_h * 3_600_000
            ),
            observe=self.metrics.processed,
        )
        labels = LiveFeedback(session, self.labels.labels_recorded)
        operations = self._assembly.operations(self._pipelines)
        notified = NotificationRoute(session, entry, self.connectors, self.due_work.notified)
        offered = Offered(
            operations=operations,
            entry=entry,
            api=api,
            free=(
                FeedbackRoutes(labels, self._entities, system_clock),
                BillingRoutes(LiveBilling(session), system_clock),
                EventRoutes(entry, self.events),
                PipelineRoutes(self._pipelines),
                DecisionRoutes(session, decisions),
                SearchRoutes(session),
                ReviewRoutes(LiveReviews(session, self.labels.labels_recorded), decisions),
            ),
            manage=ManageDesk(entry, session, self._managed),
            notified=(notified.path, notified.handle),
        )
        public_metrics = None if settings.metrics_port else self.metrics
        return make_routes(offered, self.ready, public_metrics, settings)

    def _make_followers(self, session: AdminSession) -> None:
        """What tells the memory of labels, and of what was erased."""
        self._recorded = RecordedEvents(self.memory, session.fingerprints)
        self.labels = LabelFollower(
            self._database, self._recorded.note_label, lambda: self._in_flight.busy
        )
        self.forgetter = Forgetter(
            self._database,
            session.ring,
            self._recorded,
            system_clock,
            flush=None if self._shared is None else self._shared.memory.flush,
        )

    def _make_stages(self, settings: Settings, session: AdminSession) -> None:
        """The stages, the parties they ask, and the pipelines that accounts make of them."""
        self._entities = entities = EntityHasher(session.ring.current(keyring.ENTITIES)[1])
        self.inputs = InputKeeper(session)
        called = self._traced(self.metrics.called)
        roster = None if self.connectors is None else self.connectors.roster
        gateway = MeasuredGateway(
            *(load_gateway(settings, roster), called, self._outside),
            *(NetworkIdSealer(session.ring), session.randomness),
        )
        identities = load_identities(settings, self.identities, roster)
        parties = Parties(
            issuer=MeasuredIssuer(load_issuer(settings, roster), called, self._outside),
            identities=MeasuredIdentities(
                identities, called, None if has_own_records(settings) else self._outside
            ),
            addresses=load_addresses(settings, self.feeds),
            memory=self.memory,
            entity_hasher=entities,
            gateway=gateway,
            input_watch=self.inputs.watch,
            test_cards=load_test_cards(settings),
        )
        self._assembly = made = assemble(settings, parties)
        self.setups = Setups(self._database, made.builder, session.signer, self.refusals)
        self._pipelines = made.pipelines(self.setups, StoredPayments(self._database, session.ring))
        parties_of = session, self.sweeper, gateway, roster
        self.due_work = make_due_work(*parties_of, time_limit_ms=settings.gateway_timeout_ms)
