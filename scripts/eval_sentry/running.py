"""Runs `gatehouse sentry replay` as an operator would, and reads what it wrote."""

import csv
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.settings.settings import PREFIX
from scripts.eval_sentry.converting import DataError, Known

LABEL_DELAY: Final = "7d"
RETRAIN_EVERY: Final = "7d"


class Pace(msgspec.Struct, frozen=True, rename="camel"):
    """How long a replay took, its start and the training included."""

    seconds: float
    requests_per_second: float
    retrainings: int
    skipped: int
    """Times at which there were too few labels for a new scorecard."""
    seconds_per_retraining: float | None
    """The mean; None without any, or when the command does not tell."""


class _Retraining(msgspec.Struct, frozen=True):
    """Of the summary that the command prints."""

    skipped: str | None = None
    seconds: float | None = None


class _Summary(msgspec.Struct, frozen=True):
    """The part of the summary that is used here."""

    requests: int
    retrainings: list[_Retraining]


def replay(requests: Path, scores: Path, home: Path) -> Pace:
    """Score a file of requests with labels that come late; progress goes to standard error."""
    command = [sys.executable, "-m", "gatehouse", "sentry", "replay", str(requests)]
    command += ["--label-delay", LABEL_DELAY, "--retrain-every", RETRAIN_EVERY]
    command += ["--out", str(scores), "--json"]
    # Settings of this machine must not change the figures.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)}
    environment[f"{PREFIX}HOME"] = str(home)
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise DataError(f"gatehouse sentry replay ended with exit code {done.returncode}")
    return pace_of(done.stdout, seconds)


def pace_of(printed: bytes, seconds: float) -> Pace:
    """What the command's own summary says, and how long the command took."""
    summary = msgspec.json.decode(printed, type=_Summary)
    trained = [each for each in summary.retrainings if each.skipped is None]
    times = [each.seconds for each in trained if each.seconds is not None]
    return Pace(
        seconds,
        summary.requests / seconds,
        len(trained),
        len(summary.retrainings) - len(trained),
        fmean(times) if times else None,
    )


def read_risks(scores: Path, known: Known) -> NDArray[np.float64]:
    """The risk of every request; scores that are not those of the requests are refused."""
    times, confidences = [], []
    with scores.open(encoding="ascii", newline="") as file:
        for at, confidence in csv.reader(file):
            times.append(at.removesuffix("Z"))
            confidences.append(confidence)
    at_s = np.array(times[1:], dtype="datetime64[s]").astype(np.int64)
    if not np.array_equal(at_s, known.at_s):
        raise DataError(f"{scores.name}: its rows are not those of the requests, in their order")
    return 1.0 - np.array(confidences[1:], dtype=np.float64)
