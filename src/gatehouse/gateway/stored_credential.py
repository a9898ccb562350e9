"""What a payment with a stored card is: who began it, why, and of which payment it is a later one.

The networks ask for this in every authorization with a card that a merchant keeps, and refuse more
of those that do not say it. What is said here is checked for contradictions; where it stands in a
message is the connector's business.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Protocol, Self

from msgspec import Meta

from gatehouse.core.api_values import doc
from gatehouse.core.cards.network_ids import NETWORK_ID
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal, Secret
from gatehouse.core.wording.sentences import Phrase

_ID_FORM: Final = Phrase(
    "invalid.network_id",
    "must be 1 to 64 visible characters without blanks, as the network gave it",
)
_ONLY_LATER: Final = Phrase(
    "invalid.merchant_first",
    "must be LATER: the customer makes the first payment with a stored card",
)
_NEEDS_REASON: Final = Phrase(
    "invalid.merchant_reason", "is required when the merchant initiates the payment"
)
_NEEDS_LINK: Final = Phrase(
    "invalid.merchant_link",
    "is required when the merchant initiates the payment; send earlierRequestId instead if the "
    "earlier payment was made here",
)
_ONE_LINK: Final = Phrase(
    "invalid.one_link", "says the same as networkTransactionId: send one of the two"
)
_NO_LINK: Final = Phrase(
    "invalid.customer_link",
    "is for payments that the merchant initiates: when the customer pays, nothing is referred to",
)
_NOT_CUSTOMERS: Final = Phrase(
    "invalid.customer_reason",
    "{reason} is a reason of payments that the merchant initiates; the customer's first payment "
    "can have {known}",
)
_NO_REASON: Final = Phrase(
    "invalid.later_reason", "is not for a later payment that the customer makes: leave it out"
)


class Initiator(StrEnum):
    """Who begins a payment."""

    CUSTOMER = "CUSTOMER"
    MERCHANT = "MERCHANT"


class CredentialUse(StrEnum):
    """Whether a card is stored by a payment, or was stored before."""

    FIRST = "FIRST"
    LATER = "LATER"


class CredentialReason(StrEnum):
    """Why a merchant pays with a card that is stored."""

    RECURRING = "RECURRING"
    INSTALMENT = "INSTALMENT"
    UNSCHEDULED = "UNSCHEDULED"
    RESUBMISSION = "RESUBMISSION"
    DELAYED_CHARGE = "DELAYED_CHARGE"
    NO_SHOW = "NO_SHOW"
    REAUTHORIZATION = "REAUTHORIZATION"
    INCREMENTAL = "INCREMENTAL"


_AGREED: Final = (
    CredentialReason.RECURRING,
    CredentialReason.INSTALMENT,
    CredentialReason.UNSCHEDULED,
)
"""What a customer can agree to when the card is stored."""


class CredentialKind(StrEnum):
    """All of it in one word, by which connectors say it in the words of their party."""

    FIRST = "FIRST"
    FIRST_RECURRING = "FIRST_RECURRING"
    FIRST_INSTALMENT = "FIRST_INSTALMENT"
    FIRST_UNSCHEDULED = "FIRST_UNSCHEDULED"
    LATER = "LATER"
    """The customer pays with the stored card."""
    MERCHANT_RECURRING = "MERCHANT_RECURRING"
    MERCHANT_INSTALMENT = "MERCHANT_INSTALMENT"
    MERCHANT_UNSCHEDULED = "MERCHANT_UNSCHEDULED"
    MERCHANT_RESUBMISSION = "MERCHANT_RESUBMISSION"
    MERCHANT_DELAYED_CHARGE = "MERCHANT_DELAYED_CHARGE"
    MERCHANT_NO_SHOW = "MERCHANT_NO_SHOW"
    MERCHANT_REAUTHORIZATION = "MERCHANT_REAUTHORIZATION"
    MERCHANT_INCREMENTAL = "MERCHANT_INCREMENTAL"


class NetworkTransactionId(Secret):
    """The name of an earlier payment at the network. With the card's number it allows others."""

    __slots__ = ()
    schema: ClassVar = {"type": "string", "pattern": "^[!-~]{1,64}$"}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept what a network can have given."""
        if NETWORK_ID.fullmatch(text) is None:
            raise ValueError(_ID_FORM())
        return cls._wrap(text)


class StoredCredential(Checked, Personal, frozen=True, rename="camel"):
    """Who initiates this payment with a stored card, and why."""

    initiator: Annotated[
        Initiator,
        doc(
            "`CUSTOMER` is there and pays; `MERCHANT` charges the stored card without "
            "the customer, as was agreed when it was stored."
        ),
    ]
    use: Annotated[
        CredentialUse,
        doc("`FIRST` where this payment stores the card, `LATER` where it was stored."),
    ]
    reason: Annotated[
        CredentialReason | None,
        doc(
            "Why the merchant initiates it. With `FIRST`, what the customer agrees to: "
            "`RECURRING`, `INSTALMENT` or `UNSCHEDULED`."
        ),
    ] = None
    network_transaction_id: Annotated[
        NetworkTransactionId | None,
        doc(
            "The network's id of the payment that stored the card, as it was answered. "
            "Payments that the merchant initiates need it."
        ),
    ] = None
    earlier_request_id: Annotated[
        Annotated[str, Meta(pattern=r"^req_[0-7][0-9a-hjkmnp-tv-z]{25}\Z")] | None,
        doc(
            "Instead of the id: the `requestId` of an earlier payment of this account "
            "with the same card number. Its id is taken from there."
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What contradicts itself, or is missing for the network."""
        links = (self.network_transaction_id, self.earlier_request_id)
        if links.count(None) == 0:
            yield "earlierRequestId", _ONE_LINK()
        if self.initiator is Initiator.MERCHANT:
            if self.use is CredentialUse.FIRST:
                yield "use", _ONLY_LATER()
            if self.reason is None:
                yield "reason", _NEEDS_REASON()
            if links == (None, None):
                yield "networkTransactionId", _NEEDS_LINK()
        if self.initiator is not Initiator.CUSTOMER:
            return
        if links.count(None) == 1:
            name = "earlierRequestId" if links[0] is None else "networkTransactionId"
            yield name, _NO_LINK()
        if self.use is CredentialUse.LATER and self.reason is not None:
            yield "reason", _NO_REASON()
        elif isinstance(self.reason, CredentialReason) and self.reason not in _AGREED:
            yield "reason", _NOT_CUSTOMERS(reason=self.reason, known=", ".join(_AGREED))

    @property
    def is_merchants(self) -> bool:
        """Whether the customer is not there: nobody can be asked for a security code."""
        return self.initiator is Initiator.MERCHANT

    @property
    def kind(self) -> CredentialKind:
        """All of it in one word."""
        if self.is_merchants:
            return CredentialKind(f"{self.initiator}_{self.reason}")
        return CredentialKind(self.use if self.reason is None else f"{self.use}_{self.reason}")


StoredCredentialField = Annotated[
    StoredCredential | None,
    Meta(
        description="For payments with a card that you store, or stored before. Leave it out for "
        "a single payment.",
        # The example of a request is a single payment.
        examples=[],
    ),
]


class EarlierPayment(Personal, frozen=True):
    """What a later payment has to know of an earlier one."""

    network_transaction_id: str | None
    """None where its provider gave none."""
    card: str | None
    """The inner fingerprint of the card that paid, which must not be shown."""


class EarlierPayments(Protocol):
    """Finds payments of an account that were made here."""

    async def find(self, account_id: str, request_id: str) -> EarlierPayment | None:
        """The payment of a request, if it stands; None also when it is another account's."""


class NoEarlierPayments:
    """Stands where requests leave no payments behind."""

    async def find(self, account_id: str, request_id: str) -> EarlierPayment | None:
        """Nothing."""
        del account_id, request_id
        return None
