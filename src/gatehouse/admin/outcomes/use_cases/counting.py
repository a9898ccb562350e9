"""Counts what became of payments between two moments; every query is bound to an account."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.counts import OutcomeGroup, OutcomePlace
from gatehouse.admin.outcomes.types.outcome import DisputeStage, OutcomeKind
from gatehouse.admin.outcomes.use_cases.day_sums import ALIKE, WORTH, total
from gatehouse.core.ids import first_id
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.database import rows_of_any
from gatehouse.store.tables import ACCOUNTS

_O: Final = OUTCOMES.c
_PART: Final = (_O.network, _O.merchant_id, _O.region)
_EVENTS: Final = (OutcomeKind.FRAUD_REPORT, OutcomeKind.DISPUTE)
_PLACES: Final = sa.select(_O.request_id, _O.at_ms, *ALIKE, _O.three_d_secure, _O.amount)


def disputed_requests(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> list[str]:
    """The requests of a span whose payments were disputed since; mere questions are left out."""
    query = sa.select(_O.request_id).where(
        _O.account_id == account_id,
        _O.request_id >= first_id("req", since_ms),
        _O.request_id < first_id("req", until_ms),
        _O.kind == OutcomeKind.DISPUTE,
        sa.func.coalesce(_O.stage, "") != DisputeStage.INQUIRY,
    )
    return list(connection.scalars(query.distinct()))


def count_between(
    reading: Reading, account_id: str, since_ms: int, until_ms: int, by_ms: int
) -> list[OutcomeGroup]:
    """Settlements, reports and disputes between two moments, in groups of those that are alike.

    Each group also says how many of it had happened, and were told, by a third moment.
    """
    within = (_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
    had_happened = _O.at_ms < by_ms
    arrived = (
        had_happened,
        had_happened & (_O.recorded_at_ms < by_ms),
        _O.recorded_at_ms < until_ms,
    )
    numbers = [sa.func.count(), *(sa.func.sum(sa.case((each, 1), else_=0)) for each in arrived)]
    with_three_ds = (total(_O.three_d_secure), sa.func.count(_O.three_d_secure))
    sales = sa.select(*_PART, *numbers, *with_three_ds).group_by(*_PART)
    sales = sales.where(*within, _O.kind == OutcomeKind.SETTLED)
    events = sa.select(*ALIKE, *numbers, *WORTH).group_by(*ALIKE)
    events = events.where(*within, _O.kind.in_(_EVENTS))
    found = [_settled(*row) for row in reading.connection.execute(sales)]
    return found + [_event(*row) for row in reading.connection.execute(events)]


def disputes_between(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int, currency: str
) -> tuple[int, int]:
    """How many disputes were told of between two moments, and what those in a currency come to."""
    within = (_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
    named = sa.select(_O.currency, sa.func.count(), *WORTH).group_by(_O.currency)
    found = connection.execute(named.where(*within, _O.kind == OutcomeKind.DISPUTE)).all()
    worth = sum(int(u) * MICROS_PER_UNIT + int(rest) for c, _, u, rest in found if c == currency)
    return sum(count for _, count, _, _ in found), worth


def outcomes_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[OutcomePlace]:
    """Settlements, reports and disputes of some decisions, each by itself."""
    mine = (_O.account_id == account_id) & _O.kind.in_((OutcomeKind.SETTLED, *_EVENTS))
    found = rows_of_any(connection, _PLACES, _O.request_id, request_ids, mine)
    return [_place(*row) for row in found]


def newest_events(
    reading: Reading, account_id: str, span_ms: tuple[int, int], limit: int
) -> list[OutcomePlace]:
    """Reports and disputes between two moments, each by itself, newest first."""
    since_ms, until_ms = span_ms
    within = (_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
    # The sum keeps SQLite from reading all settlements of the span in the order of their times.
    order = ((_O.at_ms + 0).desc(), _O.reference)
    query = _PLACES.where(*within, _O.kind.in_(_EVENTS)).order_by(*order)
    return [_place(*row) for row in reading.connection.execute(query.limit(limit))]


def accounts_since(connection: sa.Connection, since_ms: int) -> list[str]:
    """The open accounts to whose payments something happened since a moment."""
    some = sa.exists().where(_O.account_id == ACCOUNTS.c.id, _O.at_ms >= since_ms)
    query = sa.select(ACCOUNTS.c.id).where(ACCOUNTS.c.closed_at_ms.is_(None), some)
    return list(connection.scalars(query.order_by(ACCOUNTS.c.id)))


def _settled(network: str, merchant_id: str | None, region: str | None, *sums: Any) -> OutcomeGroup:
    number, happened, told, in_time, authenticated, answered = map(int, sums)
    return OutcomeGroup(
        *(network, merchant_id, region, OutcomeKind.SETTLED.value, None, None, None, None),
        *(number, authenticated, 0, answered, happened, told, in_time),
    )


def _event(*row: Any) -> OutcomeGroup:
    *alike, number, happened, told, in_time, units, rest = row
    micros = int(units) * MICROS_PER_UNIT + int(rest)
    numbers = map(int, (number, 0, micros, 0, happened, told, in_time))
    return OutcomeGroup(*alike, *numbers)


def _place(request_id: str | None, at_ms: int, *row: Any) -> OutcomePlace:
    *alike, three_ds, amount = row
    numbers = (1, three_ds or 0, amount or 0, int(three_ds is not None))
    return OutcomePlace(request_id, at_ms, OutcomeGroup(*alike, *map(int, numbers)))
