"""A scorecard that scores beside the one in force: its score is recorded, and decides nothing."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.sentry.scorecard import Scorecard

SHADOW: Final = "shadow"
"""What a record keeps of it."""
SHADOW_CONFIDENCE: Final = "sentry.shadowConfidence"
_DIGITS: Final = 4


def shadow_facts(scorecard: Scorecard, values: Mapping[str, float]) -> dict[str, Any]:
    """The scorecard, and its confidence as it would be told if it were in force."""
    own, mapping = round(scorecard.score(values).confidence, _DIGITS), scorecard.sheet.mapping
    told = own if mapping is None else mapping.tell(own)
    return {"model": scorecard.version, "requestConfidence": told}


def shadow_signals(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The signal of a record that has such a score."""
    kept = facts.get(SHADOW)
    return {SHADOW_CONFIDENCE: kept["requestConfidence"]} if kept else {}
