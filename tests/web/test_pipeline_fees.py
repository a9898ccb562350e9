"""What a tenant's pipeline costs is what the operator's prices say, whatever its document says."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.approvals.use_cases import proposals
from gatehouse.admin.approvals.use_cases.proposed import ApplyPipeline, RollBackPipeline
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.configurations.use_cases.configurations import NewVersion, roll_back
from gatehouse.admin.installation.use_cases.go_live import inspect
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.pipelines.use_cases.pipeline_trial import read_draft
from gatehouse.core.errors import GatehouseError
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server, pipeline, until
from tests.web.merchant import Merchant

PLAIN = "pipeline: 77\nname: Mine\nstages:\n  - stage: Rules\n    rule_set: starter\n"
FREE = f"{PLAIN}    fee: 0\n"
NAMED = f"{PLAIN}    fee: entry\n"
SENT = {"pipelineId": 77, "rulesRequest": {"customerIp": "203.0.113.1"}}
PATH = "/api/v1/manage/pipelines/77"
OPERATOR = Actor.operator("ada")


@pytest.fixture
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session, "manage:pipelines", "manage:billing", "pipeline")


@pytest.fixture
def client(shared: Server, merchant: Merchant) -> Iterator[httpx.Client]:
    with shared.client(merchant.key) as one:
        yield one


def apply(client: httpx.Client, document: str, seen: str = "If-Match") -> httpx.Response:
    body = {"document": document}
    return client.put(PATH, json=body, headers={seen: "*"})


def charged(client: httpx.Client) -> Any:
    return pipeline(client, SENT).json()["billing"]["amountClosed"]["amount"]


def settles(client: httpx.Client, fee: float) -> None:
    """Servers follow a change within a second, and the balance with the charge."""
    until(lambda: charged(client), lambda found: found == fee)
    before = client.get("/api/v1/manage/balance").json()["balanceResponse"]["balance"]["amount"]
    assert charged(client) == fee
    after = client.get("/api/v1/manage/balance").json()["balanceResponse"]["balance"]["amount"]
    assert round(before - after, 6) == fee


def test_a_key_cannot_set_its_own_price_and_names_what_an_operator_offers(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    assert apply(client, PLAIN, "If-None-Match").status_code == 200
    settles(client, 0.01)
    for document in (FREE, FREE.replace("0\n", "0.01\n"), NAMED):
        assert "offered" in apply(client, document).text
        assert not client.post(
            "/api/v1/manage/pipelines/check", json={"document": document}
        ).json()["checkResponse"]["valid"]
    settles(client, 0.01)
    operator = session.acting_as(OPERATOR)
    money.set_prices(operator, merchant.account, {"RULES/entry": "0.004"})
    assert apply(client, NAMED).status_code == 200
    settles(client, 0.004)
    money.set_prices(operator, merchant.account, {"RULES/entry": "0.3"})
    settles(client, 0.3)


def test_an_amount_that_is_in_force_keeps_its_charge_and_only_operators_bring_one_back(
    shared: Server, client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    account = merchant.account
    manager = session.acting_as(
        Actor.user("eve@shop.example", account, may=PERMISSIONS[UserRole.ADMINISTRATOR])
    )
    console = Actor.user("ada@op.example", account, may=PERMISSIONS[UserRole.OPERATOR])
    pipelines.apply(session.acting_as(console), account, NewVersion(FREE.encode()))
    settles(client, 0)
    [found] = [
        each for each in inspect(session.settings, ()).points if each.name == "fees of pipelines"
    ]
    assert (found.ok, found.needed) == (False, False)
    assert f"pipeline 77 of {account}, by user:ada@op.example" in found.found
    assert apply(client, PLAIN).status_code == 200
    settles(client, 0.01)
    content = FREE.replace("Mine", "Ours")
    for attempt in (
        lambda: pipelines.apply(manager, account, NewVersion(content.encode())),
        lambda: pipelines.apply(manager, account, NewVersion(content.encode(), dry_run=True)),
        lambda: roll_back(manager, account, pipelines.PIPELINES, "77", VersionReturn(1)),
        lambda: roll_back(manager, account, pipelines.PIPELINES, "77", VersionReturn(1), True),
        lambda: proposals.propose(manager, account, ApplyPipeline(content)),
        lambda: proposals.propose(manager, account, RollBackPipeline("77", 1)),
        lambda: read_draft(manager, account, content.encode()),
    ):
        with pytest.raises(GatehouseError, match="only an operator writes a fee as an amount"):
            attempt()
    back = f"{PATH}/rollback"
    answer = client.post(back, json={"to": 1}, headers={"If-Match": "*"})
    assert "only an operator" in answer.text
    settles(client, 0.01)
    roll_back(session.acting_as(OPERATOR), account, pipelines.PIPELINES, "77", VersionReturn(1))
    settles(client, 0)
