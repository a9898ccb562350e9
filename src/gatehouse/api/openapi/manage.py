"""The management API in the OpenAPI document, made of the declarations of its endpoints."""

from typing import Any, Final

import msgspec

from gatehouse.access.keys import ANY_MANAGE
from gatehouse.access.rights import HOLDERS
from gatehouse.api.envelope import billing
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.api.manage.endpoints import PREFIX, ManageEndpoint
from gatehouse.api.openapi.examples import example_value
from gatehouse.api.openapi.parts import (
    IDEMPOTENCY_KEY,
    PREFER,
    TRACE_ID,
    answer_of,
    body_of,
    envelope_of,
    failures,
    parameter,
    ref,
)
from gatehouse.api.problems import (
    BODY_CODES,
    CARD_CODES,
    MANAGE_CODES,
    PAID_CODES,
    REPEAT_CODES,
    REVIEW_CODES,
)
from gatehouse.billing.ledger import Item

_PRECONDITIONS: Final = frozenset({"precondition_failed", "precondition_required"})
_IF_MATCH: Final = parameter(
    "If-Match",
    "header",
    "The `ETag` of the version that you changed; `*` stands for whatever is in force.",
    {"type": "string", "pattern": '^("[0-9]{1,9}"|\\*)$'},
)
_IF_NONE_MATCH: Final = parameter(
    "If-None-Match",
    "header",
    "`*` refuses the request if there is a version already.",
    {"type": "string", "pattern": "^\\*$"},
)


_IDEMPOTENCY_KEY: Final = {
    **IDEMPOTENCY_KEY,
    "description": "Makes a repeat safe: the same call with the same key is done once, and gets "
    "the first answer again.",
}


def manage_types() -> list[type]:
    """Every request and answer of the management API."""
    endpoints = all_endpoints()
    bodies = [one.body for one in endpoints if one.body is not None]
    return list(dict.fromkeys([*bodies, *(one.answer for one in endpoints)]))


def manage_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of the management API; their envelopes are added to the schemas."""
    paths: dict[str, Any] = {}
    for one in all_endpoints():
        paths.setdefault(one.address, {})[one.method.lower()] = _described(one, schemas)
    return paths


def is_managing(path: str) -> bool:
    """Whether a path belongs to the management API."""
    return path.startswith(PREFIX)


def _described(one: ManageEndpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    envelope = one.field[0].upper() + one.field[1:].removesuffix("Response") + "Envelope"
    schemas[envelope] = envelope_of(one.field, one.answer.__name__)
    body = {}
    if one.body is not None:
        body["requestBody"] = body_of(one.body, schemas)
        body["requestBody"]["content"]["application/json"]["example"].update(one.body_example)
    headers = ("ETag",) * one.tagged + ("Preference-Applied",) * bool(body)
    headers += ("Idempotent-Replayed",) * one.changes
    answer = answer_of(
        "Done, or refused with the fields at fault: `isSuccess` tells.",
        ref(envelope),
        {"answer": _example(one, schemas)},
        headers,
    )
    return {
        "operationId": one.operation,
        "summary": one.summary,
        "description": f"{one.about} {_scope(one)} Free.",
        "parameters": [*_parameters(one), *([PREFER] if body else []), TRACE_ID],
        **body,
        "responses": {"200": answer, **failures(without=_impossible(one))},
    }


def _scope(one: ManageEndpoint) -> str:
    """What a key needs."""
    if one.scope == ANY_MANAGE:
        return "Any scope of management."
    beside = dict.fromkeys(f" and `{HOLDERS[each].scopes[0]}`" for each in one.rights)
    return f"{'Scopes' if beside else 'Scope'} `{one.scope}`{''.join(beside)}."


def _parameters(one: ManageEndpoint) -> list[dict[str, Any]]:
    found = [
        parameter(name, "path", about, _path_schema(one, name))
        for name, about in one.path_about.items()
    ]
    found += [parameter(each.name, "query", each.about, dict(each.schema)) for each in one.query]
    found += [_IF_MATCH, _IF_NONE_MATCH] if one.guarded else []
    return [*found, _IDEMPOTENCY_KEY] if one.changes else found


def _path_schema(one: ManageEndpoint, name: str) -> dict[str, Any]:
    shown = one.path_examples.get(name)
    return {"type": "string"} if shown is None else {"type": "string", "examples": [shown]}


def _impossible(one: ManageEndpoint) -> frozenset[str]:
    """The codes that an endpoint never answers with."""
    without = PAID_CODES | REVIEW_CODES if one.body else BODY_CODES
    if one.changes:
        without -= REPEAT_CODES
    if one.names_cards:
        without -= CARD_CODES
    if not one.changes:
        without |= MANAGE_CODES
    if one.field not in ("jobResponse", "bulkResponse") or "jobId" in one.path_about:
        without |= {"too_many_jobs"}
    return (without if one.guarded else without | _PRECONDITIONS) - one.codes


def _example(one: ManageEndpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    items: list[Item] = []
    billed = msgspec.json.decode(msgspec.json.encode(billing("USD", items, 100_000_000)))
    return {
        **{"isSuccess": True, "errors": None, "billing": billed},
        one.field: example_value(schemas[one.answer.__name__], schemas),
        "requestId": "req_01kabcdefghjkmnpqrstvwxyz0",
    }
