"""The rows of outcomes; every query is bound to an account."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeFilter,
    OutcomeKind,
    OutcomeNetwork,
    PaymentOutcome,
)
from gatehouse.core.clock import Moment
from gatehouse.core.money import format_amount
from gatehouse.store.database import insert_rows, is_any_of

_O: Final = OUTCOMES.c
_TOLD: Final = frozenset(("recorded_at_ms", "actor"))
"""Who told it and when; the same told again is no news."""


class OutcomeRow(msgspec.Struct, frozen=True, kw_only=True):
    """An outcome as it is stored."""

    account_id: str
    kind: OutcomeKind
    reference: str
    at_ms: int
    network: OutcomeNetwork
    request_id: str | None
    arn: str | None
    merchant_id: str | None
    region: str | None
    amount: int | None
    currency: str | None
    three_d_secure: int | None
    reason: str | None
    fraud_type: str | None
    stage: DisputeStage | None
    result: DisputeResult | None
    respond_by_ms: int | None
    recorded_at_ms: int
    actor: str


class PutOutcomes(NamedTuple):
    """What became of some rows."""

    new: list[OutcomeRow]
    changed: list[OutcomeRow]
    unchanged: int


def put(connection: sa.Connection, account_id: str, rows: Sequence[OutcomeRow]) -> PutOutcomes:
    """Keep rows, each in place of what its reference said before; the last of equal ones counts."""
    given = {(each.kind, each.reference): each for each in rows}
    these = is_any_of(connection, _O.reference, [each.reference for each in given.values()])
    query = sa.select(OUTCOMES).where(_O.account_id == account_id, these)
    known = {(row.kind, row.reference): row for row in connection.execute(query)}
    new = [each for name, each in given.items() if name not in known]
    changed = [
        each
        for name, each in given.items()
        if name in known and _said(each) != _said_by(known[name], each)
    ]
    for each in changed:
        this = (_O.account_id == account_id) & (_O.kind == each.kind)
        connection.execute(OUTCOMES.delete().where(this, _O.reference == each.reference))
    insert_rows(connection, OUTCOMES, [*new, *changed])
    return PutOutcomes(new, changed, len(given) - len(new) - len(changed))


def requests_by_arn(
    connection: sa.Connection, account_id: str, arns: Sequence[str]
) -> dict[str, str]:
    """The decisions that outcomes with these ARNs are about, where exactly one is known."""
    these = is_any_of(connection, _O.arn, arns)
    query = sa.select(_O.arn, _O.request_id).where(
        _O.account_id == account_id, these, _O.request_id.is_not(None)
    )
    found: dict[str, set[str]] = {}
    for arn, request_id in connection.execute(query.distinct()):
        found.setdefault(arn, set()).add(request_id)
    return {arn: next(iter(ids)) for arn, ids in found.items() if len(ids) == 1}


def listing(
    connection: sa.Connection, account_id: str, wanted: OutcomeFilter
) -> list[PaymentOutcome]:
    """Outcomes, newest first."""
    query = sa.select(OUTCOMES).where(_O.account_id == account_id)
    if wanted.kind is not None:
        query = query.where(_O.kind == wanted.kind)
    if wanted.request_id is not None:
        query = query.where(_O.request_id == wanted.request_id)
    ordered = query.order_by(_O.at_ms.desc(), _O.kind, _O.reference).limit(wanted.limit)
    return [_shown(row) for row in connection.execute(ordered)]


def groups(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> list[OutcomeGroup]:
    """Outcomes between two moments, counted in groups of those that are alike."""
    alike = (
        *(_O.network, _O.merchant_id, _O.region, _O.kind, _O.reason),
        *(_O.stage, _O.result, _O.currency),
    )
    sums = [sa.func.coalesce(sa.func.sum(each), 0) for each in (_O.three_d_secure, _O.amount)]
    query = (
        sa.select(*alike, sa.func.count(), *sums)
        .where(_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
        .group_by(*alike)
    )
    rows = connection.execute(query).all()
    return [OutcomeGroup(*row[: len(alike)], *map(int, row[len(alike) :])) for row in rows]


def _said(row: OutcomeRow) -> tuple[Any, ...]:
    names = [name for name in row.__struct_fields__ if name not in _TOLD]
    return tuple(getattr(row, name) for name in names)


def _said_by(row: Any, like: OutcomeRow) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in like.__struct_fields__ if name not in _TOLD)


def _shown(row: Any) -> PaymentOutcome:
    return PaymentOutcome(
        kind=OutcomeKind(row.kind),
        reference=row.reference,
        at=Moment(row.at_ms),
        network=OutcomeNetwork(row.network),
        request_id=row.request_id,
        merchant_id=row.merchant_id,
        region=row.region,
        amount=None if row.amount is None else format_amount(row.amount),
        currency=row.currency,
        reason=row.reason,
        fraud_type=row.fraud_type,
        stage=None if row.stage is None else DisputeStage(row.stage),
        result=None if row.result is None else DisputeResult(row.result),
        respond_by=None if row.respond_by_ms is None else Moment(row.respond_by_ms),
    )
