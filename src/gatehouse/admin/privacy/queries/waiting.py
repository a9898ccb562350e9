"""Requests that are not over yet: retention and erasure leave their records as they are."""

from collections.abc import Sequence

import sqlalchemy as sa

from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.payments.operations import NOT_OVER
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import GATEWAY_INTENTS, HOLDS, REVIEWS


def not_over(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> set[str]:
    """Those of some requests with an open review, a payment in doubt, an operation or a hold."""
    reviewed = sa.select(REVIEWS.c.request_id).where(
        REVIEWS.c.account_id == account_id,
        REVIEWS.c.request_id.in_(request_ids),
        REVIEWS.c.state == ReviewState.OPEN.value,
    )
    in_doubt = sa.select(GATEWAY_INTENTS.c.request_id).where(
        GATEWAY_INTENTS.c.request_id.in_(request_ids),
        GATEWAY_INTENTS.c.state != IntentState.REVERSED.value,
    )
    held = sa.select(HOLDS.c.request_id).where(HOLDS.c.request_id.in_(request_ids))
    operated = sa.select(PAYMENT_OPERATIONS.c.request_id).where(
        PAYMENT_OPERATIONS.c.account_id == account_id,
        PAYMENT_OPERATIONS.c.request_id.in_(request_ids),
        PAYMENT_OPERATIONS.c.state.in_(NOT_OVER),
    )
    queries = (reviewed, in_doubt, held, operated)
    return {each for query in queries for each in connection.scalars(query)}


def any_not_over(connection: sa.Connection, first: str, end: str) -> bool:
    """Whether any request of a range of ids, of whichever account, is not over."""
    conditions = (
        (REVIEWS.c.request_id, REVIEWS.c.state == ReviewState.OPEN.value),
        (GATEWAY_INTENTS.c.request_id, GATEWAY_INTENTS.c.state != IntentState.REVERSED.value),
        (HOLDS.c.request_id, sa.true()),
        (PAYMENT_OPERATIONS.c.request_id, PAYMENT_OPERATIONS.c.state.in_(NOT_OVER)),
    )
    return any(
        connection.scalar(sa.select(sa.exists().where(column >= first, column < end, waits)))
        for column, waits in conditions
    )
