"""gatehouse balance, prices and ledger verify: the money of accounts."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.money.command.ledger import show_entries
from gatehouse.admin.opening import Opened, open_account, open_session
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    account_before,
    account_before_pairs,
    amount_argument,
    argument,
    option,
    pairs_argument,
)
from gatehouse.cli.completing import account_ids
from gatehouse.cli.output import money as as_money
from gatehouse.cli.output import show, shown_amount, shown_amounts, table
from gatehouse.core.clock import iso_time

if TYPE_CHECKING:
    from gatehouse.admin.money.types import BalanceResponse
    from gatehouse.admin.money.use_cases.money import TopUp

balance = typer.Typer(no_args_is_help=True)
prices = typer.Typer(no_args_is_help=True)
ledger = typer.Typer(no_args_is_help=True)
ledger.command("show")(show_entries)

AmountArgument = Annotated[
    list[str],
    argument(
        "[ACCOUNT] AMOUNT",
        "Decimal amount, such as 25.50. An account in front is the same as --account.",
        callback=account_before(1),
        autocompletion=account_ids,
    ),
]


@balance.command("show")
def show_balance(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show a balance, how much of it is held, and how long it lasts at the pace of late."""
    from gatehouse.admin.money.use_cases import money

    session, account_id = open_account(account)
    found = money.get_balance(session, account_id)
    pace = money.spending_pace(session, account_id)
    if pace is None:
        _print_balance(account_id, found, as_json=as_json)
        return
    currency, lasts_ms = found.currency, pace.lasts_ms(found.available.micros)
    charged = f"{shown_amount(pace.charged, currency)} {currency}"
    last = f"{charged} were charged in the last {_span(pace.span_ms)}; at this pace it lasts "
    data = {
        "since": iso_time(pace.since_ms),
        "charged": as_money(pace.charged, currency),
        "lastsSeconds": lasts_ms // 1000,
    }
    last += f"about {_span(lasts_ms)}"
    _print_balance(account_id, found, as_json=as_json, last=last, pace=data)


def _span(span_ms: int) -> str:
    """A span of time in the unit that tells enough."""
    hours = span_ms // 3_600_000
    return f"{hours // 24:,} days" if hours >= 48 else f"{hours} hours"


@balance.command("top-up")
def top_up(
    amount: AmountArgument,
    reference: Annotated[
        str | None, option("Number of the bank transfer or invoice; each is added only once.")
    ] = None,
    note: Annotated[str, option("For the statement, in your own words.")] = "",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Add money to a balance.

    With a reference it is safe to repeat: the second time nothing is added.
    """
    from gatehouse.admin.money.use_cases import money

    micros = amount_argument(amount[0])
    session, account_id = open_account(account)
    done = money.top_up(session, account_id, micros, note, reference)
    _print_done(account_id, done, reference, as_json=as_json)


def _print_done(account_id: str, done: "TopUp", reference: str | None, *, as_json: bool) -> None:
    before_ms = done.recorded_before_at_ms
    if before_ms is None:
        _print_balance(account_id, done.balance, as_json=as_json)
        return
    already = f"{reference} is already recorded on {iso_time(before_ms)}; nothing was added"
    again = {"recordedBefore": iso_time(before_ms)}
    _print_balance(account_id, done.balance, as_json=as_json, first=already, **again)


@balance.command(context_settings={"ignore_unknown_options": True})
def adjust(
    amount: AmountArgument,
    reason: Annotated[str, option("Why; kept in ledger and audit log.")],
    reference: Annotated[
        str | None, option("Your number of the correction; each is booked only once.")
    ] = None,
    until: Annotated[
        str | None,
        option(
            "The last day, in UTC, on which an added amount can be used, YYYY-MM-DD; what is "
            "left then is taken back.",
            metavar="DAY",
        ),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Correct a balance by hand, upwards or (with a minus sign) downwards.

    With a reference it is safe to repeat: the second time nothing is changed.
    """
    from gatehouse.admin.money.use_cases import money

    micros = amount_argument(amount[0])
    session, account_id = open_account(account)
    done = money.adjust(session, account_id, micros, reason, reference, until)
    _print_done(account_id, done, reference, as_json=as_json)


@balance.command("credit")
def set_credit(
    limit: Annotated[
        list[str],
        argument(
            "[ACCOUNT] AMOUNT",
            "How far below nothing the balance may go; none: it is paid in advance.",
            callback=account_before(1),
            autocompletion=account_ids,
        ),
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Let an account that is invoiced spend up to a limit before it pays."""
    from gatehouse.admin.money.use_cases import money

    micros = None if limit[0] == "none" else amount_argument(limit[0])
    session, account_id = open_account(account)
    found = money.set_credit_limit(session, account_id, micros)
    _print_balance(account_id, found, as_json=as_json)


def _print_balance(
    account_id: str,
    found: "BalanceResponse",
    *,
    as_json: bool,
    first: str = "",
    last: str = "",
    **more: Any,
) -> None:
    """Print a balance, between a first and a last line if they are given; scripts get `more`."""
    text = f"{shown_amount(found.balance.micros, found.currency)} {found.currency}"
    if found.held.micros:
        held = shown_amount(found.held.micros, found.currency)
        text += f" ({held} of it held for requests in flight)"
    if found.credit_limit is not None:
        limit = shown_amount(found.credit_limit.micros, found.currency)
        text += f", credit limit {limit}"
    for each in found.credits:
        left = shown_amount(each.left.micros, found.currency)
        text += f"\n{left} of it are credit until {each.expires_at} ({each.credit_id})"
    data = {"accountId": account_id, **msgspec.structs.asdict(found), **more}
    show(data, "\n".join(filter(None, (first, text, last))), as_json)


@prices.command("show")
def show_prices(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show what each function costs an account."""
    _print_prices(open_account(account), as_json=as_json)


@prices.command("set")
def set_prices(
    prices: Annotated[
        list[str],
        argument(
            "[ACCOUNT] TYPE=FEE...",
            "PRECHECK=0.04, or =list. An account in front is the same as --account.",
            callback=account_before_pairs,
            autocompletion=account_ids,
        ),
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Set fees of an account; requests from now on cost that."""
    from gatehouse.admin.money.use_cases import money

    fees = pairs_argument(prices, "a price is given as TYPE=FEE, such as PRECHECK=0.04")
    opened = open_account(account)
    money.set_prices(*opened, fees)
    _print_prices(opened, as_json=as_json)


def _print_prices(opened: "Opened", *, as_json: bool) -> None:
    from gatehouse.admin.accounts.use_cases import accounts

    account, fees = accounts.get(*opened).account, accounts.describe(*opened).fees
    shown = shown_amounts([fee.micros for fee in fees.values()], account.currency)
    rows = [
        (name, fee, account.currency, "own" if name in account.fees else "list")
        for name, fee in zip(fees, shown, strict=True)
    ]
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "fees": fees,
    }
    headings = ("FUNCTION", "FEE", "CURRENCY", "FROM")
    show(data, table(headings, rows, {"FEE"}), as_json)


@ledger.command()
def verify(as_json: AsJson = False) -> None:
    """Prove that balances are the sums of their entries and that nothing closed wrongly.

    Top-ups and adjustments are compared with the audit trail, closes with the decision records.
    """
    from gatehouse.admin.money.use_cases import money

    report = money.verify_ledger(open_session())
    lines = [
        f"accounts  {report.accounts}: each balance and each hold is the sum of its entries",
        f"entries   {report.entries}",
        f"requests  {report.requests}: {report.closed} closed, {report.open} open; none closed "
        "more than it authorized, none ended twice, items add up",
        f"payments  {report.payments} top-ups and adjustments: each has its line in the audit "
        "trail with the same amount, and each such line its entry",
        f"credits   {report.credits} that expire: each was taken back at most once, never before "
        "its end, and never more than was credited",
        f"records   {report.records}: each close has its decision record with the same amount, and "
        "each record its close",
    ]
    if report.records_expired:
        lines.append(f"expired   {report.records_expired}: records deleted because of their age")
    verdict = "the ledger is right" if not report.problems else "THE LEDGER IS WRONG"
    if report.problems:
        lines = [lines[1], *(f"  - {problem}" for problem in report.problems)]
    show(report, "\n".join([*lines, verdict]), as_json)
    if report.problems:
        raise typer.Exit(1)
