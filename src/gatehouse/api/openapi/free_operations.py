"""The operations that cost nothing in the OpenAPI document, made of their declarations."""

from typing import Any

from gatehouse.api.free_operations import FreeOperation
from gatehouse.api.openapi.generator_schemas import TAGS, tag_of
from gatehouse.api.openapi.parts import (
    PREFER,
    TRACE_ID,
    answer_of,
    body_of,
    envelope_of,
    failures,
    parameter,
    ref,
)
from gatehouse.api.problems import BODY_CODES, MANAGE_CODES, PAID_CODES, REVIEW_CODES
from gatehouse.core.api_values import camel
from gatehouse.core.subject import declared


def _example(one: FreeOperation) -> dict[str, Any]:
    zero = {"currency": "USD", "amount": 0}
    billing = {
        "items": [],
        "remainingBalance": {"currency": "USD", "amount": 4.95},
        "amountAuthorized": zero,
        "amountClosed": zero,
    }
    return {
        **{"isSuccess": True, "errors": None, "billing": billing},
        one.field: {**one.example},
        "requestId": "req_01k9mh4r6tn2v9x3c7b5m1q8we",
    }


def free_types() -> list[type]:
    """Every request and answer of these operations."""
    found = [kind for one in declared("operations") for kind in (one.body, one.answer)]
    return [kind for kind in dict.fromkeys(found) if kind is not None]


def free_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of these operations; their envelopes are added to the schemas."""
    paths: dict[str, Any] = {}
    for one in sorted(declared("operations"), key=lambda one: [*TAGS].index(tag_of(one.path))):
        paths.setdefault(camel(one.path), {})[one.method.lower()] = _described(one, schemas)
    return paths


def _described(one: FreeOperation, schemas: dict[str, Any]) -> dict[str, Any]:
    envelope = one.envelope or one.field[0].upper() + one.field[1:].removesuffix("Response")
    schemas[f"{envelope}Envelope"] = envelope_of(one.field, one.answer.__name__)
    if one.untitled:
        del schemas[one.answer.__name__]["title"], schemas[one.answer.__name__]["description"]
    named = {name: about for name, about in one.named.items() if f"{{{name}}}" in one.path}
    parameters = [parameter(camel(name), "path", about) for name, about in named.items()]
    parameters += [parameter(each.name, "query", each.about, {**each.schema}) for each in one.query]
    without, told, sent = BODY_CODES, "", {}
    if one.body is not None:
        parameters.append(PREFER)
        without = PAID_CODES | REVIEW_CODES
        told = ", or a refusal with the fields at fault: `isSuccess` tells"
        sent = {"requestBody": body_of(one.body, schemas)}
    if not named:
        without |= {"not_found"}
    return {
        "operationId": one.operation,
        "summary": one.summary,
        "description": f"{one.about} Free.",
        "parameters": [*parameters, TRACE_ID],
        **sent,
        "responses": {
            "200": answer_of(
                f"{one.told}{told}.",
                ref(f"{envelope}Envelope"),
                {"processed": _example(one)} if one.example else None,
                ("Preference-Applied",) if sent else (),
            ),
            **failures(without=(without | MANAGE_CODES) - one.codes),
        },
    }
