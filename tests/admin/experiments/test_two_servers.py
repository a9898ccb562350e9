"""Experiments through HTTP on two servers: both arms, whichever server answers, until they end."""

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import httpx
import msgspec
import pytest

from gatehouse.access.keys import MANAGE, all_scopes
from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.experiments.worker.watch import ExperimentWatch
from gatehouse.sentry.scorecard import encode_sheet, load_sheet
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.training.report.report import encode_report
from tests.admin.experiments.test_live import RULES, card, decided
from tests.console.harness import Console
from tests.databases import Postgres
from tests.harness import Home, Server, rules, until
from tests.harness.samples import VISIT
from tests.training.material import report
from tests.web.merchant import Merchant

MANAGED: Final = "/api/v1/manage"
PIPELINE: Final = """\
pipeline: 7
name: by confidence
stages:
  - stage: Sentry
  - {stage: Rules, rule_set: doubts}
"""
DOUBTS: Final = RULES.format("doubts", "doubtful", 0, "DECLINE").replace(
    "order.amount > 0", "sentry.requestConfidence < 0.5"
)
USERS: Final = [f"u-{number}" for number in range(240)]
CARDS: Final = [card(number) for number in range(160)]


Ask = Callable[[httpx.Client], httpx.Response]


class Shop:
    """A merchant whose requests reach either server."""

    def __init__(self, servers: list[Server], session: AdminSession) -> None:
        self.session = session
        merchant = Merchant(session, *all_scopes(), MANAGE, micros=10**12)
        self.account = merchant.account
        self.clients = [server.client(merchant.key) for server in servers]

    def manage(self, method: str, path: str, **body: Any) -> Any:
        answer = self.clients[0].request(method, f"{MANAGED}/{path}", json=body or None)
        assert answer.json()["isSuccess"], answer.text
        [named] = [value for name, value in answer.json().items() if name.endswith("Response")]
        return named

    def apply(self, path: str, document: str) -> None:
        self.manage("PUT", path, document=document)

    def until_on_both(self, ask: Ask, holds: Callable[[httpx.Response], object]) -> None:
        """Wait until both servers answer as they should: they hear of changes a moment later."""
        for client in self.clients:
            until(partial(ask, client), lambda found: found.json()["isSuccess"] and holds(found))

    def record(self, answer: httpx.Response) -> str:
        """What was recorded of a request."""
        path = f"/api/v1/decisions/{answer.json()['requestId']}"
        return self.clients[0].get(path).raise_for_status().text

    def takes_part(self, answer: httpx.Response) -> bool:
        """Whether the request was given an arm."""
        return '"experiment.arm":' in self.record(answer)

    def later(self) -> None:
        """What the watch of a server does some minutes from now."""
        now_ms = self.session.clock() + 300_000
        ExperimentWatch(dataclasses.replace(self.session, clock=lambda: now_ms)).look()


@pytest.fixture(scope="module")
def home(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    url = postgres.new()
    # An order without a confidence is in no arm, however busy the machine is.
    settings = {"GATEHOUSE_SENTRY_TIMEOUT_MS": "30000"}
    yield Home(tmp_path_factory.mktemp("two") / "home", url, settings)
    postgres.give_back(url)


@pytest.fixture(scope="module")
def servers(home: Home) -> Iterator[list[Server]]:
    """Two servers of one installation; a test may put another one in the place of one."""
    made = [home.start(), home.start()]
    yield made
    for each in made:
        each.stop()


@pytest.fixture
def shop(home: Home, servers: list[Server]) -> Iterator[Shop]:
    with home.session() as session:
        made = Shop(servers, session)
        yield made
        for client in made.clients:
            client.close()


def keep_model(session: AdminSession, account: str, confidence: float) -> int:
    """A model that has this confidence in everybody."""
    sheet = load_sheet()
    terms = tuple(
        msgspec.structs.replace(term, effects=tuple(0.0 for _ in term.effects))
        for term in sheet.terms
    )
    prior = msgspec.structs.replace(sheet.prior, confidence=confidence)
    text = encode_sheet(msgspec.structs.replace(sheet, prior=prior, terms=terms))
    with session.change() as change:
        return models.keep(
            change, account, lambda _: encode_report(report()), lambda _: text, note=""
        )


def order(client: httpx.Client, user: str) -> httpx.Response:
    visit = {
        **VISIT,
        "account": {"userId": user},
        "event": {"type": "PURCHASE", "transactionId": user},
    }
    body = {"pipelineId": 7, "sentryRequest": visit}
    return client.post("/api/v1/pipeline", json=body)


def test_a_second_person_starts_two_models_and_each_user_keeps_one_of_them(
    shop: Shop, servers: list[Server]
) -> None:
    session, account = shop.session, shop.account
    trusting, doubting = (keep_model(session, account, each) for each in (0.9, 0.1))
    shop.manage("POST", f"models/{trusting}/promote", rawScores=True)
    shop.apply("rules/doubts", DOUBTS)
    shop.apply("pipelines/7", PIPELINE)
    approvals.set_wanted(session, account, ["models"])

    wanted = {"name": "Doubts", "kind": "model", "percent": 30, "assignedBy": "user"}
    wanted["challengerModel"] = doubting
    refused = shop.clients[0].post(f"{MANAGED}/experiments", json=wanted)
    assert refused.status_code == 409, refused.text
    console = Console(session, Settings())
    ann, bea = (console.as_role(UserRole.MANAGER, account) for _ in range(2))
    form = {"name": "Doubts", "kind": "model", "percent": "30", "assigned_by": "user"}
    form |= {"challenger_model": str(doubting)}
    assert ann.post(f"/a/{account}/experiments/start", form).status_code == 303
    [proposal] = proposals.listing(session, account)
    approve = f"/a/{account}/proposals/{proposal.proposal_id}/approve"
    assert ann.post(approve).status_code == 409
    assert shop.manage("GET", "experiments")["experiments"] == []
    assert bea.post(approve).status_code == 303
    [experiment] = shop.manage("GET", "experiments")["experiments"]
    shown = (experiment["control"], experiment["challenger"])
    assert shown == (f"model {trusting}", f"model {doubting}")

    def all_on(client: httpx.Client) -> list[str]:
        return [decided(order(client, user)) for user in USERS]

    one, other = shop.clients
    shop.until_on_both(partial(order, user=USERS[0]), shop.takes_part)
    arms = all_on(one)
    assert 20 < arms.count("DECLINE") < 124, "about 30 % of 240 users"
    assert all_on(other) == arms
    servers[0].kill()
    servers[0] = servers[0].home.start(port=servers[0].port)
    assert all_on(one) == arms

    answer = order(other, USERS[arms.index("DECLINE")]).json()
    record = other.get(f"/api/v1/decisions/{answer['requestId']}").text
    assert '"experiment.arm":"challenger"' in record
    shop.later()
    result = shop.manage("GET", f"experiments/{experiment['id']}/result")
    units = [result[arm]["units"] for arm in ("control", "challenger")]
    assert units == [arms.count("ACCEPT"), arms.count("DECLINE")]


def checked(client: httpx.Client, number: str = CARDS[0]) -> httpx.Response:
    body = {"ruleSet": "strict", "cardNumber": number, "amount": 59.9, "currency": "USD"}
    return rules(client, body)


def test_a_challenger_that_accepts_fraud_decides_nothing_more_on_any_server(shop: Shop) -> None:
    shop.apply("rules/strict", RULES.format("strict", "all", 10, "DECLINE"))
    shop.apply("rules/lax", RULES.format("lax", "all", 1_000_000, "DECLINE"))
    wanted = {"name": "Lax", "kind": "rules", "percent": 50}
    begun = {"ruleSet": "strict", "challengerRuleSet": "lax"}
    experiment = shop.manage("POST", "experiments", **wanted, **begun)["id"]
    shop.until_on_both(checked, shop.takes_part)
    one, other = shop.clients
    answers = [checked(one if number % 2 else other, CARDS[number]) for number in range(80)]
    accepted = [each.json()["requestId"] for each in answers if decided(each) == "ACCEPT"]
    assert 10 < len(accepted) < 70, "about half of 80 cards"
    shop.later()
    assert shop.manage("GET", f"experiments/{experiment}")["endedAt"] is None
    said = {"label": "FRAUD"}
    for request in accepted:
        answer = other.post("/api/v1/feedback", json={"requestId": request, **said})
        assert answer.json()["isSuccess"], answer.text
    shop.later()
    assert shop.manage("GET", f"experiments/{experiment}")["endedBecause"] == "harm"
    shop.until_on_both(checked, lambda answer: not shop.takes_part(answer))
    for client in shop.clients:
        assert {decided(checked(client, number)) for number in CARDS[:40]} == {"DECLINE"}


def test_two_servers_let_no_more_through_at_once_than_the_cap_of_a_hold_out(
    shop: Shop, servers: list[Server]
) -> None:
    shop.apply("rules/strict", RULES.format("strict", "all", 10, "DECLINE"))
    wanted = {"name": "Wrong declines", "kind": "hold_out", "percent": 99, "ruleSet": "strict"}
    caps = {"ordersPerDay": 9, "minorUnitsPerDay": 100_000, "currency": "USD"}
    shop.manage("POST", "experiments", **wanted, **caps)
    # Of another currency, so that the wait uses nothing up.
    body = {"ruleSet": "strict", "cardNumber": CARDS[0], "amount": 59.9, "currency": "EUR"}
    ask = partial(rules, body=body)
    shop.until_on_both(ask, shop.takes_part)
    with ThreadPoolExecutor(8) as threads:
        turns = zip(shop.clients * 40, CARDS[:80], strict=True)
        found = [*threads.map(lambda turn: decided(checked(*turn)), turns)]
    accepted = found.count("ACCEPT")
    assert found.count("DECLINE") == len(found) - accepted
    # A decline stands, too, where the answer of the caps came too late; it used one up.
    late = servers[0].log().count("the caps of a hold-out could not be asked")
    assert accepted <= 9 <= accepted + late
