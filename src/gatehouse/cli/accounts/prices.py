"""gatehouse prices: show, set."""

from typing import Annotated

import typer

from gatehouse.billing.fees import fee_schedule, parse_fee
from gatehouse.cli.common import AccountId, AsJson, exact, open_session, show, table
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import format_amount
from gatehouse.store.accounts import accounts

app = typer.Typer(help="The fee schedule of an account.", no_args_is_help=True)


@app.command("show")
def show_prices(account: AccountId, as_json: AsJson = False) -> None:
    """Show what each function costs an account."""
    with open_session().reading() as connection:
        found = accounts.get(connection, account)
    _print(found.account_id, found.currency, found.fees, as_json=as_json)


@app.command("set")
def set_prices(
    account: AccountId,
    prices: Annotated[list[str], typer.Argument(metavar="TYPE=FEE...", help="PRECHECK=0.04")],
    as_json: AsJson = False,
) -> None:
    """Set fees of an account; requests from now on cost that."""
    pairs = [price.partition("=") for price in prices]
    if any(not separator for _, separator, _ in pairs):
        raise InvalidInput("a price is given as TYPE=FEE, such as PRECHECK=0.04")
    fees = dict(parse_fee(fee_type.strip().upper(), fee) for fee_type, _, fee in pairs)
    with open_session().change() as change:
        changed = accounts.set_fees(change, account, fees)
    _print(account, changed.currency, changed.fees, as_json=as_json)


def _print(account_id: str, currency: str, own: dict[str, int], *, as_json: bool) -> None:
    schedule = fee_schedule(own)
    rows = [
        (fee_type, format_amount(fee), currency, "own" if fee_type in own else "default")
        for fee_type, fee in schedule.items()
    ]
    data = {
        "accountId": account_id,
        "currency": currency,
        "fees": {fee_type: exact(fee) for fee_type, fee in schedule.items()},
    }
    show(data, table(("FUNCTION", "FEE", "CURRENCY", "FROM"), rows), as_json=as_json)
