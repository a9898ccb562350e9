"""The port to a source of identities: embedded records, an issuer, a bureau.

A source either names the holders of a card, whom ID Verify compares with what is claimed, or it
compares by itself and gives the results.
"""

from typing import Protocol

import msgspec

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets.hidden import Personal
from gatehouse.idverify.people import ALL_IDENTIFIER_TYPES, IdentifierType, Person
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result


class IdentityEnquiry(Personal, frozen=True):
    """Asks whose card it is. External sources need the number, the embedded one does not."""

    request_id: str
    account_id: str
    number: CardNumber
    fingerprint: str
    """The inner one, under which identity records are found."""
    request: IdVerifyRequest
    """What is claimed; it goes to sources that compare by themselves."""


class Holders(msgspec.Struct, frozen=True):
    """What a source knows about a card: its holders, and which attributes it holds at all."""

    people: tuple[Person, ...] = ()
    """Empty when the source does not know the card."""
    identifier_types: frozenset[IdentifierType] = ALL_IDENTIFIER_TYPES
    holds_names: bool = True


class HolderResults(msgspec.Struct, frozen=True, kw_only=True):
    """How a source that compares by itself found each attribute; None where it does not say."""

    email: Result | None = None
    phone: Result | None = None
    first_name: Result | None = None
    middle_name: Result | None = None
    last_name: Result | None = None
    name: Result | None = None
    """Of the name as a whole."""
    name_result: NameResult | None = None
    """Whether names were compared at all."""
    identifiers: dict[IdentifierType, Result] = {}


class IdentitySource(Protocol):
    """Knows the holders of cards.

    Raises `ConnectorFailed` when it cannot answer. May take its time: the stage has a limit.
    """

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        """What is known of one card, as far as the asking account may know it."""


class NoRecords:
    """A source that knows nobody."""

    async def find(self, _enquiry: IdentityEnquiry) -> Holders:
        """Nobody."""
        return Holders()
