"""One call of each operation."""

from typing import Any

import httpx

from tests.harness.samples import AMELIA, BODY, CARD, PURCHASE, VISIT


def precheck(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One PreCheck call."""
    return client.post("/api/v1/precheck", json=BODY if body is None else body, headers=headers)


def idverify(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One ID Verify call; without a body, the sandbox's Amelia with all that is on record."""
    return client.post("/api/v1/idverify", json=AMELIA if body is None else body, headers=headers)


def sentry(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Sentry call; without a body, an ordinary order with every group filled."""
    return client.post("/api/v1/sentry", json=VISIT if body is None else body, headers=headers)


def pipeline(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Pipeline call; without a body, an ordinary purchase through pipeline 1."""
    return client.post("/api/v1/pipeline", json=PURCHASE if body is None else body, headers=headers)


def rules(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Rules call; without a body, an ordinary one."""
    given = {"customerIp": "203.0.113.1", "cardNumber": CARD, "amount": 59.9, "currency": "USD"}
    return client.post("/api/v1/rules", json=given if body is None else body, headers=headers)
