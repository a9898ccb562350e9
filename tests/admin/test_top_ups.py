"""A payment is added once, however often it is told."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.events.use_cases.events import EventQuery, list_events
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.money.use_cases.money import LedgerSearch
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import ACCOUNTS
from tests.harness import make_account


def test_the_same_reference_is_added_once_and_answers_the_first(session: AdminSession) -> None:
    account = make_account(session)
    first = money.top_up(session, account, 5_000_000, "October", "INV-7")
    again = money.top_up(session, account, 5_000_000, "", " INV-7 ")
    assert first.recorded_before_at_ms is None
    (line,) = money.ledger_page(session, account, LedgerSearch(10)).lines
    assert line.payment_reference == "INV-7"
    assert again.recorded_before_at_ms == line.entry.at_ms
    assert again.balance.balance.micros == 5_000_000
    with pytest.raises(Conflict, match=r"INV-7 was recorded on .* with 5\.00 USD"):
        money.top_up(session, account, 6_000_000, "", "INV-7")
    assert accounts.get(session, account).state.balance == 5_000_000
    assert money.verify_ledger(session).problems == []


def test_an_adjustment_takes_no_more_than_there_is(session: AdminSession) -> None:
    account = make_account(session, micros=1_500_000)
    with pytest.raises(InvalidInput, match=r"more than the available 1\.50 USD"):
        money.adjust(session, account, -1_500_001, "too much")
    assert accounts.get(session, account).state.balance == 1_500_000


def test_a_credit_limit_that_somebody_wrote_into_the_database_is_not_spent(
    session: AdminSession,
) -> None:
    account = make_account(session, micros=5_000_000)
    money.set_credit_limit(session, account, 10_000_000)
    money.adjust(session, account, -15_000_000, "all there is")
    with session.writing() as connection:
        this = ACCOUNTS.update().where(ACCOUNTS.c.id == account)
        connection.execute(this.values(credit_limit=10**12))
    with pytest.raises(InvalidInput, match=r"more than the available -10.00 USD"):
        money.adjust(session, account, -1, "on somebody's word")
    # What is paid in is added nevertheless, and said as it is.
    money.top_up(session, account, 4_000_000, "bank")
    told: Any = list_events(session, account, EventQuery()).events[-1].data
    assert told["remaining"].micros == -6_000_000
    assert money.verify_ledger(session).problems == []


def test_an_adjustment_with_a_reference_counts_once_also_when_it_could_not_again(
    session: AdminSession,
) -> None:
    account = make_account(session, micros=1_500_000)
    first = money.adjust(session, account, -1_000_000, "fee of a card", "COR-1")
    again = money.adjust(session, account, -1_000_000, "fee of a card", "COR-1")
    assert (first.recorded_before_at_ms, again.recorded_before_at_ms is None) == (None, False)
    assert again.balance.balance.micros == 500_000
    with pytest.raises(Conflict, match="COR-1 was recorded"):
        money.top_up(session, account, 1_000_000, "", "COR-1")
    (line, _) = money.ledger_page(session, account, LedgerSearch(10)).lines
    assert line.payment_reference == "COR-1"
    assert money.verify_ledger(session).problems == []


def test_a_note_is_short(sqlite_session: AdminSession) -> None:
    account = make_account(sqlite_session)
    with pytest.raises(InvalidInput, match="at most 500"):
        money.top_up(sqlite_session, account, 5, "x" * 501)


def test_a_reference_belongs_to_its_account(session: AdminSession) -> None:
    for account in (make_account(session), make_account(session)):
        assert money.top_up(session, account, 5, "", "INV-7").recorded_before_at_ms is None


def test_of_many_at_once_one_is_added(session: AdminSession) -> None:
    account = make_account(session)
    with ThreadPoolExecutor(4) as pool:
        ask = [pool.submit(money.top_up, session, account, 5, "", "INV-7") for _ in range(8)]
        told = [one.result().recorded_before_at_ms for one in ask]
    assert told.count(None) == 1
    assert accounts.get(session, account).state.balance == 5


@pytest.mark.parametrize("reference", ["", " ", "a\nb", "x" * 129, "4111 1111 1111 1111"])
def test_what_cannot_be_a_reference_is_refused(
    sqlite_session: AdminSession, reference: str
) -> None:
    account = make_account(sqlite_session)
    with pytest.raises(InvalidInput, match="reference"):
        money.top_up(sqlite_session, account, 5, "", reference)
    assert accounts.get(sqlite_session, account).state.balance == 0
