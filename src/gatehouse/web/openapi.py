"""OpenAPI 3.1, generated from the very types that validate requests and render answers."""

from collections import defaultdict
from typing import Any, Final

import msgspec

import gatehouse
from gatehouse.web.envelope import Billing, Errors, billing
from gatehouse.web.operations import Operation
from gatehouse.web.problems import CODES
from gatehouse.web.records import DEFAULT_PAGE, LARGEST_PAGE, Decision

_REF: Final = "#/components/schemas/{name}"
_ABOUT: Final = """\
Fraud prevention and verification for card payments.

Every call carries an API key in `X-API-KEY` and comes from a backend, never from a browser. Every
answer is the same envelope: check `isSuccess` first, then the operation's own object. Every
processed request is billed; `billing` says what it cost and what is left."""

_HEADERS: Final[dict[str, tuple[str, str]]] = {
    "X-Request-Id": ("string", "The caller's trace id when it is usable, otherwise `requestId`."),
    "RateLimit-Limit": ("integer", "Requests the key may make in a burst."),
    "RateLimit-Remaining": ("integer", "Requests left of it now."),
    "RateLimit-Reset": ("integer", "Seconds until the whole burst is available again."),
}


def openapi_document(operations: list[Operation]) -> dict[str, Any]:
    """The whole document."""
    kinds: list[Any] = [Errors, Billing, Decision]
    for operation in operations:
        kinds += [operation.request_type, operation.response_type]
    _, schemas = msgspec.json.schema_components(kinds, schema_hook=_own_type, ref_template=_REF)
    paths: dict[str, Any] = {one.path: {"post": _post(one, schemas)} for one in operations}
    paths["/api/v1/decisions"] = {"get": _list_decisions(schemas)}
    paths["/api/v1/decisions/{requestId}"] = {"get": _get_decision(schemas)}
    schemas["Failure"] = _failure_schema()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gatehouse",
            "version": gatehouse.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "This server"}],
        "security": [{"ApiKey": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-KEY"}},
            "headers": {
                name: {"description": about, "schema": {"type": kind}}
                for name, (kind, about) in _HEADERS.items()
            },
        },
    }


def _own_type(kind: type) -> dict[str, Any]:
    schema: dict[str, Any] = dict(kind.schema)  # type: ignore[attr-defined]  # our own types have it
    return schema


def _post(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    request = operation.request_type.__name__
    answer = _envelope(operation.field, operation.response_type.__name__)
    schemas[f"{operation.title}Envelope"] = answer
    example = _example_request(schemas[request], schemas)
    return {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.about,
        "parameters": [_idempotency_parameter(), _trace_parameter()],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(request), "example": example}},
        },
        "responses": {
            "200": _response(
                "Processed, or refused with the fields at fault: `isSuccess` tells.",
                _ref(f"{operation.title}Envelope"),
                _example_answer(operation),
            ),
            **_failures({200}),
        },
    }


def _get_decision(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["DecisionEnvelope"] = _envelope("decisionResponse", "Decision")
    return {
        "operationId": "getDecision",
        "summary": "One decision",
        "description": "The record of a processed request, for the account it belongs to. Free.",
        "parameters": [
            _parameter("requestId", "path", "The `requestId` of an answer."),
            _trace_parameter(),
        ],
        "responses": {
            "200": _response("The record.", _ref("DecisionEnvelope"), None),
            **_failures({200}),
        },
    }


def _list_decisions(schemas: dict[str, Any]) -> dict[str, Any]:
    page = {
        "type": "object",
        "properties": {
            "decisions": {"type": "array", "items": _ref("Decision")},
            "hasMore": {"type": "boolean"},
        },
        "required": ["decisions", "hasMore"],
    }
    schemas["DecisionPage"] = page
    schemas["DecisionsEnvelope"] = _envelope("decisionsResponse", "DecisionPage")
    size = {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": DEFAULT_PAGE}
    return {
        "operationId": "listDecisions",
        "summary": "Decisions",
        "description": "The account's records, newest first. Free.",
        "parameters": [
            _parameter(
                "clientReferenceId", "query", "Only requests with this reference.",
                {"type": "string", "maxLength": 128},
            ),
            _parameter("limit", "query", "Size of a page.", size),
            _parameter("startingAfter", "query", "The last `requestId` of the page before.",
                       {"type": "string", "pattern": "^req_[0-7][0-9a-hjkmnp-tv-z]{25}$"}),
            _trace_parameter(),
        ],
        "responses": {
            "200": _response("A page of records.", _ref("DecisionsEnvelope"), None),
            **_failures({200}),
        },
    }  # fmt: skip


def _envelope(field: str, response: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "isSuccess": {"type": "boolean", "description": "Whether the request was processed."},
            "errors": {"anyOf": [_ref("Errors"), {"type": "null"}]},
            "billing": {"anyOf": [_ref("Billing"), {"type": "null"}]},
            field: {"anyOf": [_ref(response), {"type": "null"}]},
            "requestId": {"type": "string", "description": "Names the decision record."},
        },
        "required": ["isSuccess", "errors", "billing", field, "requestId"],
    }


def _failure_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "A refused request. The operation's own object, if any, is null.",
        "properties": {
            "isSuccess": {"const": False},
            "errors": _ref("Errors"),
            "billing": {"anyOf": [_ref("Billing"), {"type": "null"}]},
            "requestId": {"type": "string"},
        },
        "required": ["isSuccess", "errors", "billing", "requestId"],
    }


def _failures(leave_out: set[int]) -> dict[str, Any]:
    """One response per HTTP status, naming the codes it can carry."""
    by_status: dict[int, list[str]] = defaultdict(list)
    for word, code in CODES.items():
        if code.status not in leave_out:
            by_status[code.status].append(f"`{word}`: {code.message}")
    return {
        str(status): _response(" ".join(lines), _ref("Failure"), None)
        for status, lines in sorted(by_status.items())
    }


def _response(description: str, schema: dict[str, Any], example: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schema}
    if example is not None:
        content["example"] = example
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}
    return {
        "description": description,
        "headers": headers,
        "content": {"application/json": content},
    }


def _parameter(
    name: str, place: str, about: str, schema: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "description": about,
        "schema": schema or {"type": "string"},
    }


def _idempotency_parameter() -> dict[str, Any]:
    about = "Makes a repeat safe: the same key and body give the first answer again, free."
    pattern = {"type": "string", "pattern": "^[!-~]{1,255}$"}
    return _parameter("Idempotency-Key", "header", about, pattern)


def _trace_parameter() -> dict[str, Any]:
    about = "The caller's own trace id, echoed in the answer."
    return _parameter("X-Request-Id", "header", about)


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def _example_request(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The examples of the fields put together."""
    example: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        if "examples" in field:
            example[name] = field["examples"][0]
            continue
        for option in field.get("anyOf", [field]):
            if "$ref" in option:
                inner = schemas[option["$ref"].rpartition("/")[2]]
                example[name] = _example_request(inner, schemas)
    return example


def _example_answer(operation: Operation) -> dict[str, Any]:
    from gatehouse.billing.fees import DEFAULT_FEES
    from gatehouse.billing.ledger import Item

    items = [
        Item(stage.fee_type, DEFAULT_FEES[stage.fee_type], completed=True)
        for stage in operation.stages
    ]
    total = sum(item.fee for item in items)
    billed = msgspec.json.decode(
        msgspec.json.encode(billing("USD", items, (100_000_000 - total, total, total)))
    )
    return {
        "isSuccess": True,
        "errors": None,
        "billing": billed,
        operation.field: msgspec.to_builtins(operation.example),
        "requestId": "req_01kabcdefghjkmnpqrstvwxyz0",
    }
