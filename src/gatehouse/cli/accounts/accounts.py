"""gatehouse accounts: create, list, show, furnish, policy, sentry."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    amount_argument,
    pairs_argument,
)
from gatehouse.cli.opening import open_account, open_session
from gatehouse.cli.output import columns, money, sheet, show
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import WrongUsage
from gatehouse.core.money import format_amount

if TYPE_CHECKING:
    from gatehouse.admin.accounts import AccountOverview

app = typer.Typer(no_args_is_help=True)

_POLICY = "a policy is given as RESULT=ADVICE, such as NO_MATCH=DECLINE"


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name shown to people.")],
    currency: Annotated[str, typer.Option(help="Currency of balance and fees.")] = "USD",
    balance: Annotated[str, typer.Option(help="Opening balance.")] = "0",
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    from gatehouse.admin import accounts

    created = accounts.create(open_session(), name, currency, amount_argument(balance))
    account_id = created.account.account_id
    text = f"{account_id}\nnext: gatehouse keys issue --account {account_id}"
    show(_data(created), text, as_json=as_json)


@app.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List all accounts."""
    from gatehouse.admin import accounts

    found = accounts.listing(open_session())
    data = [_data(each) for each in found]
    rows = [_row(each) for each in found]
    fields = ("accountId", "name", "currency", "balance", "createdAt")
    headings = ("ACCOUNT", "NAME", "CURRENCY", "BALANCE", "CREATED")
    show(data, columns(headings, rows, fields, "-"), as_json=as_json)


@app.command("show")
def show_account(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show one account: balance, fees, policies."""
    from gatehouse.admin import accounts

    found = accounts.get(*open_account(account))
    schedule, policies = fee_schedule(found.account.fees), found.account.policies
    fees = {fee_type: money(fee, found.account.currency) for fee_type, fee in schedule.items()}
    shown = {fee_type: format_amount(fee) for fee_type, fee in schedule.items()}
    data = _data(found) | {"fees": fees, "policies": policies}
    rows = _row(found) | {"fees": shown, "policies": policies}
    show(data, sheet(rows.items()), as_json=as_json)


@app.command()
def furnish(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Give an account the starter rule set and pipelines, as new ones have, if it has none."""
    from gatehouse.admin import accounts

    session, account_id = open_account(account)
    made = accounts.seed_defaults(session, account_id)
    text = f"{account_id} got: {', '.join(made)}" if made else f"{account_id} has its own already"
    show({"accountId": account_id, "made": made}, text, as_json=as_json)


@app.command()
def policy(
    alias: AccountAlias = None,
    avs: Annotated[
        list[str] | None, typer.Option(help="Advice for an AVS result, as NO_MATCH=DECLINE.")
    ] = None,
    cvv2: Annotated[
        list[str] | None, typer.Option(help="Advice for a CVV2 result, as NO_MATCH=ACCEPT.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what an approval becomes when address or security code do not match."""
    from gatehouse.admin import policies

    session, account_id = open_account(account)
    if avs or cvv2:
        wanted = [_advices(avs or []), _advices(cvv2 or [])]
        current = policies.set_precheck_policy(session, account_id, *wanted)
    else:
        current = policies.precheck_policy(session, account_id)
    chosen = msgspec.to_builtins(current)
    show({"accountId": account_id, "preCheck": chosen}, sheet(chosen.items()), as_json=as_json)


@app.command()
def sentry(
    alias: AccountAlias = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Key of `customInputs` to remember values of; replaces those set before.",
        ),
    ] = None,
    no_entities: Annotated[
        bool, typer.Option("--no-entities", help="Remember no custom inputs.")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or set which custom inputs Sentry remembers, as it remembers users and addresses."""
    from gatehouse.admin import policies

    if entity and no_entities:
        raise WrongUsage("give keys with --entity, or --no-entities, not both")
    session, account_id = open_account(account)
    if entity or no_entities:
        policy = policies.set_sentry_policy(session, account_id, entity or [])
    else:
        policy = policies.sentry_policy(session, account_id)
    data = {"accountId": account_id, "sentry": msgspec.to_builtins(policy)}
    show(data, sheet([("entities", policy.entities)]), as_json=as_json)


def _advices(given: list[str]) -> dict[str, str]:
    return {
        result: advice.strip().upper() for result, advice in pairs_argument(given, _POLICY).items()
    }


def _data(found: "AccountOverview") -> dict[str, Any]:
    return {
        "accountId": found.account.account_id,
        "name": found.account.name,
        "currency": found.account.currency,
        "balance": money(found.state.balance, found.account.currency),
        "held": money(found.state.held, found.account.currency),
        "createdAt": iso_time(found.account.created_at_ms),
    }


def _row(found: "AccountOverview") -> dict[str, Any]:
    """An account for people."""
    state = found.state
    shown = {"balance": format_amount(state.balance), "held": format_amount(state.held)}
    return _data(found) | shown
