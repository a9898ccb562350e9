"""Parties whose calls are measured are asked for no more than they can do."""

import asyncio

import pytest

from gatehouse.connectors.sandbox.parties import SandboxGateway
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.port import (
    Authorization,
    GatewayAnswer,
    NoGateway,
    ReferringGateway,
    Reversal,
)
from gatehouse.operations.measured import MeasuredGateway, Outside
from tests.connectors.fakes import authorization


class Referring:
    """A gateway that needs a reference, and cannot be reached."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self.waiting: list[int] = []

    def refer(self, authorization: Authorization) -> str | None:
        return "shelf 7"

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        raise ConnectorFailed("no line")

    async def reverse(self, reversal: Reversal) -> None:
        self.waiting.append(self._outside.waiting)


def test_a_gateway_is_asked_for_a_reference_only_if_it_has_one() -> None:
    def observe(*_said: object) -> None:
        """Nobody listens."""

    assert isinstance(MeasuredGateway(Referring(Outside()), observe), ReferringGateway)
    for gateway in (SandboxGateway(), NoGateway()):
        assert not isinstance(MeasuredGateway(gateway, observe), ReferringGateway)


def test_no_request_waits_for_a_reversal() -> None:
    seen: list[tuple[object, ...]] = []
    outside = Outside()
    referring = Referring(outside)
    gateway = MeasuredGateway(referring, lambda *said: seen.append(said[:3]), outside)
    asyncio.run(gateway.reverse(Reversal("req_1", Payment(100, "EUR"), "acct_1")))
    assert (referring.waiting, outside.waiting) == ([0], 0)
    with pytest.raises(ConnectorFailed):
        asyncio.run(gateway.authorize(authorization()))
    assert outside.waiting == 0
    assert seen == [("gateway", "reverse", "answered"), ("gateway", "authorize", "failed")]
