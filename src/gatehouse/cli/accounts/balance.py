"""gatehouse balance: show, top-up, adjust."""

from typing import Annotated, Any

import typer

from gatehouse.billing.ledger import AccountState
from gatehouse.cli.common import AccountId, AsJson, amount_argument, exact, open_session, show
from gatehouse.core.money import format_amount
from gatehouse.store.accounts import accounts, ledger

app = typer.Typer(help="Prepaid balances.", no_args_is_help=True)

AmountArgument = Annotated[
    str, typer.Argument(metavar="AMOUNT", help="Decimal amount, such as 25.50.")
]


@app.command("show")
def show_balance(account: AccountId, as_json: AsJson = False) -> None:
    """Show a balance, and how much of it is held for requests in flight."""
    with open_session().reading() as connection:
        found = accounts.get(connection, account)
        state = accounts.state(connection, account)
    _print(found.account_id, found.currency, state, as_json=as_json)


@app.command("top-up")
def top_up(
    account: AccountId,
    amount: AmountArgument,
    note: Annotated[str, typer.Option(help="For the statement, such as an invoice number.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add money to a balance."""
    micros = amount_argument(amount)
    with open_session().change() as change:
        currency = accounts.get(change.connection, account).currency
        state = ledger.top_up(change, account, micros, note)
    _print(account, currency, state, as_json=as_json)


@app.command(context_settings={"ignore_unknown_options": True})
def adjust(
    account: AccountId,
    amount: AmountArgument,
    reason: Annotated[str, typer.Option(help="Why; kept in ledger and audit log.")],
    as_json: AsJson = False,
) -> None:
    """Correct a balance by hand, upwards or (with a minus sign) downwards."""
    micros = amount_argument(amount)
    with open_session().change() as change:
        currency = accounts.get(change.connection, account).currency
        state = ledger.adjust(change, account, micros, reason)
    _print(account, currency, state, as_json=as_json)


def _print(account_id: str, currency: str, state: AccountState, *, as_json: bool) -> None:
    data: dict[str, Any] = {
        "accountId": account_id,
        "currency": currency,
        "amount": exact(state.balance),
        "held": exact(state.held),
        "available": exact(state.available),
    }
    text = f"{format_amount(state.balance)} {currency}"
    if state.held:
        text += f" ({format_amount(state.held)} of it held for requests in flight)"
    show(data, text, as_json=as_json)
