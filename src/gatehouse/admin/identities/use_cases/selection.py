"""Finds the identity records that a use case is about: of a card, a person, a reference, or all.

A scope is an account's id, or `EVERYONE` for the operator's records. Only an operator may look
beyond one account.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.identities.types import IdentitySearch
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.identities import identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import EVERYONE, IdentitySealer

_NO_RECORD: Final = Phrase("refused.no_record", "there is no such record")
_RECORD_ELSEWHERE: Final = Phrase(
    "refused.record_elsewhere", "there is no such record of {scope}, but {records} elsewhere"
)

# The scope of the operator's records, for faces.
__all__ = ["EVERYONE"]


class ScopeSelection(NamedTuple):
    """Selected records of one scope, and how many they are."""

    scope: str
    selector: Selector
    number: int


def check_scope(session: AdminSession, connection: sa.Connection, scope: str) -> None:
    """Refuse a scope that the actor may not see, and an account that does not exist."""
    session.actor.check_account(scope)
    imports.check_scope(scope, connection)


def select_records(
    session: AdminSession,
    scope: str | None,
    query: IdentitySearch | None = None,
    *,
    outdated: bool = False,
) -> list[ScopeSelection]:
    """The records of a scope, or with None of every scope, that are meant; `NotFound` if none.

    Without a query they are all; `outdated` are only those under the fingerprint of an earlier key.
    """
    asked = EVERYONE if scope is None else scope
    with session.reading() as connection:
        check_scope(session, connection, asked)
    with NamedCards(session, asked, "identities") as named:
        card = None if query is None else query.card_number
        cards = None if card is None else named.of_every_key(card)
    reference = None if query is None else query.reference
    selector = Selector(
        cards=cards,
        person_id=None if query is None else query.person_id,
        not_card_prefix=IdentitySealer(session.ring).card_prefix if outdated else None,
    )
    with session.reading() as connection:
        scopes = identities.scopes(connection) if scope is None else [scope]
        found = _matching(session, connection, scopes, selector, reference)
        if found:
            return found
        elsewhere = 0
        # An actor of one account must not learn what other accounts have.
        if scope is not None and session.actor.account_id is None and query is not None:
            every = identities.scopes(connection)
            others = _matching(session, connection, every, selector, reference)
            elsewhere = sum(one.number for one in others)
    if scope is None or not elsewhere:
        raise NotFound(_NO_RECORD())
    raise NotFound(_RECORD_ELSEWHERE(scope=scope_name(scope), records=record_count(elsewhere)))


def scope_name(scope: str) -> str:
    """A scope in words."""
    return "all accounts" if scope == EVERYONE else scope


def record_count(number: int) -> str:
    """A number of records in words."""
    return "1 record" if number == 1 else f"{number} records"


def _matching(
    session: AdminSession,
    connection: sa.Connection,
    scopes: Sequence[str],
    selector: Selector,
    reference: str | None,
) -> list[ScopeSelection]:
    sealer, found = IdentitySealer(session.ring), []
    for scope in scopes:
        if reference is not None:
            selector = Selector(references=sealer.reference_marks(scope, reference))
        number = identities.how_many(scope, selector, connection)
        if number:
            found.append(ScopeSelection(scope, selector, number))
    return found
