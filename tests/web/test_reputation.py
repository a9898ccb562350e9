"""What is said about a request counts for the next one at once, on a real server."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import AMELIA, CARD, PURCHASE, VISIT, Home, Server, pipeline, sentry, until
from tests.web.merchant import Merchant

_NUMBERS = count(1)


class Customer(Merchant):
    """A merchant, and a customer whom nobody else has seen."""

    def __init__(self, home: Home) -> None:
        with home.session() as session:
            super().__init__(session, micros=90_000_000)
        number = next(_NUMBERS)
        self.user, self.address = f"user-{number}", f"24.{number}.2.3"

    def visit(self, user: str = "", address: str = "") -> dict[str, Any]:
        """One more visit of the customer; other orders have nothing else in common."""
        number = next(_NUMBERS)
        device = {**VISIT["device"], "ipAddress": address or self.address}
        return {
            **VISIT,
            "device": {**device, "sessionId": f"s-{number}"},
            "event": {"type": "PURCHASE", "transactionId": f"t-{number}"},
            "order": {"amount": 59.9, "currency": "USD"},
            "account": {"userId": user or self.user},
            "shoppingCart": None,
            "clientReferenceId": f"order-{number}",
        }


@pytest.fixture
def merchant(shared: Server) -> Customer:
    return Customer(shared.home)


@pytest.fixture
def client(shared: Server, merchant: Customer) -> Iterator[httpx.Client]:
    with shared.client(merchant.key) as one:
        yield one


@pytest.fixture(scope="module")
def sharing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A sandbox in which accounts share reputations, which they do in production by default."""
    settings = {"GATEHOUSE_REPUTATION": "shared"}
    with Home(tmp_path_factory.mktemp("sharing") / "home", "", settings).migrated().server() as one:
        yield one


class Scored:
    """What Sentry answered."""

    def __init__(self, answer: httpx.Response) -> None:
        body = answer.json()
        assert body["isSuccess"], body
        self.request: str = body["requestId"]
        found = body["sentryResponse"] if "sentryResponse" in body else body["pipelineResponse"]
        found = found.get("sentryResponse", found)
        self.confidence: float = found.get("requestConfidence", found.get("requestScore"))
        self.effects: dict[str, float] = {one["code"]: one["effect"] for one in found["reasons"]}

    @property
    def reputations(self) -> set[str]:
        return {code for code in self.effects if code.endswith("_REPUTATION")}


def score(client: httpx.Client, body: dict[str, Any]) -> Scored:
    return Scored(sentry(client, body))


def tell(client: httpx.Client, label: str, **subject: Any) -> None:
    answer = client.post("/api/v1/feedback", json={"label": label, **subject})
    assert answer.json()["isSuccess"], answer.text


def heard(client: httpx.Client, merchant: Customer, wanted: Callable[[Scored], bool]) -> Scored:
    """The first score after the server has heard of something."""
    same = asked(merchant)
    return until(lambda: score(client, same), wanted)


def asked(merchant: Customer) -> dict[str, Any]:
    """The same order whenever it is asked about: it is counted once, and its score says all."""
    return {
        **merchant.visit(),
        "event": {"type": "PURCHASE", "transactionId": f"same-{merchant.user}"},
    }


def test_a_fraud_lowers_the_next_visit_at_once_and_can_be_taken_back(
    client: httpx.Client, merchant: Customer
) -> None:
    first, same = score(client, merchant.visit()), asked(merchant)
    before = score(client, same)
    assert not before.reputations
    tell(client, "FRAUD", requestId=first.request)
    after = score(client, same)
    assert after.confidence < before.confidence - 0.3
    # Of a family one counts.
    assert "ACCOUNT_REPUTATION" in after.reputations
    assert {"IP_REPUTATION", "DEVICE_REPUTATION"} & after.reputations
    assert all(after.effects[code] < 0 for code in after.reputations)
    tell(client, "LEGITIMATE", requestId=first.request)
    well = score(client, same)
    assert well.confidence >= before.confidence
    assert all(well.effects[code] > 0 for code in well.reputations)
    tell(client, "CHARGEBACK", requestId=first.request)
    assert score(client, same).confidence == after.confidence
    tell(client, "WITHDRAWN", requestId=first.request)
    withdrawn = score(client, same)
    assert (withdrawn.confidence, withdrawn.effects) == (before.confidence, before.effects)


def test_the_reasons_say_so_in_words(client: httpx.Client, merchant: Customer) -> None:
    tell(client, "FRAUD", requestId=score(client, merchant.visit()).request)
    reasons = sentry(client, merchant.visit()).json()["sentryResponse"]["reasons"]
    texts = {one["code"]: one["text"] for one in reasons}
    assert texts["ACCOUNT_REPUTATION"] == "Earlier orders of this user turned out to be fraud."


def test_feedback_by_transaction_or_reference_counts_as_well(
    client: httpx.Client, merchant: Customer
) -> None:
    one, other = merchant.visit(), merchant.visit(user="another")
    score(client, one)
    score(client, other)
    tell(client, "FRAUD", transactionId=one["event"]["transactionId"])
    assert "ACCOUNT_REPUTATION" in score(client, merchant.visit()).reputations
    assert "ACCOUNT_REPUTATION" not in score(client, merchant.visit(user="another")).reputations
    tell(client, "CHARGEBACK", clientReferenceId=other["clientReferenceId"])
    assert "ACCOUNT_REPUTATION" in score(client, merchant.visit(user="another")).reputations


def test_a_user_is_scored_by_what_it_shares_with_others(
    client: httpx.Client, merchant: Customer
) -> None:
    tell(client, "FRAUD", requestId=score(client, merchant.visit()).request)
    neighbour = score(client, merchant.visit(user="neighbour"))
    assert neighbour.reputations
    assert "ACCOUNT_REPUTATION" not in neighbour.reputations
    moved = score(client, merchant.visit(address="70.1.2.3"))
    assert "ACCOUNT_REPUTATION" in moved.reputations


def test_a_card_and_a_mailbox_have_a_name_wherever_they_come_from(sharing: Server) -> None:
    merchant, other = Customer(sharing.home), Customer(sharing.home)

    def bought(by: httpx.Client, user: str, address: str) -> Scored:
        visit = merchant.visit(user=user, address=address)
        sent = {**PURCHASE, "pipelineId": 2, "sentryRequest": visit, "idVerifyRequest": AMELIA}
        sent["rulesRequest"] = {"customerIp": address, "cardNumber": CARD, "userId": user}
        return Scored(pipeline(by, sent))

    with sharing.client(merchant.key) as client, sharing.client(other.key) as elsewhere:
        first = bought(client, merchant.user, merchant.address)
        assert not bought(client, "before", "70.2.2.3").reputations
        assert not bought(elsewhere, "before", "70.3.2.3").reputations
        tell(client, "FRAUD", requestId=first.request)
        here = bought(client, "after", "70.4.2.3")
        assert "CARD_REPUTATION" in here.reputations
        assert {"EMAIL_REPUTATION", "PHONE_REPUTATION"} & here.reputations
        there = bought(elsewhere, "after", "70.5.2.3")
        assert "CARD_REPUTATION" in there.reputations
        assert here.effects["CARD_REPUTATION"] < there.effects["CARD_REPUTATION"] < 0


def test_a_label_given_by_a_command_reaches_the_running_server(
    client: httpx.Client, merchant: Customer, shared: Server
) -> None:
    request = score(client, merchant.visit()).request
    given = ("feedback", "add", "--account", merchant.account, "--request", request, "--label")
    shared.home.ok(*given, "fraud")
    found = heard(client, merchant, lambda one: "ACCOUNT_REPUTATION" in one.reputations)
    assert found.effects["ACCOUNT_REPUTATION"] < 0
    shared.home.ok(*given, "withdrawn")
    heard(client, merchant, lambda one: not one.reputations)


def test_what_a_reviewer_finds_counts(
    client: httpx.Client, merchant: Customer, shared: Server, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "rule_set: all\nrules:\n"
        "  - name: look\n    condition: order.amount > 1\n    outcome: REVIEW\n"
    )
    shared.home.ok("rules", "apply", str(rules), "--account", merchant.account)
    stages = tmp_path / "pipeline.yaml"
    stages.write_text(
        "pipeline: 7\nname: Reviewed\nstages:\n  - stage: Sentry\n"
        "  - stage: Rules\n    rule_set: all\n"
    )
    shared.home.ok("pipelines", "apply", str(stages), "--account", merchant.account)
    sent = {**PURCHASE, "pipelineId": 7, "sentryRequest": merchant.visit()}
    answer = until(lambda: pipeline(client, sent).json(), lambda body: body["isSuccess"])
    assert answer["pipelineResponse"]["decision"] == "REVIEW", answer
    resolution = {"resolution": "DECLINE", "reason": "The holder knows nothing of it"}
    resolved = client.post(f"/api/v1/reviews/{answer['requestId']}", json=resolution)
    assert resolved.json()["isSuccess"], resolved.text
    heard(client, merchant, lambda one: one.effects.get("ACCOUNT_REPUTATION", 0) < 0)


def test_another_account_hears_of_what_both_know_alone(sharing: Server) -> None:
    merchant, other = Customer(sharing.home), Customer(sharing.home)
    theirs = {**other.visit(user=merchant.user, address=merchant.address), "customInputs": None}
    theirs["event"] = {"type": "PURCHASE", "transactionId": "theirs"}
    with sharing.client(merchant.key) as client, sharing.client(other.key) as elsewhere:
        before = score(elsewhere, theirs)
        tell(client, "FRAUD", requestId=score(client, merchant.visit()).request)
        after = score(elsewhere, theirs)
        assert after.confidence < before.confidence
        # The name of a user is another person's elsewhere; of a family the strongest is told.
        assert after.reputations <= {
            "IP_REPUTATION",
            "IP_NETWORK_REPUTATION",
            "DEVICE_REPUTATION",
        }
        here = score(client, merchant.visit())
        assert min(here.effects.values()) < min(after.effects.values())


def test_accounts_of_a_sandbox_know_nothing_of_each_other_and_a_restart_loses_nothing(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "home").migrated()
    with home.server() as server:
        merchant, other = Customer(home), Customer(home)
        with server.client(merchant.key) as client, server.client(other.key) as elsewhere:
            theirs = other.visit(user=merchant.user, address=merchant.address)
            before = score(elsewhere, theirs)
            first, second = (score(client, merchant.visit()).request for _ in range(2))
            tell(client, "FRAUD", requestId=first)
            tell(client, "FRAUD", requestId=second)
            tell(client, "WITHDRAWN", requestId=second)
            same = asked(merchant)
            score(client, same)
            found = score(client, same)
            assert "ACCOUNT_REPUTATION" in found.reputations
            again = score(elsewhere, theirs)
            assert (again.confidence, again.effects) == (before.confidence, before.effects)
    with home.server() as server, server.client(merchant.key) as client:
        server.wait_for_memory()
        anew = score(client, same)
        assert (anew.confidence, anew.effects) == (found.confidence, found.effects)
