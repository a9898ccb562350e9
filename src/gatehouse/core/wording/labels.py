"""Labels: what a request turned out to be."""

from enum import StrEnum
from typing import Final

LONGEST_ID: Final = 128
"""Of what names the requests that a label is about."""


class Label(StrEnum):
    """What a request turned out to be, some time after it was answered."""

    FRAUD = "FRAUD"
    CHARGEBACK = "CHARGEBACK"
    """The payment was taken back; nearly always because the cardholder had not made it."""
    CARD_TESTING = "CARD_TESTING"
    """Stolen cards were tried out: fraud before anything was bought."""
    ABUSE = "ABUSE"
    """The cardholder's own misuse, such as a denied purchase: no stranger paid, so it is no fraud
    that the confidence could learn."""
    LEGITIMATE = "LEGITIMATE"
    WITHDRAWN = "WITHDRAWN"
    """The earlier label no longer counts: nothing is known."""


class LabelSource(StrEnum):
    """How a label came in."""

    API = "api"
    COMMAND = "command"
    IMPORT = "import"
    REVIEW = "review"
    OUTCOME = "outcome"
    """It follows from what became of the payment."""


_FRAUD: Final[dict[Label | None, bool | None]] = {
    Label.FRAUD: True,
    Label.CHARGEBACK: True,
    Label.CARD_TESTING: True,
    Label.ABUSE: None,
    Label.LEGITIMATE: False,
    Label.WITHDRAWN: None,
    None: None,
}


def is_fraud(label: Label | None) -> bool | None:
    """Whether a label means fraud; None when nothing is known."""
    return _FRAUD[label]


FRAUD_LABELS: Final = tuple(label for label in Label if is_fraud(label))
"""Those that mean fraud."""
