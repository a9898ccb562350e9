"""What stands behind a card number: the account it belongs to, and the kind of number it is.

A wallet and a merchant each have a number of their own for one account, a token. The networks give
the account a reference that is the same for all of them (EMVCo: Payment Account Reference).
"""

import re
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from gatehouse.core.api_values import doc
from gatehouse.core.secrets.hidden import Secret
from gatehouse.core.wording.sentences import Phrase

_ACCOUNT_REFERENCE: Final = Phrase(
    "invalid.account_reference", "must be 29 capital letters and digits (A to Z, 0 to 9)"
)

_REFERENCE: Final = re.compile(r"[0-9A-Z]{29}")


class AccountReference(Secret):
    """A Payment Account Reference. Nobody can pay with it, but it follows a person everywhere."""

    __slots__ = ()
    schema: ClassVar = {"type": "string", "pattern": "^[0-9A-Z]{29}$"}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept 29 capital letters and digits, as EMVCo defines it."""
        if not cls.fits(text):
            raise ValueError(_ACCOUNT_REFERENCE())
        return cls._wrap(text)

    @staticmethod
    def fits(text: str) -> bool:
        """Whether a text is such a reference; no card number and no fingerprint is one."""
        return _REFERENCE.fullmatch(text) is not None


class CredentialType(StrEnum):
    """What kind of number `cardNumber` is."""

    PAN = "PAN"
    """The number of the card itself, which the customer entered."""
    STORED_PAN = "STORED_PAN"
    """The number of the card itself, kept from an earlier payment."""
    NETWORK_TOKEN = "NETWORK_TOKEN"  # noqa: S105  # a kind of card number
    """A number that a network made for a merchant, kept in place of the card's."""
    DEVICE_TOKEN = "DEVICE_TOKEN"  # noqa: S105  # the same
    """A number that a network made for a device, such as those of Apple Pay and Google Pay."""


AccountReferenceField = Annotated[
    AccountReference | None,
    doc(
        "Payment Account Reference (PAR) of the account behind the card number, as "
        "your processor or token service gives it: 29 capital letters and digits. All tokens of "
        "one account have the same. Only a fingerprint is kept.",
        "V0010013018036776997406844829",
    ),
]
CredentialTypeField = Annotated[
    CredentialType | None,
    doc(
        "What kind of number `cardNumber` is: the card's own as the customer entered "
        "it (`PAN`) or as you kept it (`STORED_PAN`), a network's token for you "
        "(`NETWORK_TOKEN`), or a device's (`DEVICE_TOKEN`: Apple Pay, Google Pay).",
        "PAN",
    ),
]
