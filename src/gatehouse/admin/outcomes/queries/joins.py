"""Finds the decisions that outcomes may be about; every query is bound to an account."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.ids import first_id
from gatehouse.store.database import is_any_of
from gatehouse.store.feedback.feedback_history import find_all
from gatehouse.store.feedback.statements import FeedbackSubject
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES

_D: Final = DECISIONS.c
_E: Final = SEARCH_ENTRIES.c
_NAMES_AT_ONCE: Final = 1000


class CardOfDecision(NamedTuple):
    """What a record tells of its card."""

    request_id: str
    first: str
    last_four: str | None


class _Card(CamelStruct, gc=False):
    bin: str
    last_four: str | None = None


class _WithCard(msgspec.Struct, frozen=True, gc=False):
    card: _Card | None = None


_decode: Final = msgspec.json.Decoder(_WithCard).decode


def existing(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> set[str]:
    """Those of some requests of which the account has a decision."""
    these = is_any_of(connection, _D.request_id, request_ids)
    query = sa.select(_D.request_id).where(_D.account_id == account_id, these)
    return set(connection.scalars(query))


def by_subjects(
    connection: sa.Connection, account_id: str, subjects: Sequence[FeedbackSubject]
) -> dict[FeedbackSubject, list[str]]:
    """The decisions of each of some subjects, oldest first."""
    found: dict[FeedbackSubject, list[str]] = {}
    for start in range(0, len(subjects), _NAMES_AT_ONCE):
        found |= find_all(connection, account_id, subjects[start : start + _NAMES_AT_ONCE])
    return found


def by_terms(
    connection: sa.Connection, account_id: str, terms: Mapping[int, str]
) -> dict[str, list[str]]:
    """The decisions that have terms of the index, by what each term stands for."""
    found: dict[str, list[str]] = {}
    numbers = list(terms)
    for start in range(0, len(numbers), _NAMES_AT_ONCE):
        some = numbers[start : start + _NAMES_AT_ONCE]
        query = sa.select(_E.term, _E.request_id).where(_E.term.in_(some))
        for term, request_id in connection.execute(query):
            found.setdefault(terms[term], []).append(request_id)
    # Another account's request can have the same term by chance.
    own = existing(connection, account_id, [each for ids in found.values() for each in ids])
    return {name: sorted(own.intersection(ids)) for name, ids in found.items()}


def by_amounts(
    connection: sa.Connection, term: int, since_ms: int, until_ms: int
) -> dict[int, list[str]]:
    """The decisions between two moments that have a term of amounts, by their amount."""
    query = sa.select(_E.amount, _E.request_id).where(
        _E.term == term,
        _E.request_id >= first_id("req", since_ms),
        _E.request_id < first_id("req", until_ms),
    )
    found: dict[int, list[str]] = {}
    for amount, request_id in connection.execute(query):
        found.setdefault(amount, []).append(request_id)
    return found


def cards_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[CardOfDecision]:
    """The cards of some decisions; those without one are left out."""
    these = is_any_of(connection, _D.request_id, request_ids)
    query = sa.select(_D.request_id, _D.record).where(_D.account_id == account_id, these)
    found = []
    for request_id, text in connection.execute(query):
        card = _card_in(text)
        if card is not None:
            found.append(CardOfDecision(request_id, card.bin, card.last_four))
    return found


def _card_in(text: str) -> _Card | None:
    try:
        return _decode(text).card
    except msgspec.DecodeError:
        return None
