"""The row of a decision that a person has to review, as a batch of requests writes it."""

import msgspec

from gatehouse.store.decisions.review_events import ReviewState


class NewReview(msgspec.Struct, frozen=True, array_like=True):
    """A decision that a person has to review."""

    account_id: str
    request_id: str
    at_ms: int
    at_risk: int = 0
    """In millionths of the currency: the order's amount times the probability of fraud."""
    currency: str | None = None
    state: ReviewState = ReviewState.OPEN
