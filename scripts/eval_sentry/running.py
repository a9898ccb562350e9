"""Replays a data set once, for Sentry and for all that it is put beside.

It goes through what `gatehouse sentry replay --label-delay 7d --retrain-every 7d` goes through.
What is measured of a request does not depend on the scorecard, so the shipped one is asked about
the same measurements; and nothing told is what is measured without what comes from labels. Only the
trust in a user, which a fraud ends, is as it was told.
"""

import gzip
import time
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.admin.models.use_cases.replays import make_judge
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.features.feature import Group
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import ScoredRequest
from gatehouse.settings.settings import Settings
from gatehouse.training.examples import Examples
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.replay.lines import ReplayLine
from gatehouse.training.replay.replay import DAY_MS, ReplayOptions, replay
from scripts.eval_sentry.baselines import DELAY_DAYS, PlainSum, named
from scripts.eval_sentry.measuring import DAYS

_OF_LABELS: Final = {"RING_FRAUD_SHARE", "RING_FRAUD_NEAR"} | {
    code for code, feature in BY_CODE.items() if feature.group is Group.REPUTATION
}
"""What is measured only where a label was told."""
_DIGITS: Final = 4
"""Of confidences, as answers have them."""

Values = NDArray[np.float64]


class Pace(msgspec.Struct, frozen=True, rename="camel"):
    """How much work a replay was, the training and the other scores included."""

    seconds: float
    """Of processor time."""
    requests_per_second: float
    retrainings: int
    skipped: int
    """Times at which there were too few labels for a new scorecard."""


class Replayed(NamedTuple):
    """What one replay tells: the risk of every request, in different ways."""

    risk: Values
    """By Sentry, with a new scorecard every week."""
    shipped: Values
    """By the shipped scorecard, to which labels were told."""
    untold: Values
    """By the shipped scorecard, to which nothing was told."""
    plain: Values
    """The sum of reputations."""
    matrix: NDArray[np.float32]
    """The measurements that occur, a column for each; NaN where there is none."""
    pace: Pace


def replay_once(
    requests: Path, *, every_days: int | None = DAYS, delay_days: int = DELAY_DAYS
) -> Replayed:
    """Score a file of requests, learning from labels that come late."""
    examples, plain, shipped_card = Examples(tuple(BY_CODE)), PlainSum(), load_scorecard()
    rows: list[tuple[float, float, float, float]] = []

    def risk_of(values: dict[str, float]) -> float:
        return 1 - round(shipped_card.score(values).confidence, _DIGITS)

    def tell(line: ReplayLine, scored: ScoredRequest) -> None:
        values = scored.values
        examples.add(line.at_s, values)
        shipped = untold = risk_of(values)
        if not _OF_LABELS.isdisjoint(values):
            untold = risk_of({key: values[key] for key in values if key not in _OF_LABELS})
        told = plain.score(line.at_s, named(line, scored), bool(line.fraud))
        rows.append((1 - scored.confidence, shipped, untold, told))

    began = time.process_time()
    every_ms = None if every_days is None else every_days * DAY_MS
    options = ReplayOptions(delay_days * DAY_MS, every_ms, FitOptions())
    with gzip.open(requests, "rb") as lines:
        judge = make_judge(Settings(), None, feeds=False)
        done = replay(lines, judge, tell, options, Quiet())
    seconds = time.process_time() - began
    skipped = sum(each.skipped is not None for each in done.retrainings)
    trained = len(done.retrainings) - skipped
    pace = Pace(seconds, done.requests / seconds, trained, skipped)
    risk, shipped, untold, sums = np.array(rows).T
    return Replayed(risk, shipped, untold, sums, _matrix(examples), pace)


def _matrix(examples: Examples) -> NDArray[np.float32]:
    pieces = examples.pieces(np.arange(len(examples)))
    matrix: NDArray[np.float32] = np.concatenate([piece.astype(np.float32) for _, piece in pieces])
    return matrix[:, ~np.isnan(matrix).all(axis=0)]


class Quiet:
    """Hears how a replay is getting on and says nothing."""

    def reached(self, requests: int) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""
