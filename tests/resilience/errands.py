"""Clients that send errands to servers which come and go, and a strict look at the books after."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gatehouse.billing.ledger import EntryKind
from tests.harness import Home, Server
from tests.resilience.wire import PRECHECK, Answer, Caller, Lost, envelope

PATIENCE_S = 240


@dataclass
class Errand:
    """One thing a client wants done, and what became of it."""

    number: int
    wanted: dict[str, Any]
    with_key: bool = True
    path: str = PRECHECK
    answer: dict[str, Any] | None = None
    attempts: int = 0
    conflicts: int = 0

    @property
    def reference(self) -> str:
        return f"errand-{self.number}"

    @property
    def body(self) -> dict[str, Any]:
        return self.wanted | {"clientReferenceId": self.reference}

    @property
    def headers(self) -> dict[str, str]:
        return {"Idempotency-Key": f"key-{self.number}"} if self.with_key else {}

    @property
    def charged(self) -> Decimal:
        """What the answer says it cost."""
        return (
            Decimal(0) if self.answer is None else self.answer["billing"]["amountClosed"]["amount"]
        )


@dataclass
class Load:
    """Clients that send errands, in turn to each port of a list that may change meanwhile."""

    key: str
    ports: list[int]
    callers: int
    errands: list[Errand] = field(default_factory=list)
    """Those that were given out."""
    ended: int = 0
    _turn: int = 0
    _waiting: asyncio.Queue[Errand | None] = field(default_factory=asyncio.Queue)
    _progress: asyncio.Event = field(default_factory=asyncio.Event)

    def give(self, errands: Iterable[Errand]) -> None:
        """Let these be sent, too."""
        for errand in errands:
            self.errands.append(errand)
            self._waiting.put_nowait(errand)

    async def run(self, meanwhile: Coroutine[Any, Any, None]) -> None:
        """Send what is given out, until all is done and what is done meanwhile has ended."""
        async with asyncio.timeout(600), asyncio.TaskGroup() as work:
            for _ in range(self.callers):
                work.create_task(self._client())
            await meanwhile
            for _ in range(self.callers):
                self._waiting.put_nowait(None)

    async def until(self, ended: float) -> None:
        """Wait until so many errands have ended."""
        while self.ended < ended:
            self._progress.clear()
            await self._progress.wait()

    async def _client(self) -> None:
        async with Caller(self._next_port(), self.key) as caller:
            while errand := await self._waiting.get():
                await self._do(errand, caller)
                self.ended += 1
                self._progress.set()

    def _next_port(self) -> int:
        self._turn += 1
        return self.ports[self._turn % len(self.ports)]

    async def _do(self, errand: Errand, caller: Caller) -> None:
        """Try once; with an idempotency key, until there is an answer."""
        ends_at = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_at:
            try:
                await caller.turn_to(self._next_port())
                await caller.connect()
            except ConnectionError:
                await asyncio.sleep(0.1)  # nobody is there: nothing was sent
                continue
            errand.attempts += 1
            try:
                answer = await caller.post(errand.body, errand.headers, errand.path)
            except Lost:
                if errand.with_key:
                    continue
                return
            if answer.status == 409:
                errand.conflicts += 1
                await asyncio.sleep(0.1)
                continue
            _note(errand, answer)
            return
        raise AssertionError(f"{errand.reference} found no answer within {PATIENCE_S} s")


def _note(errand: Errand, answer: Answer) -> None:
    assert answer.status == 200, answer
    envelope(answer.status, answer.body)
    errand.answer = json.loads(answer.body, parse_float=Decimal)


def verify(home: Home) -> dict[str, Any]:
    """What the proof of the ledger reports, which finds nothing wrong."""
    report: dict[str, Any] = home.ok("ledger", "verify", "--json").json
    assert report["problems"] == []
    return report


def all_settled(home: Home) -> dict[str, Any]:
    """The report once nothing is open any more."""
    ends_at = time.monotonic() + PATIENCE_S
    while (report := verify(home))["open"]:
        assert time.monotonic() < ends_at, f"{report['open']} authorizations stay open"
        time.sleep(0.2)
    return report


def check_books(
    server: Server, load: Load, account: str, opening: Decimal
) -> tuple[list[dict[str, Any]], dict[str, Decimal]]:
    """Every answer is charged, recorded and told once; returns the ledger, and charges by request.

    The account had that balance at first, and events of its decisions.
    """
    home, errands = server.home, load.errands
    report = all_settled(home)
    every = [f"--kind={kind}" for kind in EntryKind]
    shown = home.ok("ledger", "show", account, *every, "--limit", "100000", "--json").out
    entries: list[dict[str, Any]] = json.loads(shown, parse_float=Decimal)["entries"]
    closes = [entry for entry in entries if entry["kind"] == "CLOSE"]
    charges = {entry["entry"]: -entry["amount"]["amount"] for entry in closes}
    assert len(charges) == len(closes), "a request was closed twice"

    # Every answer that a client holds is in the ledger, with the amount it names.
    answered = {e.answer["requestId"]: e.charged for e in errands if e.answer is not None}
    assert len(answered) == sum(1 for errand in errands if errand.answer is not None)
    assert {ref: charges.get(ref) for ref in answered} == answered
    # What is in the ledger beyond that belongs to answers that were lost on the way.
    lost = [errand for errand in errands if errand.answer is None]
    assert not any(errand.with_key for errand in lost)
    assert len(charges) <= len(answered) + len(lost)

    # Charges and decision records are the same requests, and no errand has two.
    decisions = _decisions(server, load.key)
    assert len(decisions) == len(charges)
    assert {d["requestId"]: d["amountClosed"]["amount"] for d in decisions} == charges
    per_errand = Counter(d["clientReferenceId"] for d in decisions)
    assert set(per_errand.values()) == {1}
    kept = {d["clientReferenceId"]: d["requestId"] for d in decisions}
    for errand in errands:
        if errand.answer is not None:
            assert kept[errand.reference] == errand.answer["requestId"]

    # An event and its decision were written together or not at all.
    assert sorted(_told(server, load.key)) == sorted(charges)

    # Nothing is missing from the balance and nothing is left in it.
    assert report["closed"] == len(closes)
    ended = [e for e in entries if e["kind"] in ("CLOSE", "RELEASE", "EXPIRE")]
    assert len(ended) == sum(1 for entry in entries if entry["kind"] == "AUTHORIZE")
    balance = json.loads(home.ok("balance", "show", account, "--json").out, parse_float=Decimal)
    assert balance["held"]["amount"] == 0
    assert balance["balance"]["amount"] == opening - sum(charges.values())
    return entries, charges


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
