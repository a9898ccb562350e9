"""Since when labels have been known, for training that must not know them earlier."""

from typing import NamedTuple

import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.core.labels import is_fraud
from gatehouse.store.feedback.statements import label_in
from gatehouse.store.tables import DECISIONS, FEEDBACK


class KnownLabel(NamedTuple):
    """What a request turned out to be."""

    fraud: bool
    known_at_ms: int
    """When it was found out, if that was reported, or else when it was reported."""


def labels_with_times(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> dict[str, KnownLabel]:
    """What is known about the requests of a span, and since when."""
    wanted = (FEEDBACK.c.request_id, FEEDBACK.c.label)
    query = (
        sa.select(*wanted, FEEDBACK.c.found_at_ms, FEEDBACK.c.recorded_at_ms)
        .where(
            FEEDBACK.c.account_id == account_id,
            FEEDBACK.c.request_id >= first_id("req", since_ms),
            FEEDBACK.c.request_id < first_id("req", until_ms),
        )
        .order_by(FEEDBACK.c.request_id, FEEDBACK.c.seq)
    )
    found: dict[str, KnownLabel] = {}
    # The last row of a request is its newest.
    for row in connection.execute(query):
        fraud = is_fraud(label_in(row.label))
        if fraud is None:
            found.pop(row.request_id, None)
            continue
        known_at_ms = row.recorded_at_ms if row.found_at_ms is None else row.found_at_ms
        before = found.get(row.request_id)
        if before is not None and before.fraud == fraud:
            # The same label again, such as with its amount: it is known since the first time.
            known_at_ms = min(known_at_ms, before.known_at_ms)
        found[row.request_id] = KnownLabel(fraud, known_at_ms)
    return found


def reported_since(connection: sa.Connection, account_id: str) -> int | None:
    """When the oldest request with feedback came; None when there is none."""
    same = sa.and_(
        DECISIONS.c.account_id == FEEDBACK.c.account_id,
        DECISIONS.c.request_id == FEEDBACK.c.request_id,
    )
    query = (
        sa.select(DECISIONS.c.at_ms)
        .select_from(FEEDBACK.join(DECISIONS, same))
        .where(FEEDBACK.c.account_id == account_id)
        .order_by(FEEDBACK.c.request_id)
        .limit(1)
    )
    at_ms = connection.scalar(query)
    return None if at_ms is None else int(at_ms)
