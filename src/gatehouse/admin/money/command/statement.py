"""gatehouse statement: what moved balances, for people, spreadsheets and scripts."""

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.money.command.money_options import (
    FormatOption,
    From,
    SheetFormat,
    To,
    chosen_format,
    period_argument,
)
from gatehouse.admin.opening import open_account, open_session
from gatehouse.cli.arguments import AccountAlias, AccountOption, AsJson, option, typed_account
from gatehouse.cli.output import shown_amounts, table
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import WrongUsage
from gatehouse.core.files.csv_output import csv_lines

if TYPE_CHECKING:
    from gatehouse.admin.money.types import AccountStatement

_HEADINGS: Final = ("DATE", "ITEM", "REFERENCE", "NOTE", "COUNT", "UNIT FEE", "AMOUNT")
_RIGHT: Final = frozenset({"COUNT", "UNIT FEE", "AMOUNT"})


def statement(  # noqa: PLR0913, PLR0917  # each option is one property of a statement
    context: typer.Context,
    alias: AccountAlias = None,
    account: AccountOption = None,
    everyone: Annotated[bool, option("All accounts, one after the other.", "--all")] = False,
    month: Annotated[
        str | None, option("Month in UTC. Default: this one.", metavar="YYYY-MM")
    ] = None,
    first: From = None,
    end: To = None,
    daily: Annotated[bool, option("Charges by day (UTC).", "--daily")] = False,
    form: FormatOption = SheetFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """Print the statement of a month, or of the days between two dates.

    Opening balance, top-ups and adjustments one by one, charges by fee type, closing balance. A
    request counts when it ended, in UTC.
    """
    from gatehouse.admin.money.use_cases.statements import account_statement, all_statements

    form = chosen_format(form, as_json=as_json)
    if not everyone:
        session, account_id = open_account(account)
        period = period_argument(month, first, end, session.clock())
        one = account_statement(session, account_id, period, daily=daily)
        _print([one], form, alone=True)
        return
    if alias or typed_account(context):
        raise WrongUsage("name an account, or give --all, not both")
    session = open_session()
    period = period_argument(month, first, end, session.clock())
    # The data is read while it is printed; a reader that stops early must not leave it open.
    with contextlib.closing(all_statements(session, period, daily=daily)) as found:
        _print(found, form, alone=False)


def _print(found: Iterable["AccountStatement"], form: SheetFormat, *, alone: bool) -> None:
    from gatehouse.admin.money.use_cases.statement_rows import CSV_HEADINGS, csv_rows

    if form is SheetFormat.JSON:
        _print_json(found, alone=alone)
        return
    if form is SheetFormat.CSV:
        typer.echo(csv_lines([CSV_HEADINGS]), nl=False)
        for one in found:
            typer.echo(csv_lines(csv_rows(one)), nl=False)
        return
    for number, one in enumerate(found):
        typer.echo(("\n" if number else "") + _sheet(one))


def _print_json(found: Iterable["AccountStatement"], *, alone: bool) -> None:
    """One object, or an array of them, each printed as soon as it is there."""
    between = "" if alone else "[\n"
    for one in found:
        text = msgspec.json.format(msgspec.json.encode(_data(one)), indent=2).decode()
        typer.echo(between + text, nl=False)
        between = ",\n"
    typer.echo("" if alone else ("[]" if between == "[\n" else "\n]"))


def _data(one: "AccountStatement") -> dict[str, Any]:
    from gatehouse.admin.money.types import public_statement

    named = {"accountId": one.account.account_id, "name": one.account.name}
    public = public_statement(one)
    return named | msgspec.json.decode(msgspec.json.encode(public), type=dict[str, msgspec.Raw])


def _sheet(one: "AccountStatement") -> str:
    from gatehouse.admin.money.use_cases.statement_rows import statement_rows

    account, made = one.account, one.statement
    rows, currency = statement_rows(made), account.currency
    fees = shown_amounts([row.unit_fee for row in rows], currency)
    amounts = shown_amounts([row.amount for row in rows], currency)
    cells = [
        (
            row.date,
            f"{row.item} {row.fee_type}".strip(),
            row.reference or "",
            row.note or "",
            "" if row.count is None else f"{row.count:,}",
            fee,
            amount,
        )
        for row, fee, amount in zip(rows, fees, amounts, strict=True)
    ]
    title = f"{account.name} ({account.account_id}), {currency}"
    period = f"from {made.period.first} to before {made.period.end}, UTC"
    if made.at_ms < made.period.end_ms:
        period += f"; not over yet, as of {iso_time(made.at_ms)}"
    return f"{title}\n{period}\n\n{table(_HEADINGS, cells, _RIGHT)}"
