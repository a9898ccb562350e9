"""What is decided about a request, and which of several decisions counts."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """The three decisions, weakest first."""

    ACCEPT = "ACCEPT"
    REVIEW = "REVIEW"
    DECLINE = "DECLINE"


class DecisionReason(StrEnum):
    """What decided that a request is not simply accepted, in one word."""

    RULES = "RULES"
    ISSUER_DECLINED = "ISSUER_DECLINED"
    PRECHECK_POLICY = "PRECHECK_POLICY"
    FRAUD = "FRAUD"
    INPUT = "INPUT"
    ISSUER_UNAVAILABLE = "ISSUER_UNAVAILABLE"
    GATEWAY_DECLINED = "GATEWAY_DECLINED"
    GATEWAY_ERROR = "GATEWAY_ERROR"
    STAGE_UNAVAILABLE = "STAGE_UNAVAILABLE"
    OTHER = "OTHER"


REASON_MEANINGS: Final[dict[DecisionReason, str]] = {
    DecisionReason.RULES: "a rule of the account",
    DecisionReason.ISSUER_DECLINED: "the issuer declined the card",
    DecisionReason.PRECHECK_POLICY: "the address or the security code, by the account's policy",
    DecisionReason.FRAUD: "PreCheck advised FRAUD",
    DecisionReason.INPUT: "the card details are wrong or out of date",
    DecisionReason.ISSUER_UNAVAILABLE: "the issuer did not answer, or asked to be asked later",
    DecisionReason.GATEWAY_DECLINED: "the payment gateway declined the payment",
    DecisionReason.GATEWAY_ERROR: "the payment gateway failed or was late",
    DecisionReason.STAGE_UNAVAILABLE: "another stage could not complete",
    DecisionReason.OTHER: "something else: see the objects of the stages",
}
"""Every reason in a few words."""


class OnFailure(StrEnum):
    """What it means for a pipeline that a stage did not complete: its party failed or was late."""

    CONTINUE = "CONTINUE"
    """Go on as if the stage were not there."""
    STOP = "STOP"
    """End the pipeline with the stage's verdict, or REVIEW if it has none."""
    REVIEW = "REVIEW"
    """Go on, but the decision is REVIEW at least."""


# Named once: in Python 3.11 `Outcome.ACCEPT` takes 18 times as long as a plain name.
_ACCEPT: Final = Outcome.ACCEPT
_STRENGTH: Final = {outcome: strength for strength, outcome in enumerate(Outcome)}


def strongest(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that counts; without any, ACCEPT."""
    return max(outcomes, key=_STRENGTH.__getitem__, default=_ACCEPT)


def is_weaker(one: Outcome, other: Outcome) -> bool:
    """Whether an outcome is milder than another."""
    return _STRENGTH[one] < _STRENGTH[other]
