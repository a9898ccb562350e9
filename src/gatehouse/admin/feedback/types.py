"""What is said about requests, and what became of it."""

from collections.abc import Iterator
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.admin.jobs.types import FileFormat, ImportedFile
from gatehouse.core.api_values import CamelStruct, JsonAmount, Timestamp, doc
from gatehouse.core.cards.redaction import is_card_like, recordable
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceId
from gatehouse.core.wording.labels import LONGEST_ID, Label, LabelSource
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.request import EventTime

MOST_ITEMS: Final = 500
_LARGEST: Final = MAX_AMOUNT // MICROS_PER_UNIT
_NAMES: Final = {
    "request_id": "requestId",
    "transaction_id": "transactionId",
    "client_reference_id": "clientReferenceId",
}
_NOT_KEPT: Final = (
    "is not kept as it is, because it looks like a card number or has control characters; "
    "send requestId or transactionId instead"
)
_ONE_NAME: Final = f"give exactly one of {', '.join(_NAMES.values())}"


class FeedbackRequest(Checked, CamelStruct, kw_only=True):
    """What became of a request, or of all requests of one transaction or reference."""

    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        doc(
            "The `requestId` of the answer. Give exactly one of the three names.",
            "req_01kabcdefghjkmnpqrstvwxyz0",
        ),
    ] = None
    transaction_id: Annotated[
        ClientReferenceId | None,
        doc("The `transactionId` that was sent to Sentry, alone or in a pipeline."),
    ] = None
    client_reference_id: Annotated[
        ClientReferenceId | None,
        doc(
            "The `clientReferenceId` that was sent, unless it looks like a card "
            "number or has control characters: such a one is not kept as it is."
        ),
    ] = None
    label: Annotated[
        Label,
        doc(
            "`FRAUD`, `CHARGEBACK`, `CARD_TESTING`, `ABUSE` or `LEGITIMATE`; "
            "`WITHDRAWN` takes back what was said before. What is said last counts.",
            "CHARGEBACK",
        ),
    ]
    when: Annotated[
        EventTime | None,
        doc("When it was found out, or charged back, RFC 3339.", "2026-11-15T09:30:00Z"),
    ] = None
    amount: Annotated[
        Annotated[float, Meta(ge=0, le=_LARGEST)] | None,
        doc(
            "What was lost or charged back, in units of the currency, with at most six decimals.",
            59.9,
        ),
    ] = None
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.", "USD")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        given = [word for name, word in _NAMES.items() if getattr(self, name) is not None]
        if len(given) != 1:
            for word in given or _NAMES.values():
                yield word, _ONE_NAME
        if (
            isinstance(self.transaction_id, str | int)
            and drop_placeholder(self.transaction_id) is None
        ):
            yield "transactionId", "must name a transaction, not stand in for a name"
        reference = self.client_reference_id
        # Several such references are stored as the same text, so one could find other requests.
        if isinstance(reference, str | int) and recordable(str(reference)) != str(reference):
            yield "clientReferenceId", _NOT_KEPT
        if isinstance(self.when, EventTime) and self.when.seconds < 0:
            yield "when", "must not be before 1970"
        if isinstance(self.amount, float | int) and float(decimals(self.amount)) != self.amount:
            yield "amount", "must have at most six decimals"
        elif isinstance(self.amount, float | int) and is_card_like(self.amount):
            yield "amount", "looks like a card number, which is not kept"
        if isinstance(self.currency, str) and minor_digits(currency_code(self.currency)) is None:
            yield "currency", "must be a currency code of ISO 4217, such as USD"


class FeedbackOutcome(CamelStruct):
    """What the feedback changed for one request."""

    request_id: Annotated[str, doc("The `requestId` of the decision.")]
    label: Annotated[Label, doc("What was said now.")]
    previous_label: Annotated[Label | None, doc("What counted until now; null when nothing did.")]
    changed: Annotated[bool, doc("Whether it was news; the same said again changes nothing.")]


class FeedbackBatch(CamelStruct):
    """Statements about requests."""

    items: Annotated[
        list[FeedbackRequest],
        doc(
            "Each as `POST /api/v1/feedback` takes it.",
            [{"clientReferenceId": "order-1", "label": "CHARGEBACK"}],
            min_length=1,
            max_length=MOST_ITEMS,
        ),
    ]


class FeedbackItemResult(CamelStruct):
    """What became of one statement."""

    recorded: Annotated[bool, doc("Whether it was kept.", True)]
    error: Annotated[str | None, doc("Why not.")]
    requests: Annotated[list[FeedbackOutcome], doc("The requests it speaks of.")]


class FeedbackBatchResponse(CamelStruct):
    """What became of the statements."""

    recorded: Annotated[int, doc("How many were kept.", 1)]
    refused: Annotated[int, doc("How many were not.", 0)]
    items: Annotated[list[FeedbackItemResult], doc("In the order of the request.")]


class FeedbackFile(Personal, frozen=True, rename="camel"):
    """A file of feedback."""

    format: FileFormat
    content: Annotated[
        ImportedFile, Meta(examples=["clientReferenceId,label\norder-1,CHARGEBACK\n"])
    ]


def decimals(amount: float) -> str:
    """A number as a decimal; a float is exact enough for six decimals."""
    return f"{amount:.6f}"


def currency_code(currency: str) -> str:
    """The code of a currency as people write it."""
    return currency.strip().upper()


class FeedbackReceipt(CamelStruct):
    """Feedback that was kept."""

    label: Annotated[Label, doc("What was said.")]
    recorded_at: Annotated[
        Timestamp, doc("When it was kept; of what was said before, that time (RFC 3339).")
    ]
    requests: Annotated[list[FeedbackOutcome], doc("The requests it speaks of, oldest first.")]


class FeedbackEntry(CamelStruct):
    """One label that a request was given."""

    label: Annotated[Label, doc("What was said.")]
    previous_label: Annotated[Label | None, doc("What counted before; null when nothing did.")]
    when: Annotated[Timestamp | None, doc("When it was found out, or charged back (RFC 3339).")]
    amount: Annotated[JsonAmount | None, doc("What was lost or charged back.")]
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.")]
    recorded_at: Annotated[Timestamp, doc("When it was kept (RFC 3339).")]
    source: Annotated[LabelSource, doc("How it came in.")]
    by: Annotated[str, doc("The key, or the operator, that said it.")]


class FeedbackHistory(CamelStruct):
    """The label of a request, with its history."""

    request_id: Annotated[str, doc("The `requestId` of the decision.")]
    label: Annotated[
        Label | None, doc("What counts now; null when nothing was said, or it was withdrawn.")
    ]
    history: Annotated[list[FeedbackEntry], doc("What was said, newest first, up to a hundred.")]
