"""What an ID Verify request holds. This one definition decodes, validates and documents it."""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import doc
from gatehouse.core.cards.numbers import CardNumberField, CardOfRequest, ExpiryDateField
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.credentials import AccountReferenceField, CredentialTypeField
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceField
from gatehouse.core.wording.sentences import Phrase
from gatehouse.core.wording.text import is_blank
from gatehouse.idverify.people import IdentifierType, OwnerType, PersonName

_BLANK: Final = Phrase("invalid.blank", "must not be blank")

NamePart = Annotated[str, Meta(min_length=1, max_length=64)]
IdentifierValue = Annotated[str, Meta(min_length=1, max_length=64)]

_OWNER_TYPES = {kind.value: kind for kind in OwnerType}
_KINDS = tuple(IdentifierType)


class CardHolderName(Checked, Personal, frozen=True, rename="camel"):
    """The name of the person who claims to hold the card."""

    first_name: Annotated[NamePart | None, doc("First name or names.", "Amelia")] = None
    middle_name: Annotated[NamePart | None, doc("Middle name or names.", "Jane")] = None
    last_name: Annotated[
        NamePart | None,
        doc("Last name or names. Names are compared only when it is there.", "Whitfield"),
    ] = None
    owner_type: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        doc(
            "`PRIMARY` or `SECONDARY`: compare with such holders only. Any other value is ignored.",
            "PRIMARY",
        ),
    ] = None

    def problems(self) -> Sequence[tuple[str, str]]:
        """What is wrong with the parts."""
        return _blank_ones(
            ("firstName", self.first_name),
            ("middleName", self.middle_name),
            ("lastName", self.last_name),
        )

    @property
    def is_given(self) -> bool:
        """Whether any part of a name was sent."""
        return (self.first_name, self.middle_name, self.last_name) != (None, None, None)

    @property
    def wanted_holder(self) -> OwnerType | None:
        """The only kind of holder to compare with, if the caller named one."""
        return _OWNER_TYPES.get(self.owner_type or "")

    def person_name(self) -> PersonName:
        """The name as names are compared."""
        return PersonName(self.last_name, self.first_name, self.middle_name)


class CardHolderIds(Checked, Personal, frozen=True, rename="upper", forbid_unknown_fields=True):
    """Government identifiers by type. Another type than these four is an error."""

    driverlicense: Annotated[IdentifierValue | None, doc("Number of a driver's licence.")] = None
    passport: Annotated[IdentifierValue | None, doc("Number of a passport.")] = None
    nationalidentity: Annotated[
        IdentifierValue | None, doc("Number of a national identity document.")
    ] = None
    tax: Annotated[IdentifierValue | None, doc("Number at the tax office.")] = None

    def problems(self) -> Sequence[tuple[str, str]]:
        """What is wrong with the values."""
        return _blank_ones(
            ("DRIVERLICENSE", self.driverlicense),
            ("PASSPORT", self.passport),
            ("NATIONALIDENTITY", self.nationalidentity),
            ("TAX", self.tax),
        )

    @property
    def is_given(self) -> bool:
        """Whether any identifier was sent."""
        every = (self.driverlicense, self.passport, self.nationalidentity, self.tax)
        return every != (None, None, None, None)

    def given(self) -> dict[IdentifierType, str]:
        """The identifiers that were sent."""
        values = (self.driverlicense, self.passport, self.nationalidentity, self.tax)
        pairs = zip(_KINDS, values, strict=True)
        return {kind: value for kind, value in pairs if value is not None}


class IdVerifyRequest(Checked, Personal, frozen=True, rename="camel"):
    """A card, and what is claimed about the person who holds it."""

    card_number: CardNumberField
    card_expiry_date: ExpiryDateField
    card_holder_email_address: Annotated[
        Annotated[str, Meta(min_length=1, max_length=254)] | None,
        doc("E-mail address.", "amelia.whitfield@example.com"),
    ] = None
    card_holder_phone_number: Annotated[
        Annotated[str, Meta(min_length=1, max_length=32)] | None,
        doc("Phone number, best in international form.", "+14155550132"),
    ] = None
    card_holder_name: Annotated[CardHolderName | None, doc("Name.")] = None
    card_holder_ids: Annotated[
        CardHolderIds | None, doc("Government identifiers by type.", {"PASSPORT": "543210987"})
    ] = None
    payee_name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=140)] | None,
        doc(
            "Name of a person or a company to be paid; `payeeMatch` answers whether "
            "it is the name of a holder.",
            "Amelia Jane Whitfield",
        ),
    ] = None
    client_reference_id: ClientReferenceField = None
    payment_account_reference: AccountReferenceField = None
    credential_type: CredentialTypeField = None

    def problems(self) -> Sequence[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        return _blank_ones(
            ("cardHolderEmailAddress", self.card_holder_email_address),
            ("cardHolderPhoneNumber", self.card_holder_phone_number),
            ("payeeName", self.payee_name),
        )

    def identifiers(self) -> dict[IdentifierType, str]:
        """The identifiers that were sent."""
        return self.card_holder_ids.given() if self.card_holder_ids is not None else {}

    @property
    def has_identifiers(self) -> bool:
        """Whether any identifier was sent."""
        return self.card_holder_ids is not None and self.card_holder_ids.is_given

    def card(self) -> CardOfRequest:
        """The card of this request; a caller that sends identifiers may be guessing them."""
        return CardOfRequest(
            self.card_number,
            self.card_expiry_date,
            self.has_identifiers,
            self.payment_account_reference,
            self.credential_type,
        )


def _blank_ones(*fields: tuple[str, object]) -> Sequence[tuple[str, str]]:
    """The fields without a visible character; a value that failed already is no string here."""
    blank = [name for name, value in fields if type(value) is str and is_blank(value)]
    return [(name, _BLANK()) for name in blank] if blank else ()
