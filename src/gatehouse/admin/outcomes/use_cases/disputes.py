"""Disputes as the desk reads them, and how one ended."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from gatehouse.admin.outcomes.queries import rows
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import DisputeResult, DisputeStage, OutcomeKind
from gatehouse.admin.outcomes.use_cases.keeping import OutcomeKeeper
from gatehouse.store.admin.admin_session import Change


def disputes(
    connection: sa.Connection, account_id: str, limit: int, *, is_open: bool = True
) -> list[OutcomeRow]:
    """Disputes of an account: open ones by their deadline, those that have ended newest first."""
    return rows.disputes(connection, account_id, limit, is_open=is_open)


def dispute(connection: sa.Connection, account_id: str, reference: str) -> OutcomeRow | None:
    """One dispute; None also about another account's."""
    return outcome(connection, account_id, OutcomeKind.DISPUTE, reference)


def outcome(
    connection: sa.Connection, account_id: str, kind: OutcomeKind, reference: str
) -> OutcomeRow | None:
    """One outcome; None also about another account's."""
    name = (kind, reference)
    return rows.by_names(connection, account_id, [name]).get(name)


def outcomes_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, list[OutcomeRow]]:
    """What became of some decisions, in the order of time."""
    found: dict[str, list[OutcomeRow]] = {each: [] for each in request_ids}
    for row in rows.of_requests(connection, account_id, request_ids):
        found[row.request_id or ""].append(row)
    return found


def disputes_about(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[str]:
    """The references of disputes about some decisions."""
    found = rows.of_requests(connection, account_id, request_ids)
    return [each.reference for each in found if each.kind is OutcomeKind.DISPUTE]


def note_dispute(
    change: Change,
    account_id: str,
    known: OutcomeRow,
    *,
    stage: DisputeStage | None = None,
    result: DisputeResult | None = None,
) -> None:
    """Note how far a dispute has gone, or how it ended, as if its acquirer had told it."""
    told = msgspec.structs.replace(
        known,
        stage=stage or known.stage,
        result=result,
        recorded_at_ms=change.now_ms,
        actor=str(change.actor),
    )
    OutcomeKeeper(change.session, account_id).store(change.connection, [told])
