"""Use cases: decision records in partitions of a month each, made while servers serve."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Final

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from gatehouse.access.actors import Actor
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.ending import exit_on_signal
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.advisory_locks import PARTITIONING
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.decisions import partitions
from gatehouse.store.decisions.partitions import Month
from gatehouse.store.exclusive import exclusive

_log: Final = logging.getLogger("gatehouse.admin")

_ATTEMPTS: Final = 8
_PAUSE_S: Final = 0.5
_LOOK_S: Final = 3600.0
_WORK: Final = "partitioning"
"""Who has the right to it needs the checks; without anybody who has it, they are in the way."""
_BUSY: Final = (
    "the decisions are in use by a transaction that does not end; end long queries, backups and "
    "commands, and run it again"
)


class Partitioned(CamelStruct):
    """What became of the tables."""

    already: bool
    first_month: str
    """The first month whose records have a partition of their own."""


def partition_decisions(session: AdminSession) -> Partitioned:
    """Put the tables of decision records into partitions, or do nothing if they are there."""
    session.actor.check_installation()
    database = session.database
    if database.is_sqlite:
        raise Conflict("a SQLite file has no partitions; this is for PostgreSQL")
    with exit_on_signal(), exclusive(database, _WORK) as was_free:
        if not was_free:
            raise Conflict(
                "another process puts decisions into partitions; try again when it has ended"
            )
        with session.installation_reading() as connection:
            if partitions.is_partitioned(connection):
                return Partitioned(True, _shown(partitions.months(connection)[0]))
            first = partitions.first_month(connection, session.clock())
        _partition(database, first)
        with session.change(unseen=True) as change:
            change.audit("decisions.partition", firstMonth=_shown(first))
        return Partitioned(False, _shown(first))


def _partition(database: Database, first: Month) -> None:
    def put(connection: sa.Connection) -> None:
        # Without the check, the whole table would be read while requests wait.
        if partitions.refused_from(connection) != first:
            raise Conflict(
                "the database was not available for a while, and a server took the check away; "
                "run it again. Nothing was changed"
            )
        partitions.put_into_partitions(connection, first)

    _change(database, lambda c: partitions.add_checks(c, first))
    try:
        with database.writing() as connection:
            # It reads every row, and lets requests go on.
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            partitions.validate_checks(connection)
        _change(database, put)
    except BaseException:
        # Requests of the first month would be refused by a check that stays.
        try:
            _change(database, partitions.drop_checks)
        except GatehouseError as error:
            reason = _BUSY if isinstance(error, _TableBusy) else error
            raise Conflict(
                f"{reason}. The check {partitions.CHECK} is left on the decisions and refuses "
                f"every request from {first.first_day} on, unless gatehouse retention partition "
                "is run again before; a running server tries every hour to take it away"
            ) from None
        raise


class PartitionKeeper:
    """Makes partitions ahead of time, in every server."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session.acting_as(Actor.system("partitions"))
        self._last: Month | None = None
        """The last month that was there at the last look."""

    @property
    def months_ahead(self) -> int | None:
        """How many months after this one have partitions; None without any partitions.

        It falls while nobody can make or see any: requests of a month without one all fail.
        """
        if self._last is None:
            return None
        return Month.of(self._session.clock()).months_until(self._last)

    async def run(self) -> None:
        """Look now and then whether the months ahead are there, until cancelled."""
        if not self._session.database.is_sqlite:
            await repeat(self.look, _LOOK_S, "could not make partitions ahead")

    async def look(self) -> None:
        """Make what is missing."""
        if not self._session.database.is_sqlite:
            await asyncio.to_thread(self.make_ahead)

    def make_ahead(self) -> list[Month]:
        """Make the months ahead that are missing; what was made."""
        self._session.actor.check_installation()
        now = Month.of(self._session.clock())
        with self._session.installation_reading() as connection:
            is_partitioned = partitions.is_partitioned(connection)
            there = partitions.months(connection) if is_partitioned else []
            is_left = partitions.refused_from(connection) is not None
        if is_left:
            self._drop_left_checks()
        if not is_partitioned:
            return []
        self._last = there[-1]
        made: list[Month] = []

        def make(connection: sa.Connection) -> None:
            # The oldest ones may have been dropped; they do not come back.
            made[:] = partitions.make_months(connection, there[-1], now)

        if there[-1] < _ahead(now):
            _change(self._session.database, make)
            self._last = max([self._last, *made])
        return made

    def _drop_left_checks(self) -> None:
        """Take away what a partitioning left that failed or was killed: it refuses requests."""
        database = self._session.database
        with exclusive(database, _WORK) as was_free:
            if was_free:
                _change(database, partitions.drop_checks)
                _log.warning("took away a check that an unfinished partitioning had left")


def _ahead(now: Month) -> Month:
    for _ in range(partitions.MONTHS_AHEAD):
        now = now.next
    return now


def _change(database: Database, work: Callable[[sa.Connection], None]) -> None:
    """Change tables in a transaction that gives way to requests, some times if need be."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with database.writing() as connection, _busy_tables():
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(PARTITIONING)))
                connection.execute(sa.text(f"SET LOCAL lock_timeout = {partitions.LOCK_MS}"))
                work(connection)
            return
        except _TableBusy:
            if attempt == _ATTEMPTS:
                raise
            # Requests that waited behind this attempt go first.
            time.sleep(_PAUSE_S)


class _TableBusy(Conflict):
    """A table could not be locked."""


@contextlib.contextmanager
def _busy_tables() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if isinstance(error.orig, psycopg.errors.LockNotAvailable):
            raise _TableBusy(f"{_BUSY}. Nothing was changed") from None
        raise


def _shown(month: Month) -> str:
    return f"{month.year:04}-{month.number:02}"
