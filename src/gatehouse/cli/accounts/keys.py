"""gatehouse keys: issue, list, rotate, revoke."""

from typing import Annotated, Any

import typer

from gatehouse.access.keys import ApiKey, check_networks, check_scopes
from gatehouse.cli.common import AccountId, AsJson, open_session, show, span_argument, table
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts import keys

app = typer.Typer(help="API keys of an account.", no_args_is_help=True)

KeyId = Annotated[str, typer.Argument(metavar="KEY", help="Id of the key (key_...).")]


@app.command()
def issue(  # each option is one property of a key
    account: AccountId,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "default",
    scope: Annotated[
        list[str] | None, typer.Option(help="Operation it may use; repeat. Default: all.")
    ] = None,
    network: Annotated[
        list[str] | None, typer.Option(help="Network it may be used from; repeat. Default: any.")
    ] = None,
    expires_in: Annotated[
        str | None, typer.Option(help="Life, such as 90d. Default: none.")
    ] = None,
    rate_limit: Annotated[
        int | None, typer.Option(help="Requests per second; 0: no limit. Default: the server's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Issue a key. Its text is shown once, here."""
    if rate_limit is not None and not 0 <= rate_limit <= 1_000_000:
        raise InvalidInput("a rate limit is 0 to 1000000 requests per second")
    with open_session().change() as change:
        terms = keys.KeyTerms(
            name=name,
            scopes=check_scopes(scope or []),
            networks=check_networks(network or []),
            rate_limit_per_second=rate_limit,
            expires_at_ms=change.now_ms + span_argument(expires_in) if expires_in else None,
        )
        key, text = keys.issue(change, account, terms)
    show({**_data(key), "key": text}, f"{key.key_id}\n{text}\n{_ONCE}", as_json=as_json)


@app.command("list")
def list_keys(account: AccountId, as_json: AsJson = False) -> None:
    """List the keys of an account, without their text."""
    place = open_session()
    with place.reading() as connection:
        found = keys.of_account(connection, account)
    now_ms = place.clock()
    rows = [
        (
            key.key_id,
            key.name,
            key.status(now_ms),
            ",".join(key.scopes) or "all",
            ",".join(key.networks) or "any",
            _time(key.expires_at_ms),
            _time(key.last_used_at_ms),
        )
        for key in found
    ]
    headings = ("KEY", "NAME", "STATUS", "SCOPES", "NETWORKS", "EXPIRES", "LAST USED")
    data = [{**_data(key), "status": key.status(now_ms)} for key in found]
    show(data, table(headings, rows), as_json=as_json)


@app.command()
def rotate(
    account: AccountId,
    key: KeyId,
    overlap: Annotated[str, typer.Option(help="How long the old key still works.")] = "24h",
    as_json: AsJson = False,
) -> None:
    """Issue a successor on the same terms and let the old key end after an overlap."""
    with open_session().change() as change:
        new, text, old = keys.rotate(change, account, key, span_argument(overlap))
    ends = _time(old.expires_at_ms)
    data = {**_data(new), "key": text, "replaces": old.key_id, "oldKeyExpiresAt": ends}
    human = f"{new.key_id}\n{text}\n{_ONCE}\n{old.key_id} works until {ends}"
    show(data, human, as_json=as_json)


@app.command()
def revoke(
    account: AccountId,
    key: KeyId,
    reason: Annotated[str, typer.Option(help="Why; kept in the audit log.")] = "",
    as_json: AsJson = False,
) -> None:
    """End a key on every server within a second."""
    with open_session().change() as change:
        ended = keys.revoke(change, account, key, reason)
    show(_data(ended), f"{key} is revoked", as_json=as_json)


_ONCE = "Keep it in a secrets manager: it is not shown again."


def _time(at_ms: int | None) -> str:
    return "-" if at_ms is None else iso_time(at_ms)


def _data(key: ApiKey) -> dict[str, Any]:
    return {
        "keyId": key.key_id,
        "accountId": key.account_id,
        "name": key.name,
        "scopes": key.scopes,
        "networks": key.networks,
        "rateLimitPerSecond": key.rate_limit_per_second,
        "createdAt": iso_time(key.created_at_ms),
        "expiresAt": None if key.expires_at_ms is None else iso_time(key.expires_at_ms),
        "revokedAt": None if key.revoked_at_ms is None else iso_time(key.revoked_at_ms),
        "lastUsedAt": None if key.last_used_at_ms is None else iso_time(key.last_used_at_ms),
    }
