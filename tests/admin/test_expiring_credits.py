"""Credits that expire: spent first, taken back once and exactly, and the ledger proves it."""

import dataclasses
from itertools import count

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.admin.events.use_cases.events import EventQuery, list_events
from gatehouse.admin.invoices.use_cases import closing, parties
from gatehouse.admin.money.types import BalanceResponse
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.money.use_cases.statements import account_statement
from gatehouse.admin.money.worker.credits import CreditWatch
from gatehouse.billing.credits import Credit, after_spending
from gatehouse.billing.ledger import AccountState, Book, Hold, Item
from gatehouse.billing.statement import DAY_MS, month_period
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts.tables import EXPIRING_CREDITS
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import ACCOUNTS, HOLDS, LEDGER_ENTRIES
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.harness import make_account

JANUARY_MS = month_period("2026-01").start_ms
UNIT = 1_000_000
_NUMBERS = count()


class _Shop:
    """An account whose time can be moved."""

    def __init__(self, session: AdminSession) -> None:
        self.now_ms = JANUARY_MS
        self.session = dataclasses.replace(session, clock=lambda: self.now_ms)
        self.account = make_account(self.session)
        self._watch = CreditWatch(self.session)

    def credit(self, units: int, until: str) -> None:
        self.now_ms += 1
        money.adjust(self.session, self.account, units * UNIT, "promotion", None, until)

    def charge(self, units: int, *, ends: bool = True) -> None:
        """A request that is charged, or held, as the writer of requests does."""
        with self.session.writing() as connection:
            row = connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.id == self.account)).one()
            book = Book({self.account: AccountState(row.balance, row.held)})
            hold = Hold(f"req_{next(_NUMBERS):09d}", self.account, units * UNIT, 2**62, "srv")
            assert book.authorize(hold, self.now_ms)
            if ends:
                book.close(hold, [Item("RULES", units * UNIT, completed=True)], self.now_ms)
            else:
                connection.execute(HOLDS.insert(), msgspec.structs.asdict(hold))
            rows = [msgspec.structs.asdict(entry) for entry in book.entries]
            connection.execute(LEDGER_ENTRIES.insert(), rows)
            state = book.accounts[self.account]
            changed = ACCOUNTS.update().where(ACCOUNTS.c.id == self.account)
            connection.execute(changed.values(balance=state.balance, held=state.held))

    def on(self, day: str, *, looks: int = 2) -> BalanceResponse:
        """The balance after the watch has looked at noon of a day, again and again."""
        month, _, number = day.rpartition("-")
        self.now_ms = month_period(month).start_ms + (int(number) - 1) * DAY_MS + DAY_MS // 2
        for _ in range(looks):
            self._watch.look()
        return money.get_balance(self.session, self.account)

    def told(self) -> list[tuple[str, int]]:
        page = list_events(self.session, self.account, EventQuery())
        return [
            (each.type.removeprefix("balance."), each.data["amount"].micros // UNIT)
            for each in page.events
        ]

    def problems(self) -> list[str]:
        """What the proof says, but for records: the requests here have none."""
        found = money.verify_ledger(self.session).problems
        return [each for each in found if "without a decision record" not in each]


@pytest.fixture
def shop(session: AdminSession) -> _Shop:
    return _Shop(session)


def _left(balance: BalanceResponse) -> list[int]:
    return [each.left.micros // UNIT for each in balance.credits]


def test_the_credit_that_ends_soonest_is_spent_first_and_its_rest_taken_back_once(
    shop: _Shop,
) -> None:
    money.top_up(shop.session, shop.account, 100 * UNIT, "")
    shop.credit(30, "2026-03-10")
    shop.credit(20, "2026-01-20")
    shop.charge(15)
    assert _left(shop.on("2026-01-05")) == [5, 30]
    assert shop.told() == [("topped_up", 100)]
    assert _left(shop.on("2026-01-14")) == [5, 30]
    assert shop.told()[1:] == [("credit_expiring", 5)]
    assert _left(shop.on("2026-01-20")) == [5, 30]
    after = shop.on("2026-01-21")
    assert (after.balance.micros, _left(after)) == (130 * UNIT, [30])
    shop.charge(31)
    after = shop.on("2026-03-11")
    assert (after.balance.micros, _left(after)) == (99 * UNIT, [])
    assert shop.told()[2:] == [("credit_expired", 5), ("credit_expired", 0)]
    assert shop.problems() == []
    made = account_statement(shop.session, shop.account, month_period("2026-01")).statement
    assert [(each.amount // UNIT, (each.note or "")[:18]) for each in made.movements] == [
        (100, ""),
        (30, "promotion"),
        (20, "promotion"),
        (-5, "what was left of t"),
    ]


def test_what_is_held_for_requests_is_not_taken_back(shop: _Shop) -> None:
    shop.credit(20, "2026-01-20")
    shop.charge(8, ends=False)
    after = shop.on("2026-01-21")
    assert (after.balance.micros, after.available.micros) == (8 * UNIT, 0)
    assert shop.problems() == []


def test_a_credit_that_met_a_debt_leaves_no_new_one(shop: _Shop) -> None:
    money.set_credit_limit(shop.session, shop.account, 50 * UNIT)
    money.adjust(shop.session, shop.account, -30 * UNIT, "owed")
    shop.credit(20, "2026-01-20")
    assert shop.on("2026-01-21").balance.micros == -10 * UNIT
    assert shop.told() == [("credit_expired", 0)]
    assert shop.problems() == []


def test_the_invoice_names_what_expired_in_its_month(shop: _Shop) -> None:
    parties.set_seller(shop.session, SELLER)
    parties.set_billing_details(shop.session, shop.account, STANDARD)
    money.top_up(shop.session, shop.account, 100 * UNIT, "")
    shop.credit(20, "2026-01-20")
    shop.charge(3)
    shop.on("2026-01-21")
    shop.on("2026-02-02")
    made = closing.close_month(shop.session, shop.account, "2026-01")
    assert made is not None
    assert made.expired_credits
    assert (made.net.micros, made.expired_credits.micros) == (3 * UNIT, 17 * UNIT)


@pytest.mark.parametrize("until", ["2025-12-31", "2026-1-31", "2036-12-31", "2026-02-30", "soon"])
def test_a_day_that_cannot_be_is_refused(shop: _Shop, until: str) -> None:
    with pytest.raises(InvalidInput, match="written YYYY-MM-DD"):
        shop.credit(20, until)


def test_what_is_taken_away_cannot_expire(shop: _Shop) -> None:
    shop.credit(20, "2026-01-01")
    with pytest.raises(InvalidInput, match="only an amount that is added"):
        shop.credit(-5, "2026-01-31")


@pytest.mark.parametrize("column", ["amount", "left", "expires_at_ms"])
def test_the_proof_finds_a_credit_that_somebody_changed(shop: _Shop, column: str) -> None:
    shop.credit(20, "2026-01-20")
    shop.on("2026-01-21")
    assert shop.problems() == []
    with shop.session.writing() as connection:
        changed = EXPIRING_CREDITS.c[column] - 1
        connection.execute(EXPIRING_CREDITS.update().values({column: changed}))
    assert shop.problems()


_AMOUNTS = st.integers(min_value=0, max_value=20)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(_AMOUNTS, st.integers(0, 5)), max_size=6), st.lists(_AMOUNTS, max_size=8))
def test_spending_at_once_or_bit_by_bit_leaves_the_same(
    credited: list[tuple[int, int]], spent: list[int]
) -> None:
    before = [Credit(str(n), amount, amount, end) for n, (amount, end) in enumerate(credited)]
    at_once = after_spending(before, sum(spent))
    bit_by_bit = before
    for amount in spent:
        bit_by_bit = after_spending(bit_by_bit, amount)
    assert {each.entry: each for each in bit_by_bit} == {each.entry: each for each in at_once}
    gone = sum(each.amount - each.left for each in at_once)
    assert gone == min(sum(spent), sum(amount for amount, _ in credited))
