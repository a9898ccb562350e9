"""What settled payments and frauds came to between two moments, by how large the payments were."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeKind,
    label_of,
)
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import Reading

_O: Final = OUTCOMES.c
_FRAUD: Final = frozenset((Label.FRAUD, Label.CHARGEBACK, Label.CARD_TESTING))
_ABOVE: Final = -1


class ValueGroup(NamedTuple):
    """Payments of about one size in one currency."""

    currency: str | None
    size: int | None
    """The place of the first limit that they are not above; None above all of them."""
    number: int
    micros: int


def settled_values(
    reading: Reading,
    account_id: str,
    span_ms: tuple[int, int],
    limits: Mapping[str, Sequence[int]],
) -> list[ValueGroup]:
    """All settled payments, by currency and size; `limits` grow, and are in millionths."""
    within = _within(account_id, span_ms, (OutcomeKind.SETTLED,))
    known = reading.connection.scalars(sa.select(_O.currency).where(within).distinct()).all()
    steps = [
        ((_O.currency == currency) & (_O.amount <= limit), place)
        for currency in known
        for place, limit in enumerate(limits.get(currency or "", ()))
    ]
    size = sa.case(*steps, else_=_ABOVE) if steps else sa.literal(_ABOVE)
    # Whole units and the rest apart: the sum of all millionths could be too large for a number.
    parts = (_O.amount // MICROS_PER_UNIT, _O.amount % MICROS_PER_UNIT)
    sums = [sa.func.coalesce(sa.func.sum(each), 0) for each in parts]
    sized = size.label("size")
    query = sa.select(_O.currency, sized, sa.func.count(), *sums).where(within)
    return [
        ValueGroup(
            currency,
            None if place == _ABOVE else int(place),
            int(number),
            int(units) * MICROS_PER_UNIT + int(rest),
        )
        for currency, place, number, units, rest in reading.connection.execute(
            query.group_by(_O.currency, sa.text("size"))
        )
    ]


def fraud_values(
    reading: Reading, account_id: str, span_ms: tuple[int, int]
) -> Iterator[tuple[str | None, int | None]]:
    """Currency and amount of each payment that was a fraud, once however often it was told.

    A cardholder's own misuse is none, nor is a question or what a tool settled before.
    """
    columns = (
        *(_O.kind, _O.reason, _O.fraud_type, _O.stage, _O.result),
        *(_O.arn, _O.request_id, _O.currency, _O.amount),
    )
    within = _within(account_id, span_ms, (OutcomeKind.FRAUD_REPORT, OutcomeKind.DISPUTE))
    query = sa.select(*columns).where(within).order_by(_O.at_ms, _O.kind, _O.reference)
    seen: set[tuple[str, str]] = set()
    for row in reading.connection.execute(query):
        if not _is_fraud(row):
            continue
        named = (("arn", row.arn), ("request", row.request_id))
        names = {(what, name) for what, name in named if name is not None}
        if not names & seen:
            yield row.currency, row.amount
        seen |= names


def _within(
    account_id: str, span_ms: tuple[int, int], kinds: Sequence[OutcomeKind]
) -> sa.ColumnElement[bool]:
    since_ms, until_ms = span_ms
    return sa.and_(
        _O.account_id == account_id,
        _O.kind.in_([each.value for each in kinds]),
        _O.at_ms >= since_ms,
        _O.at_ms < until_ms,
    )


def _is_fraud(row: Any) -> bool:
    if row.result == DisputeResult.RESOLVED_BEFORE or row.stage == DisputeStage.INQUIRY:
        return False
    return label_of(OutcomeKind(row.kind), row.reason, row.fraud_type) in _FRAUD
