"""The operations of reviews in the OpenAPI document."""

from typing import Any, Final

import msgspec

from gatehouse.admin.reviews.types import (
    UNASSIGNED,
    BulkResolution,
    BulkResult,
    Review,
    ReviewAssignment,
    ReviewNote,
    ReviewPage,
    ReviewResolution,
)
from gatehouse.api.openapi.parts import (
    PREFER,
    REQUEST_ID,
    TRACE_ID,
    body_of,
    envelope_of,
    free_answers,
    page_parameters,
    parameter,
)
from gatehouse.api.problems import BODY_CODES, PAID_CODES, REVIEW_CODES
from gatehouse.api.reviews import DEFAULT_STATUS, ORDERS, STATUSES

REVIEW_TYPES: Final[tuple[type, ...]] = (
    *(ReviewPage, ReviewResolution, ReviewNote, ReviewAssignment, BulkResolution, BulkResult),
)
_ENVELOPE: Final = "ReviewEnvelope"


class _Change(msgspec.Struct, frozen=True):
    """A call that changes one review."""

    operation_id: str
    summary: str
    about: str
    body: type
    codes: tuple[str, ...] = ()
    """The codes of reviews that it can be refused with."""


_CHANGES: Final = {
    "": _Change(
        "resolveReview",
        "Resolve a review",
        "Says what a person found. A review is resolved once; of several who try at the same time "
        "one succeeds. What was found counts as feedback. Free.",
        ReviewResolution,
        ("already_resolved",),
    ),
    "/assignment": _Change(
        "assignReview",
        "Assign a review",
        "Gives a review to a person, or to nobody. A person who has it already keeps it, unless it "
        "is taken over. The same again changes nothing. Free.",
        ReviewAssignment,
        ("already_assigned",),
    ),
    "/notes": _Change(
        "noteReview",
        "Add a note to a review",
        "Adds what a person writes down. The newest note of the same key is not added twice, so a "
        "repeat is safe. Free.",
        ReviewNote,
    ),
    "/correction": _Change(
        "correctReview",
        "Correct a resolution",
        "Changes what a person found, and the label that counts as feedback. A payment that was "
        "reversed does not come back; one that stands is reversed with `DECLINE`, as by a first "
        "resolution. The same correction again changes nothing. Free.",
        ReviewResolution,
        ("already_resolved", "not_resolved"),
    ),
}


def review_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of reviews; the envelopes of their answers are added to the schemas."""
    schemas["ReviewsEnvelope"] = envelope_of("reviewsResponse", ReviewPage.__name__)
    schemas[_ENVELOPE] = envelope_of("reviewResponse", Review.__name__)
    schemas["ResolutionsEnvelope"] = envelope_of("resolutionsResponse", BulkResult.__name__)
    one = "/api/v1/reviews/{requestId}"
    paths: dict[str, Any] = {
        "/api/v1/reviews": {"get": _list_reviews()},
        "/api/v1/reviews/resolutions": {"post": _resolve_many(schemas)},
        one: {"get": _get_review()},
    }
    for path, change in _CHANGES.items():
        paths.setdefault(one + path, {})["post"] = _change_review(change, schemas)
    return paths


def _list_reviews() -> dict[str, Any]:
    status = {"type": "string", "enum": [*STATUSES], "default": DEFAULT_STATUS}
    order = {"type": "string", "enum": [*ORDERS], "default": ORDERS[0]}
    person = f"Only those that this person has; `{UNASSIGNED}` are those that nobody has."
    return {
        "operationId": "listReviews",
        "summary": "Reviews",
        "description": "Decisions that a person is to look at, newest first unless the oldest are "
        "asked for. Free.",
        "parameters": [
            parameter("status", "query", "Which of them.", status),
            parameter("assignee", "query", person),
            parameter("order", "query", "Which come first.", order),
            *page_parameters(),
            TRACE_ID,
        ],
        **free_answers("A page of reviews.", "ReviewsEnvelope", without=BODY_CODES | {"not_found"}),
    }


def _get_review() -> dict[str, Any]:
    return {
        "operationId": "getReview",
        "summary": "One review",
        "description": "A review with its decision, its notes and its history, for the account it "
        "belongs to. Free.",
        "parameters": [REQUEST_ID, TRACE_ID],
        **free_answers("The review.", _ENVELOPE, without=BODY_CODES),
    }


def _change_review(change: _Change, schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": change.operation_id,
        "summary": change.summary,
        "description": change.about,
        "parameters": [REQUEST_ID, PREFER, TRACE_ID],
        "requestBody": body_of(change.body, schemas),
        **free_answers(
            "The review as it is then, or a refusal with the fields at fault: `isSuccess` tells.",
            _ENVELOPE,
            without=PAID_CODES | REVIEW_CODES.difference(change.codes),
            headers=("Preference-Applied",),
        ),
    }


def _resolve_many(schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "resolveReviews",
        "summary": "Resolve many reviews",
        "description": "One verdict on many reviews. Each is answered on its own: one that is "
        "resolved already, or is not there, does not keep the others from being resolved. Free.",
        "parameters": [PREFER, TRACE_ID],
        "requestBody": body_of(BulkResolution, schemas),
        **free_answers(
            "What became of each, or a refusal with the fields at fault: `isSuccess` tells.",
            "ResolutionsEnvelope",
            without=PAID_CODES | REVIEW_CODES | {"not_found"},
            headers=("Preference-Applied",),
        ),
    }
