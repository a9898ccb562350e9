"""What became of a payment, as acquirers and networks tell it."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.case import ClientReferenceId
from gatehouse.core.wording.labels import LONGEST_ID, Label
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.request import EventTime

MOST_ITEMS: Final = 500
LONGEST_NAME: Final = 64
_LARGEST: Final = MAX_AMOUNT // MICROS_PER_UNIT
_ARN: Final = re.compile("[0-9]{23}")
_NAMES: Final = ("request_id", "transaction_id", "client_reference_id")

ShortText = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=r"^[\w .:/-]+$")]


class OutcomeKind(StrEnum):
    """What happened to a payment."""

    SETTLED = "SETTLED"
    REFUNDED = "REFUNDED"
    FRAUD_REPORT = "FRAUD_REPORT"
    """The issuer told the network of a fraud (TC40, SAFE)."""
    ALERT = "ALERT"
    """The issuer warned before a dispute."""
    DISPUTE = "DISPUTE"


class OutcomeNetwork(StrEnum):
    """The card network of a payment."""

    VISA = "VISA"
    MASTERCARD = "MASTERCARD"
    AMEX = "AMEX"
    DISCOVER = "DISCOVER"
    OTHER = "OTHER"


class DisputeStage(StrEnum):
    """How far a dispute has gone."""

    INQUIRY = "INQUIRY"
    FIRST = "FIRST"
    REPRESENTED = "REPRESENTED"
    PRE_ARBITRATION = "PRE_ARBITRATION"
    ARBITRATION = "ARBITRATION"


class DisputeResult(StrEnum):
    """How a dispute ended."""

    WON = "WON"
    LOST = "LOST"
    ACCEPTED = "ACCEPTED"
    WITHDRAWN = "WITHDRAWN"
    RESOLVED_BEFORE = "RESOLVED_BEFORE"
    """A tool settled it before it became a dispute: it counts for no programme."""


_FRAUD_REASONS: Final = re.compile(r"10(\.\d+)?|4837|4863|F(?:10|14|24|29|30|31)|UA\d\d")
"""Of Visa, Mastercard, American Express and Discover."""
_FIRST_PARTY: Final = frozenset(("57",))
"""Types of reported fraud that are the cardholder's own misuse."""
_TESTING: Final = frozenset(("10",))
"""Types of reported fraud that are cards being tried out."""


_BELONGS: Final = {
    "reason": ("reason", (OutcomeKind.DISPUTE,)),
    "stage": ("stage", (OutcomeKind.DISPUTE,)),
    "respond_by": ("respondBy", (OutcomeKind.DISPUTE,)),
    "result": ("result", (OutcomeKind.DISPUTE, OutcomeKind.ALERT, OutcomeKind.FRAUD_REPORT)),
    "fraud_type": ("fraudType", (OutcomeKind.FRAUD_REPORT,)),
    "three_d_secure": ("threeDSecure", (OutcomeKind.SETTLED,)),
}


class OutcomeReport(Checked, msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Something that became of a payment."""

    kind: Annotated[OutcomeKind, Meta(description="What happened.", examples=["DISPUTE"])]
    reference: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_ID, pattern=r"^[\w.:/~-]+$")],
        Meta(
            description="Its own name, such as the acquirer's number of the dispute. The same "
            "reference of the same kind again replaces what was told before.",
            examples=["dp-1001"],
        ),
    ]
    at: Annotated[
        EventTime,
        Meta(
            description="When it happened: settled, refunded, reported, disputed (RFC 3339). Its "
            "month in UTC is the one it counts for.",
            examples=["2026-11-15T09:30:00Z"],
        ),
    ]
    network: Annotated[OutcomeNetwork, Meta(description="The card network.", examples=["VISA"])] = (
        OutcomeNetwork.OTHER
    )
    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        Meta(description="The `requestId` of the decision. Give one of the four names, or none."),
    ] = None
    transaction_id: Annotated[
        ClientReferenceId | None, Meta(description="The `transactionId` that Sentry was sent.")
    ] = None
    client_reference_id: Annotated[
        ClientReferenceId | None, Meta(description="The `clientReferenceId` that was sent.")
    ] = None
    arn: Annotated[
        str | None,
        Meta(
            description="Acquirer reference number, 23 digits. An outcome with the ARN of a "
            "settlement is about the same decision.",
            examples=["74537604221222132710572"],
        ),
    ] = None
    merchant_id: Annotated[
        ShortText | None, Meta(description="The merchant id at the acquirer.", examples=["M1"])
    ] = None
    region: Annotated[
        ShortText | None,
        Meta(description="Region of the merchant in the network's terms.", examples=["EU"]),
    ] = None
    amount: Annotated[
        Annotated[float, Meta(ge=0, le=_LARGEST)] | None,
        Meta(description="In units of the currency, at most six decimals.", examples=[59.9]),
    ] = None
    currency: Annotated[
        str | None, Meta(description="ISO 4217 code of the amount.", examples=["USD"])
    ] = None
    three_d_secure: Annotated[
        bool | None, Meta(description="Of a settlement: whether it was authenticated.")
    ] = None
    reason: Annotated[
        ShortText | None,
        Meta(description="Of a dispute: the network's reason code.", examples=["10.4"]),
    ] = None
    fraud_type: Annotated[
        ShortText | None,
        Meta(description="Of a reported fraud: the network's type code.", examples=["6"]),
    ] = None
    stage: Annotated[
        DisputeStage | None, Meta(description="Of a dispute: how far it has gone.")
    ] = None
    result: Annotated[
        DisputeResult | None,
        Meta(
            description="Of a dispute or alert: how it ended. Of a reported fraud, "
            "`RESOLVED_BEFORE` says that compelling evidence ended it before a dispute."
        ),
    ] = None
    respond_by: Annotated[
        EventTime | None, Meta(description="Of a dispute: until when to answer (RFC 3339).")
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express; a field may be of another type."""
        given = [name for name in _NAMES if getattr(self, name) is not None]
        if len(given) > 1:
            yield "requestId", "give at most one of requestId, transactionId, clientReferenceId"
        if isinstance(self.arn, str) and _ARN.fullmatch(self.arn) is None:
            yield "arn", "must be the 23 digits of an acquirer reference number"
        if isinstance(self.reference, str) and recordable(self.reference) != self.reference:
            yield "reference", "looks like a card number, which is not kept"
        reference = self.client_reference_id
        if isinstance(reference, str | int) and recordable(str(reference)) != str(reference):
            yield "clientReferenceId", "is not kept as it is; send requestId instead"
        if isinstance(self.at, EventTime) and self.at.seconds < 0:
            yield "at", "must not be before 1970"
        if (self.amount is None) != (self.currency is None):
            yield "amount", "give amount and currency together, or neither"
        if isinstance(self.currency, str) and minor_digits(self.currency.strip().upper()) is None:
            yield "currency", "must be a currency code of ISO 4217, such as USD"
        if isinstance(self.amount, float | int) and float(f"{self.amount:.6f}") != self.amount:
            yield "amount", "must have at most six decimals"
        for name, (word, kinds) in _BELONGS.items():
            if getattr(self, name) is not None and self.kind not in kinds:
                yield word, f"belongs to {' or '.join(each.value for each in kinds)}"


def is_fraud_reason(reason: str | None) -> bool:
    """Whether a dispute's reason says that the cardholder did not make the payment."""
    return reason is not None and _FRAUD_REASONS.fullmatch(reason) is not None


def label_of(kind: OutcomeKind, reason: str | None, fraud_type: str | None) -> Label | None:
    """The label that follows for the decision; None when none does.

    A dispute about goods is no fraud: a model would learn the wrong thing from it. A cardholder's
    own misuse is a label of its own.
    """
    if kind is OutcomeKind.DISPUTE:
        return Label.CHARGEBACK if is_fraud_reason(reason) else None
    if kind is OutcomeKind.FRAUD_REPORT:
        if fraud_type in _FIRST_PARTY:
            return Label.ABUSE
        return Label.CARD_TESTING if fraud_type in _TESTING else Label.FRAUD
    return None


class PaymentOutcome(msgspec.Struct, frozen=True, rename="camel"):
    """Something that became of a payment, as it is kept."""

    kind: Annotated[OutcomeKind, Meta(description="What happened.")]
    reference: Annotated[str, Meta(description="Its own name.")]
    at: Annotated[Moment, Meta(description="When it happened (RFC 3339).")]
    network: Annotated[OutcomeNetwork, Meta(description="The card network.")]
    request_id: Annotated[
        str | None, Meta(description="The decision it is about; null when none was found.")
    ]
    merchant_id: Annotated[str | None, Meta(description="The merchant id at the acquirer.")]
    region: Annotated[str | None, Meta(description="Region of the merchant.")]
    amount: Annotated[str | None, Meta(description="In units of the currency, as a decimal.")]
    currency: Annotated[str | None, Meta(description="ISO 4217 code of the amount.")]
    reason: Annotated[str | None, Meta(description="Of a dispute: the reason code.")]
    fraud_type: Annotated[str | None, Meta(description="Of a reported fraud: the type code.")]
    stage: Annotated[DisputeStage | None, Meta(description="Of a dispute: how far it has gone.")]
    result: Annotated[DisputeResult | None, Meta(description="How it ended.")]
    respond_by: Annotated[Moment | None, Meta(description="Until when to answer (RFC 3339).")]


class OutcomeBatch(msgspec.Struct, frozen=True, rename="camel"):
    """Outcomes to keep."""

    items: Annotated[
        list[OutcomeReport],
        Meta(min_length=1, max_length=MOST_ITEMS, description="Each is kept on its own."),
    ]


class OutcomeReceipt(msgspec.Struct, frozen=True, rename="camel"):
    """What became of the outcomes."""

    new: Annotated[int, Meta(description="How many were not known before.", examples=[1])]
    changed: Annotated[int, Meta(description="How many say something else now.", examples=[0])]
    unchanged: Annotated[int, Meta(description="How many were known as they are.", examples=[0])]
    joined: Annotated[
        int, Meta(description="Of all of them, how many are about a known decision.", examples=[1])
    ]
    labelled: Annotated[
        int, Meta(description="How many decisions got a label from them.", examples=[1])
    ]


class OutcomeFilter(msgspec.Struct, frozen=True, rename="camel"):
    """Which outcomes to list."""

    kind: Annotated[OutcomeKind | None, Meta(description="Only of this kind.")] = None
    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        Meta(description="Only of this decision."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=500, description="At most so many.")] = 100


class OutcomePage(msgspec.Struct, frozen=True, rename="camel"):
    """Outcomes of an account."""

    outcomes: Annotated[
        list[PaymentOutcome], Meta(description="Newest first, by when they happened.")
    ]
