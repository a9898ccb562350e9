"""Events in the OpenAPI document."""

from typing import Any, Final

from gatehouse.admin.events.use_cases.events import MOST_AT_ONCE, PublicEvent
from gatehouse.api.events import LONGEST_WAIT_S, EventsResponse
from gatehouse.api.openapi.parts import TRACE_ID, answer_of, envelope_of, failures, parameter, ref
from gatehouse.api.problems import BODY_CODES, PAID_CODES, REVIEW_CODES
from gatehouse.core.api_values import DEFAULT_PAGE
from gatehouse.core.events import MEANINGS

EVENT_TYPES: Final[tuple[type, ...]] = (PublicEvent, EventsResponse)
_EXAMPLE: Final[dict[str, Any]] = {
    "id": "evt_01k9mh3c5zf4x8t0h3n6q2w7ya",
    "type": "balance.low",
    "createdAt": "2026-11-16T10:00:00.000Z",
    "actor": "key:key_01k9mh2qwe7v1s5d8r4b3n6m0c",
    "data": {
        "remaining": {"currency": "USD", "amount": 4.95},
        "threshold": {"currency": "USD", "amount": 5},
    },
}
_CURSOR: Final = {"type": "string", "maxLength": 64}


def event_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of events; their envelopes are added to the schemas."""
    return {
        "/api/v1/events": {"get": _list_events(schemas)},
        "/api/v1/events/{eventId}": {"get": _get_event(schemas)},
    }


def _list_events(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["EventsEnvelope"] = envelope_of("eventsResponse", EventsResponse.__name__)
    types = {"type": "string", "description": _types(), "examples": ["review.opened,balance.low"]}
    size = {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE, "default": DEFAULT_PAGE}
    wait = {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_S, "default": 0}
    page = {"events": [_EXAMPLE], "cursor": _EXAMPLE["id"], "hasMore": False}
    return {
        "operationId": "listEvents",
        "summary": "Events",
        "description": "What happened to the account, oldest first. Each event comes at least "
        "once to a reader that goes on from its last `cursor`. Free.",
        "parameters": [
            parameter("after", "query", "The `cursor` of an earlier answer.", _CURSOR),
            parameter("types", "query", "Only these types, with commas between them.", types),
            parameter("limit", "query", "Size of a page.", size),
            parameter("wait", "query", "Seconds to wait for an event if there is none.", wait),
            TRACE_ID,
        ],
        **_answers("A page of events.", "EventsEnvelope", _envelope("eventsResponse", page)),
    }


def _get_event(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["EventEnvelope"] = envelope_of("eventResponse", PublicEvent.__name__)
    return {
        "operationId": "getEvent",
        "summary": "One event",
        "description": "One event of the account. Free.",
        "parameters": [parameter("eventId", "path", "The `id` of an event."), TRACE_ID],
        **_answers("The event.", "EventEnvelope", _envelope("eventResponse", _EXAMPLE)),
    }


def _types() -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in MEANINGS.items())


def _envelope(field: str, response: dict[str, Any]) -> dict[str, Any]:
    zero = {"currency": "USD", "amount": 0}
    return {
        "isSuccess": True,
        "errors": None,
        "billing": {
            "items": [],
            "remainingBalance": {"currency": "USD", "amount": 4.95},
            "amountAuthorized": zero,
            "amountClosed": zero,
        },
        field: response,
        "requestId": "req_01k9mh4r6tn2v9x3c7b5m1q8we",
    }


def _answers(about: str, envelope: str, example: dict[str, Any]) -> dict[str, Any]:
    answer = answer_of(about, ref(envelope), {"processed": example})
    without = BODY_CODES | PAID_CODES | REVIEW_CODES
    return {"responses": {"200": answer, **failures(without=without)}}
