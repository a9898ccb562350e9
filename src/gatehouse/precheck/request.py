"""What a PreCheck request holds. This one definition decodes, validates and documents it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.numbers import (
    CARD_LENGTH,
    CardNumber,
    CardNumberField,
    CardOfRequest,
    ExpiryDateField,
    SecurityCode,
)
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.credentials import AccountReferenceField, CredentialTypeField
from gatehouse.core.stages.case import ClientReferenceField
from gatehouse.core.wording.sentences import Phrase

_EMPTY_ADDRESS: Final = Phrase(
    "invalid.empty_address", "must have at least one of postalCode and street"
)


class CardAddress(Checked, CamelStruct):
    """The billing address as the issuer may know it; one part is needed that is not blank."""

    postal_code: Annotated[
        Annotated[str, Meta(min_length=1, max_length=16)] | None, doc("Postal code.", "94105")
    ] = None
    street: Annotated[
        Annotated[str, Meta(min_length=1, max_length=128)] | None,
        doc("Street with house number.", "1 Market Street"),
    ] = None
    city: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        doc("City, for parties that want a whole address.", "San Francisco"),
    ] = None
    country: Annotated[
        Annotated[str, doc("two capital letters such as US", pattern=r"^[A-Z]{2}\Z")] | None,
        doc("Country (ISO 3166), for parties that want a whole address."),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the parts taken together."""
        if _is_blank(self.postal_code) and _is_blank(self.street):
            yield "", _EMPTY_ADDRESS()

    def __post_init__(self) -> None:
        """A blank part is as good as none: no issuer can compare it."""
        whole = not (_is_blank(self.postal_code) or _is_blank(self.street))
        if whole and self.city is None:
            return
        super().__post_init__()
        for name in ("postal_code", "street", "city"):
            if _is_blank(getattr(self, name)):
                msgspec.structs.force_setattr(self, name, None)


def _is_blank(part: object) -> bool:
    return part is None or (isinstance(part, str) and part.isspace())


class PreCheckRequest(Checked, CamelStruct):
    """A card to check."""

    card_number: CardNumberField
    card_expiry_date: ExpiryDateField
    card_cvv2_value: Annotated[
        SecurityCode | None, doc("Card security code, 3 digits (Amex: 4).", "123")
    ] = None
    card_address: Annotated[CardAddress | None, doc("Billing address to compare.")] = None
    client_reference_id: ClientReferenceField = None
    payment_account_reference: AccountReferenceField = None
    credential_type: CredentialTypeField = None

    def problems(self) -> Sequence[tuple[str, str]]:
        """What is wrong with the fields taken together."""
        number, code = self.card_number, self.card_cvv2_value
        if isinstance(number, CardNumber) and isinstance(code, SecurityCode):
            brand = number.brand
            if brand is not None and not code.fits(brand):
                expected = CARD_LENGTH(lengths=str(brand.code_length), brand=brand.name)
                return [("cardCvv2Value", expected)]
        return ()

    def card(self) -> CardOfRequest:
        """The card this request speaks of."""
        guessable = self.card_cvv2_value is not None
        return CardOfRequest(
            self.card_number,
            self.card_expiry_date,
            guessable,
            self.payment_account_reference,
            self.credential_type,
        )
