"""gatehouse balance, prices and ledger verify: the money of accounts."""

from typing import Annotated, Any

import typer

from gatehouse.access.accounts import Account
from gatehouse.admin import accounts, money
from gatehouse.admin.accounts import AccountOverview
from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.arguments import AccountId, AsJson, amount_argument, pairs_argument
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import exact, show, shown_amount, shown_amounts, table
from gatehouse.cli.output import money as money_data
from gatehouse.core.clock import iso_time

balance = typer.Typer(help="Prepaid balances.", no_args_is_help=True)
prices = typer.Typer(help="The fee schedule of an account.", no_args_is_help=True)
ledger = typer.Typer(help="The ledger: every movement of money.", no_args_is_help=True)

AmountArgument = Annotated[
    str, typer.Argument(metavar="AMOUNT", help="Decimal amount, such as 25.50.")
]


@balance.command("show")
def show_balance(account: AccountId, as_json: AsJson = False) -> None:
    """Show a balance, how much of it is held, and how long it lasts at the pace of late."""
    session = open_session()
    found = accounts.get(session, account)
    pace = money.spending_pace(session, account)
    if pace is None:
        _print_balance(found, as_json=as_json)
        return
    currency, lasts_ms = found.account.currency, pace.lasts_ms(found.state.available)
    charged = f"{shown_amount(pace.charged, currency)} {currency}"
    last = f"{charged} were charged in the last {_span(pace.span_ms)}; at this pace it lasts "
    data = {
        "since": iso_time(pace.since_ms),
        "charged": money_data(pace.charged, currency),
        "lastsSeconds": lasts_ms // 1000,
    }
    _print_balance(found, as_json=as_json, last=f"{last}about {_span(lasts_ms)}", pace=data)


def _span(span_ms: int) -> str:
    """A span of time in the unit that tells enough."""
    hours = span_ms // 3_600_000
    return f"{hours // 24:,} days" if hours >= 48 else f"{hours} hours"


@balance.command("top-up")
def top_up(
    account: AccountId,
    amount: AmountArgument,
    reference: Annotated[
        str | None,
        typer.Option(help="Number of the bank transfer or invoice; each is added only once."),
    ] = None,
    note: Annotated[str, typer.Option(help="For the statement, in your own words.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add money to a balance.

    With a reference it is safe to repeat: the second time nothing is added.
    """
    micros = amount_argument(amount)
    done = money.top_up(open_session(), account, micros, note, reference)
    before_ms = done.recorded_before_at_ms
    if before_ms is None:
        _print_balance(done.overview, as_json=as_json)
        return
    already = f"{reference} is already recorded on {iso_time(before_ms)}; nothing was added"
    _print_balance(
        done.overview, as_json=as_json, first=already, recordedBefore=iso_time(before_ms)
    )


@balance.command(context_settings={"ignore_unknown_options": True})
def adjust(
    account: AccountId,
    amount: AmountArgument,
    reason: Annotated[str, typer.Option(help="Why; kept in ledger and audit log.")],
    as_json: AsJson = False,
) -> None:
    """Correct a balance by hand, upwards or (with a minus sign) downwards."""
    micros = amount_argument(amount)
    _print_balance(money.adjust(open_session(), account, micros, reason), as_json=as_json)


def _print_balance(
    found: AccountOverview, *, as_json: bool, first: str = "", last: str = "", **more: Any
) -> None:
    """Print a balance, between a first and a last line if they are given; scripts get `more`."""
    account, state = found.account, found.state
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "amount": exact(state.balance),
        "held": exact(state.held),
        "available": exact(state.available),
    }
    text = f"{shown_amount(state.balance, account.currency)} {account.currency}"
    if state.held:
        held = shown_amount(state.held, account.currency)
        text += f" ({held} of it held for requests in flight)"
    show(data | more, "\n".join(filter(None, (first, text, last))), as_json=as_json)


@prices.command("show")
def show_prices(account: AccountId, as_json: AsJson = False) -> None:
    """Show what each function costs an account."""
    _print_prices(accounts.get(open_session(), account).account, as_json=as_json)


@prices.command("set")
def set_prices(
    account: AccountId,
    prices: Annotated[list[str], typer.Argument(metavar="TYPE=FEE...", help="PRECHECK=0.04")],
    as_json: AsJson = False,
) -> None:
    """Set fees of an account; requests from now on cost that."""
    fees = pairs_argument(prices, "a price is given as TYPE=FEE, such as PRECHECK=0.04")
    _print_prices(money.set_prices(open_session(), account, fees), as_json=as_json)


def _print_prices(account: Account, *, as_json: bool) -> None:
    schedule = fee_schedule(account.fees)
    shown = shown_amounts([*schedule.values()], account.currency)
    rows = [
        (name, fee, account.currency, "own" if name in account.fees else "default")
        for name, fee in zip(schedule, shown, strict=True)
    ]
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "fees": {fee_type: exact(fee) for fee_type, fee in schedule.items()},
    }
    headings = ("FUNCTION", "FEE", "CURRENCY", "FROM")
    show(data, table(headings, rows, {"FEE"}), as_json=as_json)


@ledger.command()
def verify(as_json: AsJson = False) -> None:
    """Prove that balances are the sums of their entries and that nothing closed wrongly.

    Top-ups and adjustments are compared with the audit trail, closes with the decision records.
    """
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
