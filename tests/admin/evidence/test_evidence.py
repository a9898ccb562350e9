"""The evidence for an order: found by its card, told in sentences, packed, by nobody else."""

import json
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.evidence.types.compelling import MissingEvidence, SharedElement
from gatehouse.admin.evidence.use_cases.evidence import get_evidence
from gatehouse.admin.evidence.use_cases.finding import find_evidence
from gatehouse.admin.evidence.use_cases.papers import evidence_paper
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.decisions.order_envelope import EnvelopeSealer, OrderEnvelope
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE
from tests.admin.recorded import DAY_MS, OTHER_CARD, Recorder
from tests.harness import make_account

DEVICE = "gd_kqzhxwyvbnrtmsplfjdcgaeoi"


class Shop:
    """An account whose orders are of any age, settled unless it is said otherwise."""

    def __init__(self, session: AdminSession) -> None:
        self.session = session
        self.account = make_account(session)
        self.number = 0

    def order(self, days_ago: int, *, settled: bool = True, **about: Any) -> str:
        about.setdefault("device", DEVICE)
        recorder = Recorder(self.session, self.account, days_ago)
        request_id = recorder.keep(later_ms=0, **about)
        if settled:
            self.tell("SETTLED", request_id, days_ago)
        return request_id

    def tell(self, kind: str, request_id: str, days_ago: int, **more: Any) -> str:
        self.number += 1
        item = {
            "kind": kind,
            "reference": f"o-{self.number}",
            "at": iso_time(self.session.clock() - days_ago * DAY_MS),
            "network": "VISA",
            "requestId": request_id,
            **more,
        }
        batch = RequestReader(OutcomeBatch).read(json.dumps({"items": [item]}).encode())
        tell(self.session, self.account, batch)
        return str(item["reference"])

    def dispute(self, request_id: str, **more: Any) -> str:
        return self.tell("DISPUTE", request_id, 1, **{"reason": "10.4", **more})

    def keep(self, request_id: str, **values: Any) -> None:
        sealer = EnvelopeSealer(self.session.ring)
        place = (self.account, request_id)
        version, sealed = sealer.seal(*place, OrderEnvelope(**values))
        row = {"account_id": place[0], "request_id": place[1]}
        with self.session.database.writing() as connection:
            connection.execute(
                ORDER_EVIDENCE.insert(), {**row, "key_version": version, "sealed": sealed}
            )

    def pair(self) -> tuple[str, str, str]:
        """An order, and two earlier ones that prove it."""
        older, newer = self.order(300), self.order(200)
        return self.order(10), older, newer


@pytest.fixture
def shop(session: AdminSession) -> Shop:
    return Shop(session)


def test_two_earlier_orders_prove_a_disputed_one(shop: Shop) -> None:
    disputed, older, newer = shop.pair()
    reference = shop.dispute(disputed, respondBy="2030-01-01T00:00:00Z")
    found = get_evidence(shop.session, shop.account, disputed)
    assert (found.qualified, found.dispute, found.missing) == (True, reference, None)
    assert [each.request_id for each in found.earlier_orders] == [older, newer]
    assert [each.days_before for each in found.earlier_orders] == [290, 190]
    assert found.matched == [
        SharedElement.IP_ADDRESS,
        SharedElement.DEVICE,
        SharedElement.ACCOUNT,
    ]
    assert found.send == ["customInputs.shippingAddress"]


@pytest.mark.parametrize(("days", "qualified"), [(129, False), (130, True), (375, True)])
def test_the_days_between_settlements_count(shop: Shop, days: int, qualified: bool) -> None:
    shop.order(200)
    shop.order(days)
    assert get_evidence(shop.session, shop.account, shop.order(10)).qualified is qualified


def test_a_day_too_old_is_no_evidence(shop: Shop) -> None:
    shop.order(200)
    shop.order(376)
    found = get_evidence(shop.session, shop.account, shop.order(10))
    assert found.missing is MissingEvidence.ONE_EARLIER_ORDER


def test_it_says_to_which_days_it_counts_and_takes_one_merchant_id_alone(shop: Shop) -> None:
    elsewhere = [shop.order(days, settled=False) for days in (340, 320)]
    here = [shop.order(days, settled=False) for days in (140, 130)]
    disputed = shop.order(30, settled=False)
    for name, days in zip([*elsewhere, *here, disputed], (340, 320, 140, 130, 30), strict=True):
        merchant = "M-2" if name in elsewhere else "M-1"
        shop.tell("SETTLED", name, days, merchantId=merchant)
    found = get_evidence(shop.session, shop.account, disputed)
    assert found.missing is MissingEvidence.OTHER_MERCHANT
    assert "settled under other merchant ids (2)" in found.summary
    shop.dispute(disputed, reason="104")
    found = get_evidence(shop.session, shop.account, disputed)
    assert [each.request_id for each in found.earlier_orders] == here
    assert found.countings == ["DISPUTE"]
    assert found.summary.endswith("by days counted to the dispute")


def test_a_near_miss_says_what_to_send(shop: Shop) -> None:
    for days in (300, 200):
        shop.order(days, address="198.51.100.1", device="")
    found = get_evidence(shop.session, shop.account, shop.order(10, device=""))
    assert found.missing is MissingEvidence.NO_IP_ADDRESS_OR_DEVICE
    assert found.summary == (
        "two earlier orders match by customer account, none by IP address or device"
    )
    assert found.advice is not None
    assert "device.deviceId" in found.advice
    assert found.packet is None


@pytest.mark.parametrize(
    ("kind", "more"),
    [("DISPUTE", {}), ("DISPUTE", {"stage": "INQUIRY"}), ("FRAUD_REPORT", {}), ("ALERT", {})],
)
def test_an_order_that_anybody_doubted_is_none(shop: Shop, kind: str, more: dict[str, str]) -> None:
    disputed, older, _ = shop.pair()
    shop.tell(kind, older, 100, **more)
    found = get_evidence(shop.session, shop.account, disputed)
    assert found.missing is MissingEvidence.ONE_EARLIER_ORDER


def test_orders_that_are_not_known_to_be_settled_are_named(shop: Shop) -> None:
    shop.order(300, settled=False)
    shop.order(200, settled=False)
    found = get_evidence(shop.session, shop.account, shop.order(10))
    assert found.missing is MissingEvidence.NOT_SETTLED
    assert "(2)" in found.summary


def test_orders_of_another_card_and_another_account_are_none(shop: Shop) -> None:
    other = Shop(shop.session)
    other.pair()
    shop.order(300, card=OTHER_CARD)
    shop.order(200, card=OTHER_CARD)
    found = get_evidence(shop.session, shop.account, shop.order(10))
    assert found.missing is MissingEvidence.NO_EARLIER_ORDERS


def test_another_reason_or_network_is_no_case(shop: Shop) -> None:
    disputed, *_ = shop.pair()
    shop.dispute(disputed, reason="13.1")
    found = get_evidence(shop.session, shop.account, disputed)
    assert found.missing is MissingEvidence.NOT_VISA_FRAUD


def test_a_renewal_has_no_device_of_the_customer(shop: Shop) -> None:
    for days in (300, 200):
        shop.order(days, signals={"event.type": "RECURRING_PURCHASE"})
    found = get_evidence(shop.session, shop.account, shop.order(10))
    assert found.missing is MissingEvidence.NO_IP_ADDRESS_OR_DEVICE


def test_a_kept_shipping_address_matches_one_in_a_record(shop: Shop) -> None:
    disputed = shop.order(10, signals={"custom.shippingAddress": "1 Main St, Springfield"})
    older, newer = shop.order(300), shop.order(200)
    for each in (older, newer):
        shop.keep(each, shipping={"line1": "1 Main St", "city": "Springfield"})
    found = get_evidence(shop.session, shop.account, disputed)
    assert SharedElement.SHIPPING_ADDRESS in found.matched


def test_the_packet_has_what_is_readable_and_names_the_rest(shop: Shop) -> None:
    disputed, older, _ = shop.pair()
    shop.keep(
        disputed,
        email="amelia@example.com",
        product="Shoes",
        shipping={"line1": "1 Main St", "city": "Springfield"},
    )
    found = get_evidence(shop.session, shop.account, disputed)
    assert found.packet is not None
    packet = msgspec.to_builtins(found.packet)
    visa = packet["enhanced_evidence"]["visa_compelling_evidence_3"]
    assert visa["disputed_transaction"] == {
        "customer_account_id": "u-4711",
        "customer_device_id": DEVICE,
        "customer_email_address": "amelia@example.com",
        "customer_purchase_ip": "203.0.113.7",
        "product_description": "Shoes",
        "shipping_address": {"line1": "1 Main St", "city": "Springfield"},
        "merchandise_or_services": "merchandise",
    }
    assert visa["prior_undisputed_transactions"][0] == {
        "customer_account_id": "u-4711",
        "customer_device_id": DEVICE,
        "customer_purchase_ip": "203.0.113.7",
    }
    assert packet["fillIn"] == [
        "disputed_transaction.shipping_address.postal_code",
        "disputed_transaction.shipping_address.country",
        "prior_undisputed_transactions[0].charge",
        "prior_undisputed_transactions[0].product_description",
        "prior_undisputed_transactions[1].charge",
        "prior_undisputed_transactions[1].product_description",
    ]
    assert older in find_evidence(shop.session, shop.account, disputed).records


def test_a_look_at_the_packet_is_audited(shop: Shop) -> None:
    disputed, *_ = shop.pair()
    get_evidence(shop.session, shop.account, disputed)
    with shop.session.reading() as connection:
        newest = audit.read(connection, shop.account, 1)[0]
    assert (newest.action, newest.details["requestId"]) == ("data.reveal", disputed)


def test_an_envelope_of_another_order_cannot_be_opened(shop: Shop) -> None:
    disputed, older, newer = shop.pair()
    shop.keep(older, email="a@example.com")
    with shop.session.database.writing() as connection:
        connection.execute(ORDER_EVIDENCE.update().values(request_id=newer))
    assert find_evidence(shop.session, shop.account, disputed).envelopes == {}


def test_a_stranger_sees_nothing(shop: Shop) -> None:
    disputed, *_ = shop.pair()
    other = make_account(shop.session)
    stranger = shop.session.acting_as(Actor.key("key_1", other))
    for look in (get_evidence, evidence_paper):
        with pytest.raises(NotFound):
            look(stranger, shop.account, disputed)
        with pytest.raises(NotFound):
            look(stranger, other, disputed)


def test_a_paper_is_made_of_any_text_and_the_same_twice(shop: Shop) -> None:
    disputed, *_ = shop.pair()
    hostile = "Žofie 山田 ﷽ 👩‍👩‍👧 \ud800 \x00 \u202e " + "x" * 5000 + "\n%%EOF ) Tj"
    shop.keep(disputed, email=hostile[:300].replace("\ud800", ""), product="Käse & Brot")
    shop.dispute(disputed)
    paper = evidence_paper(shop.session, shop.account, disputed)
    assert paper.startswith(b"%PDF-")
    assert paper == evidence_paper(shop.session, shop.account, disputed)
