"""Counts what became of payments between two moments."""

from gatehouse.admin.outcomes import queries
from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.store.admin.admin_session import Reading


def count_between(
    reading: Reading, account_id: str, since_ms: int, until_ms: int
) -> list[OutcomeGroup]:
    """What happened from one moment on until before another."""
    return queries.groups(reading.connection, account_id, since_ms, until_ms)
