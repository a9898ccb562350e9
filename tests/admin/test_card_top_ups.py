"""Top-ups by card on the page of a real host: added once, exactly, or not at all."""

import asyncio
import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.events.use_cases.events import EventQuery, list_events
from gatehouse.admin.invoices.use_cases import parties
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.top_ups.queries import top_ups as queries
from gatehouse.admin.top_ups.use_cases import top_ups
from gatehouse.admin.top_ups.tables import TOP_UPS
from gatehouse.admin.top_ups.types import MOST_OPEN, TopUpShown, TopUpState, TopUpWanted
from gatehouse.admin.top_ups.worker.top_ups import TopUpWorker
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.refusals import Refusals
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.connectors.reference_host.hosts import CARD, TOKEN, HostThread, host_thread
from tests.connectors.test_reading import no_file
from tests.harness import make_account

REFUSED_CARD = "4000000000000341"
UNIT = 1_000_000
HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with host_thread() as running:
        yield running


class Shop:
    """An account, and the servers of its installation, of which each looks when it is told to."""

    def __init__(self, session: AdminSession, host: HostThread, token: Path) -> None:
        self.now_ms = session.clock()
        settings = dataclasses.replace(session.settings, top_up_connector="cards")
        self.session = dataclasses.replace(session, clock=lambda: self.now_ms, settings=settings)
        self._host = host
        self.account = make_account(self.session)
        file = f"""
connectors:
  cards:
    kind: http
    mapping: gatehouse
    base_url: http://127.0.0.1:{host.running.http_port}
    secrets: {{token: "file:{token}"}}
routes: {{gateway: [{{use: [cards]}}]}}
"""
        operator = self.session.acting_as(Actor.operator("ada"))
        connectors.apply(operator, settings, NewVersion(file.encode()), no_file)

    def looks(self, *, servers: int = 1) -> None:
        """Let servers look, all at the same time."""

        async def one() -> None:
            roster = Roster(lambda _: None, lambda *_: None)
            live = LiveConnectors(self.session, roster, Refusals(), "srv_1")
            await live.start()
            await TopUpWorker(self.session, roster, time_limit_ms=2000).look()
            await live.stop()

        with ThreadPoolExecutor(servers) as pool:
            for each in [pool.submit(lambda: asyncio.run(one())) for _ in range(servers)]:
                each.result()

    def ask(self, minor: int = 5000) -> TopUpShown:
        """A top-up with its page."""
        with ThreadPoolExecutor(1) as pool:
            wanted = TopUpWanted(minor)
            asked = pool.submit(top_ups.create_top_up, self.session, self.account, wanted)
            while not asked.done():
                self.looks()
            return asked.result()

    def pay(self, made: TopUpShown, card: str = CARD, do: str = "pay") -> str:
        """What the page says after somebody used it."""
        assert made.url is not None
        headers = {"Authorization": ""}
        page = self._host.client.get(made.url, headers=headers)
        assert page.headers["content-type"].startswith("text/html")
        fields = {"cardNumber": card, "do": do}
        return self._host.client.post(made.url, data=fields, headers=headers).text

    def later(self, after_ms: int = HOUR_MS, *, servers: int = 1) -> None:
        """Let time pass, and servers look."""
        self.now_ms += after_ms
        self.looks(servers=servers)

    def now(self, made: TopUpShown) -> TopUpShown:
        return top_ups.get_top_up(self.session, self.account, made.top_up_id)

    @property
    def balance(self) -> int:
        return accounts.get(self.session, self.account).state.balance

    def told(self) -> list[str]:
        page = list_events(self.session, self.account, EventQuery())
        return [each.type for each in page.events]


@pytest.fixture
def shop(session: AdminSession, host: HostThread, tmp_path: Path) -> Shop:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    return Shop(session, host, token)


def test_what_is_paid_is_added_once_however_many_servers_ask(shop: Shop) -> None:
    made = shop.ask(5000)
    assert (made.state, made.tax_minor) == (TopUpState.OPEN, 0)
    shop.later()
    assert shop.balance == 0
    assert "paid" in shop.pay(made)
    shop.later(servers=4)
    shop.later()
    found = shop.now(made)
    assert (found.state, found.url) == (TopUpState.PAID, None)
    assert shop.balance == 50 * UNIT
    [line] = money.ledger_page(shop.session, shop.account, money.LedgerSearch(10)).lines
    assert (line.payment_reference, line.entry.detail) == (
        made.top_up_id,
        "by card, through cards",
    )
    assert shop.told() == ["balance.topped_up"]
    assert money.verify_ledger(shop.session).problems == []


def test_two_answers_at_once_add_it_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that ended too early, or a server that stood still, lets two servers hear of it."""
    made = shop.ask()
    shop.pay(made)
    real = queries.claim

    def claims_nothing(*args: object) -> object:
        found = real(*args)  # type: ignore[arg-type]
        with_row = args[0]
        for each in found:
            with_row.execute(  # type: ignore[attr-defined]
                TOP_UPS.update().values(next_at_ms=shop.now_ms).where(TOP_UPS.c.id == each.id)
            )
        return found

    monkeypatch.setattr(queries, "claim", claims_nothing)
    shop.later(servers=4)
    assert (shop.now(made).state, shop.balance) == (TopUpState.PAID, 50 * UNIT)
    assert money.verify_ledger(shop.session).problems == []


def test_the_tax_of_the_account_is_paid_and_not_added(shop: Shop) -> None:
    parties.set_seller(shop.session, SELLER)
    parties.set_billing_details(shop.session, shop.account, STANDARD)
    made = shop.ask(5000)
    assert made.tax_minor == 950
    assert "5950 of the smallest unit of USD" in shop.pay(made)
    shop.later()
    assert shop.balance == 50 * UNIT


def test_another_amount_than_was_asked_for_is_never_added(shop: Shop, host: HostThread) -> None:
    made = shop.ask()
    shop.pay(made)
    with host.misbehaving("wrong-amount"):
        shop.later()
    found = shop.now(made)
    assert (found.state, found.reason, shop.balance) == (TopUpState.IN_DOUBT, "other_amount", 0)
    shop.later()
    assert (shop.balance, shop.told()) == (0, ["balance.top_up_ended"])


def test_a_refused_page_ends_and_a_declined_card_does_not(shop: Shop) -> None:
    made = shop.ask()
    assert "declined" in shop.pay(made, REFUSED_CARD)
    shop.later()
    assert shop.now(made).state is TopUpState.OPEN
    shop.pay(made, do="refuse")
    shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.REFUSED, 0)
    assert shop.told() == ["balance.top_up_ended"]


def test_a_page_that_nobody_pays_expires_and_makes_room(shop: Shop) -> None:
    made = [shop.ask() for _ in range(MOST_OPEN)]
    with pytest.raises(Conflict, match="10 top-ups are open already"):
        top_ups.create_top_up(shop.session, shop.account, TopUpWanted(100))
    # The host goes by its own clock and says that they are open; that is believed for a day.
    shop.later(25 * HOUR_MS)
    assert shop.now(made[0]).state is TopUpState.OPEN
    shop.later(25 * HOUR_MS)
    assert {shop.now(each).state for each in made} == {TopUpState.EXPIRED}
    assert shop.ask().state is TopUpState.OPEN


@pytest.mark.parametrize("fate", ["reset", "garbage", "error", "half"])
def test_a_host_that_fails_is_asked_again(shop: Shop, host: HostThread, fate: str) -> None:
    made = shop.ask()
    shop.pay(made)
    with host.misbehaving(fate):
        shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.OPEN, 0)
    shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.PAID, 50 * UNIT)


def test_what_was_paid_for_a_closed_account_is_left_to_a_person(shop: Shop) -> None:
    made = shop.ask()
    accounts.close(shop.session, shop.account, "contract ended")
    shop.pay(made)
    shop.later()
    found = shop.now(made)
    assert (found.state, found.reason, shop.balance) == (TopUpState.IN_DOUBT, "not_added", 0)


def test_a_top_up_belongs_to_its_account_and_needs_a_connector_that_shows_pages(
    shop: Shop,
) -> None:
    made = shop.ask()
    other = make_account(shop.session)
    with pytest.raises(NotFound):
        top_ups.get_top_up(shop.session, other, made.top_up_id)
    unset = dataclasses.replace(shop.session.settings, top_up_connector="")
    nobody = dataclasses.replace(shop.session, settings=unset)
    with pytest.raises(Conflict, match="takes no top-ups by card"):
        top_ups.create_top_up(nobody, shop.account, TopUpWanted(100))
