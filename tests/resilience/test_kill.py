"""Servers that die at any moment: no answer without its charge, no charge twice, nothing stuck."""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from gatehouse.billing.ledger import EntryKind
from tests.harness import BODY, Home, Server, free_port
from tests.harness.samples import SILENT_CARD
from tests.resilience.wire import Answer, Caller, Lost, envelope, start

OPENING = Decimal("500")
FEE = Decimal("0.05")
CALLERS = 40
PATIENCE_S = 240
DECLINED_CARD = "4000000000000002"
SETTINGS = {
    "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
    # Silent issuers keep authorizations open, so that every kill leaves some behind.
    "GATEHOUSE_PRECHECK_TIMEOUT_MS": "250",
}


@dataclass
class Errand:
    """One thing a client wants done, and what became of it."""

    number: int
    card: str
    with_key: bool
    answer: dict[str, Any] | None = None
    attempts: int = 0
    conflicts: int = 0
    replayed: bool = False

    @property
    def reference(self) -> str:
        return f"errand-{self.number}"

    @property
    def charged(self) -> Decimal:
        """What the answer says it cost."""
        return (
            Decimal(0) if self.answer is None else self.answer["billing"]["amountClosed"]["amount"]
        )


@dataclass
class Load:
    """Clients that send errands to a server while somebody keeps killing it."""

    home: Home
    server: Server
    key: str
    chance: random.Random
    errands: list[Errand]
    ended: int = 0
    kills: int = 0
    killed_with: list[int] = field(default_factory=list)
    _progress: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, kills: int) -> None:
        waiting = list(reversed(self.errands))
        port = self.server.port
        async with asyncio.timeout(600), asyncio.TaskGroup() as work:
            work.create_task(self._kill(kills))
            for _ in range(CALLERS):
                work.create_task(self._client(waiting, port))

    async def _client(self, waiting: list[Errand], port: int) -> None:
        async with Caller(port, self.key) as caller:
            while waiting:
                await self._do(waiting.pop(), caller)
                self.ended += 1
                self._progress.set()

    async def _do(self, errand: Errand, caller: Caller) -> None:
        """Try once; with an idempotency key, until there is an answer."""
        body = BODY | {"cardNumber": errand.card, "clientReferenceId": errand.reference}
        headers = {"Idempotency-Key": f"key-{errand.number}"} if errand.with_key else {}
        ends_at = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_at:
            try:
                await caller.connect()
            except ConnectionError:
                await asyncio.sleep(0.1)  # nobody is there: nothing was sent
                continue
            errand.attempts += 1
            try:
                answer = await caller.post(body, headers)
            except Lost:
                if errand.with_key:
                    continue
                return
            if answer.status == 409:
                errand.conflicts += 1
                await asyncio.sleep(0.1)
                continue
            self._note(errand, answer)
            return
        raise AssertionError(f"{errand.reference} found no answer within {PATIENCE_S} s")

    def _note(self, errand: Errand, answer: Answer) -> None:
        assert answer.status == 200, answer
        envelope(answer.status, answer.body)
        errand.answer = json.loads(answer.body, parse_float=Decimal)
        errand.replayed = answer.headers.get("idempotent-replayed") == "true"

    async def _kill(self, kills: int) -> None:
        """Kill at random moments spread over the whole load; start again on the same port."""
        share = len(self.errands) / (kills + 1)
        for number in range(kills):
            due = (number + self.chance.uniform(0.2, 1)) * share
            while self.ended < due:
                self._progress.clear()
                await self._progress.wait()
            await asyncio.sleep(self.chance.uniform(0, 0.05))
            await asyncio.to_thread(self.server.kill)
            self.kills += 1
            self.killed_with.append(len(self.errands) - self.ended)
            port = self.server.port
            self.server = await asyncio.to_thread(start, self.home, port)


def _errands(count: int, chance: random.Random) -> list[Errand]:
    cards = chance.choices([BODY["cardNumber"], DECLINED_CARD, SILENT_CARD], [70, 15, 15], k=count)
    return [Errand(n, card, chance.random() < 0.4) for n, card in enumerate(cards)]


def _decisions(server: Server, key: str) -> list[dict[str, Any]]:
    """Every decision record of the account, page by page."""
    found: list[dict[str, Any]] = []
    with server.client(key) as client:
        while True:
            after = {"startingAfter": found[-1]["requestId"]} if found else {}
            answer = client.get("/api/v1/decisions", params={"limit": 100, **after})
            page = json.loads(answer.text, parse_float=Decimal)
            found += page["decisionsResponse"]["decisions"]
            if not page["decisionsResponse"]["hasMore"]:
                return found


def _told(server: Server, key: str) -> list[str]:
    """The requests that events tell of, page by page, as a reader gets them."""
    found: list[str] = []
    wanted: dict[str, str | int] = {"types": "decision.made", "limit": 100}
    with server.client(key) as client:
        while True:
            page = client.get("/api/v1/events", params=wanted).json()["eventsResponse"]
            found += [event["data"]["requestId"] for event in page["events"]]
            wanted["after"] = page["cursor"]
            if not page["hasMore"]:
                return found


def _verify(home: Home) -> dict[str, Any]:
    report: dict[str, Any] = home.ok("ledger", "verify", "--json").json
    assert report["problems"] == []
    return report


def _all_settled(home: Home) -> dict[str, Any]:
    """The report once nothing is open any more."""
    ends_at = time.monotonic() + PATIENCE_S
    while (report := _verify(home))["open"]:
        assert time.monotonic() < ends_at, f"{report['open']} authorizations stay open"
        time.sleep(0.2)
    return report


def _check_books(load: Load, account: str, report: dict[str, Any]) -> None:
    home, errands = load.home, load.errands
    every = [f"--kind={kind}" for kind in EntryKind]
    shown = home.ok("ledger", "show", account, *every, "--limit", "100000", "--json").out
    entries = json.loads(shown, parse_float=Decimal)["entries"]
    closes = [entry for entry in entries if entry["kind"] == "CLOSE"]
    charges = {entry["entry"]: -entry["amount"]["amount"] for entry in closes}
    assert len(charges) == len(closes), "a request was closed twice"
    assert set(charges.values()) <= {FEE, Decimal(0)}

    # Every answer that a client holds is in the ledger, with the amount it names.
    answered = {e.answer["requestId"]: e.charged for e in errands if e.answer is not None}
    assert len(answered) == sum(1 for errand in errands if errand.answer is not None)
    assert {ref: charges.get(ref) for ref in answered} == answered
    # What is in the ledger beyond that belongs to answers that were lost on the way.
    lost = [errand for errand in errands if errand.answer is None]
    assert not any(errand.with_key for errand in lost)
    assert len(charges) <= len(answered) + len(lost)

    # Charges and decision records are the same requests, and no errand has two.
    decisions = _decisions(load.server, load.key)
    assert len(decisions) == len(charges)
    assert {d["requestId"]: d["amountClosed"]["amount"] for d in decisions} == charges
    per_errand = Counter(d["clientReferenceId"] for d in decisions)
    assert set(per_errand.values()) == {1}
    kept = {d["clientReferenceId"]: d["requestId"] for d in decisions}
    for errand in errands:
        if errand.answer is not None:
            assert kept[errand.reference] == errand.answer["requestId"]

    # An event and its decision were written together or not at all.
    told = _told(load.server, load.key)
    assert sorted(told) == sorted(charges)

    # Nothing is missing from the balance and nothing is left in it.
    assert report["closed"] == len(closes)
    ended = [e for e in entries if e["kind"] in ("CLOSE", "RELEASE", "EXPIRE")]
    assert len(ended) == sum(1 for entry in entries if entry["kind"] == "AUTHORIZE")
    balance = json.loads(home.ok("balance", "show", account, "--json").out, parse_float=Decimal)
    assert balance["held"]["amount"] == 0
    assert balance["balance"]["amount"] == OPENING - sum(charges.values())

    # The test itself has seen what it is about.
    assert any(entry["kind"] == "EXPIRE" for entry in entries), "no kill hit an open request"
    assert any(errand.attempts > 1 for errand in errands), "nobody had to repeat a request"


def _run(home: Home, count: int, kills: int, seed: int) -> None:
    account = home.account(str(OPENING))
    key = home.key(account)
    home.ok("events", "settings", account, "--decisions", "*")
    chance = random.Random(seed)
    load = Load(home, start(home, free_port()), key, chance, _errands(count, chance))
    try:
        asyncio.run(load.run(kills))
        assert load.kills == kills
        assert load.ended == count
        assert all(left > 0 for left in load.killed_with), "a kill came after the load"
        report = _all_settled(home)
        _check_books(load, account, report)
        assert "a defect" not in load.server.log()
        assert load.server.stop() == 0
    finally:
        if load.server.process.poll() is None:
            load.server.kill()
    assert _verify(home)["open"] == 0


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
