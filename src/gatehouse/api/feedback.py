"""The routes of feedback: label requests, and show their labels. All are free of charge."""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.feedback.use_cases.record import label_that_counts
from gatehouse.admin.feedback.use_cases.statements import CLOCKS_DIFFER_MS
from gatehouse.admin.feedback.worker.live import LiveFeedback
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry, path_id
from gatehouse.api.problems import Problem
from gatehouse.core.api_values import JsonAmount, Timestamp
from gatehouse.core.cards.redaction import is_card_like, recordable
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT, format_amount, parse_amount
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.case import ClientReferenceId
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.request import EventTime
from gatehouse.store.feedback.statements import (
    LONGEST_ID,
    MOST_REQUESTS,
    MOST_STATEMENTS,
    FeedbackStatement,
    FeedbackSubject,
    LabelEntry,
    LabelOutcome,
    TooManyStatements,
)

SCOPE: Final = "feedback"
_FIELD: Final = "feedbackResponse"
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
_FULL: Final = (
    f"{MOST_STATEMENTS} statements about a request of this name were kept, and more are not; "
    "what was said last stays"
)
_ONE_NAME: Final = f"give exactly one of {', '.join(_NAMES.values())}"


class FeedbackRequest(Checked, msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What became of a request, or of all requests of one transaction or reference."""

    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        Meta(
            description="The `requestId` of the answer. Give exactly one of the three names.",
            examples=["req_01kabcdefghjkmnpqrstvwxyz0"],
        ),
    ] = None
    transaction_id: Annotated[
        ClientReferenceId | None,
        Meta(description="The `transactionId` that was sent to Sentry, alone or in a pipeline."),
    ] = None
    client_reference_id: Annotated[
        ClientReferenceId | None,
        Meta(
            description="The `clientReferenceId` that was sent, unless it looks like a card "
            "number or has control characters: such a one is not kept as it is."
        ),
    ] = None
    label: Annotated[
        Label,
        Meta(
            description="`FRAUD`, `CHARGEBACK` or `LEGITIMATE`; `WITHDRAWN` takes back what was "
            "said before. What is said last counts.",
            examples=["CHARGEBACK"],
        ),
    ]
    when: Annotated[
        EventTime | None,
        Meta(
            description="When it was found out, or charged back, RFC 3339.",
            examples=["2026-11-15T09:30:00Z"],
        ),
    ] = None
    amount: Annotated[
        Annotated[float, Meta(ge=0, le=_LARGEST)] | None,
        Meta(
            description="What was lost or charged back, in units of the currency, with at most "
            "six decimals.",
            examples=[59.9],
        ),
    ] = None
    currency: Annotated[
        str | None, Meta(description="ISO 4217 code of the amount.", examples=["USD"])
    ] = None

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
        if isinstance(self.amount, float | int) and float(_decimals(self.amount)) != self.amount:
            yield "amount", "must have at most six decimals"
        elif isinstance(self.amount, float | int) and is_card_like(self.amount):
            yield "amount", "looks like a card number, which is not kept"
        if isinstance(self.currency, str) and minor_digits(_code(self.currency)) is None:
            yield "currency", "must be a currency code of ISO 4217, such as USD"


class FeedbackOutcome(msgspec.Struct, frozen=True, rename="camel"):
    """What the feedback changed for one request."""

    request_id: Annotated[str, Meta(description="The `requestId` of the decision.")]
    label: Annotated[Label, Meta(description="What was said now.")]
    previous_label: Annotated[
        Label | None, Meta(description="What counted until now; null when nothing did.")
    ]
    changed: Annotated[
        bool, Meta(description="Whether it was news; the same said again changes nothing.")
    ]


class FeedbackReceipt(msgspec.Struct, frozen=True, rename="camel"):
    """Feedback that was kept."""

    label: Annotated[Label, Meta(description="What was said.")]
    recorded_at: Annotated[
        Timestamp,
        Meta(description="When it was kept; of what was said before, that time (RFC 3339)."),
    ]
    requests: Annotated[
        list[FeedbackOutcome], Meta(description="The requests it speaks of, oldest first.")
    ]


class FeedbackEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One label that a request was given."""

    label: Annotated[Label, Meta(description="What was said.")]
    previous_label: Annotated[
        Label | None, Meta(description="What counted before; null when nothing did.")
    ]
    when: Annotated[
        Timestamp | None, Meta(description="When it was found out, or charged back (RFC 3339).")
    ]
    amount: Annotated[JsonAmount | None, Meta(description="What was lost or charged back.")]
    currency: Annotated[str | None, Meta(description="ISO 4217 code of the amount.")]
    recorded_at: Annotated[Timestamp, Meta(description="When it was kept (RFC 3339).")]
    source: Annotated[LabelSource, Meta(description="How it came in.")]
    by: Annotated[str, Meta(description="The key, or the operator, that said it.")]


class FeedbackHistory(msgspec.Struct, frozen=True, rename="camel"):
    """The label of a request, with its history."""

    request_id: Annotated[str, Meta(description="The `requestId` of the decision.")]
    label: Annotated[
        Label | None,
        Meta(description="What counts now; null when nothing was said, or it was withdrawn."),
    ]
    history: Annotated[
        list[FeedbackEntry], Meta(description="What was said, newest first, up to a hundred.")
    ]


class Feedback:
    """Makes the handlers of the routes of feedback."""

    def __init__(
        self, entry: Entry, feedback: LiveFeedback, hasher: EntityHasher, clock: Clock
    ) -> None:
        self._entry = entry
        self._feedback = feedback
        self._hasher = hasher
        self._clock = clock
        self._reader = BodyReader(FeedbackRequest)

    async def tell(self, context: RequestContext, receive: Receive) -> Reply:
        """Label requests."""
        caller = await self._entry.authenticate(context, SCOPE, _FIELD)
        request = self._reader.read(context, await self._entry.body(context, receive))
        refuse_unread(context)
        named, subject = subject_of(request, self._hasher)
        try:
            noted = await self._feedback.record(
                caller.actor,
                caller.account.account_id,
                subject,
                statement_of(request, self._clock()),
            )
        except NotFound:
            raise Problem("not_found", details=[_unknown(named)]) from None
        except TooManyStatements:
            raise Problem("invalid_request", fields={named: [_FULL]}) from None
        except Conflict:
            many = f"more than {MOST_REQUESTS} requests have it; send the requestId of each instead"
            raise Problem("invalid_request", fields={named: [many]}) from None
        return await self._entry.answer(context, _receipt(request.label, noted))

    async def history(self, context: RequestContext, _receive: Receive) -> Reply:
        """The label of one request, with its history."""
        caller = await self._entry.authenticate(context, SCOPE, _FIELD)
        request_id = path_id(context)
        try:
            account_id = caller.account.account_id
            found = await self._feedback.history(caller.actor, account_id, request_id)
        except NotFound:
            raise Problem("not_found", details=[_unknown("requestId")]) from None
        history = [_entry(said) for said in found]
        public = FeedbackHistory(request_id, label_that_counts(found), history)
        return await self._entry.answer(context, public)


def subject_of(request: FeedbackRequest, hasher: EntityHasher) -> tuple[str, FeedbackSubject]:
    """Which field names the requests, and its value as records store it."""
    if request.request_id is not None:
        return "requestId", FeedbackSubject(request_id=request.request_id)
    if request.transaction_id is not None:
        return "transactionId", FeedbackSubject(transaction=hasher.kept(request.transaction_id))
    return "clientReferenceId", FeedbackSubject(client_reference=str(request.client_reference_id))


def _unknown(named: str) -> str:
    if named == "requestId":
        return "no such request for this account; send the requestId of an answer it was given"
    where = " that Sentry has seen" if named == "transactionId" else ""
    return f"no request of this account{where} has this {named}; check it, or send the requestId"


def statement_of(request: FeedbackRequest, now_ms: int, inside: str = "") -> FeedbackStatement:
    """What is said; `inside` is the path of the object in its body, for errors."""
    found_at_ms = None if request.when is None else round(request.when.seconds * 1000)
    if found_at_ms is not None and found_at_ms > now_ms + CLOCKS_DIFFER_MS:
        raise Problem("invalid_request", fields={f"{inside}when": ["must not be in the future"]})
    amount, currency = request.amount, request.currency
    return FeedbackStatement(
        request.label,
        found_at_ms,
        None if amount is None else parse_amount(_decimals(amount)),
        None if currency is None else _code(currency),
    )


def _decimals(amount: float) -> str:
    """A number as a decimal; a float is exact enough for six decimals."""
    return f"{amount:.6f}"


def _code(currency: str) -> str:
    return currency.strip().upper()


def _receipt(label: Label, noted: list[LabelOutcome]) -> FeedbackReceipt:
    return FeedbackReceipt(
        label=label,
        recorded_at=iso_time(max(one.recorded_at_ms for one in noted)),
        requests=[
            FeedbackOutcome(one.request_id, one.label, one.previous, one.changed) for one in noted
        ],
    )


def _entry(said: LabelEntry) -> FeedbackEntry:
    at_ms, amount = said.found_at_ms, said.amount
    return FeedbackEntry(
        label=said.label,
        previous_label=said.previous,
        when=None if at_ms is None else iso_time(at_ms),
        amount=None if amount is None else msgspec.Raw(format_amount(amount).encode()),
        currency=said.currency,
        recorded_at=iso_time(said.recorded_at_ms),
        source=said.source,
        by=said.actor,
    )
