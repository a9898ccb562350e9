"""Inputs that are found tell fraud nearly as well as inputs that were declared."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.found.found_inputs import FoundInput, FoundInputs
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.training.metrics import measure
from gatehouse.training.replay.replay import DAY_MS, ReplayJudge, ReplayOptions, replay
from tests.sentry.visits import Book

START = datetime(2026, 3, 1, tzinfo=UTC)
INPUTS = ("merchant", "device")
REQUESTS, FIRST_MEASURED = 3000, 1000


class Deaf:
    """Watches and keeps nothing."""

    def reached(self, requests: int) -> None:
        """So many are done."""

    def say(self, text: str) -> None:
        """Something is told."""


def shop(seed: int = 4) -> Iterator[bytes]:
    """A marketplace: some of its merchants are bad, and some devices pose as many customers."""
    chance = random.Random(seed)
    for number in range(REQUESTS):
        at = (START + timedelta(minutes=10 * number)).isoformat().replace("+00:00", "Z")
        user, merchant = int(900 * chance.random() ** 1.5), int(200 * chance.random() ** 2)
        device, likely = f"d{user * 7919 % 100_003:05x}", 0.4 if merchant % 23 == 7 else 0.01
        if chance.random() < 0.04:
            user, device, likely = 5000 + number, f"farm{chance.randrange(8):x}", 0.6
        inputs = {"merchant": f"m-{merchant}", "device": device, "order": f"o-{number}"}
        request = {
            "account": {"userId": f"u{user}"},
            "order": {"amount": round(chance.lognormvariate(3, 1), 2), "currency": "USD"},
            "customInputs": inputs,
        }
        label = "fraud" if chance.random() < likely else "legitimate"
        yield json.dumps({"at": at, "request": request, "label": label}).encode()


def precision(options: ReplayOptions) -> float:
    """The average precision of the shipped scorecard, with labels that come two days late."""
    memory = LocalMemory(50_000)
    hasher = EntityHasher(b"a key for tests")
    stage = SentryStage(Book(), memory, load_scorecard(), hasher, time_limit_ms=1000)
    scores: list[tuple[float, bool]] = []
    replay(
        shop(),
        ReplayJudge(stage, memory),
        lambda line, scored: scores.append((1 - scored.confidence, bool(line.fraud))),
        options,
        Deaf(),
    )
    risk, fraud = zip(*scores[FIRST_MEASURED:], strict=True)
    found = measure(np.array(fraud), np.array(risk)).average_precision
    assert found is not None
    return found


def test_found_inputs_tell_nearly_as_much_as_declared_ones() -> None:
    refused = FoundInputs(tuple(FoundInput(key, 0, refused=True) for key in INPUTS))
    nothing = precision(ReplayOptions(2 * DAY_MS, found=refused))
    found = precision(ReplayOptions(2 * DAY_MS))
    declared = precision(ReplayOptions(2 * DAY_MS, policy=SentryPolicy(INPUTS)))
    assert found > nothing + 0.05
    assert found > declared - 0.02
