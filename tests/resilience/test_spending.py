"""Many callers, one purse: a balance is spent to the last request and not one further."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.harness import BODY, Home, Server
from tests.resilience.wire import PRECHECK, Answer, Caller, envelope

CALLERS = 200
CALLS_EACH = 2
AFFORDABLE = 137
FEE = 0.05
BALANCE = "6.85"  # 137 times 0.05
SETTINGS = {
    "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
    # However slow the machine is, nobody is refused for that.
    "GATEHOUSE_SHED_DELAY_MS": "0",
    "GATEHOUSE_SECRET_KEY": "one root secret for every server of this database",
}


@contextmanager
def _servers(homes: list[Home]) -> Iterator[list[Server]]:
    with ExitStack() as running:
        yield [running.enter_context(home.server()) for home in homes]


async def _spend(servers: list[Server], key: str) -> list[Answer]:
    """All callers ask at once, each on a connection of its own, spread over the servers."""
    start = asyncio.Event()

    async def call(number: int, caller: Caller) -> list[Answer]:
        body = BODY | {"clientReferenceId": f"caller-{number}"}
        await start.wait()
        return [await caller.post(body) for _ in range(CALLS_EACH)]

    async with AsyncExitStack() as lines:
        tasks = []
        for number in range(CALLERS):
            caller = Caller(servers[number % len(servers)].port, key)
            await lines.enter_async_context(caller)
            await caller.connect()
            tasks.append(asyncio.create_task(call(number, caller)))
        start.set()
        return [answer for answers in await asyncio.gather(*tasks) for answer in answers]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_two_hundred_callers_spend_a_balance_exactly(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    homes = [Home(tmp_path / "home", settings=SETTINGS)]
    if database == "postgresql":
        new_database: Callable[[], str] = request.getfixturevalue("new_database")
        url = new_database()
        homes = [Home(tmp_path / name, url, SETTINGS) for name in ("one", "two")]
    account = homes[0].account(BALANCE)
    key = homes[0].key(account)
    with _servers(homes) as servers:
        answers = asyncio.run(_spend(servers, key))

        assert len(answers) == CALLERS * CALLS_EACH
        paid = [envelope(200, a.body) for a in answers if a.status == 200]
        refused = [envelope(402, a.body) for a in answers if a.status == 402]
        assert len(paid) == AFFORDABLE
        assert len(refused) == len(answers) - AFFORDABLE
        for body in paid:
            assert body["isSuccess"] is True
            assert body["preCheckResponse"]["advice"] == "ACCEPT"
            assert body["billing"]["amountAuthorized"] == {"currency": "USD", "amount": FEE}
            assert body["billing"]["amountClosed"] == {"currency": "USD", "amount": FEE}
        for body in refused:
            assert body["errors"]["code"] == "insufficient_balance"
            assert body["preCheckResponse"] is None
            assert body["billing"]["amountAuthorized"]["amount"] == 0
        charged = {body["requestId"] for body in paid}
        assert len(charged) == AFFORDABLE

        with servers[-1].client(key) as client:
            for request_id in sorted(charged)[::10]:
                found = client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]
                assert found["requestId"] == request_id
                assert found["amountClosed"] == {"currency": "USD", "amount": FEE}
            for body in refused[::50]:
                assert client.get(f"/api/v1/decisions/{body['requestId']}").status_code == 404
            last = client.get("/api/v1/decisions").json()
            assert last["billing"]["remainingBalance"]["amount"] == 0

        for server in servers:
            assert '"route":"/api/v1/precheck","status":200' in server.log(), "it sold nothing"

        assert homes[0].balance(account) == 0
        report = homes[0].ok("ledger", "verify", "--json").json
        assert report["problems"] == []
        assert report["accounts"] == 2  # this one and the demo account
        assert report["requests"] == report["closed"] == AFFORDABLE
        assert report["open"] == 0
        assert report["entries"] == 2 * AFFORDABLE + 2  # and one payment for each account
        shown = (
            homes[0].ok("ledger", "show", account, "--limit", "100000", "--json").json["entries"]
        )
        assert {entry["entry"] for entry in shown if entry["kind"] == "CLOSE"} == charged


def test_a_refused_request_leaves_the_balance_for_a_cheaper_day(sqlite_home: Home) -> None:
    account = sqlite_home.account("0.049999")
    key = sqlite_home.key(account)
    with sqlite_home.server() as server, server.client(key) as client:
        refused = client.post(PRECHECK, json=BODY)
        body = envelope(402, refused.text)
        assert body["billing"]["remainingBalance"] == {"currency": "USD", "amount": 0.049999}
        sqlite_home.ok("balance", "top-up", account, "0.000001")
        paid = envelope(200, client.post(PRECHECK, json=BODY).text)
        assert paid["billing"]["remainingBalance"]["amount"] == 0
        assert envelope(402, client.post(PRECHECK, json=BODY).text)["isSuccess"] is False
