"""What is decided about a request, and which of several decisions counts."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """The three decisions, weakest first."""

    ACCEPT = "ACCEPT"
    REVIEW = "REVIEW"
    DECLINE = "DECLINE"


class OnFailure(StrEnum):
    """What it means for a pipeline that a stage did not complete: its party failed or was late."""

    CONTINUE = "CONTINUE"
    """Go on as if the stage were not there."""
    STOP = "STOP"
    """End the pipeline with the stage's verdict, or REVIEW if it has none."""
    REVIEW = "REVIEW"
    """Go on, but the decision is REVIEW at least."""


_STRENGTH: Final = {outcome: strength for strength, outcome in enumerate(Outcome)}


def strongest(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that counts; without any, ACCEPT."""
    return max(outcomes, key=_STRENGTH.__getitem__, default=Outcome.ACCEPT)


def is_weaker(one: Outcome, other: Outcome) -> bool:
    """Whether an outcome is milder than another."""
    return _STRENGTH[one] < _STRENGTH[other]
