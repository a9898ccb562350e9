"""Counts and sums of outcomes; every query is bound to an account."""

from typing import Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.core.money import MICROS_PER_UNIT

_O: Final = OUTCOMES.c


def groups(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> list[OutcomeGroup]:
    """Outcomes between two moments, counted in groups of those that are alike."""
    alike = (
        *(_O.network, _O.merchant_id, _O.region, _O.kind, _O.reason),
        *(_O.stage, _O.result, _O.currency),
    )
    # Whole units and the rest apart: the sum of all millionths could be too large for a number.
    parts = (_O.three_d_secure, _O.amount // MICROS_PER_UNIT, _O.amount % MICROS_PER_UNIT)
    sums = [sa.func.coalesce(sa.func.sum(each), 0) for each in parts]
    query = (
        sa.select(*alike, sa.func.count(), *sums)
        .where(_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
        .group_by(*alike)
    )
    found = []
    for row in connection.execute(query):
        *group, number, authenticated, units, rest = row
        micros = int(units) * MICROS_PER_UNIT + int(rest)
        found.append(OutcomeGroup(*group, int(number), int(authenticated), micros))  # type: ignore[call-arg]  # as many as it groups by
    return found
