"""The card of a request: number, security code and expiry as types that check themselves.

A number or a code exists only inside these types; what may be kept of a card is `KeptCard`.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, ClassVar, Final, Self

import msgspec

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.brands import Brand, brand_of, passes_luhn
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.core.secrets.hidden import Personal, Secret
from gatehouse.core.wording.sentences import Phrase, any_of

_CARD_DIGITS: Final = Phrase(
    "invalid.card_digits", "must be 12 to 19 digits without spaces or dashes"
)
CARD_LENGTH: Final = Phrase("invalid.card_length", "must have {lengths} digits for {brand} cards")
_CARD_CHECK: Final = Phrase(
    "invalid.card_check", "is not a valid card number: the check digit does not fit"
)
_CARD_CODE: Final = Phrase("invalid.card_code", "must be 3 or 4 digits")
_MONTH: Final = Phrase("invalid.month", "must be a month as YYYY-MM, such as 2030-12")

_EXPIRY: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_set_attribute: Final = object.__setattr__
# A card is good until its month has ended everywhere on Earth.
_LAST_TIMEZONE_H: Final = 12
_HOUR_MS: Final = 3_600_000


CardShown = tuple[str, str | None]
"""BIN and last four digits, which is what people are shown of a card."""


class CardNumber(Secret):
    """A well-formed card number; `reveal` is for the issuer alone."""

    __slots__ = ("brand",)
    brand: Brand | None
    schema: ClassVar = {"type": "string", "pattern": "^[0-9]{12,19}$"}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept 12 to 19 digits that fit their brand, or say what is expected."""
        if not (12 <= len(text) <= 19 and text.isascii() and text.isdigit()):
            raise ValueError(_CARD_DIGITS())
        brand = brand_of(text)
        if brand is not None and len(text) not in brand.lengths:
            lengths = any_of([str(each) for each in brand.lengths])
            raise ValueError(CARD_LENGTH(lengths=lengths, brand=brand.name))
        if (brand is None or brand.uses_luhn) and not passes_luhn(text):
            raise ValueError(_CARD_CHECK())
        number = object.__new__(cls)
        _set_attribute(number, "_value", text)
        _set_attribute(number, "brand", brand)
        return number

    @property
    def bin(self) -> str:
        """The issuer's part: eight digits of a number of 16 or more, otherwise six."""
        return self._value[: 8 if len(self._value) >= 16 else 6]

    @property
    def last_four(self) -> str | None:
        """The last four digits, or None when the number is too short to show them."""
        return self._value[-4:] if len(self._value) >= 14 else None

    def masked(self) -> str:
        """BIN and last four, with everything between hidden."""
        return f"{self.bin}…{self.last_four or ''}"


class SecurityCode(Secret):
    """A card security code: used once, never kept in any form."""

    __slots__ = ()
    schema: ClassVar = {"type": "string", "pattern": "^[0-9]{3,4}$"}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept three or four digits."""
        if not (3 <= len(text) <= 4 and text.isascii() and text.isdigit()):
            raise ValueError(_CARD_CODE())
        return cls._wrap(text)

    def fits(self, brand: Brand) -> bool:
        """Whether the code has the length that the brand uses."""
        return len(self._value) == brand.code_length


class ExpiryDate:
    """A card's last valid month."""

    __slots__ = ("_text", "month", "year")
    schema: ClassVar = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"}

    def __init__(self, year: int, month: int) -> None:
        self.year = year
        self.month = month
        self._text = f"{year:04d}-{month:02d}"

    # The cards of all callers end in the same few hundred months.
    @staticmethod
    @lru_cache(1024)
    def parse(text: str) -> "ExpiryDate":
        """Accept ``YYYY-MM``; whether the month has passed is not a question of form."""
        match = _EXPIRY.fullmatch(text)
        if match is None:
            raise ValueError(_MONTH())
        return ExpiryDate(int(match.group(1)), int(match.group(2)))

    def is_past(self, today: tuple[int, int]) -> bool:
        """Whether the card's last month is before the given (year, month)."""
        return (self.year, self.month) < today

    def has_passed(self, at_ms: int) -> bool:
        """Whether the card's last month had ended everywhere at a moment."""
        return self.is_past(_month_of(at_ms // _HOUR_MS - _LAST_TIMEZONE_H))

    def __str__(self) -> str:
        return self._text


@lru_cache(16)
def _month_of(hour: int) -> tuple[int, int]:
    """Year and month of an hour since 1970, UTC."""
    moment = datetime.fromtimestamp(hour * 3600, UTC)
    return moment.year, moment.month


CardNumberField = Annotated[
    CardNumber,
    doc("Payment card number: 12 to 19 digits, no spaces or dashes.", "4242424242424242"),
]
ExpiryDateField = Annotated[ExpiryDate, doc("Last valid month, YYYY-MM.", "2030-12")]


class KeptCard(CamelStruct, omit_defaults=True):
    """All that may be kept of a card, and what the world knows about its issuer."""

    brand: Annotated[str | None, doc("Card brand, null when it is none we know.")]
    bin: Annotated[str, doc("First eight digits, six of a number below 16 digits.")]
    last_four: Annotated[str | None, doc("Last four digits, from 14 digits on.")]
    expiry: Annotated[str | None, doc("Last valid month, YYYY-MM, null when it was not sent.")]
    country: Annotated[str | None, doc("Issuer's country, soft evidence.")]
    funding: Annotated[str | None, doc("CREDIT, DEBIT or CHARGE, soft evidence.")]
    prepaid: Annotated[bool | None, doc("Whether it is prepaid, if known.")]
    fingerprint: Annotated[str, doc("Same card of the account, same fingerprint; reveals nothing.")]
    account_fingerprint: Annotated[
        str | None,
        doc(
            "The same of the account that the card number belongs to, if its "
            "`paymentAccountReference` was sent: all its tokens have the same."
        ),
    ] = None
    credential_type: Annotated[
        CredentialType | None, doc("What kind of number the card number is, if that was sent.")
    ] = None


class MaskedCard(Personal, frozen=True):
    """The card of a request while the request is worked on."""

    kept: KeptCard
    inner: str
    """Its inner fingerprint, for the memory and for identity records; see `core.fingerprints`."""
    inner_account: str | None = None
    """The same of the account that the number belongs to, if its reference was sent."""

    @property
    def shown(self) -> dict[str, str]:
        """For each inner fingerprint, the one that the record may show in its place."""
        kept, shown = self.kept, {self.inner: self.kept.fingerprint}
        if self.inner_account is not None and kept.account_fingerprint is not None:
            shown[self.inner_account] = kept.account_fingerprint
        return shown


class CardOfRequest(msgspec.Struct, frozen=True):
    """The card a request speaks of, and whether answering lets a caller guess at its secrets."""

    number: CardNumber
    expiry: ExpiryDate | None
    guessable: bool
    account_reference: AccountReference | None = None
    credential_type: CredentialType | None = None

    def is_same_account(self, other: "CardOfRequest") -> bool:
        """Whether both numbers pay from one account, as far as that is known."""
        if self.number == other.number:
            return True
        return self.account_reference is not None and (
            self.account_reference == other.account_reference
        )
