"""The operations that search, in the OpenAPI document."""

from typing import Any, Final

from gatehouse.admin.search.filters import DecisionSearchRequest, ReviewSearchRequest
from gatehouse.web.openapi_parts import PREFER, TRACE_ID, body_of, envelope_of, free_answers
from gatehouse.web.problems import PAID_CODES, REVIEW_CODES
from gatehouse.web.search import DecisionMatches, ReviewMatches

SEARCH_TYPES: Final[tuple[type, ...]] = (
    *(DecisionSearchRequest, DecisionMatches, ReviewSearchRequest, ReviewMatches),
)


def search_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of searches; their envelopes are added to the schemas."""
    return {
        "/api/v1/decisions/search": {"post": _search_decisions(schemas)},
        "/api/v1/reviews/search": {"post": _search_reviews(schemas)},
    }


def _search_decisions(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["DecisionMatchesEnvelope"] = envelope_of("decisionsResponse", DecisionMatches.__name__)
    return {
        "operationId": "searchDecisions",
        "summary": "Search decisions",
        "description": "The account's records to which every filter applies, newest first. "
        "Filters are in the body, so that no card number or address is in a URL. Cards, contacts "
        "and users are compared by keyed fingerprints. A page can have fewer records than asked "
        "for although there are more: `nextCursor` tells. Free.",
        "parameters": [PREFER, TRACE_ID],
        "requestBody": body_of(DecisionSearchRequest, schemas),
        **free_answers(
            "A page of records, or a refusal with the fields at fault: `isSuccess` tells.",
            "DecisionMatchesEnvelope",
            without=PAID_CODES | REVIEW_CODES | {"not_found"},
            headers=("Preference-Applied",),
        ),
    }


def _search_reviews(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["ReviewMatchesEnvelope"] = envelope_of("reviewsResponse", ReviewMatches.__name__)
    return {
        "operationId": "searchReviews",
        "summary": "Search reviews",
        "description": "Decisions that a person is to look at, or did, to which every filter "
        "applies, oldest first. Free.",
        "parameters": [PREFER, TRACE_ID],
        "requestBody": body_of(ReviewSearchRequest, schemas),
        **free_answers(
            "A page of reviews, or a refusal with the fields at fault: `isSuccess` tells.",
            "ReviewMatchesEnvelope",
            without=PAID_CODES | REVIEW_CODES | {"not_found"},
            headers=("Preference-Applied",),
        ),
    }
