"""gatehouse balance, prices, ledger and statement: the money of accounts."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    account_before,
    account_before_pairs,
    amount_argument,
    pairs_argument,
)
from gatehouse.cli.completing import account_ids
from gatehouse.cli.opening import open_account, open_session
from gatehouse.cli.output import columns, show, table
from gatehouse.cli.output import money as as_money
from gatehouse.core.clock import iso_time
from gatehouse.core.money import format_amount

if TYPE_CHECKING:
    from gatehouse.access.accounts import Account
    from gatehouse.admin.accounts import AccountOverview
    from gatehouse.billing.statement import MonthStatement

balance = typer.Typer(no_args_is_help=True)
prices = typer.Typer(no_args_is_help=True)
ledger = typer.Typer(no_args_is_help=True)

AmountArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="[ACCOUNT] AMOUNT",
        help="Decimal amount, such as 25.50. An account in front is the same as --account.",
        callback=account_before(1),
        autocompletion=account_ids,
    ),
]


@balance.command("show")
def show_balance(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show a balance, and how much of it is held for requests in flight."""
    from gatehouse.admin import accounts

    _print_balance(accounts.get(*open_account(account)), as_json=as_json)


@balance.command("top-up")
def top_up(
    amount: AmountArgument,
    note: Annotated[str, typer.Option(help="For the statement, such as an invoice number.")] = "",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Add money to a balance."""
    from gatehouse.admin import money

    micros = amount_argument(amount[0])
    _print_balance(money.top_up(*open_account(account), micros, note), as_json=as_json)


@balance.command(context_settings={"ignore_unknown_options": True})
def adjust(
    amount: AmountArgument,
    reason: Annotated[str, typer.Option(help="Why; kept in ledger and audit log.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Correct a balance by hand, upwards or (with a minus sign) downwards."""
    from gatehouse.admin import money

    micros = amount_argument(amount[0])
    _print_balance(money.adjust(*open_account(account), micros, reason), as_json=as_json)


def _print_balance(found: "AccountOverview", *, as_json: bool) -> None:
    account, state = found.account, found.state
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "balance": as_money(state.balance, account.currency),
        "held": as_money(state.held, account.currency),
        "available": as_money(state.available, account.currency),
    }
    text = f"{format_amount(state.balance)} {account.currency}"
    if state.held:
        text += f" ({format_amount(state.held)} of it held for requests in flight)"
    show(data, text, as_json=as_json)


@prices.command("show")
def show_prices(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show what each function costs an account."""
    from gatehouse.admin import accounts

    _print_prices(accounts.get(*open_account(account)).account, as_json=as_json)


@prices.command("set")
def set_prices(
    prices: Annotated[
        list[str],
        typer.Argument(
            metavar="[ACCOUNT] TYPE=FEE...",
            help="PRECHECK=0.04. An account in front is the same as --account.",
            callback=account_before_pairs,
            autocompletion=account_ids,
        ),
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Set fees of an account; requests from now on cost that."""
    from gatehouse.admin import money

    fees = pairs_argument(prices, "a price is given as TYPE=FEE, such as PRECHECK=0.04")
    _print_prices(money.set_prices(*open_account(account), fees), as_json=as_json)


def _print_prices(account: "Account", *, as_json: bool) -> None:
    schedule = fee_schedule(account.fees)
    rows = [
        (name, format_amount(fee), account.currency, "own" if name in account.fees else "default")
        for name, fee in schedule.items()
    ]
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "fees": {name: as_money(fee, account.currency) for name, fee in schedule.items()},
    }
    show(data, table(("FUNCTION", "FEE", "CURRENCY", "FROM"), rows), as_json=as_json)


@ledger.command()
def verify(as_json: AsJson = False) -> None:
    """Prove that balances are the sums of their entries and that nothing closed wrongly.

    Top-ups and adjustments are compared with the audit trail, closes with the decision records.
    """
    from gatehouse.admin import money

    report = money.verify_ledger(open_session())
    lines = [
        f"accounts  {report.accounts}: each balance and each hold is the sum of its entries",
        f"entries   {report.entries}",
        f"requests  {report.requests}: {report.closed} closed, {report.open} open; none closed "
        "more than it authorized, none ended twice, items add up",
        f"payments  {report.payments} top-ups and adjustments: each has its line in the audit "
        "trail with the same amount, and each such line its entry",
        f"records   {report.records}: each close has its decision record with the same amount, and "
        "each record its close",
    ]
    verdict = "the ledger is right" if not report.problems else "THE LEDGER IS WRONG"
    if report.problems:
        lines = [lines[1], *(f"  - {problem}" for problem in report.problems)]
    show(report, "\n".join([*lines, verdict]), as_json=as_json)
    if report.problems:
        raise typer.Exit(1)


@ledger.command("show")
def show_entries(
    alias: AccountAlias = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Newest entries.")] = 50,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the newest entries of an account."""
    from gatehouse.admin import accounts, money

    session, account_id = open_account(account)
    currency = accounts.get(session, account_id).account.currency
    entries = money.entries(session, account_id, limit)
    data = [
        {
            "at": iso_time(e.at_ms),
            "reference": e.reference,
            "kind": e.kind.value,
            "amount": as_money(e.amount, currency),
            "held": as_money(e.held, currency),
            "detail": e.detail,
        }
        for e in entries
    ]
    rows = [
        {**each, "amount": format_amount(e.amount), "held": format_amount(e.held)}
        for each, e in zip(data, entries, strict=True)
    ]
    headings = ("AT", "REFERENCE", "KIND", "AMOUNT", "HELD", "DETAIL")
    show(data, columns(headings, rows, [name.lower() for name in headings], ""), as_json=as_json)


def statement(
    alias: AccountAlias = None,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="Month in UTC. Default: this one.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Print an account's statement of a month."""
    from gatehouse.admin import money

    found = money.statement(*open_account(account), month)
    owner, made = found.account, found.sums
    in_currency = partial(as_money, currency=owner.currency)
    data = {
        "accountId": owner.account_id,
        "month": found.month,
        "currency": owner.currency,
        "opening": in_currency(made.opening),
        "topUps": in_currency(made.top_ups),
        "adjustments": in_currency(made.adjustments),
        "fees": {
            fee_type: {"count": line.count, "total": in_currency(line.total)}
            for fee_type, line in sorted(made.fees.items())
        },
        "charged": in_currency(made.charged),
        "closing": in_currency(made.closing),
        "unchargedRequests": made.uncharged_requests,
    }
    title = f"{owner.name} ({owner.account_id}), {found.month}, {owner.currency}"
    show(data, f"{title}\n{_rows(made)}", as_json=as_json)


def _rows(made: "MonthStatement") -> str:
    fees = [
        (fee_type, f"{line.count} x", format_amount(-line.total))
        for fee_type, line in sorted(made.fees.items())
    ]
    rows = [
        ("opening balance", "", format_amount(made.opening)),
        ("top-ups", "", format_amount(made.top_ups)),
        ("adjustments", "", format_amount(made.adjustments)),
        *fees,
        ("requests not charged", f"{made.uncharged_requests} x", "0"),
        ("closing balance", "", format_amount(made.closing)),
    ]
    return table(("", "COUNT", "AMOUNT"), rows)
