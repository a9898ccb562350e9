"""Reviews as the API shows them."""

from msgspec import UNSET

from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.reviews.types import (
    BulkResult,
    PublicReviewEvent,
    ResolutionOutcome,
    ResolutionResult,
    Review,
)
from gatehouse.admin.reviews.use_cases.reviews import (
    AlreadyResolved,
    ReviewEvent,
    ReviewView,
    payment_sentence,
)
from gatehouse.admin.workload.use_cases.review_bulk import ResolvedItem
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.explanations.explanation import Explanation


def public_review(view: ReviewView, currency: str, why: Explanation | None = None) -> Review:
    """A review in the shape of the API, with its history where that was read."""
    review, record = view.review, view.record
    return Review(
        request_id=review.request_id,
        status=review.state,
        created_at=iso_time(review.at_ms),
        assignee=review.assignee,
        resolved_at=time_or_none(review.resolved_at_ms),
        resolved_by=review.actor,
        reason=review.reason,
        payment_status=view.payment,
        note_count=view.notes,
        summary=view.summary,
        decision=None if record is None else public_decision(record, currency, why),
        payment_meaning=payment_sentence(view) if view.events else UNSET,
        history=[_event(event) for event in view.events] if view.events else UNSET,
    )


def public_results(items: list[ResolvedItem]) -> BulkResult:
    """What became of many reviews in the shape of the API."""
    results = [_result(item) for item in items]
    resolved = sum(item.refusal is None for item in items)
    return BulkResult(results, resolved, len(items) - resolved)


def _result(item: ResolvedItem) -> ResolutionResult:
    outcome = ResolutionOutcome.RESOLVED
    if item.refusal is not None:
        late = isinstance(item.refusal, AlreadyResolved)
        outcome = ResolutionOutcome.ALREADY_RESOLVED if late else ResolutionOutcome.NOT_FOUND
    review = item.review
    if review is None:
        return ResolutionResult(recordable(item.request_id), outcome, None, None, None)
    at = time_or_none(review.resolved_at_ms)
    return ResolutionResult(review.request_id, outcome, review.state, review.actor, at)


def _event(event: ReviewEvent) -> PublicReviewEvent:
    details = event.details
    return PublicReviewEvent(
        at=iso_time(event.at_ms),
        by=event.actor,
        kind=event.kind,
        assignee=details.assignee,
        status=details.state,
        text=event.words,
        payment=details.effect,
    )
