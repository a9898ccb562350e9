"""What is left of a decision record when the person it is about is erased.

Only what is listed here stays: what accounting needs, and what statistics count. A field that
somebody adds to records later is lost, unless it is listed, too.
"""

from typing import Final

from msgspec.structs import replace

from gatehouse.decisions.record import DecisionRecord, RecordedStage

_RESULTS: Final = frozenset(
    {
        *("ruleSet", "version", "status", "matched", "matchedLate", "shadow", "tags"),
        *("requestConfidence", "ipScore", "model", "reasons", "outcomeScores"),
        *("advice", "avsResult", "cvv2Result", "verificationLevel"),
        *("responseCode", "amountMinor", "currency"),
    }
)
"""What stages found, in words and numbers that many requests share."""
_SIGNALS: Final = ("order.amount", "order.currency")


def without_person(record: DecisionRecord, erased_at: str) -> DecisionRecord:
    """The record without anything by which a person could be told from others."""
    signals = None
    if record.signals is not None:
        known = {name: record.signals.get(name) for name in _SIGNALS}
        signals = {name: value for name, value in known.items() if value is not None}
    return DecisionRecord(
        request_id=record.request_id,
        operation=record.operation,
        at=record.at,
        client_reference_id=None,
        card=None,
        stages=[_stage(each) for each in record.stages],
        authorized_micros=record.authorized_micros,
        closed_micros=record.closed_micros,
        decision=record.decision,
        pipeline=record.pipeline,
        signals=signals,
        erased_at=record.erased_at or erased_at,
        decided_by=record.decided_by,
    )


def _stage(stage: RecordedStage) -> RecordedStage:
    kept = {name: value for name, value in stage.result.items() if name in _RESULTS}
    return replace(stage, result=kept)
