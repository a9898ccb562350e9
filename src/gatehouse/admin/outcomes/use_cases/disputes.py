"""Disputes as the desk reads them, and how one ended."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.disputes import KnownOutcome
from gatehouse.admin.outcomes.types.outcome import DisputeResult, DisputeStage, OutcomeKind
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import is_any_of, struct_from

_O: Final = OUTCOMES.c
_COLUMNS: Final = tuple(_O[name] for name in KnownOutcome.__struct_fields__)


def disputes(
    connection: sa.Connection, account_id: str, limit: int, *, is_open: bool = True
) -> list[KnownOutcome]:
    """Disputes of an account: open ones by their deadline, those that have ended newest first."""
    query = sa.select(*_COLUMNS).where(
        _O.account_id == account_id,
        _O.kind == OutcomeKind.DISPUTE.value,
        _O.result.is_(None) if is_open else _O.result.is_not(None),
    )
    by_deadline = (_O.respond_by_ms.is_(None), _O.respond_by_ms, _O.at_ms, _O.reference)
    ordered = query.order_by(*by_deadline) if is_open else query.order_by(_O.at_ms.desc())
    return [_known(row) for row in connection.execute(ordered.limit(limit))]


def dispute(connection: sa.Connection, account_id: str, reference: str) -> KnownOutcome | None:
    """One dispute; None also about another account's."""
    row = connection.execute(sa.select(*_COLUMNS).where(_this(account_id, reference))).first()
    return None if row is None else _known(row)


def outcomes_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, list[KnownOutcome]]:
    """What became of some decisions, in the order of time."""
    these = is_any_of(connection, _O.request_id, request_ids)
    query = sa.select(*_COLUMNS).where(_O.account_id == account_id, these).order_by(_O.at_ms)
    found: dict[str, list[KnownOutcome]] = {}
    for row in connection.execute(query) if request_ids else ():
        found.setdefault(row.request_id, []).append(_known(row))
    return found


def disputes_about(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[str]:
    """The references of disputes about some decisions."""
    query = sa.select(_O.reference).where(
        _O.account_id == account_id,
        _O.kind == OutcomeKind.DISPUTE.value,
        is_any_of(connection, _O.request_id, request_ids),
    )
    return list(connection.scalars(query))


def note_dispute(
    change: Change,
    account_id: str,
    reference: str,
    *,
    stage: DisputeStage | None = None,
    result: DisputeResult | None = None,
) -> None:
    """Note how far a dispute has gone, or how it ended, as if its acquirer had told it."""
    new = {"stage": stage, "result": result}
    values: dict[str, Any] = {name: each.value for name, each in new.items() if each is not None}
    values |= {"recorded_at_ms": change.now_ms, "actor": str(change.actor)}
    change.connection.execute(OUTCOMES.update().where(_this(account_id, reference)).values(values))


def _this(account_id: str, reference: str) -> "sa.ColumnElement[bool]":
    return sa.and_(
        _O.account_id == account_id,
        _O.kind == OutcomeKind.DISPUTE.value,
        _O.reference == reference,
    )


def _known(row: Any) -> KnownOutcome:
    return struct_from(row, KnownOutcome)
