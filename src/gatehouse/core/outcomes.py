"""What is decided about a request, and which of several decisions counts."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """The three decisions, weakest first."""

    ACCEPT = "ACCEPT"
    REVIEW = "REVIEW"
    DECLINE = "DECLINE"


_STRENGTH: Final = {outcome: strength for strength, outcome in enumerate(Outcome)}


def strongest(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that counts; without any, ACCEPT."""
    return max(outcomes, key=_STRENGTH.__getitem__, default=Outcome.ACCEPT)
