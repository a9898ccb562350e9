"""The routes of feedback: label requests, and show their labels. All are free of charge."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.feedback.types import FeedbackOutcome, FeedbackRequest
from gatehouse.admin.feedback.use_cases.bulk import statement_of, subject_of
from gatehouse.admin.feedback.use_cases.record import label_that_counts, shown_outcomes
from gatehouse.admin.feedback.worker.live import LiveFeedback
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry, path_id
from gatehouse.api.problems import Problem
from gatehouse.core.api_values import JsonAmount, Timestamp
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.errors import Conflict, InvalidFields, NotFound
from gatehouse.core.money import format_amount
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    MOST_STATEMENTS,
    LabelEntry,
    LabelOutcome,
    TooManyStatements,
)

SCOPE: Final = "feedback"
_FIELD: Final = "feedbackResponse"
_FULL: Final = (
    f"{MOST_STATEMENTS} statements about a request of this name were kept, and more are not; "
    "what was said last stays"
)


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
        except InvalidFields as wrong:
            raise Problem("invalid_request", fields=wrong.fields) from None
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


def _unknown(named: str) -> str:
    if named == "requestId":
        return "no such request for this account; send the requestId of an answer it was given"
    where = " that Sentry has seen" if named == "transactionId" else ""
    return f"no request of this account{where} has this {named}; check it, or send the requestId"


def _receipt(label: Label, noted: list[LabelOutcome]) -> FeedbackReceipt:
    return FeedbackReceipt(
        label=label,
        recorded_at=iso_time(max(one.recorded_at_ms for one in noted)),
        requests=shown_outcomes(noted),
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
