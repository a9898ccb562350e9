"""The port to a source of identities: embedded records, an issuer, a bureau."""

from typing import Protocol

import msgspec

from gatehouse.core.cards import CardNumber
from gatehouse.core.secrets import Personal
from gatehouse.idverify.people import ALL_IDENTIFIER_TYPES, IdentifierType, Person


class IdentityEnquiry(Personal, frozen=True):
    """Asks whose card it is. External sources need the number, the embedded one does not."""

    request_id: str
    account_id: str
    number: CardNumber
    fingerprint: str
    """The inner one, under which identity records are found."""


class Holders(msgspec.Struct, frozen=True):
    """What a source knows about a card: its holders, and which attributes it holds at all."""

    people: tuple[Person, ...] = ()
    """Empty when the source does not know the card."""
    identifier_types: frozenset[IdentifierType] = ALL_IDENTIFIER_TYPES
    holds_names: bool = True


class IdentitySource(Protocol):
    """Knows the holders of cards.

    Raises `ConnectorFailed` when it cannot answer. May take its time: the stage has a limit.
    """

    async def find(self, enquiry: IdentityEnquiry) -> Holders:
        """The holders of one card, as far as the asking account may know them."""
