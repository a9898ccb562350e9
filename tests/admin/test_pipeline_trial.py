"""A draft of a pipeline, tried on a recorded request and on one that a person wrote."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.decisions import list_decisions
from gatehouse.admin.pipelines.use_cases.pipeline_rehearsal import LARGEST_REQUEST, try_request
from gatehouse.admin.pipelines.use_cases.pipeline_trial import PipelineTrial, try_pipeline
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.core.errors import InvalidInput, NotFound, RequestRefused
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.pipeline.settlement import Search
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.figures.shops import Shop
from tests.harness import Home

RULES = """\
rule_set: mine
rules:
  - {{name: much, condition: order.amount > {much}, outcome: REVIEW}}
"""
DRAFT = b"""\
pipeline: 7
name: Quick
stages:
  - stage: Rules
    rule_set: mine
    stop_when: rules.status = 'REVIEW'
  - stage: Sentry
    skip_when: order.amount < 5
  - stage: PreCheck
  - stage: Gateway
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("trial") / "home").migrated()


@pytest.fixture(scope="module")
def shop(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A shop with one set of rules."""
    with home.session() as session:
        made = Shop(session, tmp_path_factory.mktemp("copies"))
        made.copies.close()
        _apply(made.session, made.account_id, 30)
        yield made


def _apply(session: AdminSession, account_id: str, much: int) -> None:
    document = RULES.format(much=much).encode()
    rule_sets.apply(session, account_id, NewVersion(document))


def _request(amount: float, card: str = "4242424242424242") -> dict[str, Any]:
    checked = {"cardNumber": card, "cardExpiryDate": "2035-12", "cardCvv2Value": "123"}
    paid = {"amount": amount, "currency": "USD"}
    return {"pipelineId": 7, "preCheckRequest": checked, "gatewayRequest": paid}


def _try(home: Home, shop: Shop, request: object) -> PipelineTrial:
    body = json.dumps(request).encode()
    settings = load_settings(home.environ())
    return try_request(shop.session, shop.account_id, settings, DRAFT, body)


def _stages(trial: PipelineTrial) -> list[str]:
    return [each.definition.stage for each in trial.stages if each.ran]


def test_a_written_request_takes_the_stages_that_a_server_would(home: Home, shop: Shop) -> None:
    good = _try(home, shop, _request(20))
    assert good.after is Outcome.ACCEPT
    assert _stages(good) == ["Rules", "Sentry", "PreCheck", "Gateway"]
    assert '"responseCode"' in (good.stages[3].answer or "")
    small = _try(home, shop, _request(2, "4000000000000002"))
    assert small.after is Outcome.DECLINE
    assert _stages(small) == ["Rules", "PreCheck"]
    assert [each.skipped for each in small.stages] == [False, True, False, False]
    dear = _try(home, shop, _request(40))
    assert dear.after is Outcome.REVIEW
    assert dear.stages[0].matched == ("much",)
    assert [each.stopped for each in dear.stages] == [True, False, False, False]


def test_a_written_request_is_neither_charged_nor_recorded(home: Home, shop: Shop) -> None:
    before = accounts.get(shop.session, shop.account_id).state
    known = list_decisions(shop.session, shop.account_id, Search(None, None, 10))
    _try(home, shop, _request(20))
    assert accounts.get(shop.session, shop.account_id).state == before
    assert list_decisions(shop.session, shop.account_id, Search(None, None, 10)) == known


def test_a_written_request_is_refused_as_the_api_refuses_it(home: Home, shop: Shop) -> None:
    with pytest.raises(RequestRefused) as refused:
        _try(home, shop, {"pipelineId": 7, "preCheckRequest": {"cardNumber": "42"}})
    assert set(refused.value.fields) >= {"preCheckRequest.cardNumber", "gatewayRequest.amount"}
    with pytest.raises(RequestRefused, match="malformed_body"):
        _try(home, shop, [])
    with pytest.raises(InvalidInput, match="at most"):
        _try(home, shop, "x" * LARGEST_REQUEST)
    misspelt = _try(home, shop, _request(20) | {"devise": {}})
    assert any("devise" in each.path for each in misspelt.warnings)


def test_a_recorded_request_is_judged_with_the_draft(home: Home, shop: Shop) -> None:
    signals = {"order.amount": 50.0, "order.currency": "USD"}
    request_id = shop.keep(shop.now_ms - 1000, signals=signals, decision="ACCEPT")
    found = try_pipeline(shop.session, shop.account_id, DRAFT, request_id)
    assert (found.before, found.after) == (Outcome.ACCEPT, Outcome.REVIEW)
    assert _stages(found) == ["Rules"]
    with pytest.raises(NotFound):
        try_pipeline(shop.session, shop.account_id, DRAFT, "req_none")
    with pytest.raises(InvalidInput):
        try_pipeline(shop.session, shop.account_id, b"pipeline: x", request_id)


def test_two_versions_are_compared(shop: Shop) -> None:
    _apply(shop.session, shop.account_id, 60)
    asked = (shop.session, shop.account_id, RULE_SETS, "mine")
    found = configurations.compare(*asked, (1, 2))
    assert found.old is not None
    assert "> 30" in found.old.document
    assert "> 60" in found.new.document
    assert found.differences == ["~ much: condition: order.amount > 30 -> order.amount > 60"]
    assert configurations.compare(*asked, (None, 1)).old is None
    with pytest.raises(NotFound):
        configurations.compare(*asked, (1, 9))
