"""The sandbox issuer: approves everything, except what the trigger table says."""

import asyncio

from gatehouse.connectors.sandbox.triggers import MatchWord, Trigger, avs_letters, find
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer


class SandboxIssuer:
    """Answers for any well-formed card number."""

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Answer by the triggers in the enquiry."""
        card = find("cardNumber", enquiry.number.reveal())
        if card is not None and card.silent:
            await asyncio.get_running_loop().create_future()  # never comes
        return IssuerAnswer(
            response_code=(card.code if card else None) or "00",
            avs_letter=_avs_letter(enquiry, card),
            cvv2_letter=_cvv2_letter(enquiry, card),
        )


def _cvv2_letter(enquiry: CardEnquiry, card: Trigger | None) -> str | None:
    if enquiry.security_code is None:
        return None
    own = find("cardCvv2Value", enquiry.security_code.reveal())
    return (own.cvv2 if own else None) or (card.cvv2 if card else None) or "M"


def _avs_letter(enquiry: CardEnquiry, card: Trigger | None) -> str | None:
    street = _part(enquiry.street, find("cardAddress.street", enquiry.street), card, "street")
    postcode = _part(
        enquiry.postal_code, find("cardAddress.postalCode", enquiry.postal_code), card, "postcode"
    )
    sent = [part for part in (street, postcode) if part is not None]
    if not sent:
        return None
    brand = enquiry.number.brand
    both, only_street, only_postcode, none, unverified, retry = avs_letters(
        brand.name if brand else None
    )
    if "retry" in sent:
        return retry
    if street == "match" and postcode == "match":
        return both
    if street == "match":
        return only_street
    if postcode == "match":
        return only_postcode
    return none if "no" in sent else unverified


def _part(
    value: str | None, own: Trigger | None, card: Trigger | None, name: str
) -> MatchWord | None:
    if value is None:
        return None
    part: MatchWord | None = getattr(own, name, None) or getattr(card, name, None)
    return part or "match"
