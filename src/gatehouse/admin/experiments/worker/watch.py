"""Counts experiments every minute, and ends those that do harm or whose arms were changed.

Of several servers one watches. What it counts is kept, so that pages and programs only read it.
"""

import logging
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.experiments import queries
from gatehouse.admin.experiments.types.result import ExperimentResult
from gatehouse.admin.experiments.worker.counting import ExperimentCounter
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.operations.live_experiments import holds
from gatehouse.pipeline.experiment import Experiment, ExperimentEnd
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, experiments, models
from gatehouse.store.exclusive import Watch

LOOK_S: Final = 60.0
_WORK: Final = "experiments"
_DAY_MS: Final = 86_400_000
_log: Final = logging.getLogger("gatehouse.experiments")


class ExperimentWatch(Watch):
    """The watch of one server."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(session.database, _WORK, LOOK_S, "could not look at experiments")
        self._session = session.acting_as(Actor.system("experiments"))
        self._counters: dict[str, ExperimentCounter] = {}
        self._kept: dict[str, ExperimentResult] = {}

    def look(self) -> None:
        """Count what is under way, and what has ended and still waits for labels."""
        self._session.actor.check_installation()
        with self._session.reading() as connection:
            accounts = queries.accounts_with(connection)
        watched: set[str] = set()
        for account_id in accounts:
            if self._stopped.is_set():
                return
            try:
                with self._session.reading() as connection:
                    signer = self._session.signer
                    found = experiments.listing(connection, signer, account_id)
                for each in found:
                    if self._is_watched(each):
                        watched.add(each.id)
                        self._look_at(account_id, each)
            except GatehouseError as error:
                # Other accounts have their look; the next one tries again.
                _log.warning("could not look at experiments", extra={"reason": str(error)})
        self._counters = {name: one for name, one in self._counters.items() if name in watched}

    def _is_watched(self, experiment: Experiment) -> bool:
        if experiment.ended_at_ms is None:
            return True
        # One day more, because labels of the last day are known for all at once.
        mature_ms = experiment.ended_at_ms + (experiment.maturity_days + 1) * _DAY_MS
        return self._session.clock() <= mature_ms + _DAY_MS

    def _look_at(self, account_id: str, experiment: Experiment) -> None:
        name, database = experiment.id, self._session.database
        if experiment.is_running and not self._holds(account_id, experiment):
            self._end(account_id, name, ExperimentEnd.CHANGED)
            return
        counter = self._counters.setdefault(name, ExperimentCounter(account_id, experiment))
        found = counter.look(database, self._session.clock(), experiment.ended_at_ms)
        if self._kept.get(name) != found:
            with self._session.writing() as connection:
                queries.keep_result(connection, name, found)
            self._kept[name] = found
        if experiment.is_running and found.harms(experiment):
            self._end(account_id, name, ExperimentEnd.HARM)

    def _holds(self, account_id: str, experiment: Experiment) -> bool:
        with self._session.reading() as connection:
            stored = configurations.active(connection, account_id, configurations.RULES)
            live = models.live_program(connection, account_id)
        versions = {each.name: each.version for each in stored}
        return holds(experiment, versions, models.SHIPPED if live is None else live[0])

    def _end(self, account_id: str, name: str, because: ExperimentEnd) -> None:
        try:
            with self._session.account_change(account_id) as change:
                experiments.end(change, account_id, name, because)
        except Conflict:
            pass  # A person was faster.
