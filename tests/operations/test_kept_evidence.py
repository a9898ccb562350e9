"""What stays readable of an order: only where the account wants it, and with its record."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.access.accounts import Account
from gatehouse.admin.evidence.queries import envelopes
from gatehouse.admin.evidence.types.keeping import EvidenceKeeping
from gatehouse.admin.evidence.use_cases.keeping import get_keeping, keep_evidence
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.decisions.order_envelope import EnvelopeSealer, OrderEnvelope
from gatehouse.operations.account_setup import Builder, Setups
from gatehouse.operations.kept_evidence import keeps_evidence
from gatehouse.operations.planning import Pipelines
from gatehouse.pipeline.job import SignalBuilder
from gatehouse.pipeline.settlement import Authorize, Close, DecisionRow, EvidenceRow
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer
from tests.harness import PURCHASE, make_account
from tests.operations.test_account_setup import SENTRY
from tests.operations.test_planning import OneSetup

NOW = 1_790_000_000_000
SILENT = Account("acct_1", "Shop", "USD", 0, {}, {})
KEEPS = Account("acct_1", "Shop", "USD", 0, {}, {"evidence": {"keep": True}})
SENTRY_PART = PURCHASE["sentryRequest"]

Planned = Callable[..., OrderEnvelope | None]


@pytest.fixture(scope="module")
def kept() -> Planned:
    stages = {**dict.fromkeys(REGISTRY.names, cast(Stage, SENTRY)), SENTRY.name: SENTRY}
    setups = cast(Setups, OneSetup(Builder(stages)))
    pipelines = Pipelines(setups, cast(SignalBuilder, None))
    decode = msgspec.json.Decoder(pipelines.messages.call).decode

    def plan(shop: Account = KEEPS, /, **sentry: Any) -> OrderEnvelope | None:
        body = {**PURCHASE, "sentryRequest": {**SENTRY_PART, **sentry}}
        call = decode(msgspec.json.encode(body))
        return asyncio.run(pipelines.plan_pipeline(shop, call)).evidence

    return plan


@pytest.mark.parametrize("policies", [{}, {"evidence": {"keep": False}}, {"evidence": {}}])
def test_nothing_is_kept_unless_the_account_says_so(
    kept: Planned, policies: dict[str, Any]
) -> None:
    account = msgspec.structs.replace(SILENT, policies=policies)
    assert not keeps_evidence(account)
    assert kept(account) is None


def test_the_values_are_kept_as_they_were_sent(kept: Planned) -> None:
    found = kept(
        device={"ipAddress": "203.0.113.7", "deviceId": "gd_kqzhxwyvbnrtmsplfjdcgaeoi"},
        account={"userId": "u-4711"},
        customInputs={
            "shippingAddress": {
                "line1": "1 Main St",
                "city": "Springfield",
                "postalCode": "12345",
                "note": "x",
            },
            "productDescription": "  Running   shoes, size 42 ",
        },
    )
    assert found is not None
    # As for rules, the address that Rules was sent wins over Sentry's.
    assert (found.ip_address, found.device_id) == ("203.0.113.1", "gd_kqzhxwyvbnrtmsplfjdcgaeoi")
    assert (found.user_id, found.product) == ("u-4711", "Running shoes, size 42")
    assert found.shipping == {"line1": "1 Main St", "city": "Springfield", "postal_code": "12345"}
    assert found.shipping_text == "1 Main St, Springfield, 12345"


def test_a_cart_describes_what_was_sold(kept: Planned) -> None:
    items = [{"itemId": "sku-7", "category": "shoes", "quantity": 2}, {"category": "socks"}]
    found = kept(shoppingCart={"items": items})
    assert found is not None
    assert found.product == "2 x shoes sku-7; socks"


def test_a_renewal_keeps_neither_address_nor_device(kept: Planned) -> None:
    found = kept(event={"type": "RECURRING_PURCHASE"})
    assert found is not None
    assert (found.ip_address, found.device_id) == (None, None)


def test_hostile_values_are_cut_and_hold_no_card_number(kept: Planned) -> None:
    found = kept(
        customInputs={
            "shippingAddress": ["no", "address"],
            "productDescription": "card 4242424242424242 " + "x" * 10_000,
        }
    )
    assert found is not None
    assert found.shipping is None
    assert found.product is not None
    assert len(found.product) <= 2000
    assert "4242424242424242" not in found.product


def test_it_is_written_with_the_record_in_one_commit(session: AdminSession) -> None:
    account, request_id = make_account(session), "req_01m6xxpvcgf6za5ea8qhvm2hz1"
    sealer, envelope = EnvelopeSealer(session.ring), OrderEnvelope(email="a@example.com")
    row = EvidenceRow(account, request_id, *sealer.seal(account, request_id, envelope))
    decision = DecisionRow(account, request_id, NOW, "pipeline", None, None, "{}")

    async def settle() -> None:
        writer = Writer(lambda: open_batch_session(session.database))
        writer.start()
        await writer.authorize(Authorize(Hold(request_id, account, 0, NOW, "srv"), NOW))
        items = [Item("RULES", 0, True)]
        close = Close(account, request_id, NOW, items, decision, evidence=(row,))
        await writer.close(close)
        await writer.stop()

    asyncio.run(settle())
    with session.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(ORDER_EVIDENCE)) == 1
        found = envelopes.read(connection, session.ring, account, [request_id])
    assert found == {request_id: envelope}


def test_an_account_says_whether_it_is_kept(session: AdminSession) -> None:
    account = make_account(session)
    assert get_keeping(session, account).keep is False
    shown = keep_evidence(session, account, EvidenceKeeping(True))
    assert (shown.keep, shown.days, shown.orders) == (True, 485, 0)
    with session.reading() as connection:
        assert keeps_evidence(accounts.get(connection, account))
    assert keep_evidence(session, account, EvidenceKeeping(False)).keep is False
