"""Which payments of an account a list shows."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.admin.payments.types import PaymentSearch, PaymentState
from gatehouse.core.ids import first_id
from gatehouse.gateway.operating import OperationKind
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.store.database import rows_of_any
from gatehouse.store.payments.operations import OperationState
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS, PAYMENTS
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import GATEWAY_INTENTS

_P: Final = PAYMENTS.c
_O: Final = PAYMENT_OPERATIONS.c
_I: Final = GATEWAY_INTENTS.c
_SAME: Final = (_O.account_id == _P.account_id, _O.request_id == _P.request_id)
_AT_ONCE: Final = 500
_DONE: Final = {
    PaymentState.VOIDED: OperationKind.VOID,
    PaymentState.PARTLY_REFUNDED: OperationKind.REFUND,
    PaymentState.REFUNDED: OperationKind.REFUND,
}
"""Rare states, with the operation that leads to them. An index has the payments of each kind."""
_request_id: Final = attrgetter("request_id")
Condition = sa.ColumnElement[bool]


def list_payments(
    connection: sa.Connection,
    account_id: str,
    wanted: PaymentSearch,
    span: tuple[int, int],
    among: list[str] | None,
) -> list[PaymentRow]:
    """One more than fits on a page, newest first; `among` some requests if they are named."""
    first, end = (first_id("req", each) for each in span)
    before = min(wanted.starting_after or end, end)
    fits: list[Condition] = []
    given: list[tuple[object, Callable[[Any], Condition]]] = [
        (among, _P.request_id.in_),
        (wanted.connector, lambda name: _P.party == name),
        (wanted.currency, lambda code: _P.currency == code),
        (wanted.least_minor, lambda least: _P.amount_minor >= least),
        (wanted.most_minor, lambda most: _P.amount_minor <= most),
        (wanted.operation, partial(_has_operation, account_id)),
        (wanted.state, _is_in),
    ]
    fits += [condition(value) for value, condition in given if value is not None]
    fits.append(_P.account_id == account_id)
    rare = None if wanted.state is None else _rare(account_id, wanted.state)
    if rare is not None:
        some = _some_at_a_time(connection, rare, (first, before))
        return _among(connection, some, sa.and_(*fits), wanted.limit + 1)
    query = sa.select(PAYMENTS).where(*fits, _P.request_id >= first, _P.request_id < before)
    newest = query.order_by(_P.request_id.desc()).limit(wanted.limit + 1)
    return [PaymentRow(*row) for row in connection.execute(newest)]


def _rare(account_id: str, state: PaymentState) -> "sa.Select[Any] | None":
    """The few requests whose payments can be in a state; None where they are many."""
    if state in (PaymentState.REVIEW, PaymentState.REVERSED):
        # An intent goes when its request has ended.
        return sa.select(_I.request_id).where(_I.account_id == account_id)
    kind = _DONE.get(state)
    this = (_O.account_id == account_id, _O.kind == kind, _O.state == OperationState.SUCCEEDED)
    return None if kind is None else sa.select(_O.request_id).where(*this)


def _some_at_a_time(
    connection: sa.Connection, query: "sa.Select[Any]", span: tuple[str, str]
) -> Iterator[list[str]]:
    """The requests of a query between two, newest first."""
    first, before = span
    [column] = query.selected_columns
    newest = query.where(column >= first).order_by(column.desc()).limit(_AT_ONCE)
    while found := list(connection.scalars(newest.where(column < before))):
        yield list(dict.fromkeys(found))
        before = found[-1]


def _among(
    connection: sa.Connection, some: Iterable[list[str]], fits: Condition, limit: int
) -> list[PaymentRow]:
    """Those of some payments that fit, until there are enough."""
    found: list[PaymentRow] = []
    for ids in some:
        rows = rows_of_any(connection, sa.select(PAYMENTS), _P.request_id, ids, fits)
        found += sorted((PaymentRow(*row) for row in rows), key=_request_id, reverse=True)
        if len(found) >= limit:
            break
    return found[:limit]


def _has_operation(account_id: str, state: OperationState) -> Condition:
    # Few operations are in doubt, and those have an index of their own.
    found = sa.select(_O.request_id).where(_O.account_id == account_id, _O.state == state)
    return _P.request_id.in_(found)


def _is_in(state: PaymentState) -> Condition:
    """Whether a payment is in a state, as `PaymentState` is told of one that is shown."""
    intent = sa.exists().where(_I.request_id == _P.request_id)
    if state in (PaymentState.REVIEW, PaymentState.REVERSED):
        waits = sa.exists().where(_I.request_id == _P.request_id, _I.state == IntentState.REVIEW)
        return waits if state is PaymentState.REVIEW else intent & ~waits
    if state is PaymentState.AUTHORIZED:
        done = sa.exists().where(*_SAME, _O.state == OperationState.SUCCEEDED)
        return ~done & ~intent
    captured, refunded = _done(OperationKind.CAPTURE), _done(OperationKind.REFUND)
    voided = _done(OperationKind.VOID) > 0
    conditions: dict[PaymentState, Condition] = {
        PaymentState.REFUNDED: (refunded > 0) & (refunded >= captured),
        PaymentState.PARTLY_REFUNDED: (refunded > 0) & (refunded < captured),
        PaymentState.CAPTURED: (captured > 0) & (refunded == 0) & (captured >= _P.amount_minor),
        PaymentState.PARTLY_CAPTURED: (captured > 0)
        & (refunded == 0)
        & (captured < _P.amount_minor),
        PaymentState.VOIDED: voided & (captured == 0) & (refunded == 0),
    }
    return conditions[state] & ~intent


def _done(kind: OperationKind) -> sa.ColumnElement[int]:
    """How much of a payment was done in one way."""
    total = sa.select(sa.func.coalesce(sa.func.sum(_O.amount_minor), 0)).where(
        *_SAME, _O.kind == kind, _O.state == OperationState.SUCCEEDED
    )
    return total.scalar_subquery()
