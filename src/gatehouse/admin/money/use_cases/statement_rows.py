"""The lines of a statement, as tables and spreadsheets show them."""

from datetime import timedelta
from typing import Final

import msgspec

from gatehouse.admin.money.types import AccountStatement
from gatehouse.billing.ledger import EntryKind
from gatehouse.billing.statement import Statement
from gatehouse.core.clock import iso_time
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.intel.places import raw_amounts

CSV_HEADINGS: Final = (
    *("accountId", "accountName", "currency", "date", "item", "entry", "reference", "note"),
    *("feeType", "count", "unitFee", "amount"),
)


class StatementRow(msgspec.Struct, frozen=True):
    """One line of a statement."""

    item: str
    date: str = ""
    entry: str = ""
    reference: str | None = None
    note: str | None = None
    fee_type: str = ""
    count: int | None = None
    unit_fee: int | None = None
    amount: int = 0


def statement_rows(made: Statement) -> list[StatementRow]:
    """Opening balance, every movement and charge, and the closing balance."""
    first = made.period.first.isoformat()
    moved = [
        StatementRow(
            "top-up" if one.kind is EntryKind.TOP_UP else "adjustment",
            iso_time(one.at_ms)[:10],
            one.entry,
            one.reference,
            one.note,
            amount=one.amount,
        )
        for one in made.movements
    ]
    charged = [
        StatementRow(
            "charge",
            "" if line.day is None else line.day.isoformat(),
            fee_type=line.fee_type,
            count=line.count,
            unit_fee=line.unit_fee,
            amount=-line.total,
        )
        for line in made.charges
    ]
    return [
        StatementRow("opening balance", first, amount=made.opening),
        *moved,
        *charged,
        StatementRow("requests not charged", count=made.uncharged_requests),
        StatementRow("closing balance", _last_day(made), amount=made.closing),
    ]


def _last_day(made: Statement) -> str:
    """The last day of the period that has begun."""
    made_on = iso_time(made.at_ms)[:10]
    return max(
        min((made.period.end - timedelta(days=1)).isoformat(), made_on), str(made.period.first)
    )


def csv_rows(one: AccountStatement) -> list[tuple[object, ...]]:
    """The lines as cells below `CSV_HEADINGS`."""
    account, rows = one.account, statement_rows(one.statement)
    fees = raw_amounts([row.unit_fee for row in rows], account.currency)
    amounts = raw_amounts([row.amount for row in rows], account.currency)
    named = (account.account_id, plain_cell(account.name), account.currency)
    return [
        (
            *(*named, row.date, row.item, row.entry),
            *(plain_cell(row.reference), plain_cell(row.note), row.fee_type),
            *("" if row.count is None else row.count, fee, amount),
        )
        for row, fee, amount in zip(rows, fees, amounts, strict=True)
    ]
