"""What a request turned out to be, in the words of whoever found out."""

from enum import StrEnum
from typing import Final


class Label(StrEnum):
    """What somebody says about a request, some time after it was answered."""

    FRAUD = "FRAUD"
    CHARGEBACK = "CHARGEBACK"
    """The payment was taken back; nearly always because the cardholder had not made it."""
    LEGITIMATE = "LEGITIMATE"
    WITHDRAWN = "WITHDRAWN"
    """Whatever was said before is taken back: nothing is known."""


class LabelSource(StrEnum):
    """How a label came in."""

    API = "api"
    COMMAND = "command"
    IMPORT = "import"
    REVIEW = "review"


_FRAUD: Final[dict[Label | None, bool | None]] = {
    Label.FRAUD: True,
    Label.CHARGEBACK: True,
    Label.LEGITIMATE: False,
    Label.WITHDRAWN: None,
    None: None,
}


def is_fraud(label: Label | None) -> bool | None:
    """Whether a label speaks of fraud; None when nothing is known."""
    return _FRAUD[label]
