"""Servers on one account do what a simple model of a ledger says, also when they are cut off.

`LEDGER_MODEL_EXAMPLES=500` looks for longer.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.errors import AuthorizationLost, Conflict, InvalidInput, StoreUnavailable
from gatehouse.core.ids import derived_id
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Claim,
    Close,
    DecisionRow,
    IntentEnd,
    Release,
    StillInFlight,
    WrongGuess,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.settlement import Expire
from gatehouse.store.tables import ACCOUNTS, GATEWAY_INTENTS, HOLDS, LEDGER_ENTRIES
from tests.harness import make_account
from tests.store.ledger_model import LOST, CutServer, LedgerModel

EXAMPLES = int(os.environ.get("LEDGER_MODEL_EXAMPLES", "6"))
STEPS = 20
NOW = 1_700_000_000_000
LATER = NOW + 3_600_000
PARTS = ("SENTRY", "PRECHECK", "GATEWAY")
NUMBERS = count()

amounts = st.integers(0, 40)
servers = st.integers(0, 1)
cuts = st.sampled_from([None, None, "before the commit", "before the flush", "after it"])


def new_request() -> str:
    """An id that no other request has."""
    return derived_id("req", NOW, str(next(NUMBERS)))


class LedgerMachine(RuleBasedStateMachine):
    """Orders of two servers, payments in, and connections that are lost."""

    def __init__(self, session: AdminSession, running: list[CutServer]) -> None:
        super().__init__()
        self.session = session
        self.running = running
        self.account = make_account(session)
        self.model = LedgerModel()

    def ask(
        self, server: int, cut: str | None, order: Any, expect: Callable[[Any], object]
    ) -> None:
        """Send an order that may be cut off, and compare the answer with the model's."""
        asked = self.running[server % len(self.running)]
        asked.cut = cut
        try:
            found = asked.settle(order)
        except AuthorizationLost:
            found = LOST
        except StoreUnavailable:
            # Whether it was committed is known here only: a caller has to ask again.
            if cut != "before the commit":
                expect(order)
            return
        finally:
            asked.cut = None
        assert found == expect(order)

    def order(
        self, amount: int, key: int | None, *, card: bool, pays: bool, body: str
    ) -> Authorize:
        request_id = new_request()
        name = None if key is None else f"{self.account} {key}"
        marks = f"{self.account} card" if card else None
        hold = Hold(request_id, self.account, amount, LATER, "srv", marks, name)
        claim = None if name is None else Claim(name, body, LATER)
        pays_for = Payment(100, "USD") if pays else None
        return Authorize(hold, NOW, claim, pays_for, credit_limit=self.model.credit or 0)

    @rule(server=servers, cut=cuts, amount=amounts, key=st.none() | st.integers(0, 2),
          card=st.booleans(), pays=st.booleans(), body=st.sampled_from("aab"))  # fmt: skip
    def authorize(self, server: int, cut: str | None, amount: int, key: int | None, card: bool,
                  pays: bool, body: str) -> None:  # fmt: skip
        order = self.order(amount, key, card=card, pays=pays, body=body)
        self.ask(server, cut, order, self.model.authorize)

    @rule(server=servers, cut=cuts, which=st.integers(0), completed=st.integers(0, 7),
          wrong=st.booleans())  # fmt: skip
    def close(self, server: int, cut: str | None, which: int, completed: int, wrong: bool) -> None:
        request_id = self.chosen(which)
        request = self.model.requests.get(request_id)
        amount, key = (0, None) if request is None else (request.amount, request.key)
        fees = [amount // 2, amount // 4, amount - amount // 2 - amount // 4]
        items = [Item(PARTS[n], fees[n], bool(completed >> n & 1)) for n in range(3)]
        charged = sum(item.fee for item in items if item.completed)
        record = f'{{"authorizedMicros":{amount},"closedMicros":{charged}}}'
        row = DecisionRow(self.account, request_id, NOW, "pipeline", None, None, record)
        card = None if request is None else request.card
        guess = WrongGuess(card, request_id) if wrong and card is not None else None
        pays = request is not None and request.pays
        order = Close(self.account, request_id, NOW, items, row, guess, key,
                      answer=None if key is None else lambda left: f"left {left}".encode(),
                      intent=IntentEnd.SETTLED if pays else None)  # fmt: skip
        self.ask(server, cut, order, self.model.close)

    @rule(server=servers, cut=cuts, which=st.integers(0), expired=st.booleans())
    def release(self, server: int, cut: str | None, which: int, expired: bool) -> None:
        kind = Expire if expired else Release
        self.ask(server, cut, kind(self.account, self.chosen(which), NOW), self.model.release)

    @rule(amount=st.integers(1, 100))
    def top_up(self, amount: int) -> None:
        money.top_up(self.session, self.account, amount, "")
        self.model.balance += amount

    @rule(amount=st.integers(-60, 20).filter(bool))
    def adjust(self, amount: int) -> None:
        if amount + self.model.available < 0:
            with pytest.raises(InvalidInput):
                money.adjust(self.session, self.account, amount, "correction")
        else:
            money.adjust(self.session, self.account, amount, "correction")
            self.model.balance += amount

    @rule(limit=st.none() | st.integers(0, 80))
    def credit(self, limit: int | None) -> None:
        if limit is None and self.model.balance < self.model.held:
            with pytest.raises(Conflict, match="cannot owe"):
                money.set_credit_limit(self.session, self.account, limit)
        else:
            money.set_credit_limit(self.session, self.account, limit)
            self.model.credit = limit

    @rule(amount=st.integers(1, 40), many=st.integers(2, 6), key=st.none() | st.integers(0, 2))
    def crowd(self, amount: int, many: int, key: int | None) -> None:
        """Requests that reach the servers at the same time: nobody knows in which order."""
        orders = [self.order(amount, key, card=False, pays=False, body="a") for _ in range(many)]

        async def all_at_once() -> list[Any]:
            writers = [each.writer for each in self.running]
            sent = [writers[n % len(writers)].authorize(each) for n, each in enumerate(orders)]
            return await asyncio.gather(*sent)

        answers = self.running[0].run(all_at_once())
        # Those that got something are the first, whichever they were.
        lucky = [o for o, a in zip(orders, answers, strict=True) if isinstance(a, Authorized)]
        others = [o for o in orders if o not in lucky]
        expected = Counter(type(self.model.authorize(each)) for each in [*lucky, *others])
        assert Counter(map(type, answers)) == expected
        if key is not None:
            assert len(lucky) <= 1
            assert expected[Authorized] + expected[StillInFlight] in (0, many)

    def chosen(self, which: int) -> str:
        """A request: an open one as often as not, if there is any."""
        among = list(self.model.open) if which % 2 else list(self.model.requests)
        return among[which // 2 % len(among)] if among else new_request()

    @invariant()
    def books_are_right(self) -> None:
        model = self.model
        with self.session.reading() as connection:
            of_account = ACCOUNTS.c.id == self.account
            row = connection.execute(sa.select(ACCOUNTS).where(of_account)).one()
            entries = _rows(connection, LEDGER_ENTRIES, self.account)
            holds = _rows(connection, HOLDS, self.account)
            intents = _rows(connection, GATEWAY_INTENTS, self.account)
        assert row.held >= 0
        assert row.balance >= row.held or row.credit_limit is not None
        assert (row.balance, row.held) == (model.balance, model.held)
        assert row.balance == sum(entry.amount for entry in entries)
        assert row.held == sum(entry.held for entry in entries) == sum(h.amount for h in holds)
        assert {hold.request_id for hold in holds} == set(model.open)
        ended = Counter(entry.reference for entry in entries if entry.step == 1)
        assert set(ended.values()) <= {1}
        charged = {e.reference: -e.amount for e in entries if e.kind == "CLOSE"}
        closed = {name: r.charged for name, r in model.requests.items() if r.charged is not None}
        assert charged == closed
        still_open = {each.request_id for each in intents if each.state == "OPEN"}
        assert still_open == {name for name, each in model.open.items() if each.pays}


def _rows(connection: sa.Connection, table: sa.Table, account: str) -> list[Any]:
    return list(connection.execute(sa.select(table).where(table.c.account_id == account)))


@pytest.fixture
def running(session: AdminSession) -> Iterator[list[CutServer]]:
    """Two servers on PostgreSQL, and one on SQLite."""
    loop = asyncio.new_event_loop()
    number = 1 if session.database.is_sqlite else 2
    started = [CutServer(session.database, loop) for _ in range(number)]
    yield started
    for server in started:
        server.stop()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def test_servers_do_what_the_model_says(session: AdminSession, running: list[CutServer]) -> None:
    run_state_machine_as_test(
        lambda: LedgerMachine(session, running),  # type: ignore[arg-type]  # any factory will do
        settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None),
    )
    assert money.verify_ledger(session).problems == []
