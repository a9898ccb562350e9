"""What metrics and probes read from the parts of the running service."""

from functools import partial
from math import inf
from typing import Final

import gatehouse
from gatehouse.admin.events.worker import LiveEvents
from gatehouse.admin.feedback.worker.label_follower import LabelFollower
from gatehouse.admin.memory.worker.live_memory import LiveSharedMemory
from gatehouse.api.metrics.metrics import Gauge, Metrics
from gatehouse.api.routes import ConnectorsReady, Ready
from gatehouse.api.serving.in_flight import InFlight
from gatehouse.api.serving.shedding import LoadGate
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.operations.certificates import CertificateEnds
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.operations.shared_limits import SharedLimits
from gatehouse.sentry.memory.memory import MemoryState
from gatehouse.sentry.memory.port import ServerMemory
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.database import Database
from gatehouse.store.identities.identity_lookup import RecordedIdentities
from gatehouse.store.presence import Presence
from gatehouse.store.requests.writer import Writer
from gatehouse.workers.background.child import BackgroundChild
from gatehouse.workers.background.work import BackgroundWork
from gatehouse.workers.supervisor import TaskSupervisor

_BACKLOG: Final = (
    "reviews_open",
    "reversals_waiting",
    "reversals_failed",
    "payment_operations_in_doubt",
    "payment_operations_in_doubt_seconds",
    "holds_open",
    "memory_missed",
    "events_written",
    "events_held_back",
    "webhooks_failing",
    "webhook_messages_waiting",
    "webhook_oldest_message_seconds",
    "webhook_messages_late_seconds",
    "balances_low",
    "drifts_open",
)
"""Counts of the backlog that are metrics of the same name."""


class ServiceGauges:
    """The parts that are watched, and how."""

    background: BackgroundWork | BackgroundChild
    callers: CallerDirectory
    connectors: LiveConnectors | None
    events: LiveEvents
    gate: LoadGate
    identities: RecordedIdentities
    labels: LabelFollower
    limits: SharedLimits | None
    memory: ServerMemory
    metrics: Metrics
    presence: Presence
    refusals: Refusals
    tasks: TaskSupervisor
    writer: Writer
    _database: Database
    _in_flight: InFlight
    _running: bool
    _shared: LiveSharedMemory | None

    def ready(self) -> Ready:
        """What must be true before requests should come here, and how the rest is."""
        checks = {
            "accepting": self._running,
            "store": self.callers.reachable,
            "writer": self.writer.alive,
            "commits": self.writer.commits,
            "identities": self.identities.alive,
            "tasks": self.tasks.serves,
        }
        applied = self.connectors
        return Ready(
            checks,
            self._memory_state(),
            refused_accounts=self.refusals.accounts,
            connectors=None
            if applied is None
            else ConnectorsReady(applied.version, self._states()),
            degraded=[*self.tasks.degraded, *self.background.degraded],
        )

    def _states(self) -> dict[str, SeatState]:
        return {} if self.connectors is None else self.connectors.roster.states()

    def _memory_state(self) -> MemoryState:
        return self.memory.state() if self._shared is None else self._shared.state()

    def _watch(self, settings: Settings) -> None:
        """Let metrics read what the parts of the service know."""
        database = "sqlite" if self._database.is_sqlite else "postgresql"
        self.metrics.about(gatehouse.__version__, settings.environment, database)
        certificates = CertificateEnds(settings)
        gauges: dict[str, Gauge] = {
            "writer_waiting": lambda: self.writer.waiting,
            "requests_in_flight": lambda: self._in_flight.taken,
            "requests_in_flight_limit": lambda: settings.max_in_flight,
            "requests_in_flight_allowed": lambda: self.gate.limit,
            "requests_shed": lambda: self.gate.shed,
            "connections_limit": lambda: settings.max_connections,
            "changes_heard": lambda: self._database.is_sqlite or self.presence.hears,
            "ready": lambda: all(self.ready().checks.values()),
            "check": lambda: self.ready().checks,
            "tasks_died": lambda: self.tasks.died | self.background.died,
            "labels_behind": lambda: self.labels.behind,
            "memory_entities": lambda: self.memory.state().entities,
            "memory_entities_limit": lambda: self.memory.state().limit,
            "memory_events": lambda: self.memory.state().events,
            "memory_rebuilt": lambda: self.memory.state().rebuilt,
            "memory_shared": lambda: self._memory_state().is_shared,
            "memory_available": lambda: not self._memory_state().is_away,
            "rate_limits_shared": lambda: self.limits is not None and self.limits.answers,
            "partition_months_ahead": self._months_ahead,
            "last_backup_timestamp_seconds": self._last_backup_s,
            "certificate_expires_timestamp_seconds": lambda: certificates.read(
                {} if self.connectors is None else self.connectors.roster.configuration.connectors
            ),
            "event_readers": lambda: self.events.waiting,
            "configuration_refused_accounts": lambda: self.refusals.accounts,
            "configuration_refusals": lambda: self.refusals.count,
            "connector_up": lambda: self._of_connectors("up"),
            "connector_in_flight": lambda: self._of_connectors("in_flight"),
            "connector_in_flight_limit": lambda: self._of_connectors("limit"),
            "connector_connections": lambda: self._of_connectors("connections"),
            "connector_breaker_open": lambda: self._of_connectors("breaker_open"),
            "connector_late_answers": lambda: self._of_connectors("late_answers"),
        }
        for name in _BACKLOG:
            gauges[name] = partial(self._of_backlog, name)
        for name, read in gauges.items():
            self.metrics.watch(f"gatehouse_{name}", read)

    def _of_backlog(self, name: str) -> float | dict[str, float]:
        """A count, or one of each kind; nothing as long as nobody has counted here."""
        counted = self.background.backlog
        found: float | dict[str, float] = {} if counted is None else getattr(counted, name)
        return found

    def _months_ahead(self) -> float:
        # Without partitions there is room for every month, and rules need a value.
        ahead = self.background.months_ahead
        return inf if ahead is None else ahead

    def _last_backup_s(self) -> float | dict[str, float]:
        counted = self.background.backlog
        at_ms = None if counted is None else counted.last_backup_ms
        return {} if at_ms is None else at_ms / 1000

    def _of_connectors(self, field: str) -> dict[str, float]:
        return {name: float(getattr(state, field)) for name, state in self._states().items()}
