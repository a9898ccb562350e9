"""The port to the party that answers for a card: an issuer, a network or a processor."""

from typing import Protocol

import msgspec

from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.core.stages.case import ValuesByType


class CardEnquiry(msgspec.Struct, frozen=True):
    """What the issuer is asked. It holds secrets: it goes to the issuer and nowhere else."""

    request_id: str
    number: CardNumber
    expiry: ExpiryDate
    security_code: SecurityCode | None
    postal_code: str | None
    street: str | None
    account_id: str = ""
    inputs: ValuesByType = ValuesByType()
    """What the other stages of the request were given: some issuers answer for them as well."""
    account_reference: AccountReference | None = None
    """Of the account behind the number (PAR)."""
    credential_type: CredentialType | None = None
    city: str | None = None
    country: str | None = None


class IssuerAnswer(msgspec.Struct, frozen=True):
    """What the issuer says, in the networks' own letters."""

    response_code: str
    """ISO 8583 field 39, two characters."""
    avs_letter: str | None = None
    cvv2_letter: str | None = None
    also: ValuesByType | None = None
    """Answers that other stages would have asked for, by their types."""


class Issuer(Protocol):
    """Answers for cards.

    Raises `ConnectorFailed` when it cannot. May take its time: the stage has a limit. An enquiry
    moves no money, so one that was cancelled by the limit needs no reversal.
    """

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Ask about one card."""
