"""Invoices, closed months and legal data: every query is bound to its account."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.admin.invoices.tables import BILLING_PARTIES, CLOSED_MONTHS, INVOICES
from gatehouse.admin.invoices.types.invoice import Invoice, InvoiceKind
from gatehouse.core.api_values import Money
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts.tables import TOP_UP_REFERENCES
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import is_any_of

_NO_INVOICE: Final = Phrase("refused.no_invoice", "no invoice {id}")
_I: Final = INVOICES.c
_M: Final = CLOSED_MONTHS.c
MOST_LISTED: Final = 1000
T = TypeVar("T")


class Invoiced(msgspec.Struct, frozen=True):
    """What the invoices of an account come to, with tax, and what of it is to be paid."""

    total: int
    open: int


class _InvoiceSums(msgspec.Struct, frozen=True):
    kind: InvoiceKind
    number: str
    total: Money
    due: Money
    credits: str | None = None


_read_sums: Final = msgspec.json.Decoder(_InvoiceSums).decode


class ClosedMonth(msgspec.Struct, frozen=True):
    """A month as it was closed."""

    month: str
    carried: int
    """Less than a minor unit that was left over, in millionths."""
    counts: Mapping[str, int]
    volume_credit: int = 0
    commitment: int = 0
    """What was charged because the month costs at least so much."""
    invoice_id: str | None = None


def details(connection: sa.Connection, account_id: str, kind: type[T]) -> T | None:
    """The legal data of an account, or of the seller."""
    query = sa.select(BILLING_PARTIES.c.details).where(BILLING_PARTIES.c.account_id == account_id)
    found = connection.scalar(query)
    return None if found is None else msgspec.json.decode(found, type=kind)


def keep_details(change: Change, account_id: str, given: msgspec.Struct) -> None:
    """Keep them in place of those before."""
    this = BILLING_PARTIES.c.account_id == account_id
    change.connection.execute(BILLING_PARTIES.delete().where(this))
    text = msgspec.json.encode(given).decode()
    row = {"account_id": account_id, "changed_at_ms": change.now_ms, "details": text}
    change.connection.execute(BILLING_PARTIES.insert(), row)


def next_number(change: Change, kind: InvoiceKind) -> int:
    """The next number of a series; the changes of an installation come one after the other."""
    query = sa.select(sa.func.max(_I.sequence)).where(_I.kind == kind)
    return (change.connection.scalar(query) or 0) + 1


def add(change: Change, account_id: str, sequence: int, made: Invoice, net: int) -> None:
    """Keep an invoice for ever."""
    row = {
        "account_id": account_id,
        "id": made.invoice_id,
        "kind": made.kind,
        "sequence": sequence,
        "issued_at_ms": change.now_ms,
        "month": made.month,
        "net": net,
        "credits": made.credits or None,
        "document": msgspec.json.encode(made).decode(),
    }
    change.connection.execute(INVOICES.insert(), row)


def get(connection: sa.Connection, account_id: str, invoice_id: str) -> Invoice:
    """An invoice by its id or its number; or `NotFound`."""
    mine = _I.account_id == account_id
    query = sa.select(_I.document).where(mine, _I.id == invoice_id)
    found = connection.scalar(query)
    if found is not None:
        return msgspec.json.decode(found, type=Invoice)
    for each in listing(connection, account_id):
        if each.number == invoice_id:
            return each
    raise NotFound(_NO_INVOICE(id=recordable(invoice_id)))


def listing(connection: sa.Connection, account_id: str) -> list[Invoice]:
    """The newest invoices of an account, newest first."""
    query = sa.select(_I.document).where(_I.account_id == account_id)
    ordered = query.order_by(_I.issued_at_ms.desc(), _I.kind, _I.sequence.desc())
    documents = connection.scalars(ordered.limit(MOST_LISTED))
    return [msgspec.json.decode(text, type=Invoice) for text in documents]


def of_all(connection: sa.Connection, month: str) -> list[tuple[str, Invoice]]:
    """The invoices of a month of all accounts, for the operator, in the order of their numbers."""
    query = sa.select(_I.account_id, _I.document).where(_I.month == month)
    rows = connection.execute(query.order_by(_I.kind.desc(), _I.sequence))
    return [(account_id, msgspec.json.decode(text, type=Invoice)) for account_id, text in rows]


def invoiced(connection: sa.Connection) -> dict[str, Invoiced]:
    """The sums of all accounts that have invoices, for who looks after all of them.

    An invoice is paid as soon as a top-up has its number as reference.
    """
    rows = connection.execute(sa.select(_I.account_id, _I.document))
    made = [(account_id, _read_sums(text)) for account_id, text in rows]
    numbers = [each.credits or each.number for _, each in made if each.due.micros]
    known = TOP_UP_REFERENCES.c
    query = sa.select(known.account_id, known.reference)
    paid = {
        (row.account_id, row.reference)
        for row in connection.execute(query.where(is_any_of(connection, known.reference, numbers)))
    }
    found: dict[str, Invoiced] = {}
    for account_id, each in made:
        sign = -1 if each.kind is InvoiceKind.CREDIT_NOTE else 1
        is_paid = (account_id, each.credits or each.number) in paid
        before = found.get(account_id, Invoiced(0, 0))
        found[account_id] = Invoiced(
            before.total + sign * each.total.micros,
            before.open + (0 if is_paid else sign * each.due.micros),
        )
    return found


def credited(connection: sa.Connection, account_id: str, number: str) -> int:
    """What credit notes have taken off an invoice, without tax, in millionths."""
    query = sa.select(sa.func.sum(_I.net)).where(_I.account_id == account_id, _I.credits == number)
    return int(connection.scalar(query) or 0)


def due_credited(connection: sa.Connection, account_id: str, number: str) -> int:
    """What credit notes have taken off what is to be paid of an invoice, in millionths."""
    query = sa.select(_I.document).where(_I.account_id == account_id, _I.credits == number)
    return sum(_read_sums(text).due.micros for text in connection.scalars(query))


def last_closed(connection: sa.Connection, account_id: str) -> ClosedMonth | None:
    """The newest month that is closed."""
    query = sa.select(CLOSED_MONTHS).where(_M.account_id == account_id)
    row = connection.execute(query.order_by(_M.month.desc()).limit(1)).first()
    return None if row is None else _closed(row)


def keep_closed(change: Change, account_id: str, closed: ClosedMonth) -> None:
    """Keep that a month is closed."""
    row = msgspec.structs.asdict(closed)
    row["counts"] = msgspec.json.encode(closed.counts, order="sorted").decode()
    added = {**row, "account_id": account_id, "closed_at_ms": change.now_ms}
    change.connection.execute(CLOSED_MONTHS.insert(), added)


def _closed(row: Any) -> ClosedMonth:
    counts = msgspec.json.decode(row.counts, type=dict[str, int])
    known = (row.volume_credit, row.commitment, row.invoice_id)
    return ClosedMonth(row.month, row.carried, counts, *known)
