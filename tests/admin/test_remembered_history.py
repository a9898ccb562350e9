"""A history that is imported fills the memory as the same orders do when they are sent."""

import asyncio
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.memory.use_cases.filling import MemoryFilled, fill_memory
from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.search.use_cases.people import PersonNamed
from gatehouse.bootstrap import Service
from gatehouse.core.errors import NotFound, RightMissing
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions
from gatehouse.training.replay.lines import BadLine
from tests.harness import Home, make_account
from tests.harness.service import serving

AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/157.0.0.0 Safari/537.36"  # noqa: E501


def order(number: int, user: str) -> dict[str, Any]:
    return {
        "device": {"ipAddress": f"203.0.113.{number % 3 + 1}", "userAgent": AGENT},
        "event": {"type": "PURCHASE", "transactionId": f"t-{number}"},
        "order": {"amount": 20 + number, "currency": "USD", "affiliateId": "deals"},
        "account": {"userId": user},
        "shoppingCart": {"items": [{"itemId": f"sku-{number % 2}", "price": 20, "quantity": 1}]},
    }


def history(users: str = "ann ben ann cat ann ben") -> list[dict[str, Any]]:
    """Orders of the last days; the first one was fraud, and of the last one nobody knows."""
    now = datetime.now(UTC)
    lines = []
    for number, user in enumerate(users.split()):
        at = (now - timedelta(days=6) + timedelta(hours=20 * number)).isoformat()
        label = ["fraud", "legitimate", None][(number > 0) + (number > 3)]
        request = order(number, user)
        request["event"]["timestamp"] = at
        lines.append({"at": at, "request": request, "label": label})
    return lines


class Shop:
    """An account of a running server."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.account = home.account()
        self.headers = {"X-API-KEY": home.key(self.account)}

    async def tell(self, client: httpx.AsyncClient, lines: Iterable[dict[str, Any]]) -> None:
        """Send orders as they come, and what became of them."""
        for line in lines:
            await self.call(client, "sentry", line["request"])
            if line["label"]:
                transaction = line["request"]["event"]["transactionId"]
                said = {"transactionId": transaction, "label": line["label"].upper()}
                await self.call(client, "feedback", said)

    async def call(self, client: httpx.AsyncClient, path: str, body: Any) -> Any:
        answer = await client.post(f"/api/v1/{path}", json=body, headers=self.headers)
        assert answer.json()["isSuccess"], answer.text
        return answer.json()

    def remember(self, lines: Iterable[dict[str, Any]]) -> MemoryFilled:
        texts = [json.dumps(each).encode() + b"\n" for each in lines]
        with self.home.session() as session:
            return fill(session, self.account, texts)

    async def measure(self, client: httpx.AsyncClient, number: int, user: str) -> Any:
        """What Sentry measures of the next order."""
        done = await self.call(client, "sentry", order(number, user))
        path = f"/api/v1/decisions/{done['requestId']}"
        record = (await client.get(path, headers=self.headers)).json()
        return record["decisionResponse"]["stages"][0]["result"]["signals"]


def fill(session: AdminSession, account: str, lines: list[bytes]) -> MemoryFilled:
    return fill_memory(session, account, lines, lambda _: None, lambda *_: None)


async def heard(service: Service) -> None:
    """Wait until the server remembers, and has heard of all that was imported and erased."""
    await service._remembered.wait()
    if service._shared is not None:
        await service._shared._catch_up.catch_up()
    await service.forgetter.catch_up()
    await service.labels.catch_up()


def test_an_imported_history_is_remembered_as_one_that_was_sent(home: Home) -> None:
    compare(home)


def test_a_shared_memory_remembers_it_too(sqlite_home: Home, valkey: str) -> None:
    sqlite_home.settings["GATEHOUSE_MEMORY_URL"] = valkey
    compare(sqlite_home)


def compare(home: Home) -> None:
    """Two shops with one past: what is measured of their next orders is the same at each step."""
    sent, imported, lines = Shop(home), Shop(home), history()
    numbers = iter(range(100, 200))

    async def same(client: httpx.AsyncClient, user: str) -> Any:
        number = next(numbers)
        live = await sent.measure(client, number, user)
        assert await imported.measure(client, number, user) == live
        return live

    async def running(step: Any) -> None:
        async with serving(home) as service:
            transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
            await heard(service)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                await step(service, client)

    async def begin(service: Service, client: httpx.AsyncClient) -> None:
        await sent.tell(client, lines)
        done = await asyncio.to_thread(imported.remember, reversed(lines))
        assert (done.remembered, done.labels, done.known, done.old) == (6, 4, 0, 0)
        await heard(service)
        assert (await same(client, "ann"))["ACCOUNT_REPUTATION"] > 1
        await same(client, "ben")
        await same(client, "a stranger")
        again = await asyncio.to_thread(imported.remember, lines)
        assert (again.remembered, again.labels, again.known) == (0, 0, 6)
        await heard(service)
        await same(client, "cat")

    async def after_a_restart(service: Service, client: httpx.AsyncClient) -> None:
        await same(client, "ann")
        with home.session() as session:
            for shop in (sent, imported):
                person, options = PersonNamed(user_id="ann"), ErasureOptions(compact=False)
                done = await asyncio.to_thread(erase_person, session, shop.account, person, options)
                assert done.decisions == 5, done
        await heard(service)
        assert "ACCOUNT_REPUTATION" not in await same(client, "ann")
        assert (await asyncio.to_thread(imported.remember, lines)).remembered == 0

    async def in_the_end(_: Service, client: httpx.AsyncClient) -> None:
        await same(client, "ann")
        await same(client, "ben")

    for step in (begin, after_a_restart, in_the_end):
        asyncio.run(running(step))


def test_an_imported_order_is_shown_as_one_counted_nowhere_and_labelled_as_any(
    sqlite_home: Home,
) -> None:
    home, file = sqlite_home, sqlite_home.path / "past.jsonl"
    account, other = home.account(), home.account()
    old = history("old")[0] | {"at": "2020-01-01T00:00:00Z"}
    lines = [*history(), old, history("ann")[0]]
    file.write_text("".join(json.dumps(each) + "\n" for each in lines))
    done = home.ok("sentry", "remember", str(file), "--account", account, "--json").json
    assert done == {
        "accountId": account, "remembered": 6, "labels": 4, "known": 1, "old": 1, "days": 200
    }  # fmt: skip
    labels = home.path / "labels.csv"
    labels.write_text("transactionId,label\nt-5,chargeback\n")
    assert home.run("feedback", "import", str(labels), "--account", other).code == 1
    home.ok("feedback", "import", str(labels), "--account", account)
    query = ("--operation", "import", "--label", "CHARGEBACK", "--account", account)
    [found] = home.ok("decisions", "search", *query, "--json").json["decisions"]
    assert (found["operation"], found["stages"]) == ("import", [])
    shown = home.ok("decisions", "show", found["requestId"], "--account", account).out
    assert "An imported order of the past" in shown
    assert home.ok("usage", "--account", account, "--json").json["groups"] == []
    assert "the ledger is right" in home.ok("ledger", "verify").out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"request": {}}, "transactionId"),
        ({"at": "2099-01-01T00:00:00Z"}, "future"),
        ({"labelAt": "2099-01-01T00:00:00Z"}, "future"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_before_anything_is_kept(
    sqlite_session: AdminSession, change: dict[str, Any], said: str
) -> None:
    account = make_account(sqlite_session)
    first, second = history("ann ben")
    lines = [json.dumps(each).encode() + b"\n" for each in (first, second | change)]
    with pytest.raises(BadLine, match=said) as refused:
        fill(sqlite_session, account, lines)
    assert refused.value.number == 2
    with sqlite_session.reading() as connection:
        assert not decisions.has_any(connection, account)


def test_nobody_fills_the_memory_of_another_account_or_without_the_right_to_decisions(
    sqlite_session: AdminSession,
) -> None:
    mine, other = make_account(sqlite_session), make_account(sqlite_session)
    for actor, refusal in (
        (Actor.key("key_1", mine), NotFound),
        (Actor.key("key_1", other, scopes=("manage:models",)), RightMissing),
    ):
        with pytest.raises(refusal):
            fill(sqlite_session.acting_as(actor), other, [])
