"""Counts the decisions of one experiment, each once, and keeps of each only what sums need."""

from collections import Counter
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.experiments import queries
from gatehouse.admin.experiments.types.result import (
    ArmTally,
    ExperimentResult,
    LetThroughResult,
    let_through_of,
    result_of,
)
from gatehouse.core.ids import id_time_ms
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import UnreadableRecord, decode
from gatehouse.decisions.search_terms import micros_of, order_in
from gatehouse.pipeline.experiment import Arm, AssignedBy, Experiment, ExperimentKind
from gatehouse.store.database import Database
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback

LATE_MS: Final = 60_000
"""Nearly every decision is there so soon after its request came."""
MOST_A_LOOK: Final = 20_000
"""Records that are read at one look."""
MOST_UNITS: Final = 300_000
"""Cards or users of an experiment that are counted, the first ones."""
_DAY_MS: Final = 86_400_000


class _Counted(NamedTuple):
    """One decision, as far as it is counted."""

    arm: Arm
    unit: int
    outcome: str
    at_ms: int
    currency: str | None
    micros: int
    let_through: bool


class ExperimentCounter:
    """Counts one experiment, from look to look."""

    def __init__(self, account_id: str, experiment: Experiment) -> None:
        self._account_id = account_id
        self._experiment = experiment
        self._tallies = {arm: ArmTally() for arm in Arm}
        self._days: Counter[tuple[Arm, int]] = Counter()
        """Accepted decisions by day."""
        self._let_through: Counter[int] = Counter()
        """Those of them that rules decline, likewise."""
        self._until_ms = experiment.started_at_ms
        self._labels = -1
        self._fraud: dict[str, _Counted | None] = {}
        self._frauds: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether as many cards or users were counted as ever are."""
        return sum(len(each.units) for each in self._tallies.values()) >= MOST_UNITS

    def look(self, database: Database, now_ms: int, ended_ms: int | None) -> ExperimentResult:
        """Count what came since, and what labels say by now."""
        until_ms = now_ms - LATE_MS if ended_ms is None else min(ended_ms, now_ms - LATE_MS)
        complete = self._read(database, until_ms)
        with database.reading() as connection:
            self._look_at_labels(connection)
        self._sum_up(now_ms)
        found = result_of(self._experiment, self._tallies, self._until_ms, complete=complete)
        if self._experiment.kind is not ExperimentKind.HOLD_OUT:
            return found
        return msgspec.structs.replace(found, let_through=self._hold_out(now_ms))

    def _hold_out(self, now_ms: int) -> LetThroughResult:
        mature_day = self._mature_day(now_ms)
        frauds = [
            found
            for each in self._frauds
            if (found := self._fraud[each]) is not None
            and found.let_through
            and found.outcome == Outcome.ACCEPT
        ]
        cost = Counter[str]()
        for each in frauds:
            if each.currency is not None:
                cost[each.currency] += each.micros
        return let_through_of(
            self._let_through.total(),
            sum(count for day, count in self._let_through.items() if day < mature_day),
            sum(each.at_ms // _DAY_MS < mature_day for each in frauds),
            cost,
        )

    def _mature_day(self, now_ms: int) -> int:
        return (now_ms - self._experiment.maturity_days * _DAY_MS) // _DAY_MS

    def _read(self, database: Database, until_ms: int) -> bool:
        if self._until_ms >= until_ms or self.is_full:
            return True
        span, read = RecordSpan(self._account_id, self._until_ms, until_ms), 0
        # No card is named, so fingerprints stay as they are kept.
        for batch in records.stream(database, span, None):
            for each in batch:
                found = self._counted(each.text, each.at_ms)
                if found is not None:
                    self._add(found)
            read += len(batch)
            if read >= MOST_A_LOOK:
                # Those of the same millisecond are read in the same batch or not at all.
                self._until_ms = batch[-1].at_ms + 1
                return False
        self._until_ms = until_ms
        return True

    def _counted(self, text: str, at_ms: int) -> _Counted | None:
        """What a record tells, if it is of the experiment."""
        if self._experiment.id not in text:
            return None
        try:
            record = decode(text)
        except UnreadableRecord:
            return None
        signals = record.signals or {}
        by_card = self._experiment.assigned_by is AssignedBy.CARD
        unit = signals.get("card.fingerprint" if by_card else "user.id")
        is_part = signals.get("experiment.id") == self._experiment.id
        if not is_part or unit is None or record.decision is None:
            return None
        amount, currency = order_in(record)
        micros = 0 if amount is None else micros_of(amount)
        arm = Arm(signals["experiment.arm"])
        let = any(stage.result.get("letThrough") is True for stage in record.stages)
        return _Counted(arm, hash(unit), record.decision.value, at_ms, currency, micros, let)

    def _add(self, found: _Counted) -> None:
        tally = self._tallies[found.arm]
        tally.units.add(found.unit)
        tally.outcomes[found.outcome] = tally.outcomes.get(found.outcome, 0) + 1
        if found.outcome == Outcome.DECLINE:
            tally.declined_units.add(found.unit)
        if found.outcome == Outcome.ACCEPT:
            self._days[found.arm, found.at_ms // _DAY_MS] += 1
            self._let_through[found.at_ms // _DAY_MS] += found.let_through
        if found.currency is not None:
            key = (found.currency, found.outcome)
            tally.micros[key] = tally.micros.get(key, 0) + found.micros

    def _look_at_labels(self, connection: sa.Connection) -> None:
        newest = feedback.newest(connection)
        if newest == self._labels:
            return
        self._labels = newest
        begin_ms, account_id = self._experiment.started_at_ms, self._account_id
        self._frauds = queries.frauds(connection, account_id, begin_ms, self._until_ms)
        for each in self._frauds:
            if each not in self._fraud:
                texts = records.texts_of(connection, account_id, [each])
                at_ms = id_time_ms(each)
                self._fraud[each] = self._counted(texts[0], at_ms) if texts else None

    def _sum_up(self, now_ms: int) -> None:
        """What follows from labels and age, anew: labels can be withdrawn."""
        mature_day = self._mature_day(now_ms)
        for arm, tally in self._tallies.items():
            frauds = [
                found
                for each in self._frauds
                if (found := self._fraud[each]) is not None
                and found.arm is arm
                and found.outcome == Outcome.ACCEPT
            ]
            tally.fraud_units = {each.unit for each in frauds}
            tally.mature = sum(
                count for (one, day), count in self._days.items() if one is arm and day < mature_day
            )
            tally.mature_fraud = sum(each.at_ms // _DAY_MS < mature_day for each in frauds)
            for key in [key for key in tally.micros if key[1] == "fraud"]:
                del tally.micros[key]
            for each in frauds:
                if each.currency is not None:
                    key = (each.currency, "fraud")
                    tally.micros[key] = tally.micros.get(key, 0) + each.micros
