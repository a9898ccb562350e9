"""Deletes evidence: of erased people, of decisions that are gone, and what is too old.

Every function works in the transaction of its caller, which has SQLite overwrite what is deleted.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.admin.evidence.tables import DISPUTE_CASES, DISPUTE_FILES
from gatehouse.admin.outcomes.use_cases.disputes import disputes_about
from gatehouse.core.ids import first_id
from gatehouse.store.counting import count_rows
from gatehouse.store.database import is_any_of
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE

_E: Final = ORDER_EVIDENCE.c
_FILES_AT_ONCE: Final = 20
"""Each may have some megabytes."""
_DESK: Final = ((DISPUTE_CASES, "changed_at_ms"), (DISPUTE_FILES, "at_ms"))


def forget_orders(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> int:
    """Delete all evidence about some orders, with what people gave and attached; how many rows."""
    these = is_any_of(connection, _E.request_id, request_ids)
    gone = connection.execute(
        ORDER_EVIDENCE.delete().where(_E.account_id == account_id, these)
    ).rowcount
    # A dispute that was joined to its order later has files that do not name the order.
    named = disputes_about(connection, account_id, request_ids)
    for table, _ in _DESK:
        about = is_any_of(connection, table.c.request_id, request_ids)
        its = is_any_of(connection, table.c.reference, named)
        mine = sa.and_(table.c.account_id == account_id, sa.or_(about, its))
        gone += connection.execute(table.delete().where(mine)).rowcount
    return gone


def forget_before(account_id: str, before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete some of what an account kept before a moment; how many rows."""
    oldest = (
        sa.select(_E.request_id)
        .where(_E.account_id == account_id, _E.request_id < first_id("req", before_ms))
        .order_by(_E.request_id)
        .limit(limit)
    )
    ids = list(connection.scalars(oldest))
    gone = connection.execute(
        ORDER_EVIDENCE.delete().where(
            _E.account_id == account_id, is_any_of(connection, _E.request_id, ids)
        )
    ).rowcount
    for table, name in _DESK:
        key = list(table.primary_key)
        old = sa.select(*key).where(table.c.account_id == account_id, table.c[name] < before_ms)
        rows = connection.execute(old.limit(min(limit, _FILES_AT_ONCE))).all()
        these = sa.tuple_(*key).in_([tuple(row) for row in rows])
        gone += connection.execute(table.delete().where(these)).rowcount if rows else 0
    return gone


def count_before(connection: sa.Connection, account_id: str, before_ms: int) -> int:
    """How much an account kept before a moment."""
    first = first_id("req", before_ms)
    older = _E.account_id == account_id, _E.request_id < first
    return count_rows(connection, ORDER_EVIDENCE, *older) + sum(
        count_rows(connection, table, table.c.account_id == account_id, table.c[name] < before_ms)
        for table, name in _DESK
    )
