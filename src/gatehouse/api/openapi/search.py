"""The operations that search, in the OpenAPI document."""

from typing import Any, Final

from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest, ReviewSearchRequest
from gatehouse.api.openapi.parts import PREFER, TRACE_ID, body_of, envelope_of, free_answers
from gatehouse.api.problems import CARD_CODES, PAID_CODES, REVIEW_CODES
from gatehouse.api.search import DecisionMatches, ReviewMatches

_SEARCHES: Final[dict[str, tuple[type, type, str]]] = {
    "decisions": (DecisionSearchRequest, DecisionMatches, "newest"),
    "reviews": (ReviewSearchRequest, ReviewMatches, "oldest"),
}
"""By subject: what is sent, the page that is found, and what comes first on it."""

SEARCH_TYPES: Final = tuple(kind for search in _SEARCHES.values() for kind in search[:2])


def search_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of searches; their envelopes are added to the schemas."""
    return {
        f"/api/v1/{subject}/search": {"post": _search(schemas, subject)} for subject in _SEARCHES
    }


def _search(schemas: dict[str, Any], subject: str) -> dict[str, Any]:
    request, page, order = _SEARCHES[subject]
    envelope = f"{page.__name__}Envelope"
    schemas[envelope] = envelope_of(f"{subject}Response", page.__name__)
    return {
        "operationId": f"search{subject.capitalize()}",
        "summary": f"Search {subject}",
        "description": f"The account's {subject}, {order} first, to which every filter applies. "
        "Filters are in the body: nothing of them is in a URL. Cards, contacts and users are "
        "compared by keyed fingerprints. A page can be short although there is more: "
        "`nextCursor` tells. Free.",
        "parameters": [PREFER, TRACE_ID],
        "requestBody": body_of(request, schemas),
        **free_answers(
            "What was found, or a refusal with the fields at fault: `isSuccess` tells.",
            envelope,
            without=PAID_CODES - CARD_CODES | REVIEW_CODES | {"not_found"},
            headers=("Preference-Applied",),
        ),
    }
