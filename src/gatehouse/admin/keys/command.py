"""gatehouse keys: issue, list, rotate, revoke."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    account_before,
    span_argument,
)
from gatehouse.cli.completing import account_ids
from gatehouse.cli.output import columns, show, time_or_none, warn
from gatehouse.core.clock import iso_time

if TYPE_CHECKING:
    from gatehouse.access.keys import ApiKey

app = typer.Typer(no_args_is_help=True)

KeyId = Annotated[
    list[str],
    typer.Argument(
        metavar="[ACCOUNT] KEY",
        help="Id of the key (key_...). An account in front is the same as --account.",
        callback=account_before(1),
        autocompletion=account_ids,
    ),
]


@app.command()
def issue(  # noqa: PLR0913, PLR0917  # each option is one property of a key
    alias: AccountAlias = None,
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
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Issue a key. Its text is shown once, here."""
    from gatehouse.admin.keys.use_cases import keys

    terms = keys.KeyTerms(name, tuple(scope or ()), tuple(network or ()), rate_limit)
    lifetime_ms = span_argument(expires_in) if expires_in else None
    key, text = keys.issue(*open_account(account), terms, lifetime_ms)
    show({**_data(key), "key": text}, f"{key.key_id}\n{text}\n{_ONCE}", as_json=as_json)


@app.command("list")
def list_keys(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """List the keys of an account, without their text."""
    from gatehouse.admin.keys.use_cases import keys

    session, account_id = open_account(account)
    found = keys.listing(session, account_id)
    now_ms = session.clock()
    data = [{**_data(key), "status": key.status(now_ms)} for key in found]
    shown = [(",".join(key.scopes) or "all", ",".join(key.networks) or "any") for key in found]
    rows = [
        {**each, "scopes": scopes, "networks": networks}
        for each, (scopes, networks) in zip(data, shown, strict=True)
    ]
    headings = ("KEY", "NAME", "STATUS", "SCOPES", "NETWORKS", "EXPIRES", "LAST USED")
    fields = ("keyId", "name", "status", "scopes", "networks", "expiresAt", "lastUsedAt")
    show(data, columns(headings, rows, fields, "-"), as_json=as_json)


@app.command()
def rotate(
    key: KeyId,
    overlap: Annotated[str, typer.Option(help="How long the old key still works.")] = "24h",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Issue a successor on the same terms and let the old key end after an overlap."""
    from gatehouse.admin.keys.use_cases import keys

    new, text, old = keys.rotate(*open_account(account), key[0], span_argument(overlap))
    ends = time_or_none(old.expires_at_ms) or "-"
    data = {**_data(new), "key": text, "replaces": old.key_id, "oldKeyExpiresAt": ends}
    human = f"{new.key_id}\n{text}\n{_ONCE}\n{old.key_id} works until {ends}"
    show(data, human, as_json=as_json)


@app.command()
def revoke(
    key: KeyId,
    reason: Annotated[str, typer.Option(help="Why; kept in the audit log.")] = "",
    children: Annotated[
        bool, typer.Option("--children", help="Also the keys that it issued, and that they issued.")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """End a key on every server within a second."""
    from gatehouse.admin.keys.use_cases import keys

    session, account_id = open_account(account)
    issued = [each.key_id for each in keys.issued_by(session, account_id, key[0])]
    ended = keys.revoke(session, account_id, key[0], reason, children=children)
    text = f"{ended.key_id} is revoked"
    if issued and children:
        text += f"\nrevoked with it: {', '.join(issued)}"
    elif issued:
        warn([f"keys that it issued still work: {', '.join(issued)}; --children ends them too"])
    show(_data(ended), text, as_json=as_json)


_ONCE = "Keep it in a secrets manager: it is not shown again."


def _data(key: "ApiKey") -> dict[str, Any]:
    return {
        "keyId": key.key_id,
        "accountId": key.account_id,
        "name": key.name,
        "scopes": key.scopes,
        "networks": key.networks,
        "rateLimitPerSecond": key.rate_limit_per_second,
        "createdAt": iso_time(key.created_at_ms),
        "expiresAt": time_or_none(key.expires_at_ms),
        "revokedAt": time_or_none(key.revoked_at_ms),
        "lastUsedAt": time_or_none(key.last_used_at_ms),
        "parent": key.parent,
    }
