"""gatehouse accounts: create, list, show, furnish, policy, sentry."""

from typing import Annotated, Any

import msgspec
import typer

from gatehouse.access.accounts import Account
from gatehouse.billing.fees import fee_schedule
from gatehouse.billing.ledger import AccountState
from gatehouse.cli.common import (
    AccountId,
    AsJson,
    amount_argument,
    exact,
    open_session,
    show,
    table,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import format_amount
from gatehouse.core.redaction import recordable
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import KINDS

app = typer.Typer(help="Accounts: merchants and payment providers.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name shown to people.")],
    currency: Annotated[str, typer.Option(help="Currency of balance and fees.")] = "USD",
    balance: Annotated[str, typer.Option(help="Opening balance.")] = "0",
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    opening = amount_argument(balance)
    if opening < 0:
        raise InvalidInput("an opening balance cannot be negative")
    with open_session().change() as change:
        account = accounts.create(change, name, currency)
        if opening:
            ledger.top_up(change, account.account_id, opening, "opening balance")
    data = _data(account, AccountState(opening, 0))
    text = f"{account.account_id}\nnext: gatehouse keys issue {account.account_id}"
    show(data, text, as_json=as_json)


@app.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List all accounts."""
    with open_session().reading() as connection:
        everyone = accounts.everyone(connection)
    rows = [
        (a.account_id, a.name, a.currency, format_amount(state.balance), iso_time(a.created_at_ms))
        for a, state in everyone
    ]
    text = table(("ACCOUNT", "NAME", "CURRENCY", "BALANCE", "CREATED"), rows)
    show([_data(a, state) for a, state in everyone], text, as_json=as_json)


@app.command("show")
def show_account(account: AccountId, as_json: AsJson = False) -> None:
    """Show one account: balance, fees, policies."""
    with open_session().reading() as connection:
        found = accounts.get(connection, account)
        data = _data(found, accounts.state(connection, account))
    fees = {fee_type: exact(fee) for fee_type, fee in fee_schedule(found.fees).items()}
    data |= {"fees": fees, "policies": found.policies}
    show(data, _plain(data), as_json=as_json)


@app.command()
def furnish(account: AccountId, as_json: AsJson = False) -> None:
    """Give an account the starter rule set and pipelines, as new ones have, if it has none."""
    place = open_session()
    with place.reading() as connection:
        accounts.get(connection, account)
        complete = all(configurations.names(connection, account, kind) for kind in KINDS)
    made: list[str] = []
    if not complete:
        with place.change() as change:
            made = configurations.seed_defaults(change, account)
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
    from gatehouse.precheck.policy import DEFAULT_POLICY, PreCheckPolicy
    from gatehouse.precheck.spec import PRE_CHECK

    def kept(connection: Any) -> PreCheckPolicy:
        found = accounts.get(connection, account).policies.get(PRE_CHECK.name)
        return DEFAULT_POLICY if found is None else msgspec.convert(found, PreCheckPolicy)

    if avs or cvv2:
        with open_session().change() as change:
            wanted = msgspec.to_builtins(kept(change.connection))
            wanted["avs"] |= _pairs(avs or [])
            wanted["cvv2"] |= _pairs(cvv2 or [])
            current = read_policy(wanted)
            accounts.set_policy(change, account, PRE_CHECK.name, msgspec.to_builtins(current))
    else:
        with open_session().reading() as connection:
            current = kept(connection)
    data = {"accountId": account, "preCheck": msgspec.to_builtins(current)}
    show(data, _plain(data["preCheck"]), as_json=as_json)


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
    from gatehouse.sentry.policy import DEFAULT_POLICY, SentryPolicy
    from gatehouse.sentry.spec import SENTRY

    if entity and no_entities:
        raise InvalidInput("give keys with --entity, or --no-entities, not both")
    if entity or no_entities:
        policy = read_entities(entity or [])
        with open_session().change() as change:
            accounts.set_policy(change, account, SENTRY.name, msgspec.to_builtins(policy))
    else:
        with open_session().reading() as connection:
            kept = accounts.get(connection, account).policies.get(SENTRY.name)
        policy = DEFAULT_POLICY if kept is None else msgspec.convert(kept, SentryPolicy)
    data = {"accountId": account, "sentry": msgspec.to_builtins(policy)}
    show(data, _plain({"entities": ", ".join(policy.entities) or "-"}), as_json=as_json)


def read_entities(keys: list[str]) -> Any:
    """Keys of custom inputs typed by an operator as a policy, or `InvalidInput`."""
    from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES, SentryPolicy

    wanted = tuple(dict.fromkeys(keys))
    if len(wanted) > MOST_ENTITIES:
        raise InvalidInput(f"Sentry remembers {MOST_ENTITIES} custom inputs at most")
    for key in wanted:
        # The key is part of every record that holds such a value.
        if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable() or recordable(key) != key:
            raise InvalidInput(
                f"a key of customInputs has 1 to {LONGEST_KEY} printable characters and holds no "
                "card number"
            )
    return SentryPolicy(wanted)


def read_policy(wanted: dict[str, dict[str, str]]) -> Any:
    """A policy typed by an operator, or `InvalidInput`."""
    from gatehouse.precheck.advice import POLICY_ADVICES
    from gatehouse.precheck.policy import PreCheckPolicy

    try:
        policy = msgspec.convert(wanted, PreCheckPolicy)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"not a policy: {error}") from None
    for advice in (*policy.avs.values(), *policy.cvv2.values()):
        if advice not in POLICY_ADVICES:
            raise InvalidInput(f"a policy gives one of {', '.join(POLICY_ADVICES)}")
    return policy


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    if any(not separator for _, separator, _ in pairs):
        raise InvalidInput("a policy is given as RESULT=ADVICE, such as NO_MATCH=DECLINE")
    return {result.strip().upper(): advice.strip().upper() for result, _, advice in pairs}


def _data(account: Account, state: AccountState) -> dict[str, Any]:
    return {
        "accountId": account.account_id,
        "name": account.name,
        "currency": account.currency,
        "balance": exact(state.balance),
        "held": exact(state.held),
        "createdAt": iso_time(account.created_at_ms),
    }


def _plain(data: dict[str, Any]) -> str:
    lines = []
    for name, value in data.items():
        shown = value
        if isinstance(value, dict):
            shown = ", ".join(f"{k}={_text(v)}" for k, v in value.items()) or "-"
        lines.append((name, _text(shown)))
    return table(("", ""), lines).strip("\n ")


def _text(value: object) -> str:
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else str(value)
