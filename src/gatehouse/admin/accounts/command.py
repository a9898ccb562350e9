"""gatehouse accounts: create, list, show, rename, close, reopen, furnish, policy, sentry, costs."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from gatehouse.admin.opening import open_account, open_session
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    amount_argument,
    argument,
    option,
    pairs_argument,
)
from gatehouse.cli.output import columns, money, sheet, show, shown_amount, table
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.errors import WrongUsage
from gatehouse.core.money import format_amount

if TYPE_CHECKING:
    from gatehouse.admin.accounts.types import FoundInputShown
    from gatehouse.admin.accounts.use_cases.accounts import AccountOverview

app = typer.Typer(no_args_is_help=True)

Preset = Literal["protect", "balance", "revenue"]

_POLICY = "a policy is given as RESULT=ADVICE, such as NO_MATCH=DECLINE"


@app.command()
def create(
    name: Annotated[str, argument("NAME", "Name shown to people.")],
    currency: Annotated[str, option("Currency of balance and fees.")] = "USD",
    balance: Annotated[str, option("Opening balance.")] = "0",
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    from gatehouse.admin.accounts.use_cases import accounts

    created = accounts.create(open_session(), name, currency, amount_argument(balance))
    account_id = created.account.account_id
    text = f"{account_id}\nnext: gatehouse keys issue --account {account_id}"
    show(_data(created), text, as_json)


@app.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List all accounts."""
    from gatehouse.admin.accounts.use_cases import accounts

    found = accounts.listing(open_session())
    rows = [_shown(each) for each in found]
    fields = ("accountId", "name", "state", "currency", "balance", "createdAt")
    headings = ("ACCOUNT", "NAME", "STATE", "CURRENCY", "BALANCE", "CREATED")
    text = columns(headings, rows, fields, {"BALANCE"})
    show([_data(each) for each in found], text, as_json)


@app.command("show")
def show_account(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show one account: balance, fees, policies."""
    from gatehouse.admin.accounts.use_cases import accounts

    session, account_id = open_account(account)
    found, fees = accounts.get(session, account_id), accounts.describe(session, account_id).fees
    policies = found.account.policies
    data = _data(found) | {"fees": fees, "policies": policies}
    shown = [f"{each}={shown_amount(fee.micros, fee.currency)}" for each, fee in fees.items()]
    rows = _shown(found) | {"fees": shown, "policies": policies}
    show(data, sheet(rows.items()), as_json)


@app.command()
def rename(
    name: Annotated[str, argument("NAME", "New name shown to people.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Give an account another name."""
    from gatehouse.admin.accounts.use_cases import accounts

    renamed = accounts.rename(*open_account(account), name)
    text = f"{renamed.account.account_id} is called {renamed.account.name}"
    show(_data(renamed), text, as_json)


@app.command()
def close(
    reason: Annotated[str, option("Why; kept with the account and in the audit log.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Close an account: its keys stop working on every server within a second.

    Nothing can be charged to it any more. Its records and its ledger stay.
    """
    from gatehouse.admin.accounts.use_cases import accounts

    if account is None:
        raise WrongUsage("say which account to close with --account")
    closed = accounts.close(open_session(), account, reason)
    show(_data(closed), f"{account} is closed\n{_left(closed)}", as_json)


@app.command()
def reopen(
    reason: Annotated[str, option("Why; kept in the audit log.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Open a closed account again; keys that were not revoked meanwhile work again."""
    from gatehouse.admin.accounts.use_cases import accounts

    opened = accounts.reopen(*open_account(account), reason)
    show(_data(opened), f"{opened.account.account_id} is open", as_json)


@app.command()
def furnish(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Give an account the starter rule set and pipelines, as new ones have, if it has none."""
    from gatehouse.admin.accounts.use_cases import accounts

    session, account_id = open_account(account)
    made = accounts.seed_defaults(session, account_id)
    text = f"{account_id} got: {', '.join(made)}" if made else f"{account_id} has its own already"
    show({"accountId": account_id, "made": made}, text, as_json)


@app.command()
def policy(
    alias: AccountAlias = None,
    avs: Annotated[
        list[str] | None, option("Advice for an AVS result, as NO_MATCH=DECLINE.")
    ] = None,
    cvv2: Annotated[
        list[str] | None, option("Advice for a CVV2 result, as NO_MATCH=ACCEPT.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what an approval becomes when address or security code do not match."""
    from gatehouse.admin.accounts.types import PreCheckPolicyBody
    from gatehouse.admin.accounts.use_cases import policies

    session, account_id = open_account(account)
    if avs or cvv2:
        wanted = PreCheckPolicyBody.read(_advices(avs or []), _advices(cvv2 or []))
        current = policies.set_precheck_policy(session, account_id, wanted)
    else:
        current = policies.get_policies(session, account_id)
    chosen = msgspec.to_builtins(current.precheck)
    show({"accountId": account_id, "preCheck": chosen}, sheet(chosen.items()), as_json)


@app.command()
def sentry(
    alias: AccountAlias = None,
    entity: Annotated[
        list[str] | None,
        option(
            "Key of `customInputs` to remember values of; replaces those set before.", metavar="KEY"
        ),
    ] = None,
    no_entities: Annotated[bool, option("Declare no custom inputs.", "--no-entities")] = False,
    refuse: Annotated[
        list[str] | None, option("Never remember this key, even if it was found.", metavar="KEY")
    ] = None,
    allow: Annotated[
        list[str] | None, option("Remember a refused key again.", metavar="KEY")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or set which custom inputs Sentry remembers, as it remembers users and addresses.

    Those that look like identifiers or categories are found and need not be declared.
    """
    from gatehouse.admin.accounts.types import FoundInputChoice, SentryPolicyBody
    from gatehouse.admin.accounts.use_cases import found_inputs, policies

    if entity and no_entities:
        raise WrongUsage("give keys with --entity, or --no-entities, not both")
    session, account_id = open_account(account)
    if entity or no_entities:
        wanted = SentryPolicyBody(entity or [])
        declared = policies.set_sentry_policy(session, account_id, wanted).sentry
    else:
        declared = policies.get_policies(session, account_id).sentry
    for key in refuse or ():
        found_inputs.set_found_input(session, account_id, FoundInputChoice(key, remembered=False))
    for key in allow or ():
        found_inputs.set_found_input(session, account_id, FoundInputChoice(key, remembered=True))
    found = found_inputs.list_found_inputs(session, account_id).inputs
    text = sheet([("entities", declared.entities)])
    if found:
        headings = ("FOUND", "LOOKS LIKE", "SINCE", "REMEMBERED")
        text = f"{text}\n\n{table(headings, [_found_row(each) for each in found])}"
    data = {"accountId": account_id, "sentry": declared, "found": found}
    show(data, text, as_json)


def _found_row(one: "FoundInputShown") -> tuple[str, ...]:
    looks = "-" if one.kind is None else one.kind.lower()
    return (one.key, looks, f"{one.since}", "yes" if one.remembered else "no")


@app.command()
def costs(  # noqa: PLR0913, PLR0917  # each option is one cost
    alias: AccountAlias = None,
    preset: Annotated[
        Preset | None, option("How losses by fraud weigh beside sales that are turned away.")
    ] = None,
    currency: Annotated[
        str | None, option("Of the amounts. Default: the account's currency.")
    ] = None,
    margin: Annotated[
        float | None, option("What an order earns, of its amount, such as 0.25.")
    ] = None,
    chargeback_fee: Annotated[
        float | None, option("What a fraud costs besides its amount.")
    ] = None,
    fee_share: Annotated[float | None, option("The same as a share of the amount.")] = None,
    review_cost: Annotated[float | None, option("What a review costs.")] = None,
    review_finds: Annotated[
        float | None, option("Share of reviews that find the truth, such as 0.8.")
    ] = None,
    off: Annotated[bool, option("Give no advice by costs.", "--off")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what orders earn and cost, by which Sentry advises the cheapest outcome.

    What is not said stays as it was; the first time, --margin is needed.
    """
    from gatehouse.admin.accounts.types import CostsBody
    from gatehouse.admin.accounts.use_cases import accounts, policies
    from gatehouse.admin.accounts.use_cases import costs as use_cases

    given = {
        "preset": preset,
        "currency": None if currency is None else currency.upper(),
        "margin": margin,
        "chargebackFee": chargeback_fee,
        "feeShare": fee_share,
        "reviewCost": review_cost,
        "reviewFinds": review_finds,
    }
    said = {name: value for name, value in given.items() if value is not None}
    if off and said:
        raise WrongUsage("give costs, or --off, not both")
    session, account_id = open_account(account)
    found = policies.get_policies(session, account_id).costs
    if off:
        found = use_cases.clear_costs(session, account_id).costs
    elif said:
        if found is None:
            if margin is None:
                raise WrongUsage("say what orders earn with --margin, such as 0.25")
            said.setdefault("currency", accounts.get(session, account_id).account.currency)
        body = CostsBody.read({**msgspec.to_builtins(found or {}), **said})
        found = use_cases.set_costs(session, account_id, body).costs
    shown = {"preset": "off"} if found is None else msgspec.to_builtins(found)
    show({"accountId": account_id, "costs": found}, sheet(shown.items()), as_json)


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
        "state": "open" if found.account.closed_at_ms is None else "closed",
        "closedAt": time_or_none(found.account.closed_at_ms),
        "closedReason": found.account.closed_reason,
    }


def _left(closed: "AccountOverview") -> str:
    """What is left on a closed account, and how it is paid out."""
    state, currency = closed.state, closed.account.currency
    if not state.balance:
        return "nothing is left on it"
    left = f"{shown_amount(state.balance, currency)} {currency} are left on it"
    if state.held:
        left += f", {shown_amount(state.held, currency)} of it held for requests in flight"
    account_id, all_of_it = closed.account.account_id, format_amount(-state.balance)
    command = f"gatehouse balance adjust {account_id} {all_of_it} --reason 'paid out: ...'"
    return f"{left}; once it is paid out, note that: {command}"


def _shown(found: "AccountOverview") -> dict[str, Any]:
    """An account for people."""
    state, currency = found.state, found.account.currency
    amounts = {"balance": shown_amount(state.balance, currency)}
    return _data(found) | amounts | {"held": shown_amount(state.held, currency)}
