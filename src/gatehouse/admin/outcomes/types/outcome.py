"""What became of a payment, as acquirers and networks tell it."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, HasMore, doc
from gatehouse.core.clock import Moment
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.case import ClientReferenceId
from gatehouse.core.wording.labels import LONGEST_ID, Label
from gatehouse.core.wording.sentences import Phrase, any_of, described
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.request import EventTime

_ARN_FORM: Final = Phrase(
    "invalid.outcome_arn", "must be the 23 digits of an acquirer reference number"
)
_MASKED_FORM: Final = Phrase(
    "invalid.outcome_masked",
    "must be the first six and the last four digits of a card, with a mask between",
)
_BEFORE_1970: Final = Phrase("invalid.outcome_1970", "must not be before 1970")
_TOGETHER: Final = Phrase("invalid.outcome_amount", "give amount and currency together, or neither")
_CURRENCY: Final = Phrase(
    "invalid.outcome_currency", "must be a currency code of ISO 4217, such as USD"
)
_DECIMALS: Final = Phrase("invalid.outcome_decimals", "must have at most six decimals")
_BELONGS_TO: Final = Phrase("invalid.outcome_belongs", "belongs to {kinds}")
_REGION: Final = Phrase("invalid.outcome_region", "must be one of {regions}")
_REFERENCE_FORM: Final = Phrase(
    "form.outcome_reference", "made of letters, digits and the signs . : / ~ - _"
)
_SHORT_FORM: Final = Phrase(
    "form.outcome_text", "made of letters, digits, spaces and the signs . : / - _"
)

MOST_ITEMS: Final = 500
LONGEST_NAME: Final = 64
_LARGEST: Final = MAX_AMOUNT // MICROS_PER_UNIT
_ARN: Final = re.compile("[0-9]{23}")
_MASKED: Final = re.compile(r"([0-9]{6,8})?[\s-]*[xX*#.•…][\sxX*#.•…-]*([0-9]{4})")

ShortText = Annotated[
    str, described(_SHORT_FORM, min_length=1, max_length=LONGEST_NAME, pattern=r"^[\w .:/-]+\Z")
]


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


REGIONS: Final = (
    *("AP", "AU", "CA", "CEMEA", "CH", "DE", "EU", "IN"),
    *("LAC", "LI", "MENA", "SH", "UK", "US"),
)
"""Of merchants, as far as a network's thresholds tell them apart; countries are ISO 3166's."""
_OTHER_NAMES: Final = {"GB": "UK"}

COMPLIANCE: Final = "COMPLIANCE"
"""In place of a reason: a case about a network's rules, which costs a fee to contest."""
_FRAUD_REASONS: Final = re.compile(r"10(\.\d+)?|4837|4863|F(?:10|14|24|29|30|31)|UA\d\d")
"""Of Visa, Mastercard, American Express and Discover."""
_VISA_REASON: Final = re.compile(r"(1[0-3])(\d)(\d?)")
"""One of Visa without its dots."""
_KNOWN_REASONS: Final = {
    OutcomeNetwork.VISA: r"10(\.[1-5])?|11(\.[1-3])?|12(\.[1-7]|\.6\.[12])?|13(\.[1-9])?",
    OutcomeNetwork.MASTERCARD: r"48(0[78]|12|3[147]|4[01269]|5[03459]|6[03]|7[01])",
    OutcomeNetwork.AMEX: r"[ACFMPR]\d\d|FR\d",
    OutcomeNetwork.DISCOVER: r"UA\d\d|RN[12]|[A-Z]{2}",
}
_FIRST_PARTY: Final = frozenset(("57",))
"""Types of reported fraud that are the cardholder's own misuse."""
_TESTING: Final = frozenset(("10",))
"""Types of reported fraud that are cards being tried out."""
_TAKEN_BACK: Final = frozenset((DisputeResult.WON, DisputeResult.WITHDRAWN))


_BELONGS: Final = {
    "reason": ("reason", (OutcomeKind.DISPUTE,)),
    "stage": ("stage", (OutcomeKind.DISPUTE,)),
    "respond_by": ("respondBy", (OutcomeKind.DISPUTE,)),
    "result": ("result", (OutcomeKind.DISPUTE, OutcomeKind.ALERT, OutcomeKind.FRAUD_REPORT)),
    "fraud_type": ("fraudType", (OutcomeKind.FRAUD_REPORT,)),
    "three_d_secure": ("threeDSecure", (OutcomeKind.SETTLED,)),
}
_OF_OTHERS: Final = {
    kind: [name for name, (_, kinds) in _BELONGS.items() if kind not in kinds]
    for kind in OutcomeKind
}
"""By kind, the fields that it cannot have."""


class OutcomeReport(Checked, CamelStruct, kw_only=True, gc=False):
    """Something that became of a payment."""

    kind: Annotated[OutcomeKind, doc("What happened.", "DISPUTE")]
    reference: Annotated[
        Annotated[
            str,
            described(
                _REFERENCE_FORM, min_length=1, max_length=LONGEST_ID, pattern=r"^[\w.:/~-]+\Z"
            ),
        ],
        doc(
            "Its own name, such as the acquirer's number of the dispute. The same "
            "reference of the same kind again replaces what was told before. One that looks like a "
            "card number is kept as a keyed hash.",
            "dp-1001",
        ),
    ]
    at: Annotated[
        EventTime,
        doc(
            "When it happened: settled, refunded, reported, disputed (RFC 3339). Its "
            "month in UTC is the one it counts for.",
            "2026-11-15T09:30:00Z",
        ),
    ]
    network: Annotated[OutcomeNetwork, doc("The card network.", "VISA")] = OutcomeNetwork.OTHER
    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        doc(
            "The `requestId` of the decision. Of this and the names below, give those "
            "that you know: the first that is known finds the decision."
        ),
    ] = None
    transaction_id: Annotated[
        ClientReferenceId | None, doc("The `transactionId` that Sentry was sent.")
    ] = None
    payment_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] | None,
        doc("The `paymentId` that Gateway answered.", "pay_01k"),
    ] = None
    client_reference_id: Annotated[
        ClientReferenceId | None, doc("The `clientReferenceId` that was sent.")
    ] = None
    arn: Annotated[
        str | None,
        doc(
            "Acquirer reference number, 23 digits. An outcome with the ARN of a "
            "settlement is about the same decision.",
            "74537604221222132710572",
        ),
    ] = None
    masked_card: Annotated[
        Annotated[str, Meta(max_length=40)] | None,
        doc(
            "The card without its middle, such as `411111******1111`. With amount and "
            "`transactionAt` it finds a decision of at most three days before or after, if only "
            "one fits. A whole card number is refused.",
            "411111******1111",
        ),
    ] = None
    transaction_at: Annotated[EventTime | None, doc("When the payment was made (RFC 3339).")] = None
    merchant_id: Annotated[ShortText | None, doc("The merchant id at the acquirer.", "M1")] = None
    region: Annotated[
        ShortText | None,
        doc(f"Region of the merchant in the network's terms: {', '.join(REGIONS)}.", "EU"),
    ] = None
    amount: Annotated[
        Annotated[float, Meta(ge=0, le=_LARGEST)] | None,
        doc("In units of the currency, at most six decimals.", 59.9),
    ] = None
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.", "USD")] = None
    three_d_secure: Annotated[
        bool | None, doc("Of a settlement: whether it was authenticated.")
    ] = None
    reason: Annotated[ShortText | None, doc("Of a dispute: the network's reason code.", "10.4")] = (
        None
    )
    fraud_type: Annotated[
        ShortText | None, doc("Of a reported fraud: the network's type code.", "6")
    ] = None
    stage: Annotated[DisputeStage | None, doc("Of a dispute: how far it has gone.")] = None
    result: Annotated[
        DisputeResult | None,
        doc(
            "Of a dispute or alert: how it ended. Of a reported fraud, "
            "`RESOLVED_BEFORE` says that compelling evidence ended it before a dispute."
        ),
    ] = None
    respond_by: Annotated[
        EventTime | None, doc("Of a dispute: until when to answer (RFC 3339).")
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express; a field may be of another type."""
        if isinstance(self.arn, str) and _ARN.fullmatch(self.arn) is None:
            yield "arn", _ARN_FORM()
        if isinstance(self.masked_card, str) and card_parts(self.masked_card) is None:
            yield "maskedCard", _MASKED_FORM()
        for word, when in (("at", self.at), ("transactionAt", self.transaction_at)):
            if isinstance(when, EventTime) and when.seconds < 0:
                yield word, _BEFORE_1970()
        if isinstance(self.region, str) and region_of(self.region) not in REGIONS:
            yield "region", _REGION(regions=any_of(REGIONS))
        if (self.amount is None) != (self.currency is None):
            yield "amount", _TOGETHER()
        if isinstance(self.currency, str) and minor_digits(self.currency.strip().upper()) is None:
            yield "currency", _CURRENCY()
        if isinstance(self.amount, float | int) and round(self.amount, 6) != self.amount:
            yield "amount", _DECIMALS()
        for name in _OF_OTHERS.get(self.kind, ()):
            if getattr(self, name) is not None:
                word, kinds = _BELONGS[name]
                yield word, _BELONGS_TO(kinds=any_of([each.value for each in kinds]))


def card_parts(masked: str) -> tuple[str | None, str] | None:
    """The first digits, if they are told, and the last four of a masked card; None of any other."""
    match = _MASKED.fullmatch(masked.strip())
    return None if match is None else (match[1], match[2])


def region_of(told: str) -> str:
    """A region as thresholds name it, however it is written; any other text as it is."""
    folded = told.strip().upper()
    return _OTHER_NAMES.get(folded, folded if folded in REGIONS else told)


def reason_of(network: OutcomeNetwork, told: str) -> str:
    """A reason as its network writes it: acquirers leave out the dots of Visa's."""
    reason = told.strip().upper()
    digits = _VISA_REASON.fullmatch(reason)
    if digits is None or network not in (OutcomeNetwork.VISA, OutcomeNetwork.OTHER):
        return reason
    return ".".join(each for each in digits.groups() if each)


def is_known_reason(network: str, reason: str) -> bool:
    """Whether it is a reason of the network; of any where the network is not known."""
    forms = [each for name, each in _KNOWN_REASONS.items() if network in (name, "OTHER")]
    return reason == COMPLIANCE or re.fullmatch("|".join(forms), reason) is not None


def is_fraud_reason(reason: str | None) -> bool:
    """Whether a dispute's reason says that the cardholder did not make the payment."""
    return reason is not None and _FRAUD_REASONS.fullmatch(reason) is not None


def label_of(
    kind: OutcomeKind,
    reason: str | None,
    fraud_type: str | None,
    stage: DisputeStage | None = None,
    result: DisputeResult | None = None,
) -> Label | None:
    """The label that follows for the decision; None when none does.

    A dispute about goods is no fraud: a model would learn the wrong thing from it. Nor is one that
    was won or taken back, or a mere question. A cardholder's own misuse is a label of its own.
    """
    if kind is OutcomeKind.DISPUTE:
        if result in _TAKEN_BACK or stage is DisputeStage.INQUIRY:
            return None
        return Label.CHARGEBACK if is_fraud_reason(reason) else None
    if kind is OutcomeKind.FRAUD_REPORT:
        if fraud_type in _FIRST_PARTY:
            return Label.ABUSE
        return Label.CARD_TESTING if fraud_type in _TESTING else Label.FRAUD
    return None


class JoinedBy(StrEnum):
    """By what the decision of an outcome was found."""

    REQUEST = "REQUEST"
    TRANSACTION = "TRANSACTION"
    PAYMENT = "PAYMENT"
    REFERENCE = "REFERENCE"
    ARN = "ARN"
    CARD = "CARD"
    """Masked card, amount and day."""
    HAND = "HAND"


class PaymentOutcome(CamelStruct):
    """Something that became of a payment, as it is kept."""

    kind: Annotated[OutcomeKind, doc("What happened.")]
    reference: Annotated[str, doc("Its own name.")]
    at: Annotated[Moment, doc("When it happened (RFC 3339).")]
    network: Annotated[OutcomeNetwork, doc("The card network.")]
    request_id: Annotated[str | None, doc("The decision it is about; null when none was found.")]
    joined_by: Annotated[JoinedBy | None, doc("By what the decision was found.")]
    candidates: Annotated[
        int, doc("How many decisions it could be about, where one could not be told.")
    ]
    label: Annotated[Label | None, doc("The label that its decision has from it.")]
    arn: Annotated[str | None, doc("Acquirer reference number.")]
    merchant_id: Annotated[str | None, doc("The merchant id at the acquirer.")]
    region: Annotated[str | None, doc("Region of the merchant.")]
    amount: Annotated[str | None, doc("In units of the currency, as a decimal.")]
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.")]
    reason: Annotated[str | None, doc("Of a dispute: the reason code.")]
    fraud_type: Annotated[str | None, doc("Of a reported fraud: the type code.")]
    stage: Annotated[DisputeStage | None, doc("Of a dispute: how far it has gone.")]
    result: Annotated[DisputeResult | None, doc("How it ended.")]
    three_d_secure: Annotated[bool | None, doc("Of a settlement: whether it was authenticated.")]
    respond_by: Annotated[Moment | None, doc("Until when to answer (RFC 3339).")]


class OutcomeBatch(CamelStruct):
    """Outcomes to keep."""

    items: Annotated[
        list[OutcomeReport],
        doc(
            "Each is kept on its own.",
            [
                {
                    **{"kind": "DISPUTE", "reference": "dp-1001", "network": "VISA"},
                    **{"at": "2026-11-15T09:30:00Z", "clientReferenceId": "order-1"},
                    **{"amount": 59.9, "currency": "USD", "reason": "10.4"},
                }
            ],
            min_length=1,
            max_length=MOST_ITEMS,
        ),
    ]


class OutcomeReceipt(CamelStruct):
    """What became of the outcomes."""

    new: Annotated[int, doc("How many were not known before.", 1)]
    changed: Annotated[int, doc("How many say something else now.", 0)]
    unchanged: Annotated[int, doc("How many were known as they are.", 0)]
    joined: Annotated[int, doc("Of all of them, how many are about a known decision.", 1)]
    labelled: Annotated[int, doc("How many decisions got a label from them.", 1)]
    ambiguous: Annotated[int, doc("How many could be about more than one decision.", 0)] = 0
    withdrawn: Annotated[int, doc("How many labels were taken back.", 0)] = 0
    unknown_reasons: Annotated[
        int,
        doc(
            "How many have a reason that their network is not known to have: such a "
            "dispute counts as one that is not about fraud.",
            0,
        ),
    ] = 0


class OutcomeFilter(CamelStruct):
    """Which outcomes to list."""

    kind: Annotated[OutcomeKind | None, doc("Only of this kind.")] = None
    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None, doc("Only of this decision.")
    ] = None
    joined: Annotated[
        bool | None, doc("Only with a decision, or only those without; settlements need none.")
    ] = None
    limit: Annotated[int, doc("At most so many.", ge=1, le=500)] = 100
    cursor: Annotated[
        Annotated[str, Meta(max_length=512)] | None, doc("The `nextCursor` of the page before.")
    ] = None


class OutcomePage(CamelStruct):
    """Outcomes of an account."""

    outcomes: Annotated[list[PaymentOutcome], doc("Newest first, by when they happened.")]
    next_cursor: Annotated[str | None, doc("Where the next page begins; null when there is none.")]
    has_more: HasMore
