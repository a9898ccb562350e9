"""Events tell the answer that a caller got, field by field, for every operation."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.events.types import EventSettingsBody
from gatehouse.admin.events.use_cases import event_settings
from gatehouse.admin.events.use_cases.event_settings import parse_filter
from gatehouse.admin.events.use_cases.events import EventQuery, list_events, newest_cursor
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.webhooks.types.endpoint import WebhookTerms
from gatehouse.admin.webhooks.worker.batches import takes
from gatehouse.core.events import EventName
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.erased_record import without_person
from gatehouse.decisions.record import decode, encode
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.tables import DECISIONS
from tests.harness import (
    AMELIA,
    BODY,
    PURCHASE,
    VISIT,
    Home,
    Server,
    idverify,
    pipeline,
    precheck,
    rules,
    sentry,
    until,
)
from tests.harness.samples import SILENT_CARD
from tests.operations.test_live_models import is_mine, program
from tests.web.merchant import Merchant

Call = Callable[[httpx.Client], httpx.Response]
TOR = "192.0.2.1"
DECLINED, DECLINED_BY_GATEWAY, LATE_GATEWAY = (
    *("4000000000000002", "4000000000000341"),
    "4000000000000259",
)
RULES = b"""
rule_set: mine
rules:
  - {name: cheap, outcome: ACCEPT, tags: [small, known], condition: order.amount < 1000}
  - {name: watched, outcome: DECLINE, shadow: true, condition: order.amount > 0}
  - {name: doubtful, outcome: REVIEW, tags: [late], condition: sentry.requestConfidence < 2}
"""
TWICE = b"""
pipeline: 7
name: Rules twice
stages:
  - {stage: Rules, rule_set: mine}
  - {stage: Sentry}
  - {stage: Rules, rule_set: starter}
  - {stage: PreCheck}
  - {stage: IdVerify}
"""


def bought(number: str = "", pipeline_id: int = 1, address: str = "") -> dict[str, Any]:
    card = BODY | ({"cardNumber": number} if number else {})
    visit = VISIT | {"device": VISIT["device"] | ({"ipAddress": address} if address else {})}
    holder = AMELIA | ({"cardNumber": number} if number else {})
    return {
        **PURCHASE,
        "pipelineId": pipeline_id,
        "rulesRequest": {},
        "sentryRequest": visit,
        "preCheckRequest": card,
        "idVerifyRequest": holder,
    }


CALLS: dict[str, Call] = {
    "precheck": precheck,
    "precheck declined": partial(precheck, body=BODY | {"cardNumber": DECLINED}),
    "precheck without an answer": partial(precheck, body=BODY | {"cardNumber": SILENT_CARD}),
    "precheck expired": partial(precheck, body=BODY | {"cardExpiryDate": "2001-01"}),
    "idverify": idverify,
    "idverify without a name": partial(
        idverify, body={k: v for k, v in AMELIA.items() if k != "cardHolderName"}
    ),
    "idverify without an answer": partial(idverify, body=AMELIA | {"cardNumber": SILENT_CARD}),
    "sentry": sentry,
    "sentry about nothing": partial(sentry, body={}),
    "sentry about Tor": partial(sentry, body={"device": {"ipAddress": TOR}}),
    "rules": partial(rules, body={"ruleSet": "starter", "customerIp": TOR, "amount": 59.9}),
    "own rules": partial(rules, body={"ruleSet": "mine", "amount": 5, "currency": "USD"}),
    "pipeline 1": partial(pipeline, body=bought()),
    "pipeline 1 from Tor": partial(pipeline, body=bought(address=TOR)),
    "pipeline 1 declined": partial(pipeline, body=bought(DECLINED)),
    "pipeline 1 without an answer": partial(pipeline, body=bought(SILENT_CARD)),
    "pipeline 2": partial(pipeline, body=bought(pipeline_id=2)),
    "gateway declines": partial(pipeline, body=bought(DECLINED_BY_GATEWAY)),
    "gateway is late": partial(pipeline, body=bought(LATE_GATEWAY)),
    "rules twice": partial(pipeline, body=bought(pipeline_id=7)),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("told") / "home").migrated()
    quick = {f"GATEHOUSE_{each}_TIMEOUT_MS": "150" for each in ("PRECHECK", "IDVERIFY", "GATEWAY")}
    with home.server(**quick) as server:
        yield server


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    """One that is told of every decision, with rules and a pipeline of its own."""
    made = Merchant(session, micros=90_000_000)
    rule_sets.apply(session, made.account, NewVersion(RULES))
    pipelines.apply(session, made.account, NewVersion(TWICE))
    wanted = EventSettingsBody(["*"])
    event_settings.set_event_settings(session, made.account, wanted)
    return made


class Told:
    """What the account's readers are told of requests."""

    def __init__(self, client: httpx.Client, session: AdminSession, merchant: Merchant) -> None:
        self.client, self.session, self.account = client, session, merchant.account
        self.cursor = newest_cursor(session, merchant.account)

    def of(self, request_id: str) -> dict[str, Any]:
        """The event about the decision of a request."""
        query: dict[str, str | int] = {"after": self.cursor, "types": "decision.made", "limit": 100}
        page = self.client.get("/api/v1/events", params=query).json()["eventsResponse"]
        found = {each["data"]["requestId"]: each["data"] for each in page["events"]}
        data: dict[str, Any] = found[request_id]
        return data


@pytest.fixture(scope="module")
def told(client: httpx.Client, session: AdminSession, merchant: Merchant) -> Told:
    started = Told(client, session, merchant)

    def news() -> bool:
        assert precheck(client).status_code == 200
        page = list_events(session, merchant.account, EventQuery(started.cursor))
        return any(each.type == "decision.made" for each in page.events)

    until(news, bool)
    return started


def without_balance(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what only its moment knew."""
    billing = {name: each for name, each in answer["billing"].items() if name != "remainingBalance"}
    kept = {name: each for name, each in answer.items() if name != "warnings"}
    pipeline = kept.get("pipelineResponse") or {}
    if paid := pipeline.get("gatewayResponse"):
        # It is sealed with the payment, and no event tells it.
        sealed = {"gatewayResponse": paid | {"networkTransactionId": None}}
        kept["pipelineResponse"] = pipeline | sealed
    return kept | {"billing": billing}


@pytest.mark.parametrize("name", CALLS)
def test_an_event_tells_the_answer_as_it_was(client: httpx.Client, told: Told, name: str) -> None:
    answer = CALLS[name](client).json()
    assert answer["isSuccess"], answer
    event = told.of(answer["requestId"])
    assert event["response"] == without_balance(answer)
    assert event["decision"]["requestId"] == answer["requestId"]


REASONS = {
    "pipeline 1": (None, False),
    "pipeline 1 declined": ("ISSUER_DECLINED", False),
    "pipeline 1 without an answer": ("ISSUER_UNAVAILABLE", True),
    "gateway declines": ("GATEWAY_DECLINED", False),
    "gateway is late": ("GATEWAY_ERROR", True),
}


@pytest.mark.parametrize("name", REASONS)
def test_answer_record_and_search_say_what_decided(
    client: httpx.Client, told: Told, name: str
) -> None:
    answer = CALLS[name](client).json()
    found = answer["pipelineResponse"]
    assert (found["reason"], found["retryable"]) == REASONS[name]
    decision = told.of(answer["requestId"])["decision"]
    assert (decision["reason"], decision["retryable"]) == REASONS[name]
    asked = {"reason": found["reason"] or "RULES", "limit": 1}
    searched = client.post("/api/v1/decisions/search", json=asked).json()["decisionsResponse"]
    newest = [each["requestId"] for each in searched["decisions"]]
    assert (newest == [answer["requestId"]]) == (found["reason"] is not None)


def outcome(answer: dict[str, Any]) -> Outcome | None:
    """What a caller would say was decided."""
    if "preCheckResponse" in answer:
        accepted = answer["preCheckResponse"]["advice"] == "ACCEPT"
        return Outcome.ACCEPT if accepted else Outcome.DECLINE
    if "rulesResponse" in answer:
        return Outcome(answer["rulesResponse"]["status"])
    if "pipelineResponse" in answer:
        return Outcome(answer["pipelineResponse"]["decision"])
    return None


FILTERS = (
    *("precheck", "precheck:ACCEPT", "precheck:DECLINE", "idverify", "sentry"),
    *("rules:ACCEPT", "rules:REVIEW,DECLINE", "pipeline:ACCEPT", "pipeline:REVIEW,DECLINE"),
    *("*:DECLINE", "*:REVIEW", "*"),
)
ANSWERED = (
    *("precheck", "precheck declined", "idverify", "sentry", "rules"),
    *("pipeline 1", "pipeline 1 from Tor", "pipeline 1 declined"),
)


@pytest.mark.parametrize("text", FILTERS)
def test_each_filter_tells_its_operation_and_outcomes_and_no_others(
    shared: Server, session: AdminSession, text: str
) -> None:
    merchant, chosen = Merchant(session), parse_filter(text)
    event_settings.set_event_settings(session, merchant.account, EventSettingsBody([text]))
    answers: dict[str, tuple[str, Outcome | None]] = {}
    with shared.client(merchant.key) as client:
        for name in ANSWERED:
            answer = CALLS[name](client).json()
            answers[answer["requestId"]] = (name.partition(" ")[0], outcome(answer))
    page = list_events(session, merchant.account, EventQuery(types=(EventName.DECISION_MADE,)))
    told = [each.data["requestId"] for each in page.events]
    assert told == [each for each, about in answers.items() if chosen.takes(*about)]


def test_webhooks_take_the_decisions_that_their_filters_name(
    client: httpx.Client, told: Told, session: AdminSession
) -> None:
    answers = [CALLS[name](client).json() for name in ANSWERED]
    page = list_events(session, told.account, EventQuery(types=(EventName.DECISION_MADE,)))
    events = {each.data["requestId"]: each for each in page.events}
    for text in FILTERS:
        chosen = parse_filter(text)
        terms = WebhookTerms("https://shop.example/", ("decision.made",), (chosen,))
        for name, answer in zip(ANSWERED, answers, strict=True):
            operation = name.partition(" ")[0]
            expected = chosen.takes(operation, outcome(answer))
            assert takes(terms, events[answer["requestId"]]) == expected, (text, name)


def test_sentences_of_an_own_model_are_told_as_they_were(
    client: httpx.Client, told: Told, session: AdminSession
) -> None:
    with session.change() as change:
        models.keep(change, told.account, lambda _: "{}", program)
        models.promote(change, told.account, 1)
    answer = until(partial(sentry, client), is_mine).json()
    assert told.of(answer["requestId"])["response"] == without_balance(answer)


def test_nothing_of_an_erased_person_is_told_again(
    client: httpx.Client, told: Told, session: AdminSession
) -> None:
    request_id = precheck(client).json()["requestId"]
    this = DECISIONS.c.request_id == request_id
    with session.database.writing() as connection:
        kept = decode(connection.execute(DECISIONS.select().where(this)).one().record)
        text = encode(without_person(kept, "2035-01-01T00:00:00Z"))
        connection.execute(DECISIONS.update().where(this).values(record=text))
    event = told.of(request_id)
    assert (event["response"], event["decision"]["card"]) == (None, None)
