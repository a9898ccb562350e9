"""What erasure and retention do with outcomes, in the transaction of their caller."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.queries.rows import note_changes
from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.store.counting import count_rows
from gatehouse.store.database import is_any_of

_O: Final = OUTCOMES.c
_OF_A_PERSON: Final = (
    *("arn", "transaction_reference", "client_reference", "payment_id"),
    *("card_first", "card_last_four"),
)
"""Names of a payment, by which others could tell whose it was."""
_NAMED: Final = sa.or_(*[_O[name].is_not(None) for name in _OF_A_PERSON])
_PASSED: Final = 20
"""So many times as many are passed over at once that have nothing to forget."""


def forget_person(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> int:
    """Take from outcomes of erased requests what names the payment or its card; how many.

    What happened, when, and for how much stays: the networks' programmes count it. So does the
    reference, by which the same outcome is known again when it is told again.
    """
    return _forget(connection, account_id, is_any_of(connection, _O.request_id, request_ids))


def forget_next(
    account_id: str, after: str, before: str, connection: sa.Connection, limit: int
) -> str | None:
    """The same of some outcomes between two requests; the request to go on after, if any.

    Most were forgotten on earlier days: without a place to go on from, all would be read each time.
    """
    between = (_O.account_id == account_id, _O.request_id > after, _O.request_id < before)
    query = sa.select(_O.request_id).where(*between).order_by(_O.request_id).limit(1)
    far: str | None = connection.scalar(query.offset(limit * _PASSED))
    here = _O.request_id <= (before if far is None else far)
    reached: str | None = connection.scalar(query.where(here, _NAMED).offset(limit))
    reached = reached or far
    _forget(connection, account_id, sa.and_(*between, _O.request_id <= (reached or before)))
    return reached


def _forget(connection: sa.Connection, account_id: str, these: "sa.ColumnElement[bool]") -> int:
    forgotten = OUTCOMES.update().where(_O.account_id == account_id, these, _NAMED)
    return connection.execute(forgotten.values(dict.fromkeys(_OF_A_PERSON))).rowcount


def delete_outcomes(account_id: str, before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete outcomes that happened before a moment, some at a time."""
    old = sa.select(_O.kind, _O.reference, _O.at_ms).where(
        _O.account_id == account_id, _O.at_ms < before_ms
    )
    chosen = connection.execute(old.order_by(_O.at_ms).limit(limit)).all()
    by_kind: dict[str, list[str]] = {}
    for kind, reference, _ in chosen:
        by_kind.setdefault(kind, []).append(reference)
    for kind, references in by_kind.items():
        these = is_any_of(connection, _O.reference, references)
        gone = OUTCOMES.delete().where(_O.account_id == account_id, _O.kind == kind, these)
        connection.execute(gone)
    note_changes(connection, account_id, (at_ms for _, _, at_ms in chosen))
    return len(chosen)


def count_outcomes(connection: sa.Connection, account_id: str, before_ms: int) -> int:
    """How many outcomes happened before a moment."""
    return count_rows(connection, OUTCOMES, _O.account_id == account_id, _O.at_ms < before_ms)
