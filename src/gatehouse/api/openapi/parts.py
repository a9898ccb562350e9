"""The parts of which the OpenAPI document is made: parameters, answers, envelopes, failures."""

from collections import defaultdict
from collections.abc import Set
from typing import Any, Final

from gatehouse.api.openapi.examples import example_request
from gatehouse.api.problems import CODES, PROVIDER_CODES
from gatehouse.core.reading.unread_fields import FieldWarning

REF: Final = "#/components/schemas/{name}"
HEADERS: Final[dict[str, tuple[str, str]]] = {
    "X-Request-Id": ("string", "The caller's trace id when it is usable, otherwise `requestId`."),
    "Gatehouse-Revision": (
        "string",
        "The day of the API's last addition, such as `2026-11-17`; only with a valid key.",
    ),
    "RateLimit-Limit": ("integer", "Requests the key may make in a burst."),
    "RateLimit-Remaining": ("integer", "Requests left of it now."),
    "RateLimit-Reset": ("integer", "Seconds until the whole burst is available again."),
    "Retry-After": ("integer", "Seconds to wait before trying again."),
    "ETag": ("string", "The version that the answer shows, for `If-Match`."),
    "Allow": ("string", "The methods allowed here."),
    "WWW-Authenticate": ("string", "How to authenticate."),
    "Idempotent-Replayed": ("string", "`true` when this is the answer given to the first request."),
    "Preference-Applied": ("string", "`handling=strict` when the request was read strictly."),
}
_ALWAYS: Final = (
    *("X-Request-Id", "Gatehouse-Revision"),
    *("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
)
_ALSO: Final = {
    "missing_key": "WWW-Authenticate",
    "invalid_key": "WWW-Authenticate",
    "method_not_allowed": "Allow",
    "idempotency_in_flight": "Retry-After",
    "rate_limited": "Retry-After",
    "too_many_jobs": "Retry-After",
    "overloaded": "Retry-After",
    "store_unavailable": "Retry-After",
}


def body_of(kind: type, schemas: dict[str, Any], left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """The body of a request, with an example; without the fields that are left out."""
    name = kind.__name__
    example = example_request(schemas[name], schemas)
    for field in left_out:
        del example[field]
    content = {"application/json": {"schema": ref(name), "example": example}}
    return {"required": True, "content": content}


def envelope_of(field: str, response: str) -> dict[str, Any]:
    """The envelope with an operation's own object."""
    return {
        "type": "object",
        "properties": {
            "isSuccess": {"type": "boolean", "description": "Whether the request was processed."},
            "errors": {"anyOf": [ref("Errors"), {"type": "null"}]},
            "billing": {"anyOf": [ref("Billing"), {"type": "null"}]},
            field: {"anyOf": [ref(response), {"type": "null"}]},
            "requestId": {"type": "string", "description": "Names the decision record."},
            "warnings": WARNINGS,
        },
        "required": ["isSuccess", "errors", "billing", field, "requestId"],
    }


def failure_schema() -> dict[str, Any]:
    """The envelope of a refusal."""
    return {
        "type": "object",
        "description": "A refused request. The operation's own object, if any, is null.",
        "properties": {
            "isSuccess": {"type": "boolean", "const": False},
            "errors": ref("Errors"),
            "billing": {"anyOf": [ref("Billing"), {"type": "null"}]},
            "requestId": {"type": "string"},
            "warnings": WARNINGS,
        },
        "required": ["isSuccess", "errors", "billing", "requestId"],
    }


def failures(*, without: Set[str]) -> dict[str, Any]:
    """One response per HTTP status, naming the codes it can carry and what to do about each."""
    without = without | PROVIDER_CODES
    by_status: dict[int, list[str]] = defaultdict(list)
    headers: dict[int, dict[str, None]] = defaultdict(dict)
    for word, code in CODES.items():
        if code.status != 200 and word not in without:
            by_status[code.status].append(f"`{word}`: {code.message} {code.remedy}")
            if word in _ALSO:
                headers[code.status][_ALSO[word]] = None
    return {
        str(status): answer_of(" ".join(lines), ref("Failure"), None, tuple(headers[status]))
        for status, lines in sorted(by_status.items())
    }


def answer_of(
    description: str,
    schema: dict[str, Any],
    examples: dict[str, Any] | None = None,
    more_headers: tuple[str, ...] = (),
) -> dict[str, Any]:
    """One response of an operation."""
    content: dict[str, Any] = {"schema": schema}
    if examples is not None:
        content["examples"] = {name: {"value": value} for name, value in examples.items()}
    names = (*_ALWAYS, *more_headers)
    return {
        "description": description,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
        "content": {"application/json": content},
    }


def parameter(
    name: str, place: str, about: str, schema: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A parameter of a path, a query or a header."""
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "description": about,
        "schema": schema or {"type": "string"},
    }


IDEMPOTENCY_KEY: Final = parameter(
    "Idempotency-Key",
    "header",
    "Makes a repeat safe: the same key and body give the first answer again, free.",
    {"type": "string", "pattern": "^[!-~]{1,255}$"},
)
PREFER: Final = parameter(
    "Prefer",
    "header",
    "`handling=strict` makes fields that nothing reads errors instead of warnings (RFC 7240).",
)
TRACE_ID: Final = parameter(
    "X-Request-Id",
    "header",
    "The caller's own trace id, echoed when it is 1 to 128 visible ASCII characters.",
)


def ref(name: str) -> dict[str, str]:
    """A reference to a schema."""
    return {"$ref": REF.format(name=name)}


WARNINGS: Final = {
    "type": "array",
    "description": "Fields of the request that nothing reads; only there when there are any.",
    "items": ref(FieldWarning.__name__),
}
