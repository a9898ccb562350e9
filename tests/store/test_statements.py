"""Statements and pages of the ledger say what the entries say, whatever the entries are."""

from datetime import date, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from gatehouse.billing.ledger import (
    AccountState,
    Book,
    EntryKind,
    Hold,
    Item,
    LedgerEntry,
    charged_items,
)
from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts import statements
from gatehouse.store.accounts.ledger_pages import LedgerLine, LedgerSearch, page
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

    holds()


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
