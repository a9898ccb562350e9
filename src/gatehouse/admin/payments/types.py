"""What payments that stand are, and what can be done with them, as faces show it."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, CamelStruct, HasMore, PageSize, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.gateway.operating import OperationKind
from gatehouse.gateway.payment import LARGEST_PAYMENT
from gatehouse.store.payments.operations import OperationState

RequestId = Annotated[
    str,
    doc("The `requestId` of the request that made the payment.", "req_01kcb5f6y3mzq8vd0e2h4x7n9t"),
]
OperationId = Annotated[str, doc("The id of the operation.", "op_01kcb5f7a0mzq8vd0e2h4x7n9t")]
LONGEST_PAYMENT_ID: Final = 512
_Minor = Annotated[int, Meta(ge=1, le=LARGEST_PAYMENT)]


def _sum(description: str) -> Meta:
    return doc(f"{description}, in the smallest unit of the currency.", 0)


class PaymentState(StrEnum):
    """What a payment is by what was done with it."""

    REVIEW = "REVIEW"
    REVERSED = "REVERSED"
    AUTHORIZED = "AUTHORIZED"
    VOIDED = "VOIDED"
    PARTLY_CAPTURED = "PARTLY_CAPTURED"
    CAPTURED = "CAPTURED"
    PARTLY_REFUNDED = "PARTLY_REFUNDED"
    REFUNDED = "REFUNDED"


class OperationAmount(CamelStruct):
    """How much to capture or to refund."""

    amount_minor: Annotated[
        _Minor | None,
        doc(
            "In the smallest unit of the payment's currency; all that is left when it "
            "is not given.",
            1000,
        ),
    ] = None
    operations_seen: Annotated[
        Annotated[int, Meta(ge=0, le=100_000)] | None,
        doc(
            "How many operations the payment had when it was looked at; refused when "
            "it has others by now.",
            0,
        ),
    ] = None


class OperationFinding(CamelStruct):
    """What a person found out about an operation in doubt."""

    succeeded: Annotated[bool, doc("Whether the provider did it.", True)]


class PaymentSearch(CamelStruct):
    """Which payments to list."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Annotated[str, Meta(pattern=r"^req_[0-7][0-9a-hjkmnp-tv-z]{25}\Z")] | None,
        doc("The last `requestId` of the page before."),
    ] = None
    operation: Annotated[
        OperationState | None, doc("Only payments with an operation in this state.")
    ] = None
    state: Annotated[PaymentState | None, doc("Only payments in this state.")] = None
    connector: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        doc("Only payments that this connector authorized.", "acquirer"),
    ] = None
    payment_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_PAYMENT_ID)] | None,
        doc("Only the payment with this id of the provider."),
    ] = None
    since: SinceText = None
    until: UntilText = None
    currency: Annotated[
        Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")] | None,
        doc("Only payments in this currency (ISO 4217).", "EUR"),
    ] = None
    least_minor: Annotated[
        _Minor | None, doc("Only of at least so much, in the smallest unit.", 1000)
    ] = None
    most_minor: Annotated[
        _Minor | None, doc("Only of at most so much, in the smallest unit.", 5000)
    ] = None


class OperationShown(CamelStruct):
    """One operation on a payment."""

    operation_id: Annotated[str, doc("Its id.", "op_01kcb5f7a0mzq8vd0e2h4x7n9t")]
    kind: Annotated[OperationKind, doc("What is done.")]
    state: Annotated[
        OperationState,
        doc(
            "How far it is. WAITING, SENT and PENDING end by themselves. IN_DOUBT is "
            "asked again by itself where `nextAttemptAt` says when; otherwise a person settles it."
        ),
    ]
    amount_minor: Annotated[int, _sum("How much")]
    by: Annotated[str, doc("Who asked for it.", "key:key_01kcb5f6y3")]
    created_at: Annotated[Moment, doc("When it was asked for (RFC 3339).")]
    changed_at: Annotated[Moment, doc("When it last changed (RFC 3339).")]
    attempts: Annotated[int, doc("How often it was sent.", 1)]
    next_attempt_at: Annotated[Moment | None, doc("When it is sent next, if it is (RFC 3339).")]
    response_code: Annotated[str | None, doc("The provider's code for its answer.")]
    reference: Annotated[str | None, doc("The provider's name for the operation.")]
    reason: Annotated[str | None, doc("Why the last attempt came to nothing.", "connector_failed")]
    notification_id: Annotated[
        str | None,
        doc(
            "The provider's notification that told how it ended.", "ntf_01kcb5f6y3mzq8vd0e2h4x7n9t"
        ),
    ]


class PaymentShown(CamelStruct):
    """A payment that the provider authorized, and what was done with it."""

    request_id: Annotated[str, doc("The request that made it.", "req_01kcb5f6y3mzq8vd0e2h4x7n9t")]
    state: Annotated[PaymentState, doc("What it is by what was done with it.")]
    currency: Annotated[str, doc("ISO 4217 code.", "EUR")]
    authorized_minor: Annotated[int, _sum("What was authorized")]
    captured_minor: Annotated[int, _sum("What was captured")]
    refunded_minor: Annotated[int, _sum("What was refunded")]
    capturable_minor: Annotated[int, _sum("What can still be captured")]
    refundable_minor: Annotated[int, _sum("What can still be refunded")]
    voidable: Annotated[bool, doc("Whether it can be voided.")]
    authorized_at: Annotated[Moment, doc("When it was authorized (RFC 3339).")]
    connector: Annotated[str | None, doc("The connector that authorized it.", "acquirer")]
    payment_id: Annotated[str | None, doc("The provider's id of the payment, if it gave one.")]
    network_transaction_id: Annotated[
        str | None,
        doc(
            "The network's id of the payment, to which later payments with the stored "
            "card refer, if the provider gave one."
        ),
    ]
    operations: Annotated[list[OperationShown], doc("Oldest first.")]


class PaymentPage(CamelStruct):
    """Payments, newest first."""

    payments: Annotated[list[PaymentShown], doc("Newest first.")]
    has_more: HasMore
