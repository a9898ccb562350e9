"""The bodies of our own HTTPS contract: what a connector sends, and what the host answers."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.secrets.hidden import Personal
from gatehouse.gateway.stored_credential import (
    CredentialReason,
    CredentialUse,
    Initiator,
    NetworkTransactionId,
)
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.request import CardHolderIds, CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.verdict import Finding

ReferenceText = Annotated[str, Meta(min_length=1, max_length=64)]
_NamePart = Annotated[str, Meta(min_length=1, max_length=64)]
_Amount = Annotated[int, Meta(ge=1, le=10**12)]
_Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]


class ContractAddress(Personal, frozen=True, rename="camel"):
    """The address of a card."""

    postal_code: Annotated[str, Meta(max_length=64)] | None = None
    street: Annotated[str, Meta(max_length=256)] | None = None


class ContractName(Personal, frozen=True, rename="camel"):
    """A name that is claimed."""

    first: _NamePart | None = None
    middle: _NamePart | None = None
    last: _NamePart | None = None
    owner_type: Annotated[str, Meta(max_length=64)] | None = None


class ContractHolder(Personal, frozen=True):
    """What is claimed about the holder of a card."""

    name: ContractName | None = None
    email: Annotated[str, Meta(min_length=1, max_length=254)] | None = None
    phone: Annotated[str, Meta(min_length=1, max_length=32)] | None = None
    identifiers: CardHolderIds | None = None

    def of_card(self, number: CardNumber, expiry: ExpiryDate) -> IdVerifyRequest:
        """The same as ID Verify compares it."""
        name = self.name
        return IdVerifyRequest(
            number,
            expiry,
            self.email,
            self.phone,
            None
            if name is None
            else CardHolderName(name.first, name.middle, name.last, name.owner_type),
            self.identifiers,
        )


class CheckBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/cards/check`."""

    request_id: ReferenceText
    card_number: CardNumber
    expiry: ExpiryDate
    security_code: SecurityCode | None = None
    address: ContractAddress | None = None
    holder: ContractHolder | None = None


class VerifyBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/identities/verify`."""

    request_id: ReferenceText
    card_number: CardNumber
    expiry: ExpiryDate
    holder: ContractHolder = ContractHolder()


class ContractCredential(Personal, frozen=True, rename="camel"):
    """Who initiates a payment with a stored card."""

    initiator: Initiator
    use: CredentialUse
    reason: CredentialReason | None = None
    network_transaction_id: NetworkTransactionId | None = None


class PaymentBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/payments`."""

    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    card_number: CardNumber
    expiry: ExpiryDate
    security_code: SecurityCode | None = None
    stored_credential: ContractCredential | None = None


class ReversalBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/payments/reversals`."""

    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    id: Annotated[str, Meta(max_length=64)] | None = None


class OperationBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/payments/captures` and `POST /v1/payments/refunds`."""

    operation: ReferenceText
    """Its own name; nothing is done twice for one."""
    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    id: Annotated[str, Meta(max_length=64)] | None = None


class DisputeBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/payments/disputes`: what a cardholder disputes, or how it ended."""

    case: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    reason: Annotated[str, Meta(pattern=r"^[A-Za-z0-9.]{1,16}\Z")] | None = None
    result: Annotated[str, Meta(pattern=r"^(WON|LOST)\Z")] | None = None


class PageBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/payment-pages`."""

    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    expires_at: Annotated[str, Meta(max_length=40)]
    return_url: Annotated[str, Meta(pattern="^https?://", max_length=2000)] | None = None
    stored_credential: ContractCredential | None = None
    """Given, the card that pays is stored."""


class ChargeBody(Personal, frozen=True, rename="camel"):
    """`POST /v1/stored-cards/charges`."""

    reference: ReferenceText
    amount_minor: _Amount
    currency: _Currency
    stored_card: Annotated[str, Meta(min_length=1, max_length=64)]
    stored_credential: ContractCredential


class NameAnswer(msgspec.Struct, frozen=True):
    """How a name compares."""

    first: Result
    middle: Result
    last: Result
    whole: Result
    result: NameResult


class HolderAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """How what was claimed compares with the holders of the card."""

    email: Result | None = None
    phone: Result | None = None
    name: NameAnswer | None = None
    identifiers: dict[IdentifierType, Result] | None = None


class CheckAnswer(CamelStruct, omit_defaults=True):
    """The answer about a card, in the letters of its network."""

    response_code: str
    avs: str | None = None
    cvv2: str | None = None
    holder: HolderAnswer | None = None


class PaymentAnswer(CamelStruct, omit_defaults=True):
    """The answer about a payment."""

    approved: bool
    response_code: str
    id: str
    approval_code: str | None = None
    network_transaction_id: str | None = None


class ReversalAnswer(msgspec.Struct, frozen=True):
    """The payment does not stand."""

    reversed: bool


class OperationAnswerBody(CamelStruct):
    """The answer about a capture or refund."""

    result: str
    response_code: str
    id: str
    amount_minor: int
    currency: str


class PageAnswerBody(msgspec.Struct, frozen=True):
    """Where a person pays."""

    url: str
    id: str


class PageStatusBody(CamelStruct, omit_defaults=True):
    """How a payment page stands."""

    status: str
    amount_minor: int
    currency: str
    stored_card: str | None = None


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Why a message cannot be used."""

    error: str


def holder_answer(request: IdVerifyRequest, finding: Finding) -> HolderAnswer:
    """What was found, of the attributes that were sent."""
    name = finding.name
    return HolderAnswer(
        None if request.card_holder_email_address is None else finding.email.result,
        None if request.card_holder_phone_number is None else finding.phone.result,
        None
        if name is None
        else NameAnswer(
            name.first.result,
            name.middle.result,
            name.last.result,
            name.whole.result,
            name.performed,
        ),
        {kind: each.result for kind, each in finding.identifiers.items()} or None,
    )
