"""What no request waits for: deliveries, jobs, deletions, checks and counts.

It needs the database and nothing of a server's memory, so that it can run in a process of its own
(`process.py`, started by `child.py`), or within the server where that is set.
"""

from collections.abc import Callable, Iterator
from typing import Final

from gatehouse.admin.alerts.worker.watch import AlertWatch
from gatehouse.admin.audit.worker import AuditWatch
from gatehouse.admin.authentication.worker import RateWatch
from gatehouse.admin.drift.worker.watch import DriftWatch
from gatehouse.admin.events.queries.expiring_keys import ExpiringKeys
from gatehouse.admin.experiments.worker.watch import ExperimentWatch
from gatehouse.admin.installation.queries import Backlog, count_backlog
from gatehouse.admin.jobs.worker.worker import JobWorker
from gatehouse.admin.money.worker.credits import CreditWatch
from gatehouse.admin.money.worker.statements import StatementTeller
from gatehouse.admin.privacy.use_cases.partitions import PartitionKeeper
from gatehouse.admin.privacy.use_cases.retention import DailyRetention, retention_policy
from gatehouse.admin.programmes.worker import ProgrammeWatch
from gatehouse.admin.reports.worker import ReportMaker
from gatehouse.admin.webhooks.worker.delivery import Called, open_delivery
from gatehouse.core.secrets import keyring
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.search.follower import SearchFollower
from gatehouse.store.search.indexing import EarlierDecisions
from gatehouse.workers.background.notices import BackgroundNotice
from gatehouse.workers.supervisor import BackgroundTask

_COUNT_S: Final = 10.0


class BackgroundWork:
    """The parts of it, each a task of its own."""

    def __init__(
        self, settings: Settings, session: AdminSession, owner: str, called: Called, *, alone: bool
    ) -> None:
        """`owner` claims webhooks and jobs; one that is `alone` takes over what others claimed."""
        database = session.database
        self.backlog: Backlog | None = Backlog()
        self._database = database
        self._clock = session.clock
        self._audit = AuditWatch(database, session.ring.current(keyring.AUDIT)[1])
        self._search = SearchFollower(database, session.clock)
        self._earlier = EarlierDecisions(session)
        self._jobs = JobWorker(session, owner, settings.jobs_at_once)
        self._retention = DailyRetention(session, retention_policy(settings))
        self._partitions = PartitionKeeper(session)
        self._events = ExpiringKeys(database, session.clock)
        self._drift = DriftWatch(session)
        self._programmes = ProgrammeWatch(session)
        self._alerts = AlertWatch(session)
        self._rates = RateWatch(session)
        self._experiments = ExperimentWatch(session)
        self._credits = CreditWatch(session)
        self._reports = ReportMaker(session)
        self._statements = StatementTeller(session)
        self.webhooks = open_delivery(session, settings, owner, called, alone=alone)
        self._told: dict[BackgroundNotice, Callable[[], None]] = {
            BackgroundNotice.CHANGED: self.webhooks.changed,
            BackgroundNotice.JOBS: self._jobs.look_now,
            BackgroundNotice.AUDITED: self._audited,
            BackgroundNotice.TOLD: self.webhooks.look_now,
        }

    def tasks(self) -> Iterator[BackgroundTask]:
        """What is to be run."""
        # These have nothing to do with some settings or databases.
        yield BackgroundTask("retention", self._retention.run, may_end=True)
        yield BackgroundTask("partitions", self._partitions.run, may_end=True)
        yield BackgroundTask("jobs", self._jobs.run, may_end=True)
        yield BackgroundTask("audit", self._audit.run)
        yield BackgroundTask("backlog", self._count_again_and_again)
        yield BackgroundTask("search", self._search.run)
        yield BackgroundTask("earlier", self._earlier.run)
        yield BackgroundTask("webhooks", self.webhooks.run)
        yield BackgroundTask("events", self._events.run)
        yield BackgroundTask("drift", self._drift.run)
        yield BackgroundTask("programmes", self._programmes.run)
        yield BackgroundTask("alerts", self._alerts.run)
        yield BackgroundTask("rates", self._rates.run)
        yield BackgroundTask("experiments", self._experiments.run)
        yield BackgroundTask("credits", self._credits.run)
        yield BackgroundTask("reports", self._reports.run)
        yield BackgroundTask("statements", self._statements.run)

    def tell(self, notice: BackgroundNotice) -> None:
        """Something happened that need not wait for the next look."""
        self._told[notice]()

    @property
    def months_ahead(self) -> int | None:
        """How many months after this one have partitions; None without any partitions."""
        return self._partitions.months_ahead

    @property
    def died(self) -> dict[str, int]:
        """Nothing: these are tasks of the server, which counts all of its own."""
        return {}

    @property
    def degraded(self) -> list[str]:
        """Nothing, likewise."""
        return []

    def _audited(self) -> None:
        self._audit.look_now()
        self._jobs.look_now()

    async def _count_again_and_again(self) -> None:
        await repeat(self._count, _COUNT_S, "could not count what waits")

    async def _count(self) -> None:
        self.backlog = await self._database.read_on_thread(
            lambda c: count_backlog(c, self._clock())
        )
