"""What a comparison of two models on live traffic found; read where models are shown."""

from typing import Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.training.report.report import ModelComparison, ThresholdInUse

NEAR_PARTS: Final = 500
"""Scores agree that are at most this far from each other, in ten-thousandths."""


class TrialShift(CamelStruct):
    """Requests on the other side of a threshold, and what is known of them."""

    requests: int
    frauds: int
    legitimate: int


class ThresholdTrial(CamelStruct):
    """A threshold in use with both models."""

    in_use: ThresholdInUse
    before: float
    """The share of requests below it with the model in force."""
    after: float
    """With the other one, its scores told as they would be."""
    newly_below: TrialShift
    no_longer_below: TrialShift
    equal_share: float
    """The threshold that would have the share of before below it."""
    equal_share_raw: float | None = None
    """The same for scores that are told as they are; None where those were not recorded."""


class ModelTrial(CamelStruct):
    """How a model would have scored live traffic, beside the one in force."""

    requests: int
    labelled: int
    frauds: int
    agreement: float
    """The share of requests whose scores differ by 0.05 at most."""
    stricter: TrialShift
    """Requests that would be below a threshold in use that they are not below now."""
    milder: TrialShift
    figures: ModelComparison
    thresholds: tuple[ThresholdTrial, ...]
    version: int = 0
    """Of the model that is tried."""
    live_version: int = 0
    """Of the model in force, 0 for the shipped one."""
    since_ms: int = 0
    until_ms: int = 0
    unreadable: int = 0
    recorded: bool = False
    """Whether scores are compared that were recorded when each request came."""
