"""A connector that never answers is cut off at its time limit, neither sooner nor later."""

import asyncio
from typing import Any, ClassVar, NoReturn

import httpx
import pytest

from tests.harness import AMELIA, BODY, Home
from tests.harness.service import ManualClockLoop, call_service

LIMIT_MS = 60_000
ZERO = {"currency": "USD", "amount": 0}


class SilentConnector:
    """Waits for what never comes, and knows whether it was asked and cut off."""

    made: ClassVar[list["SilentConnector"]] = []

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.cut_off = False
        self.made.append(self)

    async def check(self, _enquiry: object) -> NoReturn:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cut_off = True
        raise AssertionError("nobody set that event")

    find = check


async def _turn(times: int = 100) -> None:
    """Let everything run that is due."""
    for _ in range(times):
        await asyncio.sleep(0)


def _answer_at_the_limit(home: Home, stage: str, connector: str, body: dict[str, Any]) -> Any:
    """The answer to a request whose connector is silent; only the limit can bring it about."""
    home.settings |= {
        f"GATEHOUSE_{connector}": f"{__name__}:SilentConnector",
        f"GATEHOUSE_{stage.upper()}_TIMEOUT_MS": str(LIMIT_MS),
    }
    found: dict[str, Any] = {}

    async def scenario(client: httpx.AsyncClient) -> None:
        silent = SilentConnector.made[-1]
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ManualClockLoop)
        async with asyncio.TaskGroup() as group:
            call = group.create_task(client.post(f"/api/v1/{stage}", json=body))
            await silent.asked.wait()
            loop.now += (LIMIT_MS - 1) / 1000
            await _turn()
            assert not silent.cut_off, "the limit was not yet reached"
            loop.now += 0.002
            await _turn()
            assert silent.cut_off, "the limit had passed"
        found.update(call.result().json())

    call_service(home, home.key(home.account("1")), scenario, ManualClockLoop)
    return found


@pytest.fixture(autouse=True)
def _forget_connectors() -> None:
    SilentConnector.made.clear()


def test_a_silent_issuer_is_cut_off_at_the_limit(sqlite_home: Home) -> None:
    answer = _answer_at_the_limit(sqlite_home, "precheck", "ISSUER", BODY)
    assert answer["preCheckResponse"]["advice"] == "RETRY"
    assert answer["preCheckResponse"]["reasons"] == ["issuer_unavailable"]
    assert answer["billing"]["items"][0]["completed"] is False
    assert answer["billing"]["amountClosed"] == ZERO


def test_a_silent_identity_source_is_cut_off_at_the_limit(sqlite_home: Home) -> None:
    answer = _answer_at_the_limit(sqlite_home, "idverify", "IDENTITIES", AMELIA)
    results = answer["idVerifyResponse"]
    assert results["cardHolderEmailAddressVerificationResults"] == "UNKNOWN"
    assert set(results["idVerification"].values()) == {"UNKNOWN"}
    assert answer["billing"]["items"][0]["completed"] is False
    assert answer["billing"]["amountClosed"] == ZERO
