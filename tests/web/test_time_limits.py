"""A connector that never answers is cut off at its time limit, and what came meanwhile is refused.

The clock of the event loop is moved by hand, so that no outcome depends on the machine's speed.
"""

import asyncio
from typing import Any, ClassVar, NamedTuple, NoReturn

import httpx
import pytest

from tests.harness import AMELIA, BODY, Home
from tests.harness.service import ManualClockLoop, call_service
from tests.web.answers import ZERO, refused

LIMIT_MS = 60_000


class Asked(NamedTuple):
    """A request of one stage, whose connector never answers."""

    stage: str
    connector: str
    body: dict[str, Any]

    def settings(self) -> dict[str, str]:
        return {
            f"GATEHOUSE_{self.connector}": f"{__name__}:SilentConnector",
            f"GATEHOUSE_{self.stage.upper()}_TIMEOUT_MS": str(LIMIT_MS),
        }

    async def post(self, client: httpx.AsyncClient, **headers: str) -> httpx.Response:
        return await client.post(f"/api/v1/{self.stage}", json=self.body, headers=headers)


PRECHECK = Asked("precheck", "ISSUER", BODY)
IDVERIFY = Asked("idverify", "IDENTITIES", AMELIA)


class SilentConnector:
    """Waits for what never comes, and knows how often it was asked and whether it was cut off."""

    made: ClassVar[list["SilentConnector"]] = []

    def __init__(self) -> None:
        self.asked = asyncio.Semaphore(0)
        self.cut_off = False
        self.made.append(self)

    async def check(self, _enquiry: object) -> NoReturn:
        self.asked.release()
        try:
            await asyncio.Event().wait()
        finally:
            self.cut_off = True
        raise AssertionError("nobody set that event")

    find = check


async def _pass(seconds: float) -> None:
    """Let so much time pass, and let everything run that is due then."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ManualClockLoop)
    loop.now += seconds
    for _ in range(100):
        await asyncio.sleep(0)


def _answer_at_the_limit(home: Home, asked: Asked) -> Any:
    """The answer to a request whose connector is silent; only the limit can bring it about."""
    home.settings |= asked.settings()
    found: dict[str, Any] = {}

    async def scenario(client: httpx.AsyncClient) -> None:
        silent = SilentConnector.made[-1]
        async with asyncio.TaskGroup() as group:
            call = group.create_task(asked.post(client))
            await silent.asked.acquire()
            await _pass((LIMIT_MS - 1) / 1000)
            assert not silent.cut_off, "the limit was not yet reached"
            await _pass(0.002)
            assert silent.cut_off, "the limit had passed"
        found.update(call.result().json())

    call_service(home, home.key(home.account("1")), scenario, ManualClockLoop)
    return found


@pytest.fixture(autouse=True)
def _forget_connectors() -> None:
    SilentConnector.made.clear()


def test_a_silent_issuer_is_cut_off_at_the_limit(sqlite_home: Home) -> None:
    answer = _answer_at_the_limit(sqlite_home, PRECHECK)
    assert answer["preCheckResponse"]["advice"] == "RETRY"
    assert answer["preCheckResponse"]["reasons"] == ["issuer_unavailable"]
    assert answer["billing"]["items"][0]["completed"] is False
    assert answer["billing"]["amountClosed"] == ZERO


def test_a_silent_identity_source_is_cut_off_at_the_limit(sqlite_home: Home) -> None:
    answer = _answer_at_the_limit(sqlite_home, IDVERIFY)
    results = answer["idVerifyResponse"]
    assert results["cardHolderEmailAddressVerificationResults"] == "UNKNOWN"
    assert set(results["idVerification"].values()) == {"UNKNOWN"}
    assert answer["billing"]["items"][0]["completed"] is False
    assert answer["billing"]["amountClosed"] == ZERO


def _sent_at_once(home: Home, refusals: int, asked: Asked = PRECHECK) -> list[httpx.Response]:
    """Answers to six requests to a silent connector, the refused ones first."""
    home.settings |= asked.settings()
    found: list[httpx.Response] = []

    async def scenario(client: httpx.AsyncClient) -> None:
        silent = SilentConnector.made[-1]
        calls = [asyncio.create_task(asked.post(client)) for _ in range(6)]
        for call in asyncio.as_completed(calls):
            found.append(await call)
            if len(found) == refusals:
                # Only those are left that wait for the connector.
                for _ in range(6 - refusals):
                    await silent.asked.acquire()
                await _pass((LIMIT_MS + 1) / 1000)
        healthy = await client.get("/healthz")
        assert healthy.status_code == 200

    call_service(home, home.key(home.account("1")), scenario, ManualClockLoop)
    return found


def test_guesses_sent_at_once_wait_their_turn_and_cost_nothing(home: Home) -> None:
    home.settings["GATEHOUSE_CARD_GUESS_LIMIT"] = "3"
    answers = [answer.json() for answer in _sent_at_once(home, refusals=3)]
    found = [answer["preCheckResponse"] for answer in answers]
    assert {one["advice"] for one in found} == {"RETRY"}
    assert [one["reasons"] for one in found[:3]] == [["too_many_at_once"]] * 3
    assert [one["reasons"] for one in found[3:]] == [["issuer_unavailable"]] * 3
    assert all(answer["billing"]["amountClosed"] == ZERO for answer in answers)


def test_guesses_of_a_holder_sent_at_once_wait_their_turn_and_cost_nothing(home: Home) -> None:
    home.settings["GATEHOUSE_CARD_GUESS_LIMIT"] = "3"
    answers = [answer.json() for answer in _sent_at_once(home, 3, IDVERIFY)]
    found = [answer["idVerifyResponse"] for answer in answers]
    told = [one["cardHolderEmailAddressVerificationResults"] for one in found]
    assert told == ["NOT_PROCESSED"] * 3 + ["UNKNOWN"] * 3
    assert all(answer["billing"]["amountClosed"] == ZERO for answer in answers)


def test_an_overloaded_server_says_when_to_come_back(sqlite_home: Home) -> None:
    sqlite_home.settings["GATEHOUSE_MAX_IN_FLIGHT"] = "2"
    answers = _sent_at_once(sqlite_home, refusals=4)
    assert [answer.status_code for answer in answers] == [503] * 4 + [200] * 2
    refused(answers[0], 503, "overloaded")
    assert answers[0].headers["retry-after"] == "1"


def test_an_idempotent_request_in_flight_is_409_and_refusals_free_the_key(home: Home) -> None:
    account = home.account("0.05")
    home.settings |= PRECHECK.settings()
    mine = {"Idempotency-Key": "k"}
    found: dict[str, Any] = {}

    async def scenario(client: httpx.AsyncClient) -> None:
        silent = SilentConnector.made[-1]
        wrong = PRECHECK._replace(body={"cardNumber": "1"})
        refused(await wrong.post(client, **mine), 200, "invalid_request")
        async with asyncio.TaskGroup() as group:
            slow = group.create_task(PRECHECK.post(client, **mine))
            await silent.asked.acquire()
            refused(await PRECHECK.post(client, **mine), 409, "idempotency_in_flight")
            refused(await PRECHECK.post(client), 402, "insufficient_balance")
            await _pass((LIMIT_MS + 1) / 1000)
        found.update(slow.result().json())

    call_service(home, home.key(account), scenario, ManualClockLoop)
    assert found["preCheckResponse"]["advice"] == "RETRY"
    assert found["billing"]["items"][0]["completed"] is False
    assert found["billing"]["amountAuthorized"]["amount"] == 0.05
    assert found["billing"]["amountClosed"] == ZERO
    assert home.balance(account) == 0.05
