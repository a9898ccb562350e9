"""OpenAPI 3.1, generated from the very types that validate requests and render answers."""

from typing import Any, Final

import msgspec

import gatehouse
from gatehouse.api.envelope import Billing, Errors
from gatehouse.api.openapi.event_schemas import event_webhooks
from gatehouse.api.openapi.examples import example_answer, example_refusal
from gatehouse.api.openapi.free_operations import free_paths, free_types
from gatehouse.api.openapi.generator_schemas import (
    TAGS,
    for_generators,
    with_error_codes,
    with_tags,
)
from gatehouse.api.openapi.manage import manage_paths, manage_types
from gatehouse.api.openapi.parts import (
    HEADERS,
    IDEMPOTENCY_KEY,
    PREFER,
    REF,
    TRACE_ID,
    answer_of,
    body_of,
    envelope_of,
    failure_schema,
    failures,
    ref,
)
from gatehouse.api.problems import CODES, MANAGE_CODES, REVIEW_CODES
from gatehouse.core.reading.unread_fields import FieldWarning
from gatehouse.operations.operation import Operation

_ABOUT: Final = """\
Fraud prevention and verification for card payments.

Every call carries an API key in `X-API-KEY` and comes from a backend, never from a browser. Every
answer is the same envelope: check `isSuccess` first, then the operation's own object. `billing`
says what the request cost and what is left; all that is not a check is free."""


def path_of(operation: Operation) -> str:
    """Where an operation is found."""
    return f"/api/v1/{operation.name}"


def openapi_document(operations: list[Operation]) -> dict[str, Any]:
    """The whole document."""
    kinds: list[Any] = [Errors, Billing, FieldWarning, *free_types()]
    kinds += [*manage_types()]
    for operation in operations:
        kinds += [operation.request_type, operation.response_type]
    _, schemas = msgspec.json.schema_components(kinds, schema_hook=_own_type, ref_template=REF)
    paths: dict[str, Any] = {path_of(one): {"post": _post(one, schemas)} for one in operations}
    paths |= free_paths(schemas)
    paths |= manage_paths(schemas)
    webhooks = event_webhooks(schemas)
    schemas["Failure"] = failure_schema()
    schemas = with_error_codes(for_generators(schemas), CODES)
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
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": with_tags(paths),
        "webhooks": webhooks,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "ApiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-KEY",
                    "description": "`gh_sandbox_` keys are for the sandbox, `gh_live_` keys for "
                    "production. Keys belong in backends only.",
                }
            },
            "headers": {
                name: {"description": about, "schema": {"type": kind}}
                for name, (kind, about) in HEADERS.items()
            },
        },
    }


def _own_type(kind: type) -> dict[str, Any]:
    schema: dict[str, Any] = dict(kind.schema)  # type: ignore[attr-defined]  # our own types have it
    return schema


def _post(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    response = operation.response_type.__name__
    envelope = response.removesuffix("Response") + "Envelope"
    schemas[envelope] = envelope_of(operation.field, response)
    return {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.about,
        "parameters": [IDEMPOTENCY_KEY, PREFER, TRACE_ID],
        "requestBody": body_of(operation.request_type, schemas, operation.left_out),
        "responses": {
            "200": answer_of(
                "Processed, or refused with the fields at fault: `isSuccess` tells.",
                ref(envelope),
                {"processed": example_answer(operation), "refused": example_refusal(operation)},
                ("Idempotent-Replayed", "Preference-Applied"),
            ),
            **failures(without=REVIEW_CODES | MANAGE_CODES | {"not_found"}),
        },
    }
