"""Servers that die at any moment: no answer without its charge, no charge twice, nothing stuck."""

import asyncio
import random
from decimal import Decimal
from typing import Any

import pytest

from tests.harness import BODY, Home, free_port
from tests.harness.samples import SILENT_CARD
from tests.resilience.errands import Errand, Load, check_books, verify
from tests.resilience.wire import start

OPENING = Decimal("500")
FEE = Decimal("0.05")
CALLERS = 40
DECLINED_CARD = "4000000000000002"
SETTINGS = {
    "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
    # Silent issuers keep authorizations open, so that every kill leaves some behind.
    "GATEHOUSE_PRECHECK_TIMEOUT_MS": "250",
}


def _errands(count: int, chance: random.Random) -> list[Errand]:
    cards = chance.choices([BODY["cardNumber"], DECLINED_CARD, SILENT_CARD], [70, 15, 15], k=count)
    return [
        Errand(n, BODY | {"cardNumber": card}, chance.random() < 0.4)
        for n, card in enumerate(cards)
    ]


def _run(home: Home, count: int, kills: int, seed: int) -> None:
    account = home.account(str(OPENING))
    key = home.key(account)
    home.ok("events", "settings", account, "--decisions", "*")
    chance = random.Random(seed)
    server = start(home, free_port())
    load = Load(key, [server.port], CALLERS)
    load.give(_errands(count, chance))
    left: list[int] = []

    async def kill_some() -> None:
        """Kill at random moments spread over the whole load; start again on the same port."""
        nonlocal server
        for number in range(kills):
            await load.until((number + chance.uniform(0.2, 1)) * count / (kills + 1))
            await asyncio.sleep(chance.uniform(0, 0.05))
            await asyncio.to_thread(server.kill)
            left.append(count - load.ended)
            server = await asyncio.to_thread(start, home, server.port)

    try:
        asyncio.run(load.run(kill_some()))
        assert load.ended == count
        assert len(left) == kills
        assert all(left), "a kill came after the load"
        entries, charges = check_books(server, load, account, OPENING)
        assert set(charges.values()) <= {FEE, Decimal(0)}
        # The test itself has seen what it is about.
        assert any(entry["kind"] == "EXPIRE" for entry in entries), "no kill hit an open request"
        assert any(errand.attempts > 1 for errand in load.errands), "nobody had to ask again"
        assert "a defect" not in server.log()
        assert server.stop() == 0
    finally:
        if server.process.poll() is None:
            server.kill()
    assert verify(home)["open"] == 0


def test_a_server_killed_ten_times_charges_every_answer_once(sqlite_home: Home) -> None:
    sqlite_home.settings = SETTINGS
    _run(sqlite_home, count=2000, kills=10, seed=20_260_101)


def test_holds_of_a_killed_server_expire_on_a_database_that_others_share(
    tmp_path: Any, request: pytest.FixtureRequest
) -> None:
    # Here nobody can know that the dead server is dead: its authorizations have to run out.
    url = request.getfixturevalue("new_database")()
    short = {
        "GATEHOUSE_AUTHORIZATION_TTL_S": "5",
        "GATEHOUSE_IDVERIFY_TIMEOUT_MS": "250",
        "GATEHOUSE_GATEWAY_TIMEOUT_MS": "250",
    }
    home = Home(tmp_path / "home", url, SETTINGS | short)
    _run(home, count=450, kills=3, seed=7)
