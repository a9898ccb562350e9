"""Finds the identity records that a use case is about: of a card, a person, a reference, or all.

A scope is an account's id, or `EVERYONE` for the operator's records. Only an operator may look
beyond one account.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards import CardNumber
from gatehouse.core.errors import NotFound
from gatehouse.core.keyring import CARD_FINGERPRINTS
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.identities import identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import EVERYONE, IdentitySealer

# The scope of the operator's records, for faces.
__all__ = ["EVERYONE"]

_NOT_FOUND = "there is no such record; see: gatehouse identities count"


class IdentityQuery(msgspec.Struct, frozen=True):
    """The records of a card, a person or a reference; exactly one of these is given."""

    card: CardNumber | None = None
    person_id: str | None = None
    reference: str | None = None


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
    session: AdminSession, scope: str, query: IdentityQuery, *, every_scope: bool = False
) -> list[ScopeSelection]:
    """The records of a card, person or reference in a scope, or in every scope."""
    sealer = IdentitySealer(session.ring)
    cards = None if query.card is None else _fingerprints(session, query.card)

    def selector(one: str) -> Selector:
        if query.reference is not None:
            return Selector(references=sealer.reference_marks(one, query.reference))
        return Selector(cards=cards, person_id=query.person_id)

    with session.reading() as connection:
        check_scope(session, connection, EVERYONE if every_scope else scope)
        if not every_scope:
            found = _counted(connection, [(scope, selector(scope))])
            if found:
                return found
        # An actor of one account must not learn what other accounts have.
        scopes = identities.scopes(connection) if session.actor.account_id is None else []
        found = _counted(connection, [(one, selector(one)) for one in scopes])
    if every_scope and found:
        return found
    elsewhere = sum(one.number for one in found)
    if not elsewhere:
        raise NotFound(_NOT_FOUND)
    raise NotFound(
        f"there is no such record of {scope_name(scope)}, but {record_count(elsewhere)} elsewhere; "
        "add --account, or --every-account"
    )


def select_all(
    session: AdminSession, scope: str | None, *, outdated: bool = False
) -> list[ScopeSelection]:
    """All records of a scope, or of every scope; or only those of an earlier fingerprint key."""
    prefix = IdentitySealer(session.ring).card_prefix if outdated else None
    selector = Selector(not_card_prefix=prefix)
    with session.reading() as connection:
        check_scope(session, connection, EVERYONE if scope is None else scope)
        scopes = identities.scopes(connection) if scope is None else [scope]
        found = _counted(connection, [(one, selector) for one in scopes])
    if not found:
        raise NotFound(_NOT_FOUND)
    return found


def scope_name(scope: str) -> str:
    """A scope in words."""
    return "all accounts" if scope == EVERYONE else scope


def record_count(number: int) -> str:
    """A number of records in words."""
    return "1 record" if number == 1 else f"{number} records"


def _counted(
    connection: sa.Connection, wanted: Sequence[tuple[str, Selector]]
) -> list[ScopeSelection]:
    selections = [
        ScopeSelection(scope, selector, identities.how_many(scope, selector, connection))
        for scope, selector in wanted
    ]
    return [one for one in selections if one.number]


def _fingerprints(session: AdminSession, number: CardNumber) -> list[str]:
    """A card's fingerprints under every key there ever was, so that old records are found."""
    bins, ring = load_bins(), session.ring
    versions = [version for purpose, version in ring.versions() if purpose == CARD_FINGERPRINTS]
    keys = [(version, ring.key(CARD_FINGERPRINTS, version)) for version in versions]
    return [CardMasker(bins, key).fingerprint(number) for key in keys]
