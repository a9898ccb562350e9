"""The outcomes that a model can have a score of its own for, and the labels that tell them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from gatehouse.core.wording.labels import Label


class ScoredOutcome(StrEnum):
    """What a request can turn out to be, besides legitimate."""

    FRAUD_DISPUTE = "fraudDispute"
    REPORTED_FRAUD = "reportedFraud"
    CARD_TESTING = "cardTesting"
    ABUSE = "abuse"


OUTCOME_OF: Final = {
    Label.CHARGEBACK: ScoredOutcome.FRAUD_DISPUTE,
    Label.FRAUD: ScoredOutcome.REPORTED_FRAUD,
    Label.CARD_TESTING: ScoredOutcome.CARD_TESTING,
    Label.ABUSE: ScoredOutcome.ABUSE,
}
OUTCOME_SIGNAL: Final = "sentry.outcomeScores."
"""What the signals of the scores begin with."""


def outcome_signals(scores: Mapping[str, float]) -> dict[str, float]:
    """What rules can say about the scores."""
    return {OUTCOME_SIGNAL + name: score for name, score in scores.items()}
