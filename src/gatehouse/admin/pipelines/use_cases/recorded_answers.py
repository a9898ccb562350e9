"""Makes the answer to a request again from its decision record, for those who are told of it.

It is the answer's envelope without what only the moment of the answer knew: the balance that was
left, and warnings about the body.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.api_values import money
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import AnsweredAgain, RecordedResult
from gatehouse.decisions.reasons import is_retryable, reason_of
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.operations.pipeline_messages import PIPELINE_RESPONSE, responses_by_field
from gatehouse.store.configured.configurations import RULES, ConfigurationKey, program_of
from gatehouse.store.configured.signing import Signer

_UNTOLD: Final = (msgspec.ValidationError, KeyError, ValueError)
"""What a record of another version, or of stages that are not here any more, ends in."""

Programs = dict[tuple[str, int], str]


def load_programs(
    signer: Signer,
    connection: sa.Connection,
    account_id: str,
    records: Iterable[DecisionRecord],
) -> Programs:
    """The rule sets that the stages of some requests ran, as they are kept."""
    wanted = {
        (stage.result["ruleSet"], stage.result["version"])
        for record in records
        for stage in record.stages
        if "ruleSet" in stage.result
    }
    found: Programs = {}
    for name, version in wanted:
        # What somebody changed in the database is not told as what decided.
        program = program_of(signer, connection, ConfigurationKey(account_id, RULES, name), version)
        if program is not None:
            found[name, version] = program
    return found


def recorded_answer(
    record: DecisionRecord, currency: str, programs: Programs
) -> dict[str, Any] | None:
    """The answer as it was; None when it cannot be told any more, as after an erasure."""
    if record.erased_at is not None:
        return None
    try:
        field, answer = _answer(record, programs)
    except _UNTOLD:
        return None
    if answer is None:
        return None
    return {
        "isSuccess": True,
        "errors": None,
        "billing": {
            "items": [_item(stage, currency) for stage in record.stages],
            "amountAuthorized": money(currency, record.authorized_micros),
            "amountClosed": money(currency, record.closed_micros),
        },
        field: answer,
        "requestId": record.request_id,
    }


def _answer(record: DecisionRecord, programs: Programs) -> tuple[str, Any]:
    alone = record.pipeline is None
    told: list[AnsweredAgain] = []
    for stage in record.stages:
        again = _again(stage, record, programs, alone=alone)
        if again is None:
            return "", None
        told.append(again)
    names = [stage.name for stage in record.stages]
    found = responses_by_field(zip(names, [each.response for each in told], strict=True))
    if alone:
        [only] = found.items()
        return only
    tags = list(dict.fromkeys(tag for each in told for tag in each.tags))
    reason = reason_of(record)
    head = {
        "pipelineStages": names,
        "decision": record.decision,
        "reason": reason,
        "retryable": is_retryable(record.decision, reason),
        "tags": tags,
    }
    return PIPELINE_RESPONSE, head | found


def _again(
    stage: RecordedStage, record: DecisionRecord, programs: Programs, *, alone: bool
) -> AnsweredAgain | None:
    response = REGISTRY[stage.name].response
    if response.recorded is None:
        return AnsweredAgain(msgspec.convert(stage.result, response.type))
    return response.recorded(
        RecordedResult(facts=stage.result, card=record.card, alone=alone, programs=programs)
    )


def _item(stage: RecordedStage, currency: str) -> dict[str, Any]:
    fee = money(currency, stage.fee_micros)
    return {"feeType": stage.fee_type, "fee": fee, "completed": stage.completed}
