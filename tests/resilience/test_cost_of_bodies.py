"""No body, valid or not, costs the event loop more than twenty times what a normal one costs.

Hostile values and places are paired orthogonally: each value is tried at one place in six of an
operation, and each place gets one value in six. In a pipeline it is one in 24: it reads its parts
as the operations of these parts do.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gatehouse.admin.feedback.types import FeedbackRequest
from gatehouse.admin.reviews.types import ReviewResolution
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.operations.pipeline_messages import pipeline_messages
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.request import RulesCall
from gatehouse.sentry.request import SentryRequest
from tests.harness import AMELIA, BODY, CARD, PURCHASE, VISIT, Home
from tests.harness.service import serving
from tests.resilience.hostile import FULL, FULL_OF_CARTS, hostile_bodies

MOST_TIMES = 20
NORMAL_CALLS = 40
TRIES = 12
EVERY = 6
EVERY_OF_PIPELINES = 24
UNKNOWN_REQUEST = "req_01kabcdefghjkmnpqrstvwxyz0"

RULES: dict[str, Any] = {
    "customerIp": "203.0.113.1",
    "cardNumber": CARD,
    "amount": 59.9,
    "currency": "USD",
    "email": "amelia.whitfield@example.com",
    "phone": "+14155550132",
    "userId": "u-1",
    "billingCountry": "US",
    "shippingCountry": "US",
    "customInputs": {"plan": "gold", "returning": True},
}
PIPELINE = PURCHASE | {"pipelineId": 2, "idVerifyRequest": AMELIA, "rulesRequest": RULES}
FEEDBACK = {"requestId": UNKNOWN_REQUEST, "label": "FRAUD", "amount": 5, "currency": "USD"}
REVIEW = {"resolution": "APPROVE", "reason": "Known customer"}

OPERATIONS: dict[str, tuple[Callable[[], type], dict[str, Any]]] = {
    "precheck": (lambda: PreCheckRequest, BODY),
    "idverify": (lambda: IdVerifyRequest, AMELIA),
    "sentry": (lambda: SentryRequest, VISIT),
    "rules": (lambda: RulesCall, RULES),
    "pipeline": (lambda: pipeline_messages().request, PIPELINE),
    "feedback": (lambda: FeedbackRequest, FEEDBACK),
    f"reviews/{UNKNOWN_REQUEST}": (lambda: ReviewResolution, REVIEW),
}


class Caller:
    """Calls one operation of a service in this process and measures the event loop's CPU time."""

    def __init__(self, application: Any, operation: str, key: str) -> None:
        self._application = application
        self._path = f"/api/v1/{operation}"
        self._key = key.encode()

    async def seconds(self, body: bytes) -> float:
        """The CPU time of this thread for one call; the database has a thread of its own."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": self._path,
            "query_string": b"",
            "scheme": "http",
            "client": ("127.0.0.1", 1),
            "http_version": "1.1",
            "headers": [
                (b"host", b"127.0.0.1"),
                (b"x-api-key", self._key),
                (b"content-type", b"application/json"),
                # With such a key a body is read once more.
                (b"idempotency-key", os.urandom(8).hex().encode()),
            ],
        }
        answered: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            answered.append(message)

        started = time.thread_time()
        await self._application(scope, receive, send)
        took = time.thread_time() - started
        assert answered[0]["status"] < 500, answered
        return took

    async def least(self, body: bytes, enough: float) -> float:
        """The least of several calls, because other work on the machine only ever adds to it."""
        least = await self.seconds(body)
        for _ in range(TRIES):
            if least <= enough:
                break
            least = min(least, await self.seconds(body))
        return least

    async def times(self, body: bytes, usual: bytes) -> float:
        """How many times the cost of a usual body it costs, by calls in turns.

        The processor may have become slower since the usual bodies were measured.
        """
        turns = [(await self.seconds(body), await self.seconds(usual)) for _ in range(3 * TRIES)]
        costs, usual_costs = zip(*turns, strict=True)
        return float(min(costs) / min(usual_costs))


async def _too_dear(caller: Caller, operation: str) -> dict[str, float]:
    """The hostile bodies that cost too much, with how many times a normal one's cost they cost."""
    kind, normal = OPERATIONS[operation]
    usual = json.dumps(normal).encode()
    least = min([await caller.seconds(usual) for _ in range(NORMAL_CALLS)])
    enough = least * MOST_TIMES
    dear = {}
    every = EVERY_OF_PIPELINES if operation == "pipeline" else EVERY
    has_cart = operation in ("sentry", "pipeline")
    full, most = (FULL_OF_CARTS, 262_144) if has_cart else (FULL, 65_536)
    for name, body in hostile_bodies(kind(), normal, every, full):
        assert len(body) <= most, name
        if await caller.least(body, enough) > enough:
            times = await caller.times(body, usual)
            if times > MOST_TIMES:
                dear[f"{operation}: {name}"] = round(times, 1)
    return dear


def test_the_worst_body_costs_little_more_than_a_normal_one(tmp_path: Path) -> None:
    quiet = {"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0", "GATEHOUSE_LOG_LEVEL": "warning"}
    home = Home(tmp_path / "home", settings=quiet).migrated()
    key = home.key(home.account("1000000"))
    dear: dict[str, float] = {}

    async def measure() -> None:
        async with serving(home) as service:
            for operation in OPERATIONS:
                caller = Caller(service.application, operation, key)
                dear.update(await _too_dear(caller, operation))

    asyncio.run(measure())
    assert not dear
