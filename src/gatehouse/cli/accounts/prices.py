"""gatehouse prices: show, set."""

from typing import Annotated

import typer

from gatehouse.access.accounts import Account
from gatehouse.admin import accounts, money
from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.arguments import AccountId, AsJson, pairs_argument
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import exact, show, table
from gatehouse.core.money import format_amount

app = typer.Typer(help="The fee schedule of an account.", no_args_is_help=True)


@app.command("show")
def show_prices(account: AccountId, as_json: AsJson = False) -> None:
    """Show what each function costs an account."""
    _print(accounts.get(open_session(), account).account, as_json=as_json)


@app.command("set")
def set_prices(
    account: AccountId,
    prices: Annotated[list[str], typer.Argument(metavar="TYPE=FEE...", help="PRECHECK=0.04")],
    as_json: AsJson = False,
) -> None:
    """Set fees of an account; requests from now on cost that."""
    fees = pairs_argument(prices, "a price is given as TYPE=FEE, such as PRECHECK=0.04")
    _print(money.set_prices(open_session(), account, fees), as_json=as_json)


def _print(account: Account, *, as_json: bool) -> None:
    schedule = fee_schedule(account.fees)
    rows = [
        (
            *(fee_type, format_amount(fee), account.currency),
            "own" if fee_type in account.fees else "default",
        )
        for fee_type, fee in schedule.items()
    ]
    data = {
        "accountId": account.account_id,
        "currency": account.currency,
        "fees": {fee_type: exact(fee) for fee_type, fee in schedule.items()},
    }
    show(data, table(("FUNCTION", "FEE", "CURRENCY", "FROM"), rows), as_json=as_json)
