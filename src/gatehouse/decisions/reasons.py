"""What decided a request, in one word, and whether the same order can end differently later.

Both are derived from the record, so that records of every version have them. Requests that are
accepted have no reason.
"""

from typing import Final

from gatehouse.core.stages.outcomes import REASON_MEANINGS, DecisionReason, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageReason
from gatehouse.decisions.record import DecisionRecord, RecordedStage

OUTAGES: Final = frozenset(
    (
        DecisionReason.ISSUER_UNAVAILABLE,
        DecisionReason.GATEWAY_ERROR,
        DecisionReason.STAGE_UNAVAILABLE,
    )
)
"""The reasons that say nothing about the order: a party did not answer."""
REASON_ABOUT: Final = "What decided, in one word; null when the request is accepted. " + "; ".join(
    f"`{word}`: {meaning}" for word, meaning in REASON_MEANINGS.items()
)
RETRYABLE_ABOUT: Final = (
    "Whether the same order, sent again later as it is, can end differently: it was declined only "
    "because a party did not answer."
)
_ACCEPT: Final = Outcome.ACCEPT
_REVIEW: Final = Outcome.REVIEW
_UNTOLD: Final = (KeyError, ValueError)
"""What the facts of another version, or of a stage that is not here any more, end in."""


def reason_of(record: DecisionRecord) -> DecisionReason | None:
    """What decided; of stages that want the same, the first one that completed."""
    decision = record.decision
    if decision is None or decision is _ACCEPT:
        return None
    failed: DecisionReason | None = None
    for stage in record.stages:
        wanted = _wanted(stage)
        if not stage.completed:
            # A pipeline that ends at a stage that failed takes the stage's verdict; one that goes
            # on sends the request to review.
            if decision is _REVIEW or (wanted and wanted.verdict is decision):
                word = DecisionReason.STAGE_UNAVAILABLE if wanted is None else wanted.word
                failed = word if word in OUTAGES else DecisionReason.STAGE_UNAVAILABLE
        elif wanted and wanted.verdict is decision and _counts(stage, record):
            return wanted.word
    return failed or DecisionReason.OTHER


def is_retryable(decision: Outcome | None, reason: DecisionReason | None) -> bool:
    """Whether the same order, sent again later, can end differently.

    What waits for a review may be paid already: sending it again could pay twice.
    """
    return decision is Outcome.DECLINE and reason in OUTAGES


def _wanted(stage: RecordedStage) -> StageReason | None:
    try:
        tell = REGISTRY[stage.name].reason
        return None if tell is None else tell(stage.result)
    except _UNTOLD:
        return None


def _counts(stage: RecordedStage, record: DecisionRecord) -> bool:
    return not record.decided_by or stage.name in record.decided_by
