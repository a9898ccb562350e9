"""Months are closed against the real ledger, and what is issued adds up with it."""

import dataclasses
from itertools import count
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.admin.invoices import queries
from gatehouse.admin.invoices.types.invoice import (
    BillingDetails,
    Invoice,
    Party,
    Seller,
    TaxCategory,
    TaxTerms,
)
from gatehouse.admin.invoices.use_cases import closing, invoices, parties
from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import AccountState, Book, EntryKind, Hold, Item
from gatehouse.billing.statement import month_period
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import ACCOUNTS, LEDGER_ENTRIES
from tests.harness import CARD, make_account

SELLER = Seller(
    Party("Gatehouse GmbH", "Torweg 1", "Berlin", "DE", "10115", "DE123456789", "HRB 1"),
    iban="DE02120300000000202051",
)
BUYER = Party("Corner Shop Ltd", "High Street 2", "Dublin", "IE", "D02", "IE1234567T")
STANDARD = BillingDetails(BUYER, TaxTerms(TaxCategory.STANDARD, "19"))
JANUARY = month_period("2026-01")
MONTHS = ("2026-01", "2026-02", "2026-03")
_NUMBERS = count()


def _at(session: AdminSession, month: str, *, before_ms: int = 0) -> AdminSession:
    """The session at the first moment after a month, or a little before."""
    now_ms = month_period(month).end_ms - before_ms
    return dataclasses.replace(session, clock=lambda: now_ms)


def _charge(session: AdminSession, account: str, at_ms: int, *fees: int) -> None:
    """Requests to RULES that ended at a moment."""
    with session.writing() as connection:
        row = connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.id == account)).one()
        book = Book({account: AccountState(row.balance, row.held, credit=row.credit_limit)})
        for fee in fees:
            hold = Hold(f"req_{next(_NUMBERS):09d}", account, fee, at_ms, "srv")
            assert book.authorize(hold, at_ms)
            book.close(hold, [Item("RULES", fee, completed=True)], at_ms)
        rows = [msgspec.structs.asdict(entry) for entry in book.entries]
        connection.execute(LEDGER_ENTRIES.insert(), rows)
        changed = ACCOUNTS.update().where(ACCOUNTS.c.id == account)
        connection.execute(changed.values(balance=book.accounts[account].balance))


def _account(session: AdminSession, currency: str = "EUR", micros: int = 10**9) -> str:
    account = make_account(session, "Shop", currency, micros)
    parties.set_seller(session, SELLER)
    parties.set_billing_details(session, account, STANDARD)
    return account


def _sum_of_ledger(session: AdminSession, account: str) -> int:
    """What was charged, less what was credited, in millionths."""
    entry = LEDGER_ENTRIES.c
    moved = sa.select(sa.func.sum(entry.amount)).where(
        entry.account_id == account, entry.kind.in_([EntryKind.CLOSE, EntryKind.ADJUST])
    )
    with session.reading() as connection:
        return -int(connection.scalar(moved) or 0)


charges = st.lists(
    # A moment anywhere in three months, and a fee of whole units or of parts of them.
    st.tuples(st.integers(0, month_period("2026-03").end_ms - JANUARY.start_ms - 1),
              st.sampled_from([40_000, 15_000, 42_500, 1, 999_999])),
    max_size=25,
)  # fmt: skip


@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_invoices_and_credit_notes_are_the_ledger_to_the_last_millionth(
    session: AdminSession, tmp_path: Path, currency: str
) -> None:
    """Prices change in the middle of a month, and entries come after their month was closed."""
    prices = tmp_path / "prices.toml"
    _write_prices(prices, currency)
    session = dataclasses.replace(
        session, settings=dataclasses.replace(session.settings, prices_file=prices)
    )
    unit = 1_000_000 if currency == "JPY" else 10_000

    @settings(max_examples=8)
    @given(charges, charges, st.integers(0, 1000))
    def check(early: list[tuple[int, int]], late: list[tuple[int, int]], share: int) -> None:
        account = _account(session, currency)
        pending = sorted((JANUARY.start_ms + after, fee) for after, fee in early)
        issued: list[Invoice] = []
        for month in MONTHS:
            period = month_period(month)
            for at_ms, fee in pending:
                if period.start_ms <= at_ms < period.end_ms:
                    _charge(session, account, at_ms, fee)
            made = closing.close_month(_at(session, month), account, month)
            issued += [made] if made else []
            # These belong to the month that has just been closed.
            for after, fee in late[:4] if month != MONTHS[-1] else ():
                at_ms = period.start_ms + after % (period.end_ms - period.start_ms)
                _charge(session, account, at_ms, fee)
        credited = issued[0].net.micros * share // 1000 // unit * unit if issued else 0
        if credited:
            number, after_all = issued[0].number, _at(session, MONTHS[-1])
            note = closing.credit_invoice(after_all, account, number, credited, "agreed")
            assert (note.credits, note.net.micros) == (number, credited)
        with session.reading() as connection:
            left = queries.last_closed(connection, account)
        assert left is not None
        assert 0 <= left.carried < unit
        total = sum(each.net.micros for each in issued) - credited
        assert total + left.carried == _sum_of_ledger(session, account)
        for each in issued:
            lines = sum(line.amount.micros for line in each.lines)
            assert lines - each.volume_credit.micros == each.net.micros
            assert each.total.micros == each.net.micros + each.tax_amount.micros

    check()


def _write_prices(path: Path, currency: str) -> None:
    unit = 1 if currency == "JPY" else 100 if currency == "EUR" else 1000
    path.write_text(
        "\n".join(
            f'[[prices]]\ncurrency = "{currency}"\nsince = {day}\n'
            f"fees = {{ RULES = {fee * unit / 1_000_000:.6f} }}\n"
            f"[prices.tiers]\nRULES = [ {{ above = 2, fee = 0 }} ]"
            for day, fee in (("2026-01-01", 40_000), ("2026-02-15", 15_000))
        )
    )


def test_numbers_have_no_gaps_over_accounts_and_refused_closings(session: AdminSession) -> None:
    first, second = _account(session), _account(session)
    nameless = make_account(session, "Nameless", "EUR", 10**9)
    for account in (first, nameless, second):
        _charge(session, account, JANUARY.start_ms, 1_000_000)
    after = _at(session, "2026-01")
    numbers = [closing.close_month(after, first, "2026-01")]
    with pytest.raises(NotFound, match="whom invoices are for"):
        closing.close_month(after, nameless, "2026-01")
    numbers.append(closing.close_month(after, second, "2026-01"))
    found = [int(made.number.removeprefix("INV-")) for made in numbers if made]
    assert found == [found[0], found[0] + 1]


def test_a_closed_month_stays_closed_and_months_follow_each_other(session: AdminSession) -> None:
    account = _account(session)
    _charge(session, account, JANUARY.start_ms, 1_000_000)
    with pytest.raises(Conflict, match="not over yet"):
        closing.close_month(_at(session, "2026-01", before_ms=1), account, "2026-01")
    later = _at(session, "2026-03")
    made = closing.close_month(later, account, "2026-01")
    assert made is not None
    with pytest.raises(Conflict, match="closed already"):
        closing.close_month(later, account, "2026-01")
    with pytest.raises(Conflict, match="close 2026-02 first"):
        closing.close_month(later, account, "2026-03")
    assert closing.months_to_close(later, account) == ["2026-02", "2026-03"]
    assert invoices.get_invoice(later, account, made.number) == made


def test_an_invoice_is_credited_at_most_once_with_the_tax_it_had(session: AdminSession) -> None:
    account = _account(session)
    _charge(session, account, JANUARY.start_ms, 1_050_000)
    after = _at(session, "2026-01")
    made = closing.close_month(after, account, "2026-01")
    assert made is not None
    before = money.get_balance(after, account).balance.micros
    notes = [
        closing.credit_invoice(after, account, made.number, micros, "agreed")
        for micros in (330_000, 330_000, None)
    ]
    assert sum(note.net.micros for note in notes) == made.net.micros
    assert sum(note.tax_amount.micros for note in notes) == made.tax_amount.micros
    assert money.get_balance(after, account).balance.micros == before + made.net.micros
    with pytest.raises(Conflict, match="not credited yet"):
        closing.credit_invoice(after, account, made.number, 10_000, "again")
    with pytest.raises(InvalidInput, match="only an invoice"):
        closing.credit_invoice(after, account, notes[0].number, None, "again")
    found = invoices.list_invoices(after, account).invoices
    assert {each.number for each in found} == {made.number, *(note.number for note in notes)}


def test_a_credit_note_keeps_no_card_number_and_says_what_can_be_printed(
    session: AdminSession,
) -> None:
    account, after = _account(session), _at(session, "2026-01")
    _charge(session, account, JANUARY.start_ms, 1_000_000)
    made = closing.close_month(after, account, "2026-01")
    assert made is not None
    note = closing.credit_invoice(after, account, made.number, 10_000, f"paid with {CARD}\x0c")
    assert CARD not in str(note)
    assert (note.reason or "").endswith("\N{REPLACEMENT CHARACTER}")
    for reason in ("x" * 5000, " "):
        with pytest.raises(InvalidInput, match="reason"):
            closing.credit_invoice(after, account, made.number, 10_000, reason)
    exempt = TaxTerms(TaxCategory.EXEMPT, reason=f"as agreed with {CARD}")
    with pytest.raises(InvalidInput, match="card number"):
        parties.set_billing_details(session, account, BillingDetails(BUYER, exempt))


def test_who_owes_more_than_a_lowered_limit_can_still_be_credited(session: AdminSession) -> None:
    account, after = _account(session, micros=0), _at(session, "2026-01")
    money.set_credit_limit(session, account, 10_000_000)
    _charge(session, account, JANUARY.start_ms, 5_000_000)
    made = closing.close_month(after, account, "2026-01")
    assert made is not None
    money.set_credit_limit(session, account, 0)
    closing.credit_invoice(after, account, made.number, 1_000_000, "agreed")
    assert money.get_balance(after, account).balance.micros == -4_000_000


def test_a_commitment_is_charged_as_far_as_a_month_costs_less(session: AdminSession) -> None:
    account = _account(session)
    terms = msgspec.structs.replace(STANDARD, commitment="5")
    parties.set_billing_details(session, account, terms)
    _charge(session, account, JANUARY.start_ms, 1_250_000)
    made = closing.close_month(_at(session, "2026-01"), account, "2026-01")
    assert made is not None
    assert {line.item: line.amount.micros for line in made.lines} == {
        "RULES": 1_250_000,
        "COMMITMENT": 3_750_000,
    }
    assert _sum_of_ledger(session, account) == made.net.micros == 5_000_000


def test_who_has_not_what_was_agreed_owes_the_rest_until_it_is_paid(session: AdminSession) -> None:
    account = _account(session, micros=2_000_000)
    terms = msgspec.structs.replace(STANDARD, commitment="5")
    parties.set_billing_details(session, account, terms)
    _charge(session, account, JANUARY.start_ms, 1_255_000)
    after = _at(session, "2026-01")
    made = closing.close_month(after, account, "2026-01")
    assert made is not None
    # 5.00 were agreed and 2.00 were there; 19 % of both parts are the tax of the whole.
    assert (made.net.micros, made.paid.micros, made.due.micros) == (
        5_000_000,
        2_380_000,
        3_570_000,
    )
    found = money.get_balance(after, account)
    assert (found.balance.micros, found.available.micros) == (-3_000_000, -3_000_000)
    note = closing.credit_invoice(after, account, made.number, 4_000_000, "agreed")
    assert (note.due.micros, note.paid.micros) == (3_570_000, 1_190_000)
    rest = closing.credit_invoice(after, account, made.number, None, "agreed")
    assert (rest.due.micros, rest.paid.micros) == (0, 1_190_000)
    money.top_up(after, account, 1_000_000, "", made.number)
    assert money.get_balance(after, account).available.micros == 3_000_000
    problems = money.verify_ledger(session).problems
    assert [each for each in problems if account in each] == []


def test_who_is_invoiced_pays_later_and_who_pays_in_advance_has_paid(session: AdminSession) -> None:
    prepaid, invoiced = _account(session), _account(session, micros=0)
    money.set_credit_limit(session, invoiced, 10_000_000)
    after = _at(session, "2026-01")
    due = []
    for account in (prepaid, invoiced):
        _charge(session, account, JANUARY.start_ms, 1_000_000)
        made = closing.close_month(after, account, "2026-01")
        assert made is not None
        due.append((made.paid.micros, made.due.micros))
    assert due == [(1_190_000, 0), (0, 1_190_000)]
    with session.reading() as connection:
        assert accounts.state(connection, invoiced).balance == -1_000_000


@pytest.mark.parametrize(
    ("tax", "seller", "buyer", "said"),
    [
        (TaxTerms(TaxCategory.STANDARD), SELLER.party, BUYER, "rate above 0"),
        (TaxTerms(TaxCategory.ZERO, "7"), SELLER.party, BUYER, "other tax none"),
        (TaxTerms(TaxCategory.EXEMPT), SELLER.party, BUYER, "needs its reason"),
        (
            TaxTerms(TaxCategory.REVERSE_CHARGE, reason="Reverse charge"),
            SELLER.party,
            msgspec.structs.replace(BUYER, vat_id=None),
            "VAT number or the registration of the buyer",
        ),
        (
            TaxTerms(TaxCategory.OUTSIDE_SCOPE, reason="Third country"),
            msgspec.structs.replace(SELLER.party, registration=None),
            BUYER,
            "seller needs a registration",
        ),
    ],
)
def test_terms_that_make_no_lawful_invoice_are_refused(
    session: AdminSession, tax: TaxTerms, seller: Party, buyer: Party, said: str
) -> None:
    account = make_account(session, "Shop", "EUR")
    parties.set_seller(session, msgspec.structs.replace(SELLER, party=seller))
    with pytest.raises(InvalidInput, match=said):
        parties.set_billing_details(session, account, BillingDetails(buyer, tax))


def test_the_entries_of_a_month_are_those_of_all_accounts(session: AdminSession) -> None:
    account = _account(session)
    _charge(session, account, JANUARY.start_ms, 1_000_000)
    after = _at(session, "2026-01")
    made = closing.close_month(after, account, "2026-01")
    assert made is not None
    note = closing.credit_invoice(after, account, made.number, None, "agreed")
    rows = [dict(zip(invoices.ENTRY_HEADINGS, row, strict=True))
            for row in invoices.entries_of_month(after, "2026-01")]  # fmt: skip
    mine = {row["number"]: (row["net"], row["tax"], row["credits"]) for row in rows
            if row["accountId"] == account}  # fmt: skip
    assert mine == {
        made.number: ("1", "0.19", ""),
        note.number: ("-1", "-0.19", made.number),
    }
