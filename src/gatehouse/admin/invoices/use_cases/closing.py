"""Closes months: what tiers and commitments change is booked, and the invoice gets its number."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec
from msgspec import UNSET

from gatehouse.access.accounts import Account
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_payment_approved
from gatehouse.admin.invoices import queries
from gatehouse.admin.invoices.queries import ClosedMonth
from gatehouse.admin.invoices.types.invoice import (
    BillingDetails,
    Invoice,
    InvoiceKind,
    InvoiceLine,
    Seller,
    TaxTerms,
    check_terms,
)
from gatehouse.admin.invoices.types.making import (
    counts_of,
    in_whole_units,
    minor_unit,
    read_key,
    tax_on,
    total_of,
    volume_credit,
    with_late,
)
from gatehouse.admin.invoices.use_cases.parties import NO_BUYER, NO_SELLER
from gatehouse.admin.money.use_cases.statements import charges_between
from gatehouse.billing.statement import ChargeLine, Period, read_period
from gatehouse.core.api_values import money
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.money import parse_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits, shown_amount
from gatehouse.store.accounts import accounts, credits, ledger
from gatehouse.store.accounts.price_list import price_list
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.configured.signing import INSTALLATION

_NOT_OVER: Final = Phrase("refused.month_not_over", "{month} is not over yet, in UTC")
_CLOSED_ALREADY: Final = Phrase("refused.month_closed", "{month} is closed already")
_CLOSE_FIRST: Final = Phrase("refused.month_before_open", "close {month} first")
_CREDITS_MORE: Final = Phrase(
    "refused.credits_more", "at most {most} {currency} of this invoice are not credited yet"
)
_CREDIT_UNITS: Final = Phrase(
    "refused.credit_units", "a credit is a positive number of whole minor units"
)
_CREDIT_REASON: Final = Phrase("refused.credit_reason", "a credit needs a reason")
_ONLY_INVOICES: Final = Phrase("refused.only_invoices", "only an invoice can be credited")
_COMMITMENT: Final = "COMMITMENT"
_CREDIT: Final = "CREDIT"


def close_month(session: AdminSession, account_id: str, month: str) -> Invoice | None:
    """Close a month for good; its invoice, or None if it cost less than a minor unit.

    What ends later, although it belongs to the month, is on the invoice of the next.
    """
    period = _month(month, session.clock())
    with session.account_change(account_id) as change:
        account = accounts.get(change.connection, account_id)
        before = queries.last_closed(change.connection, account_id)
        if before is not None:
            _check_next(before.month, period)
        closing = _Closing(change, account, period, before)
        invoice = closing.close()
        number = None if invoice is None else invoice.number
        change.audit("invoices.close", account_id, month=month, invoice=number)
    return invoice


def months_to_close(session: AdminSession, account_id: str) -> list[str]:
    """The months that are over and can be closed, the earliest first; at most a year's."""
    with session.account_reading(account_id) as connection:
        last = queries.last_closed(connection, account_id)
        created_at_ms = accounts.get(connection, account_id).created_at_ms
    today = datetime.fromtimestamp(session.clock() / 1000, UTC).date()
    if last is None:
        day = datetime.fromtimestamp(created_at_ms / 1000, UTC).date().replace(day=1)
    else:
        day = _following(date.fromisoformat(f"{last.month}-01"))
    return list(_months(day, today.replace(day=1)))[:12]


def credit_invoice(
    session: AdminSession, account_id: str, number: str, micros: int | None, reason: str
) -> Invoice:
    """Credit an invoice, in part or, without an amount, what is left of it.

    The amount is without tax, and is added to the balance; the tax goes back as it was charged.
    """
    with session.account_change(account_id) as change:
        return _credit(change, account_id, number, micros, reason)


def _credit(
    change: Change, account_id: str, number: str, micros: int | None, reason: str
) -> Invoice:
    reason = ledger.kept_note(reason)
    if not reason.strip():
        raise InvalidInput(_CREDIT_REASON())
    of = queries.get(change.connection, account_id, number)
    if of.kind is not InvoiceKind.INVOICE:
        raise InvalidInput(_ONLY_INVOICES())
    seller = queries.details(change.connection, INSTALLATION, Seller)
    if seller is None:
        raise NotFound(NO_SELLER())
    left = of.net.micros - queries.credited(change.connection, account_id, of.number)
    net = left if micros is None else micros
    unit = minor_unit(minor_digits(of.currency) or 0)
    if net > left or left <= 0:
        raise Conflict(_CREDITS_MORE(most=shown_amount(left, of.currency), currency=of.currency))
    if net <= 0 or net % unit:
        raise InvalidInput(_CREDIT_UNITS())
    check_payment_approved(change, account_id, ApprovalKind.ADJUSTMENTS, net)
    # What parts of an invoice are credited never add up to more tax than it had.
    gone = of.net.micros - left
    tax = _tax(of.tax, gone + net, unit) - _tax(of.tax, gone, unit)
    sequence = queries.next_number(change, InvoiceKind.CREDIT_NOTE)
    today = _day(change.now_ms)
    total = net + tax
    due = min(total, of.due.micros - queries.due_credited(change.connection, account_id, of.number))
    made = msgspec.structs.replace(
        of,
        invoice_id=change.new_id("inv"),
        number=f"{seller.credit_note_prefix}{sequence:06d}",
        kind=InvoiceKind.CREDIT_NOTE,
        issued_on=today,
        due_on=today,
        lines=[InvoiceLine(_CREDIT, 1, money(of.currency, net), money(of.currency, net))],
        volume_credit=money(of.currency, 0),
        net=money(of.currency, net),
        tax_amount=money(of.currency, tax),
        total=money(of.currency, total),
        paid=money(of.currency, total - due),
        due=money(of.currency, due),
        carried_in=money(of.currency, 0),
        carried_out=money(of.currency, 0),
        credits=of.number,
        reason=reason,
        expired_credits=UNSET,
    )
    ledger.adjust(change, account_id, net, f"{made.number}: {reason}")
    queries.add(change, account_id, sequence, made, net)
    change.audit("invoices.credit", account_id, invoice=of.number, number=made.number)
    return made


class _Closing:
    """The closing of one month of one account, within one transaction."""

    def __init__(
        self, change: Change, account: Account, period: Period, before: ClosedMonth | None
    ) -> None:
        self._change = change
        self._account = account
        self._period = period
        self._before = before
        self._month = f"{period.first:%Y-%m}"
        self._unit = minor_unit(minor_digits(account.currency) or 0)

    def close(self) -> Invoice | None:
        """Book what the month's end changes, keep the month, and issue its invoice."""
        change, account_id = self._change, self._account.account_id
        details = queries.details(change.connection, account_id, BillingDetails)
        prices = price_list(change.session.settings)
        parts = [
            (in_force, self._charges(part))
            for part, in_force in prices.within(self._account.currency, self._period)
        ]
        own = counts_of(line for _, lines in parts for line in lines)
        counts, carried = own, 0
        if self._before is not None:
            earlier = counts_of(self._charges(_period(self._before.month)))
            counts = with_late(own, earlier, self._before.counts)
            carried = self._before.carried
        credit = volume_credit(parts)
        least = parse_amount(details.commitment) if details and details.commitment else 0
        commitment = max(0, least - total_of(own) + credit)
        if commitment != credit:
            why = f"{self._month}: volume credit and commitment"
            ledger.adjust(change, account_id, credit - commitment, why, may_owe=True)
        items = [(*read_key(name), count) for name, count in sorted(counts.items())]
        if commitment:
            items.append((_COMMITMENT, commitment, 1))
        amounts = [fee * count for _, fee, count in items]
        rounded = in_whole_units([*amounts, -credit], carried, self._unit)
        invoice = None
        if rounded.total > 0:
            invoice = self._issue(details, items, rounded.amounts, (carried, rounded.left))
            left = rounded.left
        else:
            left = rounded.total + rounded.left
        closed = ClosedMonth(
            self._month,
            left,
            own,
            credit,
            commitment,
            None if invoice is None else invoice.invoice_id,
        )
        queries.keep_closed(change, account_id, closed)
        return invoice

    def _issue(
        self,
        details: BillingDetails | None,
        items: list[tuple[str, int, int]],
        amounts: list[int],
        carried: tuple[int, int],
    ) -> Invoice:
        change, currency = self._change, self._account.currency
        seller = queries.details(change.connection, INSTALLATION, Seller)
        if seller is None:
            raise NotFound(NO_SELLER())
        if details is None:
            raise NotFound(NO_BUYER())
        check_terms(seller.party, details.buyer, details.tax)
        net, sequence = sum(amounts), queries.next_number(change, InvoiceKind.INVOICE)
        tax = _tax(details.tax, net, self._unit)
        due = self._due(net, tax, details.tax)
        today = _day(change.now_ms)
        span = self._period.start_ms, self._period.end_ms
        expired = credits.expired_between(change.connection, self._account.account_id, *span)
        lines = [
            InvoiceLine(item, count, money(currency, fee), money(currency, amount))
            for (item, fee, count), amount in zip(items, amounts[:-1], strict=True)
        ]
        made = Invoice(
            invoice_id=change.new_id("inv"),
            number=f"{seller.invoice_prefix}{sequence:06d}",
            kind=InvoiceKind.INVOICE,
            month=self._month,
            issued_on=today,
            due_on=today + timedelta(days=seller.payment_days),
            currency=currency,
            seller=seller.party,
            buyer=details.buyer,
            tax=details.tax,
            lines=lines,
            volume_credit=money(currency, -amounts[-1]),
            net=money(currency, net),
            tax_amount=money(currency, tax),
            total=money(currency, net + tax),
            paid=money(currency, net + tax - due),
            due=money(currency, due),
            carried_in=money(currency, carried[0]),
            carried_out=money(currency, carried[1]),
            iban=seller.iban,
            expired_credits=money(currency, expired) if expired else UNSET,
        )
        queries.add(change, self._account.account_id, sequence, made, net)
        return made

    def _due(self, net: int, tax: int, terms: TaxTerms) -> int:
        """What is to be paid: all of it on credit, otherwise what the balance lacked, with tax."""
        state = accounts.state(self._change.connection, self._account.account_id)
        if state.credit:
            return net + tax
        lacked = min(net, max(0, -(state.balance // self._unit * self._unit)))
        return lacked + tax - _tax(terms, net - lacked, self._unit)

    def _charges(self, period: Period) -> list[ChargeLine]:
        connection, account_id = self._change.connection, self._account.account_id
        return charges_between(connection, account_id, period)


def _tax(tax: TaxTerms, net: int, unit: int) -> int:
    return tax_on(net, tax.hundredths, unit)


def _check_next(last: str, period: Period) -> None:
    wanted = f"{period.first:%Y-%m}"
    if wanted <= last:
        raise Conflict(_CLOSED_ALREADY(month=wanted))
    following = f"{_following(date.fromisoformat(f'{last}-01')):%Y-%m}"
    if wanted != following:
        raise Conflict(_CLOSE_FIRST(month=following))


def _month(month: str, now_ms: int) -> Period:
    try:
        period = read_period(month, None, None, now_ms)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
    if period.end_ms > now_ms:
        raise Conflict(_NOT_OVER(month=month))
    return period


def _period(month: str) -> Period:
    first = date.fromisoformat(f"{month}-01")
    return Period(first, _following(first))


def _following(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _months(day: date, end: date) -> Iterator[str]:
    while day < end:
        yield f"{day:%Y-%m}"
        day = _following(day)


def _day(at_ms: int) -> date:
    return datetime.fromtimestamp(at_ms / 1000, UTC).date()
