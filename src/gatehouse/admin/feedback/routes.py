"""Feedback of programs: label requests, and show their labels."""

from typing import Any, Final

import msgspec

from gatehouse.admin.feedback.types import (
    FeedbackEntry,
    FeedbackHistory,
    FeedbackReceipt,
    FeedbackRequest,
)
from gatehouse.admin.feedback.use_cases.bulk import statement_of, subject_of
from gatehouse.admin.feedback.use_cases.record import label_that_counts, shown_outcomes
from gatehouse.admin.feedback.worker.live import LiveFeedback
from gatehouse.api.free_operations import FreeCall, free_operation, operations_of
from gatehouse.api.problems import Problem
from gatehouse.core.clock import Clock, iso_time, time_or_none
from gatehouse.core.errors import Conflict, InvalidFields, NotFound
from gatehouse.core.money import format_amount
from gatehouse.core.wording.labels import Label
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    MOST_STATEMENTS,
    LabelEntry,
    LabelOutcome,
    TooManyStatements,
)

_FULL: Final = (
    f"{MOST_STATEMENTS} statements about a request of this name were kept, and more are not; "
    "what was said last stays"
)
_MANY: Final = f"more than {MOST_REQUESTS} requests have it; send the requestId of each instead"
_ALIKE: Final[dict[str, Any]] = {"scope": "feedback", "field": "feedbackResponse"}


class FeedbackRoutes:
    """Answers calls about feedback."""

    def __init__(self, feedback: LiveFeedback, hasher: EntityHasher, clock: Clock) -> None:
        self._feedback = feedback
        self._hasher = hasher
        self._clock = clock

    @free_operation(
        "POST /feedback",
        **_ALIKE,
        operation="giveFeedback",
        told="What was kept",
        codes=frozenset({"not_found"}),
        waits=True,
    )
    async def tell(self, call: FreeCall[FeedbackRequest]) -> FeedbackReceipt:
        """Give feedback.

        Says what became of a request, or of up to a hundred of one name. What is said last counts;
        everything stays in the history. Sentry takes it into account at once. The same said again
        changes nothing, so a repeat is safe.
        """
        named, subject = subject_of(call.body, self._hasher)
        said = statement_of(call.body, self._clock())
        try:
            noted = await self._feedback.record(call.actor, call.account_id, subject, said)
        except NotFound:
            raise Problem("not_found", details=[_unknown(named)]) from None
        except TooManyStatements:
            raise InvalidFields({named: [_FULL]}) from None
        except Conflict:
            raise InvalidFields({named: [_MANY]}) from None
        return _receipt(call.body.label, noted)

    @free_operation(
        "GET /feedback/{request_id}",
        **_ALIKE,
        operation="getFeedback",
        told="What was said",
        envelope="FeedbackHistory",
    )
    async def history(self, call: FreeCall[None]) -> FeedbackHistory:
        """Feedback on a request.

        What is known about a request, and all that was said about it.
        """
        request_id = call.path["request_id"]
        try:
            found = await self._feedback.history(call.actor, call.account_id, request_id)
        except NotFound:
            raise Problem("not_found", details=[_unknown("requestId")]) from None
        return FeedbackHistory(request_id, label_that_counts(found), [_entry(e) for e in found])


OPERATIONS: Final = operations_of(FeedbackRoutes)


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
    amount = said.amount
    return FeedbackEntry(
        label=said.label,
        previous_label=said.previous,
        when=time_or_none(said.found_at_ms),
        amount=None if amount is None else msgspec.Raw(format_amount(amount).encode()),
        currency=said.currency,
        recorded_at=iso_time(said.recorded_at_ms),
        source=said.source,
        by=said.actor,
    )
