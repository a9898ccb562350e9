"""Holds events against what the OpenAPI document says about events of their type."""

from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from gatehouse.admin.events.use_cases.events import PublicEvent
from tests.web.test_openapi import DOCUMENT


def check_event(event: PublicEvent) -> None:
    """Fail unless an event says what is described of its type, and nothing else."""
    sent = msgspec.json.decode(msgspec.json.encode(event))
    validator, fields = _described(event.type)
    problems = [one.message for one in validator.iter_errors(sent)]
    assert not problems, (event.type, problems)
    assert sent["data"].keys() <= fields, event.type


@cache
def _described(kind: str) -> tuple[Any, set[str]]:
    """What checks events of a type, and which fields their data can have."""
    body = DOCUMENT["webhooks"][kind]["post"]["requestBody"]
    event = body["content"]["application/json"]["schema"]
    schemas = DOCUMENT["components"]["schemas"]
    data = schemas[event["$ref"].rpartition("/")[2]]["properties"]["data"]
    fields = schemas[data["$ref"].rpartition("/")[2]]["properties"]
    whole = {**event, "components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(whole), {*fields}
