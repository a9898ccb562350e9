"""Counts what a hold-out lets through on a day, once for all servers."""

from functools import partial
from typing import Final

import sqlalchemy as sa

from gatehouse.pipeline.experiment import Experiment
from gatehouse.store.database import Database
from gatehouse.store.state import lock_changes, read_mark, set_mark

_DAY_MS: Final = 86_400_000


class HoldOutCounter:
    """Keeps the count in the database, so that no number of servers exceeds the caps."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, experiment: Experiment, at_ms: int, minor_units: int) -> bool:
        """Whether one more order is within the day's caps; it is counted if so."""
        return await self._database.write_on_thread(
            partial(take, experiment=experiment, at_ms=at_ms, minor_units=minor_units)
        )


def take(connection: sa.Connection, experiment: Experiment, at_ms: int, minor_units: int) -> bool:
    """The same in a transaction; waits for others that take at this moment."""
    caps = experiment.caps
    if caps is None or minor_units <= 0:
        return False
    lock_changes(connection)
    name, day = f"hold-out {experiment.id}", at_ms // _DAY_MS
    kept = [int(each) for each in (read_mark(connection, name) or "0 0 0").split()]
    # After a clock was set back, the later day's count goes on.
    counted_day, orders, units = kept if kept[0] >= day else [day, 0, 0]
    if orders >= caps.orders or units + minor_units > caps.minor_units:
        return False
    set_mark(connection, name, f"{counted_day} {orders + 1} {units + minor_units}")
    return True
