"""The book: money is conserved under any interleaving of operations."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gatehouse.billing.ledger import AccountState, Book, EntryKind, Hold, Item
from gatehouse.billing.verify import verify_ledger
from gatehouse.core.errors import AuthorizationLost, InvalidInput

ACCOUNTS = ("acct_a", "acct_b")


def hold(request_id: str, amount: int, account: str = "acct_a") -> Hold:
    return Hold(request_id, account, amount, expires_at_ms=60_000, owner="srv_1")


class LedgerMachine(RuleBasedStateMachine):
    """Any order of top-ups, adjustments, authorizations, closes, releases and expiries."""

    def __init__(self) -> None:
        super().__init__()
        self.book = Book({account: AccountState(0, 0) for account in ACCOUNTS})
        self.open: dict[str, Hold] = {}
        self.paid_in = dict.fromkeys(ACCOUNTS, 0)
        self.charged = dict.fromkeys(ACCOUNTS, 0)
        self.count = 0

    def _name(self) -> str:
        self.count += 1
        return f"req_{self.count:06d}"

    @rule(account=st.sampled_from(ACCOUNTS), amount=st.integers(1, 500))
    def top_up(self, account: str, amount: int) -> None:
        self.book.add(account, self._name().replace("req", "pay"), amount, 0, "")
        self.paid_in[account] += amount

    @rule(account=st.sampled_from(ACCOUNTS), amount=st.integers(-500, 500))
    def adjust(self, account: str, amount: int) -> None:
        before = self.book.accounts[account].available
        try:
            self.book.adjust(account, self._name().replace("req", "adj"), amount, 0, "because")
        except InvalidInput:
            assert amount == 0 or before + amount < 0
        else:
            self.paid_in[account] += amount

    @rule(account=st.sampled_from(ACCOUNTS), amount=st.integers(0, 200))
    def authorize(self, account: str, amount: int) -> None:
        before = self.book.accounts[account].available
        wanted = hold(self._name(), amount, account)
        granted = self.book.authorize(wanted, 0)
        assert granted == (amount <= before)
        if granted:
            self.open[wanted.request_id] = wanted

    @precondition(lambda self: self.open)
    @rule(data=st.data(), completed=st.booleans())
    def close(self, data: st.DataObject, completed: bool) -> None:
        ending = self.open.pop(data.draw(st.sampled_from(sorted(self.open))))
        part = data.draw(st.integers(0, ending.amount))
        items = [Item("PRECHECK", part, completed), Item("SENTRY", ending.amount - part, True)]
        closed = self.book.close(ending, items, 0)
        assert closed == ending.amount - (0 if completed else part)
        self.charged[ending.account_id] += closed

    @precondition(lambda self: self.open)
    @rule(data=st.data(), kind=st.sampled_from([EntryKind.RELEASE, EntryKind.EXPIRE]))
    def give_back(self, data: st.DataObject, kind: EntryKind) -> None:
        ending = self.open.pop(data.draw(st.sampled_from(sorted(self.open))))
        self.book.release(ending, 0, kind=kind)

    @invariant()
    def money_is_conserved(self) -> None:
        for account, state in self.book.accounts.items():
            assert state.balance == self.paid_in[account] - self.charged[account]
            held = sum(h.amount for h in self.open.values() if h.account_id == account)
            assert state.held == held
            assert 0 <= state.held <= state.balance

    @invariant()
    def the_proof_agrees(self) -> None:
        entries = sorted(self.book.entries, key=lambda e: (e.account_id, e.reference, e.step))
        report = verify_ledger(self.book.accounts, entries, self.open)
        assert report.problems == []
        assert report.open == len(self.open)


TestLedger = LedgerMachine.TestCase


def funded(amount: int) -> Book:
    book = Book({"acct_a": AccountState(0, 0)})
    book.add("acct_a", "pay_1", amount, 0, "")
    return book


def test_a_request_cannot_close_more_than_it_authorized() -> None:
    book = funded(100)
    assert book.authorize(hold("req_1", 50), 0)
    with pytest.raises(InvalidInput, match="more than it authorized"):
        book.close(hold("req_1", 50), [Item("PRECHECK", 51, True)], 0)
    assert book.accounts["acct_a"] == AccountState(100, 50)


def test_a_lost_authorization_cannot_be_closed() -> None:
    with pytest.raises(AuthorizationLost):
        funded(100).close(None, [], 0)


def test_a_refused_authorization_leaves_no_trace() -> None:
    book = funded(49)
    before = list(book.entries)
    assert not book.authorize(hold("req_1", 50), 0)
    assert book.entries == before


def _broken() -> list[tuple[str, Book, dict[str, Hold]]]:
    wrong_balance = funded(100)
    wrong_balance.accounts["acct_a"].balance += 1
    wrong_held = funded(100)
    wrong_held.accounts["acct_a"].held += 1
    twice = funded(100)
    twice.authorize(hold("req_1", 50), 0)
    twice.close(hold("req_1", 50), [Item("PRECHECK", 50, True)], 0)
    twice.close(hold("req_1", 50), [Item("PRECHECK", 50, True)], 0)
    unauthorized = funded(100)
    unauthorized.close(hold("req_1", 50), [Item("PRECHECK", 50, True)], 0)
    forgotten = funded(100)
    forgotten.authorize(hold("req_1", 50), 0)
    too_much = funded(100)
    too_much.authorize(hold("req_1", 50), 0)
    too_much.close(hold("req_1", 60), [Item("PRECHECK", 60, True)], 0)
    return [
        ("sum of entries", wrong_balance, {}),
        ("sum of entries", wrong_held, {}),
        ("more than once", twice, {}),
        ("no single authorization", unauthorized, {}),
        ("hold is missing", forgotten, {}),
        ("closed 60, authorized 50", too_much, {}),
        ("without an authorization", funded(100), {"req_9": hold("req_9", 1)}),
    ]


@pytest.mark.parametrize(("expected", "book", "holds"), _broken())
def test_the_proof_finds_every_kind_of_wrong(
    expected: str, book: Book, holds: dict[str, Hold]
) -> None:
    entries = sorted(book.entries, key=lambda e: (e.account_id, e.reference, e.step))
    problems = verify_ledger(book.accounts, entries, holds).problems
    assert any(expected in problem for problem in problems), problems
