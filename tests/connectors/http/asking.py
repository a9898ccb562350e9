"""What tests of HTTPS connectors ask for: cards, holders and payments, and a connector to ask."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from gatehouse.connectors.http.connector import HttpConnector, make_http
from gatehouse.connectors.http.options import HttpDefinition
from gatehouse.connectors.http.reading import read_mapping
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import ValuesByType
from gatehouse.gateway.operating import OperationKind, PaymentOperation
from gatehouse.gateway.port import Authorization, Reversal
from gatehouse.gateway.stored_credential import (
    CredentialReason,
    CredentialUse,
    Initiator,
    NetworkTransactionId,
    StoredCredential,
)
from gatehouse.idverify.request import CardHolderIds, CardHolderName, IdVerifyRequest
from gatehouse.idverify.source import IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry

NUMBER = CardNumber.parse("4242424242424242")
EXPIRY = ExpiryDate.parse("2030-07")
HOLDER = IdVerifyRequest(
    NUMBER,
    EXPIRY,
    "ann@example.com",
    "+1 415 555 0132",
    CardHolderName("Ann", None, "Archer", "PRIMARY"),
    CardHolderIds(passport="543210987"),
)


def enquiry(number: CardNumber = NUMBER, holder: IdVerifyRequest | None = None) -> CardEnquiry:
    inputs = ValuesByType() if holder is None else ValuesByType.of(holder)
    code = SecurityCode.parse("123")
    return CardEnquiry("req_1", number, EXPIRY, code, "94105", "1 Market Street", "acct_1", inputs)


def bare_enquiry() -> CardEnquiry:
    return CardEnquiry("req_1", NUMBER, EXPIRY, None, None, None, "acct_1")


def identity_enquiry() -> IdentityEnquiry:
    return IdentityEnquiry("req_1", "acct_1", NUMBER, "print", HOLDER)


def authorization(reference: str | None = None) -> Authorization:
    return Authorization(
        payment=Payment(1050, "USD", reference),
        number=NUMBER,
        expiry=EXPIRY,
        security_code=SecurityCode.parse("123"),
        request_id="req_1",
        account_id="acct_1",
    )


def stored(initiator: str, use: str, reason: str | None = None) -> Authorization:
    """A payment with a stored card; a merchant's names the first one at the network."""
    by_merchant = initiator == "MERCHANT"
    credential = StoredCredential(
        Initiator(initiator),
        CredentialUse(use),
        None if reason is None else CredentialReason(reason),
        NetworkTransactionId.parse("777718270854480") if by_merchant else None,
    )
    code = None if by_merchant else SecurityCode.parse("123")
    asked = msgspec.structs.replace(authorization(), stored_credential=credential)
    return msgspec.structs.replace(asked, security_code=code)


def operation(kind: str, reference: str, amount_minor: int = 400) -> PaymentOperation:
    """A capture or refund of a part of that payment."""
    return PaymentOperation(
        operation_id="op_1",
        kind=OperationKind(kind),
        request_id="req_1",
        account_id="acct_1",
        payment=Payment(1050, "USD", reference),
        amount_minor=amount_minor,
        capture_reference="6869460219566537303999",
    )


def reversal(reference: str | None = None) -> Reversal:
    return Reversal("req_1", Payment(1050, "USD", reference), "acct_1")


def definition(mapping: bytes, base_url: str, **options: Any) -> HttpDefinition:
    return HttpDefinition(mapping=read_mapping(mapping), base_url=base_url, **options)


@asynccontextmanager
async def connected(made: HttpDefinition) -> AsyncIterator[HttpConnector]:
    """A connector that was started, until the block ends."""
    connector = make_http("party", made)
    await connector.start()
    try:
        yield connector
    finally:
        await connector.stop()
