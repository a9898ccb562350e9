"""Decisions as the close of requests leaves them, and labels as another process writes them."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from gatehouse.core.ids import new_id
from gatehouse.core.wording.labels import LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelOutcome, LabelReport
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import DECISIONS

MOMENT_MS = 1_790_000_000_000
# Ids with letters, as real ones have: a long run of digits could be taken for a card's number.
_NUMBERS = count(0xABCD_ABCD_ABCD_ABCD_ABCD)


def keep_decision(
    session: AdminSession, account_id: str, at_ms: int = MOMENT_MS, **columns: Any
) -> str:
    """Keep a decision; ids of one moment grow with every call."""
    request_id = new_id("req", at_ms, lambda size: next(_NUMBERS).to_bytes(size, "big"))
    row = {
        "account_id": account_id,
        "request_id": request_id,
        "at_ms": at_ms,
        "operation": "sentry",
        "record": f'{{"requestId":"{request_id}"}}',
    }
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), row | columns)
    return request_id


def label(
    session: AdminSession,
    account_id: str,
    request_ids: Sequence[str],
    statement: FeedbackStatement,
    now_ms: int,
) -> list[LabelOutcome]:
    """Record a statement about requests."""
    report = LabelReport(account_id, request_ids, statement, "test", LabelSource.COMMAND)
    with session.database.writing() as connection:
        lock_changes(connection)
        return feedback.record(connection, report, now_ms)
