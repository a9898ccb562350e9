"""Providers tell of payments: proved, kept once, applied in any order, never twice."""

import copy
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.store.payments.tables import PAYMENT_OPERATIONS, PAYMENTS, PROVIDER_NOTIFICATIONS
from tests.admin.notifications.provider import (
    ADYEN_KEY,
    DISPUTE,
    MAPPINGS,
    NEXT_KEY,
    REFUND_FAILED,
    STRIPE_KEY,
    adyen,
    event,
    stripe,
)
from tests.harness import PURCHASE, Home, Server, until

_ROUTE = "gateway: [{use: [stripe, adyen]}]"


class Ground:
    """Two accounts whose payments a Stripe and an Adyen made, and a server that both reach."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.account, self.other = home.account(), home.account()
        self.key = home.key(self.account)
        self.client: httpx.Client
        self.manager: httpx.Client
        self.paths: dict[str, str] = {}
        self.now_s = int(time.time())

    def buy(self, server: Server) -> None:
        with server.client(self.key) as buyer:
            for _ in range(10):
                assert buyer.post("/api/v1/pipeline", json=PURCHASE).json()["isSuccess"]
        with self.home.session() as session, session.writing() as connection:
            self.requests = list(connection.scalars(sa.select(PAYMENTS.c.request_id)))
            values = {"party": "stripe", "currency": "EUR", "amount_minor": 10_000}
            connection.execute(PAYMENTS.update().values(values))

    def named(self, number: int, payment_id: str, party: str = "stripe") -> str:
        """One of the payments, by the name that its provider has for it."""
        request: str = self.requests[number]
        with self.home.session() as session, session.writing() as connection:
            this = PAYMENTS.update().where(PAYMENTS.c.request_id == request)
            connection.execute(this.values(payment_id=payment_id, party=party))
        return request

    def apply(self) -> None:
        lines = ["connectors:"]
        for name, secrets in (
            ("stripe", "key: env:PSP_KEY, signing: env:STRIPE_KEY, signing_next: env:NEXT_KEY"),
            ("adyen", "key: env:PSP_KEY, hmac: env:ADYEN_KEY"),
        ):
            (self.folder / f"{name}.yaml").write_text(MAPPINGS[name])
            place = "base_url: http://127.0.0.1:9"
            lines.append(f"  {name}: {{kind: http, mapping: ./{name}.yaml, {place},")
            lines.append(f"    secrets: {{{secrets}}}}}")
        file = self.folder / "connectors.yaml"
        file.write_text("\n".join([*lines, "routes:", f"  {_ROUTE}", ""]))
        self.home.ok("connectors", "apply", str(file))
        found = self.home.ok("notifications", "addresses", "--json").json
        self.paths = {each["connector"]: each["path"] for each in found}

    def stripe(self, name: str, kind: str, later_s: int = 0, **about: Any) -> httpx.Response:
        told = event(name, kind, self.now_s + later_s, **about)
        return stripe(self.client, self.paths["stripe"], told, time.time())

    def shown(self, request: str) -> Any:
        path = f"/api/v1/manage/payments/{request}"
        return self.manager.get(path).json()["paymentResponse"]

    def kept(self, request: str) -> Any:
        path = "/api/v1/manage/notifications"
        found = self.manager.get(path, params={"requestId": request}).json()
        return found["notificationsResponse"]["notifications"]

    def applied(self, request: str, count: int) -> Any:
        """Until so many were applied, or needed nothing."""

        def over() -> list[str]:
            return [each["state"] for each in self.kept(request) if each["state"] != "WAITING"]

        until(over, lambda states: len(states) >= count)
        return self.shown(request)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("notified")
    made = Ground(Home(folder / "home").migrated(), folder)
    with made.home.server() as server:
        made.buy(server)
    made.apply()
    environ = {
        "GATEHOUSE_GATEWAY": "connectors",
        "PSP_KEY": "k3y",
        "STRIPE_KEY": STRIPE_KEY,
        "NEXT_KEY": NEXT_KEY,
        "ADYEN_KEY": ADYEN_KEY,
    }
    manager = made.home.key(made.account, "--scope", "manage")
    with made.home.server(**environ) as server:
        with server.client() as made.client, server.client(manager) as made.manager:
            yield made


def test_what_was_done_at_the_provider_counts_in_any_order_and_once(ground: Ground) -> None:
    request = ground.named(0, "pi_order")
    refund = {"id": "re_1", "payment_intent": "pi_order", "amount": 2500, "currency": "eur"}
    capture = {"id": "pi_order", "amount_received": 10_000, "currency": "eur"}
    for _ in range(2):
        done = ground.stripe("evt_2", "refund.updated", 9, status="succeeded", **refund)
        assert done.status_code == 200
    first = ground.applied(request, 1)
    assert (first["refundedMinor"], first["refundableMinor"]) == (2500, 0)
    assert ground.stripe("evt_1", "payment_intent.succeeded", 1, **capture).status_code == 200
    both = ground.applied(request, 2)
    assert (both["state"], both["capturedMinor"], both["refundedMinor"]) == (
        "PARTLY_REFUNDED",
        10_000,
        2500,
    )
    assert both["refundableMinor"] == 7500
    # The provider takes the refund back; that it succeeded comes once more, and late.
    ground.stripe("evt_3", "refund.failed", 30, status="failed", **refund)
    assert ground.applied(request, 3)["state"] == "CAPTURED"
    ground.stripe("evt_4", "refund.created", 8, status="succeeded", **refund)
    assert ground.applied(request, 4)["state"] == "CAPTURED"
    states = [(each["event"], each["state"]) for each in ground.kept(request)]
    assert states == [
        ("refunded", "NOTHING"),
        ("refund_refused", "APPLIED"),
        ("captured", "APPLIED"),
        ("refunded", "APPLIED"),
    ]
    assert {each["by"] for each in both["operations"]} == {"connector:stripe"}


def test_an_operation_in_doubt_is_settled_by_its_provider(ground: Ground) -> None:
    request = ground.named(1, "pi_doubt")
    row: dict[str, Any] = {
        "id": "op_01kcb5f7a0mzq8vd0e2h4x7n9t",
        "account_id": ground.account,
        "kind": "CAPTURE",
    }
    row |= {"request_id": request, "state": "IN_DOUBT", "actor": "key:k", "amount_minor": 4000}
    with ground.home.session() as session, session.writing() as connection:
        insert = PAYMENT_OPERATIONS.insert()
        connection.execute(insert, {**row, "at_ms": 1, "changed_at_ms": 1, "attempts": 1})
    about: dict[str, Any] = {
        "id": "pi_doubt",
        "amount_received": 4000,
        "metadata": {"operation": row["id"]},
    }
    ground.stripe("evt_5", "payment_intent.succeeded", **about)
    [settled] = ground.applied(request, 1)["operations"]
    assert (settled["state"], settled["operationId"]) == ("SUCCEEDED", row["id"])
    ground.stripe(
        "evt_6", "payment_intent.canceled", id="pi_doubt", cancellation_reason="automatic"
    )
    shown = ground.applied(request, 2)
    assert (shown["state"], shown["capturableMinor"]) == ("PARTLY_CAPTURED", 0)
    assert shown["operations"][1]["reason"] == "expired"


def test_a_dispute_becomes_an_outcome_and_an_older_message_takes_nothing_back(
    ground: Ground,
) -> None:
    request = ground.named(2, "pi_3NqF")
    closed = copy.deepcopy(DISPUTE)
    closed |= {"id": "evt_closed", "type": "charge.dispute.closed", "created": 1763500000}
    closed["data"]["object"]["status"] = "won"
    for told in (closed, DISPUTE, DISPUTE):
        path = ground.paths["stripe"]
        assert stripe(ground.client, path, told, time.time()).status_code == 200
        ground.applied(request, 1)
    ground.applied(request, 2)
    search = {"requestId": request}
    listed = ground.manager.get("/api/v1/manage/outcomes", params=search).json()
    [outcome] = listed["outcomesResponse"]["outcomes"]
    wanted = {"kind": "DISPUTE", "reference": "dp_1NqF", "network": "VISA", "reason": "10.4"}
    assert {name: outcome[name] for name in wanted} == wanted
    assert (outcome["result"], outcome["amount"]) == ("WON", "59.9")
    assert [each["state"] for each in ground.kept(request)] == ["NOTHING", "APPLIED"]


def test_several_in_one_message_signed_by_their_values(ground: Ground) -> None:
    request = ground.named(3, "JDD6LKT8MBLZNN84", "adyen")
    [item] = copy.deepcopy(REFUND_FAILED["notificationItems"])
    first, second = copy.deepcopy(item), copy.deepcopy(item)
    first["NotificationRequestItem"] |= {"eventCode": "CAPTURE", "pspReference": "CAPTURE1"}
    second["NotificationRequestItem"]["eventCode"] = "REFUND"
    done = adyen(ground.client, ground.paths["adyen"], {"notificationItems": [first, second]})
    assert done.status_code == 200
    assert ground.applied(request, 2)["state"] == "REFUNDED"
    told = copy.deepcopy(REFUND_FAILED)
    assert adyen(ground.client, ground.paths["adyen"], told).status_code == 200
    assert ground.applied(request, 3)["state"] == "PARTLY_CAPTURED"
    told["notificationItems"][0]["NotificationRequestItem"]["amount"]["value"] = 1
    assert ground.client.post(ground.paths["adyen"], json=told).status_code == 401


def test_one_that_cannot_be_read_takes_no_others_with_it(ground: Ground) -> None:
    request = ground.named(8, "PSP-ONE", "adyen")
    [unread] = copy.deepcopy(REFUND_FAILED["notificationItems"])
    item = unread["NotificationRequestItem"]
    item |= {"eventCode": "CAPTURE", "originalReference": "PSP-ONE", "pspReference": "CAPTURE-0"}
    read = copy.deepcopy(unread)
    item["amount"]["value"] = -1
    for _ in range(2):
        told = {"notificationItems": [unread, read]}
        done = adyen(ground.client, ground.paths["adyen"], told)
        assert done.json()["errors"]["code"] == "malformed_body"
    assert len(ground.applied(request, 1)["operations"]) == len(ground.kept(request)) == 1


def test_a_moment_that_cannot_be_hides_no_payment(ground: Ground) -> None:
    request = ground.named(9, "PSP-ODD", "adyen")
    [item] = copy.deepcopy(REFUND_FAILED["notificationItems"])
    odd = ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z")
    for number, at in enumerate(odd, 1):
        item["NotificationRequestItem"] |= {
            "eventCode": "CAPTURE",
            "pspReference": f"CAPTURE-ODD{number}",
            "originalReference": "PSP-ODD",
            "eventDate": at,
        }
        told = {"notificationItems": [item]}
        assert adyen(ground.client, ground.paths["adyen"], told).status_code == 200
        assert len(ground.applied(request, number)["operations"]) == number
    assert {each["happenedAt"] for each in ground.kept(request)} == {None}


def test_a_message_that_is_not_proved_leaves_nothing(ground: Ground) -> None:
    ground.named(4, "pi_safe")
    path, now_s = ground.paths["stripe"], time.time()
    told = event("evt_forged", "payment_intent.succeeded", int(now_s), id="pi_safe", amount=1)
    refusals = [
        stripe(ground.client, path, told, now_s, "whsec_of-somebody-else-entirely"),
        stripe(ground.client, path, told, now_s - 400),
        stripe(ground.client, path, told, now_s + 400),
        ground.client.post(path, json=told),
        ground.client.post(path, json=told, headers={"Stripe-Signature": "t=1,v1=zz"}),
    ]
    assert [each.status_code for each in refusals] == [401] * 5
    for strange in ("/api/v1/notifications/stripe", path[:-1], f"{path}0"):
        assert stripe(ground.client, strange, told, now_s).status_code == 404
    assert ground.client.post(path, content=b"x" * 300_000).status_code in (413, 415)
    with ground.home.session() as session, session.reading() as connection:
        forged = PROVIDER_NOTIFICATIONS.c.name == "evt_forged"
        query = sa.select(sa.func.count()).select_from(PROVIDER_NOTIFICATIONS).where(forged)
        assert connection.scalar(query) == 0
    # The next key of a rotation is as good as the one before.
    assert stripe(ground.client, path, told, now_s, NEXT_KEY).status_code == 200


def test_nothing_but_mapped_fields_is_kept_and_none_that_is_like_a_card(ground: Ground) -> None:
    request = ground.named(5, "pi_card")
    about: dict[str, Any] = {
        "id": "pi_card",
        "amount_received": 100,
        "billing": {"name": "Amelia Whitfield"},
    }
    number = "5555555555554444"
    told: dict[str, Any] = about | {"failure_reason": number, "metadata": {"operation": number}}
    assert ground.stripe("evt_card", "payment_intent.succeeded", **told).status_code == 200
    ground.applied(request, 1)
    with ground.home.session() as session, session.reading() as connection:
        rows = str(connection.execute(sa.select(PROVIDER_NOTIFICATIONS)).all())
        rows += str(connection.execute(sa.select(PAYMENT_OPERATIONS)).all())
    assert "evt_card" in rows
    log = (ground.home.path / "server.log").read_text()
    for secret in (number, "Whitfield"):
        assert secret not in rows
        assert secret not in log


def test_a_payment_of_another_connector_or_account_is_out_of_reach(ground: Ground) -> None:
    request = ground.named(6, "pi_mine", "adyen")
    ground.stripe("evt_7", "payment_intent.succeeded", id="pi_mine", amount_received=100)

    def waiting() -> list[Any]:
        found = ground.home.ok("notifications", "unmatched", "--json").json
        return [each for each in found if each["reason"] == "no_payment"]

    [one] = until(waiting, lambda found: len(found) == 1)
    assert (one["state"], one["requestId"]) == ("WAITING", None)
    assert ground.shown(request)["state"] == "AUTHORIZED"
    ground.named(6, "pi_mine", "stripe")
    ground.home.ok("notifications", "unmatched", "--again")
    assert ground.applied(request, 1)["capturedMinor"] == 100
    [mine] = ground.kept(request)
    stranger = ground.home.run(
        "notifications", "apply", mine["notificationId"], "--account", ground.other
    )
    assert stranger.code
    again = ground.manager.post(f"/api/v1/manage/notifications/{mine['notificationId']}/apply")
    assert again.json()["notificationResponse"]["state"] == "NOTHING"
    assert ground.shown(request)["capturedMinor"] == 100


def test_the_same_at_once_counts_once(ground: Ground) -> None:
    request = ground.named(7, "pi_twice")
    with ThreadPoolExecutor(8) as pool:
        told: dict[str, Any] = {"id": "pi_twice", "amount_received": 300}
        done = [
            pool.submit(ground.stripe, "evt_twice", "payment_intent.succeeded", **told)
            for _ in range(16)
        ]
        assert {each.result().status_code for each in done} == {200}
    shown = ground.applied(request, 1)
    assert shown["capturedMinor"] == 300
    assert len(shown["operations"]) == len(ground.kept(request)) == 1
