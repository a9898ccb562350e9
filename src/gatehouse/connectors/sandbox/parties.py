"""The sandbox's parties: they answer well for everything, except what the trigger table says."""

import asyncio
import zlib
from functools import cache
from hashlib import blake2b
from typing import Final, NoReturn

from gatehouse.connectors.sandbox.people import all_holders, holders_of
from gatehouse.connectors.sandbox.triggers import (
    SILENT,
    MatchWord,
    Trigger,
    all_triggers,
    avs_letters,
    find,
)
from gatehouse.core.cards.numbers import CardNumber, CardShown
from gatehouse.gateway.operating import Offer, OperationAnswer, OperationEnd, PaymentOperation
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry, IdentitySource
from gatehouse.intel.addresses import Address
from gatehouse.intel.networks import AddressBook, AddressFacts
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

_PARTY: Final = "sandbox"
REFUSED_AMOUNT: Final = 105
"""Captures and refunds of amounts that end in it, such as 1.05, are refused."""


class SandboxIssuer:
    """Answers for any well-formed card number."""

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Answer by the triggers in the enquiry."""
        return check_card(enquiry) or await _never()


def check_card(enquiry: CardEnquiry) -> IssuerAnswer | None:
    """What the issuer says about a card; None when it stays silent."""
    card = find("cardNumber", enquiry.number.reveal())
    if card is not None and card.silent:
        return None
    return IssuerAnswer(
        response_code=(card.code if card else None) or "00",
        avs_letter=_avs_letter(enquiry, card),
        cvv2_letter=_cvv2_letter(enquiry, card),
    )


async def _never() -> NoReturn:
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nothing completes this")


def _cvv2_letter(enquiry: CardEnquiry, card: Trigger | None) -> str | None:
    if enquiry.security_code is None:
        return None
    own = find("cardCvv2Value", enquiry.security_code.reveal())
    return (own.cvv2 if own else None) or (card.cvv2 if card else None) or "M"


def _avs_letter(enquiry: CardEnquiry, card: Trigger | None) -> str | None:
    street, postcode = _street(enquiry.street, card), _postcode(enquiry.postal_code, card)
    if street is None and postcode is None:
        return None
    brand = enquiry.number.brand
    both, only_street, only_postcode, none, unverified, retry = avs_letters(
        brand.name if brand else None
    )
    if "retry" in (street, postcode):
        return retry
    if street == "match":
        return both if postcode == "match" else only_street
    if postcode == "match":
        return only_postcode
    return none if "no" in (street, postcode) else unverified


def _street(value: str | None, card: Trigger | None) -> MatchWord | None:
    if value is None:
        return None
    own = find("cardAddress.street", value)
    return (own.street if own else None) or (card.street if card else None) or "match"


def _postcode(value: str | None, card: Trigger | None) -> MatchWord | None:
    if value is None:
        return None
    own = find("cardAddress.postalCode", value)
    return (own.postcode if own else None) or (card.postcode if card else None) or "match"


class SandboxIdentities:
    """Knows all imported records, and the holders of the sandbox's own cards."""

    def __init__(self, records: IdentitySource) -> None:
        self._records = records

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        """What the records say of a card; of one they do not know, what the file says."""
        recorded = await self._records.find(enquiry)
        if isinstance(recorded, HolderResults) or recorded.people:
            return recorded
        return find_holders(enquiry.number) or await _never()


def find_holders(number: CardNumber) -> Holders | None:
    """The holders of a card of the sandbox; None when the source stays silent."""
    trigger = find("cardNumber", number.reveal())
    return None if trigger is not None and trigger.silent else holders_of(number.reveal())


class SandboxGateway:
    """Moves no money."""

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Answer by the triggers in the card number."""
        answer = decide_payment(authorization.number, authorization.request_id)
        return answer or await _never()

    async def reverse(self, reversal: Reversal) -> None:
        """Nothing was paid, so nothing stands."""

    def offer(self, _operation: PaymentOperation) -> Offer:
        """Everything, as often as it is asked."""
        return Offer.REPEATABLE

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Answer by the amount."""
        return decide_operation(operation.operation_id, operation.amount_minor)


def decide_operation(operation_id: str, amount_minor: int) -> OperationAnswer:
    """What the gateway says about a capture or a refund."""
    refused = amount_minor % 1000 == REFUSED_AMOUNT
    end, code = (OperationEnd.REFUSED, "05") if refused else (OperationEnd.SUCCEEDED, "00")
    return OperationAnswer(end, code, f"done_{operation_id.rpartition('_')[2]}")


def decide_payment(number: CardNumber, reference: str) -> GatewayAnswer | None:
    """What the gateway says about a payment; None when it stays silent."""
    card = find("cardNumber", number.reveal())
    behaviour = card.gateway if card else None
    if behaviour == SILENT:
        return None
    if behaviour is not None:
        return GatewayAnswer(approved=False, response_code=behaviour, party=_PARTY)
    name = f"pay_{reference.removeprefix('req_')}"
    return GatewayAnswer(
        True,
        "00",
        _approval_code(reference),
        payment_id=name,
        party=_PARTY,
        network_transaction_id=network_id_of(reference),
    )


def network_id_of(reference: str) -> str:
    """Fifteen digits, as one network has them; always the same for one payment."""
    digest = blake2b(reference.encode(), digest_size=8).digest()
    return f"{int.from_bytes(digest, 'big') % 10**15:015d}"


def _approval_code(reference: str) -> str:
    """Six digits, always the same for one payment."""
    return f"{zlib.crc32(reference.encode()) % 1_000_000:06d}"


class SandboxAddresses:
    """Knows the documentation addresses of the trigger table, and asks the book about others."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book

    def look(self, address: Address, day: int) -> AddressFacts:
        """What is known about an address on a day."""
        row = find("device.ipAddress", address.text)
        if row is not None and row.facts is not None:
            return row.facts
        return self._book.look(address, day)


@cache
def test_cards() -> frozenset[CardShown]:
    """The cards of the trigger table and of the people."""
    numbers = {each.value for each in all_triggers() if each.field == "cardNumber"}
    numbers |= {each.card for each in all_holders()}
    return frozenset((card.bin, card.last_four) for card in map(CardNumber.parse, numbers))
