"""Statements and pages of the ledger say what the entries say, whatever the entries are."""

from datetime import date, timedelta
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from gatehouse.admin.money.queries import statements
from gatehouse.admin.money.queries.ledger_pages import LedgerLine, LedgerSearch, page
from gatehouse.admin.usage.types import UsagePer, UsageQuery
from gatehouse.admin.usage.use_cases import get_usage, quick_usage, sender_days
from gatehouse.billing.ledger import (
    AccountState,
    Book,
    EntryKind,
    Hold,
    Item,
    LedgerEntry,
    charged_items,
)
from gatehouse.billing.spending_pace import SpendingPace
from gatehouse.billing.statement import DAY_MS, Period, UsageBy, month_period
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.accounts.ledger_days import LedgerDays
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import ACCOUNTS, LEDGER_ENTRIES

FIRST_DAY = date(2026, 10, 1)
START_MS = Period(FIRST_DAY, FIRST_DAY).start_ms
_NUMBERS = count()

Step = tuple[str, int, int]
"""What happens, when, and with how much."""
steps = st.lists(
    st.tuples(
        st.sampled_from(["top up", "adjust", "charge", "fail", "open"]),
        st.integers(0, 5 * DAY_MS),
        st.integers(1, 500),
    ),
    max_size=25,
)
days = st.integers(0, 5)


def _history(session: AdminSession, given_steps: list[Step]) -> tuple[str, list[LedgerEntry]]:
    """An account to which all of that happened, and its entries in the order of its ledger."""
    account_id = f"acct_{next(_NUMBERS)}"
    book = Book({account_id: AccountState(0, 0)})
    book.add(account_id, "pay_0", 10**6, START_MS, "first")
    for number, (what, after_ms, micros) in enumerate(
        sorted(given_steps, key=lambda step: step[1])
    ):
        at_ms, name = START_MS + after_ms, f"{number:03d}"
        if what == "top up":
            book.add(account_id, f"pay_{name}", micros, at_ms, "")
        elif what == "adjust":
            book.adjust(account_id, f"adj_{name}", -micros, at_ms, "fix")
        else:
            held = Hold(f"req_{name}", account_id, 2 * micros, at_ms + 1, "srv")
            book.authorize(held, at_ms)
            items = [Item("PRECHECK", micros, what == "charge"), Item("SENTRY", micros % 3, True)]
            if what != "open":
                book.close(held, items, at_ms + micros)
    row = {"id": account_id, "name": "x", "currency": "USD", "created_at_ms": 0, "fees": "{}"}
    state = book.accounts[account_id]
    row |= {"policies": "{}", "balance": state.balance, "held": state.held}
    with session.database.writing() as connection:
        connection.execute(ACCOUNTS.insert(), row)
        connection.execute(LEDGER_ENTRIES.insert(), [asdict(entry) for entry in book.entries])
    ordered = sorted(book.entries, key=lambda entry: (entry.at_ms, entry.reference, entry.step))
    return account_id, ordered


def test_a_statement_says_what_the_entries_say(session: AdminSession) -> None:
    @settings(max_examples=25)
    @given(steps, days, days, st.booleans())
    def holds(some: list[Step], start: int, length: int, daily: bool) -> None:
        account_id, entries = _history(session, some)
        first = FIRST_DAY + timedelta(days=start)
        period = Period(first, first + timedelta(days=length + 1))
        with session.reading() as connection:
            made = statements.statement(connection, account_id, period, 0, daily=daily)
        inside = [e for e in entries if period.start_ms <= e.at_ms < period.end_ms]
        assert made.opening == sum(e.amount for e in entries if e.at_ms < period.start_ms)
        assert made.closing == made.opening + sum(entry.amount for entry in inside)
        assert made.closing == made.opening + made.top_ups + made.adjustments - made.charged
        moved = [e for e in inside if e.kind in (EntryKind.TOP_UP, EntryKind.ADJUST)]
        assert [one.entry for one in made.movements] == [e.reference for e in moved]
        closes = [e for e in inside if e.kind is EntryKind.CLOSE]
        items = [item for e in closes for item in charged_items(e.detail)]
        assert sum(line.count for line in made.charges) == len(items)
        assert made.charged == sum(fee for _, fee in items)
        assert made.uncharged_requests == sum(not e.amount for e in closes)
        assert all((line.day is None) is not daily for line in made.charges)
        if not daily:
            assert _quick(session, account_id, period, START_MS + 3 * DAY_MS) == made

    holds()


def _quick(session: AdminSession, account_id: str, period: Period, now_ms: int) -> Any:
    """The statement by sums of days, some of which were over, made twice."""
    known = LedgerDays()
    for _ in range(2):
        known.prepare(session.database, account_id, period.start_ms // DAY_MS, now_ms)
        with session.reading() as connection:
            made = statements.quick_statement(connection, account_id, period, now_ms, known)
    return replace(made, at_ms=0)


def test_usage_by_key_out_of_sums_of_days_is_what_the_entries_say(session: AdminSession) -> None:
    senders = (None, "key:key_a", "key:key_b", "user:usr_c")
    keeping = sender_days()

    @settings(max_examples=25)
    @given(steps, days, days, st.sampled_from(UsagePer), st.integers(0, 6))
    def holds(some: list[Step], start: int, length: int, per: UsagePer, today: int) -> None:
        account_id, entries = _history(session, some)
        session.clock = lambda: START_MS + today * DAY_MS
        entry = LEDGER_ENTRIES.c
        with session.database.writing() as connection:
            for number, each in enumerate(entries):
                if each.kind is EntryKind.AUTHORIZE:
                    this = (entry.account_id == account_id, entry.reference == each.reference)
                    sent = LEDGER_ENTRIES.update().where(*this, entry.step == each.step)
                    connection.execute(sent.values(detail=senders[number % len(senders)]))
        first = FIRST_DAY + timedelta(days=start)
        end = first + timedelta(days=length + 1)
        wanted = UsageQuery(first=f"{first}", end=f"{end}", by=UsageBy.KEY, per=per)
        plain = get_usage(session, account_id, wanted)
        for _ in range(2):
            assert quick_usage(session, account_id, wanted, keeping) == plain
        _add_late(session, account_id, START_MS + DAY_MS)
        assert quick_usage(session, account_id, wanted, keeping) == get_usage(
            session, account_id, wanted
        )

    holds()


def _add_late(session: AdminSession, account_id: str, at_ms: int) -> None:
    """A request of a day that was over, as a past that is made up has it."""
    hold = LedgerEntry(account_id, "req_late", 0, EntryKind.AUTHORIZE, -9, 9, at_ms, "key:key_b")
    end = LedgerEntry(account_id, "req_late", 1, EntryKind.CLOSE, -7, -9, at_ms + 1, "SENTRY=7")
    with session.database.writing() as connection:
        connection.execute(LEDGER_ENTRIES.insert(), [asdict(hold), asdict(end)])
        this = ACCOUNTS.c.id == account_id
        connection.execute(ACCOUNTS.update().where(this).values(balance=ACCOUNTS.c.balance - 7))


def test_a_day_that_was_over_and_changed_all_the_same_is_read_again(
    session: AdminSession,
) -> None:
    account_id, _ = _history(session, [("charge", 0, 100), ("charge", DAY_MS, 50)])
    period, now_ms = Period(FIRST_DAY, FIRST_DAY + timedelta(days=9)), START_MS + 5 * DAY_MS
    known = LedgerDays()
    known.prepare(session.database, account_id, period.start_ms // DAY_MS, now_ms)
    late = LedgerEntry(account_id, "pay_late", 0, EntryKind.TOP_UP, 500, 0, START_MS + 9, "late")
    with session.database.writing() as connection:
        connection.execute(LEDGER_ENTRIES.insert(), asdict(late))
        this = ACCOUNTS.c.id == account_id
        connection.execute(ACCOUNTS.update().where(this).values(balance=ACCOUNTS.c.balance + 500))
    with session.reading() as connection:
        plain = statements.statement(connection, account_id, period, now_ms, daily=False)
        for _ in range(2):
            quick = statements.quick_statement(connection, account_id, period, now_ms, known)
            assert quick == plain


def test_only_so_many_sums_of_days_are_remembered(session: AdminSession) -> None:
    shops = [_history(session, [("charge", 0, 100)])[0] for _ in range(3)]
    known, first, now_ms = LedgerDays(most_groups=8), START_MS // DAY_MS, START_MS + 3 * DAY_MS
    for account_id in shops:
        known.prepare(session.database, account_id, first, now_ms)
    assert known.accounts == shops[1:]


def test_the_latest_movements_are_found_whatever_came_since(session: AdminSession) -> None:
    steps_taken = [("top up", 1, 70), ("adjust", 2, 20), *[("charge", 9, 5)] * 3]
    account_id, _ = _history(session, steps_taken)
    with session.reading() as connection:
        found = statements.latest_movements(connection, account_id, 2)
    assert [(each.kind, each.amount) for each in found] == [
        (EntryKind.ADJUST, -20),
        (EntryKind.TOP_UP, 70),
    ]


def test_every_line_of_the_ledger_has_the_balance_after_it(session: AdminSession) -> None:
    @settings(max_examples=15)
    @given(steps, st.sets(st.sampled_from(EntryKind)), st.booleans(), st.integers(1, 9))
    def holds(some: list[Step], kinds: set[EntryKind], oldest_first: bool, limit: int) -> None:
        account_id, entries = _history(session, some)
        balance, expected = 0, []
        for entry in entries:
            balance += entry.amount
            if entry.kind in kinds or not (kinds or entry.kind is EntryKind.AUTHORIZE):
                expected.append(LedgerLine(entry, balance, None))
        assert _all(session, account_id, tuple(kinds), limit, oldest_first=oldest_first) == (
            expected if oldest_first else expected[::-1]
        )

    holds()


def _all(
    session: AdminSession,
    account_id: str,
    kinds: tuple[EntryKind, ...],
    limit: int,
    *,
    oldest_first: bool,
) -> list[LedgerLine]:
    lines: list[LedgerLine] = []
    after: str | None = None
    while True:
        search = LedgerSearch(limit, None, None, kinds, oldest_first, after)
        with session.reading() as connection:
            found = page(connection, account_id, search)
        assert len(found.lines) <= limit
        lines += found.lines
        after = found.next
        if after is None:
            return lines


def test_a_page_is_of_its_days(session: AdminSession) -> None:
    happened = [("top up", day * DAY_MS, 1) for day in range(4)]
    account_id, _ = _history(session, happened)
    search = LedgerSearch(10, START_MS + DAY_MS, START_MS + 3 * DAY_MS)
    with session.reading() as connection:
        lines = page(connection, account_id, search).lines
    assert [(line.entry.reference, line.balance) for line in lines] == [
        ("pay_002", 10**6 + 3),
        ("pay_001", 10**6 + 2),
    ]


@pytest.mark.parametrize("after", ["", "x", "1.pay_1.2", "1.pay_1.0; DROP"])
def test_a_cursor_that_no_page_gave_is_refused(sqlite_session: AdminSession, after: str) -> None:
    with (
        sqlite_session.reading() as connection,
        pytest.raises(InvalidInput, match="page before"),
    ):
        page(connection, "acct_1", LedgerSearch(1, after=after))


def test_more_movements_than_fit_are_refused(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "MOST_MOVEMENTS", 1)
    account_id, _ = _history(sqlite_session, [("top up", 0, 1)])
    period = Period(FIRST_DAY, FIRST_DAY + timedelta(days=1))
    with sqlite_session.reading() as connection, pytest.raises(InvalidInput, match="shorter"):
        statements.statement(connection, account_id, period, 0, daily=False)


def test_the_pace_is_that_of_the_last_week(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    charges: list[Step] = [("charge", day * DAY_MS, 99) for day in range(5)]
    account_id, _ = _history(session, charges)

    def pace(now_ms: int) -> SpendingPace | None:
        with session.reading() as connection:
            return ledger.pace(connection, accounts.get(connection, account_id), now_ms)

    now_ms = START_MS + 9 * DAY_MS
    assert pace(now_ms) == SpendingPace(3 * 99, now_ms - 7 * DAY_MS, now_ms)
    assert SpendingPace(3 * 99, 0, 7 * DAY_MS).lasts_ms(99) == 7 * DAY_MS // 3
    assert pace(START_MS + 20 * DAY_MS) is None
    # A busy account is judged by its newest charges.
    monkeypatch.setattr(ledger, "_MOST_CHARGES", 2)
    assert pace(now_ms) == SpendingPace(2 * 99, START_MS + 3 * DAY_MS + 99, now_ms)


@pytest.mark.parametrize("kinds", [(), (EntryKind.TOP_UP,), (EntryKind.CLOSE,)])
def test_only_the_time_that_is_asked_for_is_read(
    sqlite_session: AdminSession, kinds: tuple[EntryKind, ...]
) -> None:
    account_id, _ = _history(sqlite_session, [("charge", 0, 1), ("top up", 0, 1)])
    plans: list[str] = []
    driver = sqlite_session.database.driver_connection()

    def explain(
        _connection: object, _cursor: object, statement: str, given: Any, *_: object
    ) -> None:
        if "ledger_entries" in statement:
            rows = driver.execute(f"EXPLAIN QUERY PLAN {statement}", given)
            plans.extend(row[3] for row in rows if "ledger_entries " in row[3])

    sa.event.listen(sqlite_session.database.engine, "before_cursor_execute", explain)
    with sqlite_session.reading() as connection:
        page(connection, account_id, LedgerSearch(1, kinds=kinds))
        statements.statement(connection, account_id, month_period("2026-10"), 0, daily=False)
        ledger.pace(connection, accounts.get(connection, account_id), START_MS)
    driver.close()
    assert len(plans) >= 6
    assert all("_by_time (account_id=?" in plan for plan in plans), plans
