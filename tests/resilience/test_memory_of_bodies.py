"""Long texts do not stay in memory when their request is over."""

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from gatehouse.rules.request import RulesCall
from gatehouse.sentry.request import SentryRequest
from tests.harness import VISIT, Home
from tests.harness.service import serving
from tests.resilience.hostile import places, with_value
from tests.resilience.test_cost_of_bodies import RULES, Caller

TEXTS = 3
LONG = 25_000
HEADER_BYTES = 256
"""More than a string takes beside its characters."""


def _bodies(kind: type, normal: dict[str, Any], first: int) -> Iterator[bytes]:
    for path in places(inspect.type_info(kind)):
        for number in range(first, first + TEXTS):
            text = f"text {number} of {path[-1]} ".ljust(LONG, "x")
            values: dict[str, Any] = {
                "discountCodes": [text],
                "items": [{"itemId": text, "category": text, "price": 1}],
                "customInputs": {"plan": text, text: 1},
            }
            yield with_value(normal, path, json.dumps(values.get(path[-1], text)))


@pytest.mark.parametrize(
    ("operation", "kind", "normal"),
    [("sentry", SentryRequest, VISIT), ("rules", RulesCall, RULES)],
)
def test_no_cache_keeps_long_texts(
    tmp_path: Path, operation: str, kind: type, normal: dict[str, Any]
) -> None:
    quiet = {"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0", "GATEHOUSE_LOG_LEVEL": "warning"}
    home = Home(tmp_path / "home", settings=quiet).migrated()
    key = home.key(home.account("1000000"))
    kept: list[int] = []

    async def measure() -> None:
        async with serving(home) as service:
            caller = Caller(service.application, operation, key)
            tracemalloc.start()
            for first in (0, TEXTS):
                for body in _bodies(kind, normal, first):
                    await caller.seconds(body)
                gc.collect()
                traces = tracemalloc.take_snapshot().traces
                kept.append(sum(LONG <= each.size < LONG + HEADER_BYTES for each in traces))
            tracemalloc.stop()

    asyncio.run(measure())
    once, twice = kept
    # A server also keeps things of its own that happen to have this size, but only once; and the
    # last body may still be in somebody's hands.
    assert min(once, twice - once) < TEXTS
