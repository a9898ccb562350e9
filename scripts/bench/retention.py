"""Deleting a month of decision records on PostgreSQL: row by row, and as a partition."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from tests.databases import start_postgres

from gatehouse.access.actors import Actor
from gatehouse.admin.privacy.use_cases.partitions import PartitionKeeper, partition_decisions
from gatehouse.admin.privacy.use_cases.retention import (
    RetentionHooks,
    RetentionPolicy,
    run_retention,
)
from gatehouse.operations.installation import open_admin_session, system_clock
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.partitions import Month

_DAY_MS: Final = 86_400_000
_TERMS: Final = 12
_FILL: Final = """
INSERT INTO decisions (account_id, request_id, at_ms, operation, record, terms)
SELECT :account, :first || lpad(n::text, 16, '0'), :at_ms, 'pipeline', repeat('x', 3000),
    (SELECT json_agg(hashtextextended(n::text, t)) FROM generate_series(1, :terms) t)::text
FROM generate_series(1, :count) n
"""
_FILL_TERMS: Final = """
INSERT INTO search_entries (term, request_id)
SELECT hashtextextended(n::text, t), :first || lpad(n::text, 16, '0')
FROM generate_series(1, :count) n, generate_series(1, :terms) t
"""


def measure(records: int) -> dict[str, float]:
    """Seconds that retention takes for so many records of one month, by how it goes."""
    with start_postgres(quick=False) as postgres, tempfile.TemporaryDirectory() as home:
        found = {}
        for name, prepare in (("row by row", _leave), ("as a partition", _partition)):
            environ = {"GATEHOUSE_HOME": home, "GATEHOUSE_DATABASE_URL": postgres.empty()}
            settings = load_settings(environ)
            Path(home).mkdir(exist_ok=True)
            session = open_admin_session(settings, Actor.system("bench"))
            found[name] = _time(session, prepare, records)
            session.database.dispose()
        return found


def _time(session: AdminSession, prepare: Callable[[AdminSession], None], records: int) -> float:
    prepare(session)
    month = Month.of(session.clock() - 150 * _DAY_MS)
    with session.change() as change:
        account_id = accounts.create(change, "Bench", "USD").account_id
    with session.database.writing() as connection:
        about = {"first": month.first, "count": records, "terms": _TERMS}
        connection.execute(
            sa.text(_FILL), {**about, "account": account_id, "at_ms": month.start_ms}
        )
        connection.execute(sa.text(_FILL_TERMS), about)
    started = time.perf_counter()
    hooks = RetentionHooks(rests=False)
    deleted = run_retention(session, RetentionPolicy(decisions=60), hooks)
    assert deleted.decisions == records
    return time.perf_counter() - started


def _leave(_session: AdminSession) -> None:
    """Leave the tables as a migration makes them."""


def _partition(session: AdminSession) -> None:
    """Put the tables into partitions that begin before the records."""
    now, session.clock = session.clock, lambda: system_clock() - 200 * _DAY_MS
    partition_decisions(session)
    session.clock = now
    PartitionKeeper(session).make_ahead()


def main() -> None:
    """Print the times."""
    records = 5000
    for name, seconds in measure(records).items():
        print(f"{records:,} records of a month {name:<15} {seconds:8.2f} s")


if __name__ == "__main__":
    main()
