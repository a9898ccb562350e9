"""Automatic top-ups with a card that a real host stores: charged once, and never too often."""

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.invoices.use_cases import parties
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.top_ups.queries import auto_top_ups as queries
from gatehouse.admin.top_ups.tables import AUTO_TOP_UPS
from gatehouse.admin.top_ups.types import (
    AutoTopUpReason,
    AutoTopUpShown,
    AutoTopUpWanted,
    TopUpKind,
    TopUpShown,
    TopUpState,
)
from gatehouse.admin.top_ups.use_cases import auto_top_ups, top_ups
from gatehouse.core.errors import Conflict, InvalidFields, NotFound
from gatehouse.core.reading.given import read_given
from gatehouse.gateway.hosted_pages import StoredCardId
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.card_shop import HOUR_MS, UNIT, Shop
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.connectors.reference_host.hosts import TOKEN, HostThread, host_thread
from tests.harness import make_account

DAY_MS = 24 * HOUR_MS
FLOOR = 8000
"""Above the 50.00 of the top-up that stores the card."""


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with host_thread() as running:
        yield running


class AutoShop(Shop):
    """A shop whose card is stored, and whose balance is 50.00."""

    def stores(self) -> TopUpShown:
        made = self.ask(5000, store_card=True)
        self.pay(made)
        self.later(60_000)
        return self.now(made)

    def sets(
        self, *, floor: int = FLOOR, amount: int = 5000, limit: int = 50_000, enabled: bool = True
    ) -> AutoTopUpShown:
        wanted = AutoTopUpWanted(enabled, floor, amount, limit)
        return auto_top_ups.set_auto_top_up(self.session, self.account, wanted)

    @property
    def auto(self) -> AutoTopUpShown:
        return auto_top_ups.get_auto_top_up(self.session, self.account)

    def automatic(self) -> list[TopUpShown]:
        """The newest first."""
        found = top_ups.list_top_ups(self.session, self.account).top_ups
        return [each for each in found if each.kind is TopUpKind.AUTOMATIC]

    def row(self) -> Any:
        with self.session.reading() as connection:
            this = AUTO_TOP_UPS.c.account_id == self.account
            return connection.execute(sa.select(AUTO_TOP_UPS).where(this)).one()

    def spends(self, units: int) -> None:
        money.adjust(
            self.session.acting_as(Actor.operator("ada")), self.account, -units * UNIT, "spent"
        )

    def goes_to(self, day: datetime) -> None:
        self.now_ms = int(day.timestamp() * 1000)


@pytest.fixture
def shop(session: AdminSession, host: HostThread, tmp_path: Path) -> AutoShop:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    made = AutoShop(session, host, token)
    # The middle of a month, so that a test stays in it.
    made.goes_to(datetime(2031, 3, 10, tzinfo=UTC))
    assert made.stores().state is TopUpState.PAID
    return made


def _charges(host: HostThread) -> tuple[int, int]:
    found = host.summary()
    return found["authorizations"], found["duplicates"]


def test_under_the_floor_the_stored_card_is_charged_once_by_many_servers(
    shop: AutoShop, host: HostThread
) -> None:
    before = _charges(host)
    shop.later(servers=2)
    assert shop.automatic() == []
    assert shop.sets().card_stored_at is not None
    shop.later(1000, servers=4)
    shop.later(servers=4)
    [made] = shop.automatic()
    assert (made.state, made.amount_minor, made.by) == (TopUpState.PAID, 5000, "top-ups")
    assert shop.balance == 100 * UNIT
    assert _charges(host) == (before[0] + 1, before[1])
    assert (shop.auto.this_month_minor, shop.auto.top_up_id) == (5000, None)
    newest = money.ledger_page(shop.session, shop.account, money.LedgerSearch(1)).lines[0]
    said = (newest.payment_reference, newest.entry.detail)
    assert said == (made.top_up_id, "by stored card, through cards")
    assert shop.told() == ["balance.topped_up"] * 2
    shop.spends(30)
    shop.later(servers=2)
    assert (len(shop.automatic()), shop.balance) == (2, 120 * UNIT)
    assert money.verify_ledger(shop.session).problems == []


@pytest.mark.parametrize("fate", ["reset", "garbage", "error", "half"])
def test_a_charge_without_an_answer_is_asked_for_again_and_counts_once(
    shop: AutoShop, host: HostThread, fate: str
) -> None:
    before = _charges(host)
    shop.sets()
    with host.misbehaving(fate):
        shop.later(1000)
        shop.later(60_000)
    [made] = shop.automatic()
    assert (made.state, shop.balance) == (TopUpState.WAITING, 50 * UNIT)
    assert shop.auto.top_up_id == made.top_up_id
    shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.PAID, 100 * UNIT)
    charges, repeats = _charges(host)
    assert charges == before[0] + 1
    assert repeats >= before[1] + 2


def test_a_charge_of_another_amount_is_left_to_a_person_at_once(
    shop: AutoShop, host: HostThread
) -> None:
    shop.sets()
    with host.misbehaving("wrong-amount"):
        shop.later(1000)
    [made] = shop.automatic()
    assert (made.state, made.reason) == (TopUpState.IN_DOUBT, "other_amount")
    assert (shop.balance, shop.auto.enabled) == (50 * UNIT, False)
    # Money may have moved, so it counts; and the account is told.
    assert (shop.auto.this_month_minor, shop.auto.reason) == (5000, AutoTopUpReason.IN_DOUBT)
    assert shop.told()[-2:] == ["balance.top_up_ended", "balance.auto_top_up_paused"]


def test_servers_that_begin_at_the_same_moment_begin_one(
    shop: AutoShop, host: HostThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that ended too early, or a server that stood still."""
    before = _charges(host)
    shop.sets()
    real = queries.claim

    def claims_nothing(*args: Any) -> Any:
        found = real(*args)
        args[0].execute(AUTO_TOP_UPS.update().values(next_at_ms=shop.now_ms))
        return [msgspec.structs.replace(each, next_at_ms=shop.now_ms) for each in found]

    monkeypatch.setattr(queries, "claim", claims_nothing)
    for _ in range(3):
        shop.later(1000, servers=4)
    assert (len(shop.automatic()), shop.balance) == (1, 100 * UNIT)
    assert _charges(host)[0] == before[0] + 1
    assert money.verify_ledger(shop.session).problems == []


def test_the_limit_of_a_month_is_held_exactly_and_ends_with_it(shop: AutoShop) -> None:
    shop.sets(floor=100_000, amount=4000, limit=12_000)
    for _ in range(6):
        shop.later(1000, servers=2)
    assert [each.state for each in shop.automatic()] == [TopUpState.PAID] * 3
    found = shop.auto
    assert (found.this_month_minor, found.reason) == (12_000, AutoTopUpReason.MONTHLY_LIMIT)
    assert str(found.paused_until) == "2031-04-01T00:00:00.000Z"
    assert shop.told().count("balance.auto_top_up_paused") == 1
    # Setting it anew gives no more room than the limit has.
    shop.sets(floor=100_000, amount=4000, limit=15_999)
    shop.later(1000)
    assert len(shop.automatic()) == 3
    shop.sets(floor=100_000, amount=4000, limit=16_000)
    shop.later(1000)
    assert len(shop.automatic()) == 4
    shop.goes_to(datetime(2031, 4, 1, tzinfo=UTC))
    shop.looks()
    found = shop.auto
    assert (found.this_month_minor, found.reason, found.paused_until) == (4000, None, None)
    assert shop.balance == (50 + 5 * 40) * UNIT


def test_a_pause_that_is_over_has_no_reason_any_more(shop: AutoShop) -> None:
    shop.sets(floor=12_000, amount=4000, limit=4000)
    shop.later(1000, servers=2)
    shop.later(1000)
    assert str(shop.auto.reason) == "monthly_limit"
    money.top_up(shop.session.acting_as(Actor.operator("ada")), shop.account, 100 * UNIT, "bank")
    shop.goes_to(datetime(2031, 4, 2, tzinfo=UTC))
    shop.looks()
    found = shop.auto
    assert (found.enabled, found.reason, found.paused_until) == (True, None, None)


def test_a_card_that_the_provider_removed_is_refused_and_the_third_time_ends_it(
    shop: AutoShop, host: HostThread
) -> None:
    assert host.client.delete(f"/v1/stored-cards/{_name_of(shop)}").status_code == 200
    shop.sets()
    for times in (1, 2, 3):
        shop.later(1000)
        shop.later(23 * HOUR_MS)
        assert len(shop.automatic()) == times
        assert shop.automatic()[0].state is TopUpState.REFUSED
        assert shop.auto.refusals == times
        assert shop.auto.enabled == (times < 3)
        shop.later(HOUR_MS - 1000)
    assert (shop.auto.reason, shop.auto.paused_until) == (AutoTopUpReason.REFUSED, None)
    shop.later(40 * DAY_MS)
    assert (len(shop.automatic()), shop.balance) == (3, 50 * UNIT)
    assert shop.told().count("balance.auto_top_up_paused") == 3
    # A new card, turned on by a person, begins afresh.
    shop.stores()
    assert not shop.auto.enabled
    assert (shop.sets(floor=12_000).refusals, shop.auto.reason) == (0, None)
    shop.later(1000)
    assert (shop.automatic()[0].state, shop.balance) == (TopUpState.PAID, 150 * UNIT)


def test_neither_setting_it_again_nor_turning_it_off_shortens_the_day_after_a_refusal(
    shop: AutoShop, host: HostThread
) -> None:
    host.client.delete(f"/v1/stored-cards/{_name_of(shop)}")
    shop.sets()
    shop.later(1000)
    shop.sets(amount=6000)
    shop.sets(enabled=False)
    assert str(shop.auto.reason) == "refused"
    shop.later()
    shop.sets(amount=6000)
    shop.later(22 * HOUR_MS)
    assert (len(shop.automatic()), shop.auto.refusals) == (1, 1)
    shop.later(HOUR_MS)
    assert [each.amount_minor for each in shop.automatic()] == [6000, 5000]


def test_a_charge_that_nobody_answers_for_is_left_to_a_person(
    shop: AutoShop, host: HostThread
) -> None:
    shop.sets()
    with host.misbehaving("error"):
        for _ in range(14):
            shop.later()
    [made] = shop.automatic()
    assert (made.state, made.reason) == (TopUpState.IN_DOUBT, "connector_failed")
    found = shop.auto
    assert (found.enabled, found.reason) == (False, AutoTopUpReason.IN_DOUBT)
    # It may have been paid, so it counts against the limit.
    assert found.this_month_minor == 5000
    shop.later()
    assert shop.balance == 50 * UNIT
    assert shop.told()[-2:] == ["balance.top_up_ended", "balance.auto_top_up_paused"]


def test_a_deleted_card_is_charged_no_more(shop: AutoShop, host: HostThread) -> None:
    shop.sets()
    found = auto_top_ups.delete_stored_card(shop.session, shop.account)
    assert (found.enabled, found.card_stored_at, found.card_end) == (False, None, None)
    shop.later()
    assert shop.automatic() == []
    assert shop.row().sealed_card is None
    with pytest.raises(Conflict, match="no card is stored"):
        shop.sets()
    with pytest.raises(Conflict, match="no card is stored"):
        auto_top_ups.delete_stored_card(shop.session, shop.account)
    assert shop.sets(enabled=False).floor_minor == FLOOR


def test_a_card_that_is_deleted_before_the_answer_leaves_the_charge_in_doubt(
    shop: AutoShop, host: HostThread
) -> None:
    shop.sets()
    with host.misbehaving("reset"):
        shop.later(1000)
    auto_top_ups.delete_stored_card(shop.session, shop.account)
    shop.later()
    [made] = shop.automatic()
    assert (made.state, made.reason) == (TopUpState.IN_DOUBT, "card_deleted")
    assert (shop.balance, shop.auto.top_up_id) == (50 * UNIT, None)


def test_what_is_turned_off_meanwhile_is_finished_and_not_begun_again(
    shop: AutoShop, host: HostThread
) -> None:
    shop.sets(floor=100_000)
    with host.misbehaving("error"):
        shop.later(1000)
    shop.sets(floor=100_000, enabled=False)
    shop.later()
    shop.later()
    assert [each.state for each in shop.automatic()] == [TopUpState.PAID]
    assert shop.balance == 100 * UNIT


def test_a_closed_account_is_charged_no_more(shop: AutoShop) -> None:
    shop.sets()
    accounts.close(shop.session.acting_as(Actor.operator("ada")), shop.account, "contract ended")
    shop.later()
    assert shop.automatic() == []


def test_a_charge_of_an_account_that_was_closed_is_not_asked_for_again(
    shop: AutoShop, host: HostThread
) -> None:
    before = _charges(host)
    shop.sets()
    with host.misbehaving("error"):
        shop.later(1000)
    asked = _charges(host)
    accounts.close(shop.session.acting_as(Actor.operator("ada")), shop.account, "contract ended")
    shop.later()
    [made] = shop.automatic()
    assert (made.state, made.reason) == (TopUpState.IN_DOUBT, "not_added")
    assert _charges(host) == asked != before


def test_another_connector_is_not_asked_for_what_the_first_may_have_charged(
    shop: AutoShop, host: HostThread
) -> None:
    shop.sets()
    with host.misbehaving("reset"):
        shop.later(1000)
    asked = _charges(host)
    shop.applies("cards", "others")
    with shop.session.change(unseen=True) as change:
        queries.store_card(change, shop.account, "others", StoredCardId.of(_name_of(shop)))
        change.audit("test")
    shop.later()
    [made] = shop.automatic()
    assert (made.state, made.reason) == (TopUpState.IN_DOUBT, "card_deleted")
    assert (shop.auto.enabled, shop.auto.reason) == (False, AutoTopUpReason.IN_DOUBT)
    assert _charges(host) == asked


def test_where_top_ups_are_not_offered_any_more_none_is_begun(shop: AutoShop) -> None:
    shop.sets()
    elsewhere = dataclasses.replace(shop.session.settings, top_up_connector="")
    shop.session = dataclasses.replace(shop.session, settings=elsewhere)
    shop.later()
    assert shop.automatic() == []


def test_the_tax_of_the_account_is_charged_besides(shop: AutoShop) -> None:
    parties.set_seller(shop.session, SELLER)
    parties.set_billing_details(shop.session, shop.account, STANDARD)
    shop.sets()
    shop.later(1000)
    [made] = shop.automatic()
    assert (made.state, made.tax_minor, shop.balance) == (TopUpState.PAID, 950, 100 * UNIT)


def test_the_name_of_the_card_is_sealed_and_bound_to_its_account(shop: AutoShop) -> None:
    name = _name_of(shop)
    assert name.encode() not in b"".join(
        each if isinstance(each, bytes) else str(each).encode() for each in shop.row()
    )
    assert shop.auto.card_end == name[-4:]
    assert name not in repr(shop.auto)
    other = make_account(shop.session)
    assert auto_top_ups.get_auto_top_up(shop.session, other).card_stored_at is None
    with shop.session.writing() as connection:
        stolen = dict(shop.row()._mapping) | {"account_id": other, "state": "ON", "floor": 10**9}
        stolen |= {"amount_minor": 100, "monthly_limit_minor": 100, "next_at_ms": 1}
        connection.execute(AUTO_TOP_UPS.insert(), stolen)
    shop.later()
    assert top_ups.list_top_ups(shop.session, other).top_ups == []
    with shop.session.writing() as connection:
        connection.execute(AUTO_TOP_UPS.delete().where(AUTO_TOP_UPS.c.account_id == other))


def test_a_card_is_stored_only_where_the_person_agreed(shop: AutoShop) -> None:
    before = shop.row()
    made = shop.ask(1000)
    shop.pay(made)
    shop.later()
    assert (shop.now(made).state, shop.now(made).kind) == (TopUpState.PAID, TopUpKind.PAGE)
    assert shop.row() == before


def test_an_actor_of_another_account_reaches_nothing(shop: AutoShop) -> None:
    stranger = shop.session.acting_as(Actor.key("key_1", make_account(shop.session)))
    with pytest.raises(NotFound):
        auto_top_ups.get_auto_top_up(stranger, shop.account)
    with pytest.raises(NotFound):
        auto_top_ups.delete_stored_card(stranger, shop.account)
    wanted = AutoTopUpWanted(True, 1, 1, 1)
    with pytest.raises(NotFound):
        auto_top_ups.set_auto_top_up(stranger, shop.account, wanted)


def test_what_cannot_be_is_refused(shop: AutoShop) -> None:
    with pytest.raises(InvalidFields) as refused:
        read_given(
            AutoTopUpWanted,
            {"enabled": True, "floor_minor": 1, "amount_minor": 500, "monthly_limit_minor": 499},
        )
    assert list(refused.value.fields) == ["monthly_limit_minor"]
    elsewhere = dataclasses.replace(shop.session.settings, top_up_connector="")
    shop.session = dataclasses.replace(shop.session, settings=elsewhere)
    with pytest.raises(Conflict, match="takes no top-ups now"):
        shop.sets()


def _name_of(shop: AutoShop) -> str:
    with shop.session.reading() as connection:
        kept = queries.find(connection, shop.account)
    assert kept is not None
    return kept.card(shop.session.ring).reveal()
