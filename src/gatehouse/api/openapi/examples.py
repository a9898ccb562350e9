"""The examples of the OpenAPI document, made by the code that serves requests."""

from typing import Any, Final

import msgspec

from gatehouse.api.envelope import billing, failure
from gatehouse.api.problems import Problem
from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.billing.ledger import Item
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.operations.operation import Operation

_FORMATTED: Final = {"date-time": "2026-11-16T09:30:00.000Z", "date": "2026-11-16"}
_PLAIN: Final = {
    **{"object": {}, "array": [], "string": "", "boolean": False, "integer": 0, "number": 0},
    "null": None,
}


def example_request(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The examples of the fields put together."""
    example: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        if "examples" in field:
            # A field that says it has none stands for another one of the example.
            if field["examples"]:
                example[name] = field["examples"][0]
            continue
        for option in field.get("anyOf", [field]):
            if "$ref" in option:
                inner = schemas[option["$ref"].rpartition("/")[2]]
                if "properties" in inner:
                    example[name] = example_request(inner, schemas)
    return example


def example_value(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """An example of a value, put together of those of its parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return example_value(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return example_value(schema["anyOf"][0], schemas)
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {name: example_value(one, schemas) for name, one in schema["properties"].items()}
    if "items" in schema:
        return [example_value(schema["items"], schemas)]
    return _FORMATTED.get(schema.get("format", ""), _PLAIN[schema.get("type", "null")])


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
