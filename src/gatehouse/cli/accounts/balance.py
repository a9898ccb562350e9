"""gatehouse balance: show, top-up, adjust."""

from typing import Annotated

import typer

from gatehouse.admin import accounts, money
from gatehouse.admin.accounts import AccountOverview
from gatehouse.cli.arguments import AccountId, AsJson, amount_argument
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import exact, show
from gatehouse.core.money import format_amount

app = typer.Typer(help="Prepaid balances.", no_args_is_help=True)

AmountArgument = Annotated[
    str, typer.Argument(metavar="AMOUNT", help="Decimal amount, such as 25.50.")
]


@app.command("show")
def show_balance(account: AccountId, as_json: AsJson = False) -> None:
    """Show a balance, and how much of it is held for requests in flight."""
    _print(accounts.get(open_session(), account), as_json=as_json)


@app.command("top-up")
def top_up(
    account: AccountId,
    amount: AmountArgument,
    note: Annotated[str, typer.Option(help="For the statement, such as an invoice number.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add money to a balance."""
    micros = amount_argument(amount)
    _print(money.top_up(open_session(), account, micros, note), as_json=as_json)


@app.command(context_settings={"ignore_unknown_options": True})
def adjust(
    account: AccountId,
    amount: AmountArgument,
    reason: Annotated[str, typer.Option(help="Why; kept in ledger and audit log.")],
    as_json: AsJson = False,
) -> None:
    """Correct a balance by hand, upwards or (with a minus sign) downwards."""
    micros = amount_argument(amount)
    _print(money.adjust(open_session(), account, micros, reason), as_json=as_json)


def _print(found: AccountOverview, *, as_json: bool) -> None:
    account, state = found.account, found.state
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "amount": exact(state.balance),
        "held": exact(state.held),
        "available": exact(state.available),
    }
    text = f"{format_amount(state.balance)} {account.currency}"
    if state.held:
        text += f" ({format_amount(state.held)} of it held for requests in flight)"
    show(data, text, as_json=as_json)
