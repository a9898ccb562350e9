"""Payments are captured, voided and refunded: once each, never for more than there is."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    OperationEnd,
    PaymentOperation,
)
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.payments.operation_worker import OperationWorker
from gatehouse.store.payments.tables import PAYMENTS
from tests.harness import PURCHASE, Home, until

_OTHER = {"Idempotency-Key": "refund-1"}


class Party:
    """A gateway that does what it is told, and notes what it was asked."""

    def __init__(self, offer: Offer, *answers: OperationAnswer | Exception) -> None:
        self.asked: list[PaymentOperation] = []
        self.reversed: list[Reversal] = []
        self._offer = offer
        self._answers = list(answers)
        self.meanwhile: Callable[[], object] | None = None
        """What others do while this server stands still between claiming and sending."""

    def offer(self, _operation: PaymentOperation) -> Offer:
        if self.meanwhile is not None:
            with ThreadPoolExecutor(1) as others:
                others.submit(self.meanwhile).result()
        return self._offer

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        self.asked.append(operation)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        raise AssertionError("nothing is authorized here")

    async def reverse(self, reversal: Reversal) -> None:
        self.reversed.append(reversal)


_DONE = OperationAnswer(OperationEnd.SUCCEEDED, "00", "d1")


class Shop:
    """An account with one payment of 100.00, and a worker whose clock is moved by hand."""

    def __init__(self, home: Home, session: AdminSession, account: str) -> None:
        self.home, self.session, self.account = home, session, account
        self.request = "req_01kcb5f6y3mzq8vd0e2h4x7n9t"
        row = (account, self.request, 1, 10_000, "EUR", "acquirer", "p1", '{"connectors":{}}', None)
        names = [column.name for column in PAYMENTS.columns]
        with session.database.writing() as connection:
            connection.execute(PAYMENTS.insert(), dict(zip(names, row, strict=True)))

    def ask(self, *words: str) -> Any:
        verb, *rest = words
        return self.home.run("payments", verb, self.request, *rest, "--account", self.account)

    def shown(self) -> Any:
        return self.home.ok(
            "payments", "show", self.request, "--account", self.account, "--json"
        ).json

    def send(
        self, party: Party, *, later_ms: int = 0, stood_still_ms: int = 0, reads: int = 1
    ) -> int:
        """How many were taken up; the server may stand still after its clock was read."""
        later = chain([later_ms] * reads, repeat(later_ms + stood_still_ms))

        def clock() -> int:
            return self.session.clock() + next(later)

        sealer = NetworkIdSealer(self.session.ring)
        seal = partial(sealer.seal_reference, randomness=self.session.randomness)
        parts = (self.session.database, party, clock)
        worker = OperationWorker(*parts, time_limit_ms=2000, seal=seal)
        return asyncio.run(worker.send_due())


@pytest.fixture
def shop(home: Home) -> Any:
    account = home.account()
    with home.session() as session:
        yield Shop(home, session, account)


def test_a_payment_is_captured_in_parts_and_refunded_up_to_what_was_captured(shop: Shop) -> None:
    party = Party(Offer.ONCE, *[_DONE] * 4)
    assert shop.ask("refund").code, "nothing is captured so far"
    assert not shop.ask("capture", "--amount-minor", "6000").code
    assert shop.ask("void").code, "a capture is under way"
    assert shop.ask("refund").code, "the capture is not known to be done"
    assert shop.ask("capture", "--amount-minor", "4001").code
    assert shop.send(party) == 1
    assert not shop.ask("capture").code
    assert not shop.ask("refund", "--amount-minor", "1000").code
    assert shop.send(party) == 2
    assert shop.ask("refund", "--amount-minor", "9001").code
    assert not shop.ask("refund").code
    assert shop.send(party) == 1
    assert shop.send(party) == 0
    told = [(each.kind.value, each.amount_minor) for each in party.asked]
    wanted = [("CAPTURE", 6000), ("CAPTURE", 4000), ("REFUND", 1000), ("REFUND", 9000)]
    assert sorted(told) == sorted(wanted)
    assert len({each.operation_id for each in party.asked}) == 4
    shown = shop.shown()
    assert (shown["state"], shown["capturedMinor"], shown["refundedMinor"]) == (
        "REFUNDED",
        10_000,
        10_000,
    )
    assert (shown["capturableMinor"], shown["refundableMinor"], shown["voidable"]) == (0, 0, False)
    listed = shop.home.ok("events", "list", "--account", shop.account, "--json").json["events"]
    types = [each["type"] for each in listed if each["type"].startswith("payment.")]
    assert sorted(types) == ["payment.captured"] * 2 + ["payment.refunded"] * 2


def test_a_void_is_a_reversal_and_leaves_nothing_to_capture(shop: Shop) -> None:
    party = Party(Offer.REPEATABLE)
    assert not shop.ask("void").code
    assert shop.ask("capture").code
    assert shop.send(party) == 1
    payment = Payment(10_000, "EUR", '{"connectors":{}}')
    assert party.reversed == [Reversal(shop.request, payment, shop.account)]
    assert shop.shown()["state"] == "VOIDED"
    assert shop.ask("capture").code


@pytest.mark.parametrize("failure", [ConnectorFailed("late"), OSError("defect")])
def test_what_was_sent_is_sent_again_only_where_nothing_is_done_twice(
    shop: Shop, failure: Exception
) -> None:
    party = Party(Offer.ONCE, failure)
    assert not shop.ask("capture").code
    assert shop.send(party) == 1
    assert shop.send(party, later_ms=86_400_000) == 0, "a second capture may be a second charge"
    [doubtful] = shop.shown()["operations"]
    assert (doubtful["state"], doubtful["nextAttemptAt"]) == ("IN_DOUBT", None)
    assert shop.ask("capture").code, "what is in doubt may be done"
    settle = ("settle", doubtful["operationId"], "--succeeded")
    assert not shop.ask(*settle).code
    assert shop.ask(*settle).code, "only what is in doubt is settled"
    assert shop.shown()["state"] == "CAPTURED"

    sure = Party(Offer.REPEATABLE, failure, _DONE)
    assert not shop.ask("refund").code
    assert [shop.send(sure), shop.send(sure), shop.send(sure, later_ms=60_000)] == [1, 0, 1]
    first, again = sure.asked
    assert again == msgspec.structs.replace(first, is_repeat=True)
    assert shop.shown()["state"] == "REFUNDED"


def test_what_was_never_sent_is_sent_again_and_what_is_not_offered_is_refused(shop: Shop) -> None:
    party = Party(Offer.ONCE, ConnectorFailed("no line", sent=False), _DONE)
    assert not shop.ask("capture").code
    shop.send(party)
    assert shop.shown()["operations"][0]["state"] == "WAITING"
    shop.send(party, later_ms=60_000)
    assert shop.shown()["state"] == "CAPTURED"
    assert not shop.ask("refund").code
    shop.send(Party(Offer.NONE))
    [_, refused] = shop.shown()["operations"]
    assert (refused["state"], refused["reason"]) == ("REFUSED", "not_offered")
    assert shop.shown()["refundableMinor"] == 10_000


def test_an_operation_whose_server_died_is_not_sent_twice(shop: Shop) -> None:
    """The claim is stored before anything is sent, so that its end alone says that it was."""

    class Dies(Party):
        async def operate(self, operation: PaymentOperation) -> OperationAnswer:
            self.asked.append(operation)
            raise KeyboardInterrupt

    assert not shop.ask("capture").code
    dying, party = Dies(Offer.ONCE), Party(Offer.ONCE)
    with pytest.raises(KeyboardInterrupt):
        shop.send(dying)
    assert shop.shown()["operations"][0]["state"] == "SENT"
    assert shop.send(party) == 0, "the claim of the dead server holds for a while"
    assert shop.send(party, later_ms=60_000) == 1
    assert (len(dying.asked), party.asked) == (1, [])
    assert shop.shown()["operations"][0]["state"] == "IN_DOUBT"


def test_a_server_that_stood_still_sends_nothing_that_others_did_or_settled(shop: Shop) -> None:
    stalled, other = Party(Offer.REPEATABLE, _DONE), Party(Offer.REPEATABLE, _DONE)
    assert not shop.ask("capture", "--amount-minor", "1000").code
    stalled.meanwhile = lambda: shop.send(other, later_ms=60_000)
    assert shop.send(stalled) == 1
    assert (len(other.asked), stalled.asked) == (1, [])

    # In doubt, and about to be asked again when a person settles it.
    assert not shop.ask("capture", "--amount-minor", "2000").code
    lost = Party(Offer.REPEATABLE, ConnectorFailed("no answer", sent=True))
    assert shop.send(lost) == 1
    operation = shop.shown()["operations"][1]["operationId"]
    stalled.meanwhile = lambda: shop.ask("settle", operation, "--no-succeeded")
    assert shop.send(stalled, later_ms=10_000) == 1
    assert stalled.asked == []
    assert [each["state"] for each in shop.shown()["operations"]] == ["SUCCEEDED", "REFUSED"]

    # Nobody else could settle it: it was not marked as sent, and goes on.
    assert not shop.ask("capture", "--amount-minor", "3000").code
    stalled.meanwhile = None
    assert shop.send(stalled, stood_still_ms=20_000, reads=2) == 1
    assert stalled.asked == []
    assert shop.shown()["operations"][2]["state"] == "WAITING", "nothing was sent"
    assert shop.send(stalled, later_ms=60_000) == 1
    assert shop.shown()["capturedMinor"] == 4000


def test_another_account_finds_neither_payment_nor_operation(shop: Shop) -> None:
    other = shop.home.account()
    for verb in ("show", "capture", "void", "refund"):
        done = shop.home.run("payments", verb, shop.request, "--account", other)
        assert done.code
        assert "there is no payment of" in done.err
    assert shop.home.ok("payments", "list", "--account", other, "--json").json["payments"] == []
    assert not shop.shown()["operations"]


def test_a_program_captures_and_refunds_over_the_api_and_each_key_counts_once(home: Home) -> None:
    account = home.account()
    key = home.key(account)
    manager = home.key(account, "--scope", "manage:payments")
    with home.server() as server, server.client(key) as buyer, server.client(manager) as client:
        request = buyer.post("/api/v1/pipeline", json=PURCHASE).json()["requestId"]
        path = f"/api/v1/manage/payments/{request}"

        def ask(verb: str, amount: int, **headers: str) -> httpx.Response:
            return client.post(f"{path}/{verb}", json={"amountMinor": amount}, headers=headers)

        def shown() -> Any:
            return client.get(path).json()["paymentResponse"]

        authorized = shown()
        assert authorized["state"] == "AUTHORIZED"
        whole = authorized["authorizedMinor"]
        assert ask("capture", whole).status_code == 200
        until(shown, lambda found: found["state"] == "CAPTURED")
        for _ in range(3):
            assert ask("refund", 100, **_OTHER).status_code == 200
        until(shown, lambda found: found["refundedMinor"] == 100)
        assert [each["kind"] for each in shown()["operations"]] == ["CAPTURE", "REFUND"]
        assert ask("refund", whole).status_code == 409
        assert ask("refund", 0).json()["errors"]["code"] == "invalid_request"
        refused = ask("refund", 105)
        assert refused.status_code == 200
        until(shown, lambda found: found["operations"][-1]["state"] == "REFUSED")
        assert shown()["refundableMinor"] == whole - 100
        listed = client.get("/api/v1/manage/payments", params={"operation": "REFUSED"}).json()
        assert [each["requestId"] for each in listed["paymentsResponse"]["payments"]] == [request]
        assert buyer.post(f"{path}/void").status_code == 403
    with home.session() as session, session.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(PAYMENTS)) == 1
