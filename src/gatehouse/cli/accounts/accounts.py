"""gatehouse accounts: create, list, show, furnish, policy, sentry."""

from typing import Annotated, Any

import msgspec
import typer

from gatehouse.admin import accounts
from gatehouse.admin.accounts import AccountOverview
from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.arguments import AccountId, AsJson, amount_argument, pairs_argument
from gatehouse.cli.opening import open_session
from gatehouse.cli.output import columns, exact, sheet, show, shown_amount
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput

app = typer.Typer(help="Accounts: merchants and payment providers.", no_args_is_help=True)

_POLICY = "a policy is given as RESULT=ADVICE, such as NO_MATCH=DECLINE"


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name shown to people.")],
    currency: Annotated[str, typer.Option(help="Currency of balance and fees.")] = "USD",
    balance: Annotated[str, typer.Option(help="Opening balance.")] = "0",
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    created = accounts.create(open_session(), name, currency, amount_argument(balance))
    account_id = created.account.account_id
    text = f"{account_id}\nnext: gatehouse keys issue {account_id}"
    show(_data(created), text, as_json=as_json)


@app.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List all accounts."""
    found = accounts.listing(open_session())
    rows = [_shown(each) for each in found]
    fields = ("accountId", "name", "currency", "balance", "createdAt")
    headings = ("ACCOUNT", "NAME", "CURRENCY", "BALANCE", "CREATED")
    text = columns(headings, rows, fields, "-", {"BALANCE"})
    show([_data(each) for each in found], text, as_json=as_json)


@app.command("show")
def show_account(account: AccountId, as_json: AsJson = False) -> None:
    """Show one account: balance, fees, policies."""
    found = accounts.get(open_session(), account)
    schedule, policies = fee_schedule(found.account.fees), found.account.policies
    fees = {fee_type: exact(fee) for fee_type, fee in schedule.items()}
    data = _data(found) | {"fees": fees, "policies": policies}
    shown = [
        f"{each}={shown_amount(fee, found.account.currency)}" for each, fee in schedule.items()
    ]
    rows = _shown(found) | {"fees": shown, "policies": policies}
    show(data, sheet(rows.items()), as_json=as_json)


@app.command()
def furnish(account: AccountId, as_json: AsJson = False) -> None:
    """Give an account the starter rule set and pipelines, as new ones have, if it has none."""
    made = accounts.seed_defaults(open_session(), account)
    text = f"{account} got: {', '.join(made)}" if made else f"{account} has its own already"
    show({"accountId": account, "made": made}, text, as_json=as_json)


@app.command()
def policy(
    account: AccountId,
    avs: Annotated[
        list[str] | None, typer.Option(help="Advice for an AVS result, as NO_MATCH=DECLINE.")
    ] = None,
    cvv2: Annotated[
        list[str] | None, typer.Option(help="Advice for a CVV2 result, as NO_MATCH=ACCEPT.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what an approval becomes when address or security code do not match."""
    from gatehouse.admin import policies

    if avs or cvv2:
        wanted = [_advices(avs or []), _advices(cvv2 or [])]
        current = policies.set_precheck_policy(open_session(), account, *wanted)
    else:
        current = policies.precheck_policy(open_session(), account)
    chosen = msgspec.to_builtins(current)
    show({"accountId": account, "preCheck": chosen}, sheet(chosen.items()), as_json=as_json)


@app.command()
def sentry(
    account: AccountId,
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
    as_json: AsJson = False,
) -> None:
    """Show or set which custom inputs Sentry remembers, as it remembers users and addresses."""
    from gatehouse.admin import policies

    if entity and no_entities:
        raise InvalidInput("give keys with --entity, or --no-entities, not both")
    if entity or no_entities:
        policy = policies.set_sentry_policy(open_session(), account, entity or [])
    else:
        policy = policies.sentry_policy(open_session(), account)
    data = {"accountId": account, "sentry": msgspec.to_builtins(policy)}
    show(data, sheet([("entities", policy.entities)]), as_json=as_json)


def _advices(given: list[str]) -> dict[str, str]:
    return {
        result: advice.strip().upper() for result, advice in pairs_argument(given, _POLICY).items()
    }


def _data(found: AccountOverview) -> dict[str, Any]:
    return {
        "accountId": found.account.account_id,
        "name": found.account.name,
        "currency": found.account.currency,
        "balance": exact(found.state.balance),
        "held": exact(found.state.held),
        "createdAt": iso_time(found.account.created_at_ms),
    }


def _shown(found: AccountOverview) -> dict[str, Any]:
    """An account for people."""
    state, currency = found.state, found.account.currency
    amounts = {"balance": shown_amount(state.balance, currency)}
    return _data(found) | amounts | {"held": shown_amount(state.held, currency)}
