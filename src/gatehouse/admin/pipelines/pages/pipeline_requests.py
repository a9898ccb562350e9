"""Requests that a draft of a pipeline can be tried on: a sample, or one like a recorded request."""

import json
from typing import Any, Final

from gatehouse.admin.pipelines.pages.playground_request import SAMPLE, Wanted, request_body
from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.core.errors import InvalidInput
from gatehouse.decisions.record import DecisionRecord
from gatehouse.pipeline.authoring import read_pipeline
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.rules.spec import RULES

_FROM_SIGNALS: Final = {
    "ip_address": "ip.address",
    "user_id": "user.id",
    "amount": "order.amount",
    "currency": "order.currency",
}


def request_for(document: str, record: DecisionRecord | None = None) -> str:
    """A request with what the stages of a document read, as JSON; empty if none can be read.

    Records do not keep cards and names, so that these are the sample's.
    """
    try:
        pipeline = read_pipeline(document.encode())
    except InvalidInput:
        return ""
    signals = {} if record is None else record.signals or {}
    body = request_body(_wanted(pipeline, signals))
    field = RULES.request.field
    custom = {
        name.removeprefix(CUSTOM): value
        for name, value in signals.items()
        if name.startswith(CUSTOM) and value is not None
    }
    if custom and field in body:
        body[field] = {**body[field], "customInputs": custom}
    return json.dumps(body, indent=2, ensure_ascii=False)


def _wanted(pipeline: PipelineDefinition, signals: dict[str, Any]) -> Wanted:
    given = dict(SAMPLE, operation="pipeline")
    for name, signal in _FROM_SIGNALS.items():
        if signals.get(signal) is not None:
            given[name] = str(signals[signal])
    stages = frozenset(each.stage for each in pipeline.stages)
    return Wanted(**given, pipeline=pipeline.number, stages=stages)
