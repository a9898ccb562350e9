"""What waits in the queue, and how much a person resolves: counts and sums, bounded in time."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.tables import REVIEWS

_C = REVIEWS.c
_MOST_READ = 20_000


class WaitingGroup(msgspec.Struct, frozen=True):
    """Open reviews of one person in one currency."""

    assignee: str | None
    currency: str | None
    reviews: int
    overdue: int
    at_risk: int


def waiting(connection: sa.Connection, account_id: str, due_ms: int) -> list[WaitingGroup]:
    """The open reviews of an account by person and currency; overdue before a moment."""
    late = sa.func.sum(sa.case((_C.at_ms < due_ms, 1), else_=0))
    query = sa.select(
        _C.assignee, _C.currency, sa.func.count(), late, sa.func.sum(_C.at_risk)
    ).where(_C.account_id == account_id, _C.state == ReviewState.OPEN.value)
    rows = connection.execute(query.group_by(_C.assignee, _C.currency))
    return [
        WaitingGroup(assignee, currency, count, int(overdue), int(at_risk))
        for assignee, currency, count, overdue, at_risk in rows
    ]


def resolved_at(
    connection: sa.Connection, account_id: str, actor: str, since_ms: int, opened_since_ms: int
) -> Sequence[int]:
    """When an actor resolved the reviews that were opened since a moment."""
    query = sa.select(_C.resolved_at_ms).where(
        _C.account_id == account_id,
        _C.request_id >= first_id("req", opened_since_ms),
        _C.resolved_at_ms >= since_ms,
        _C.actor == actor,
    )
    return list(connection.scalars(query.limit(_MOST_READ)))


def most_at_risk(
    connection: sa.Connection, account_id: str, person: str, most: int
) -> list[tuple[str | None, int]]:
    """Currency and money at risk of the reviews that a person can take, the largest first."""
    query = sa.select(_C.currency, _C.at_risk).where(
        _C.account_id == account_id,
        _C.state == ReviewState.OPEN.value,
        _C.assignee.is_(None) | (_C.assignee == person),
    )
    rows = connection.execute(query.order_by(_C.at_risk.desc(), _C.request_id).limit(most))
    return [(row.currency, row.at_risk) for row in rows]
