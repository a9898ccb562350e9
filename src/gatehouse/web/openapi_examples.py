"""The examples of the OpenAPI document, made by the code that serves requests."""

from typing import Any

import msgspec

from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.billing.ledger import Item
from gatehouse.core.errors import RequestRefused
from gatehouse.core.request_reader import RequestReader
from gatehouse.operations.operation import Operation
from gatehouse.web.envelope import billing, failure
from gatehouse.web.problems import Problem


def example_request(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The examples of the fields put together."""
    example: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        if "examples" in field:
            example[name] = field["examples"][0]
            continue
        for option in field.get("anyOf", [field]):
            if "$ref" in option:
                inner = schemas[option["$ref"].rpartition("/")[2]]
                if "properties" in inner:
                    example[name] = example_request(inner, schemas)
    return example


def example_answer(operation: Operation) -> dict[str, Any]:
    """The envelope that an operation's example of an answer comes in."""
    items = [
        Item(fee_type, DEFAULT_FEES[fee_type], completed=True) for fee_type in operation.fee_types
    ]
    total = sum(item.fee for item in items)
    billed = msgspec.json.decode(
        msgspec.json.encode(billing("USD", items, 100_000_000 - total, total, total))
    )
    return {
        "isSuccess": True,
        "errors": None,
        "billing": billed,
        operation.field: msgspec.json.decode(msgspec.json.encode(operation.example)),
        "requestId": "req_01kabcdefghjkmnpqrstvwxyz0",
    }


def example_refusal(operation: Operation) -> dict[str, Any]:
    """How mistakes are answered; the codes of status 200 are shown by it."""
    try:
        RequestReader(operation.request_type).read(msgspec.json.encode(operation.mistaken))
    except RequestRefused as refusal:
        billed = billing("USD", [], 100_000_000)
        refused = failure(
            "req_01kabcdefghjkmnpqrstvwxyz1",
            Problem.of(refusal),
            field=operation.field,
            billed=billed,
        )
    example: dict[str, Any] = msgspec.json.decode(refused)
    return example
