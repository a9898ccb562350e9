"""gatehouse keys: issue, list, rotate, revoke."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    account_before,
    argument,
    option,
    span_argument,
)
from gatehouse.cli.completing import account_ids
from gatehouse.cli.output import columns, show, warn

if TYPE_CHECKING:
    from gatehouse.admin.keys.types import KeyShown

app = typer.Typer(no_args_is_help=True)

KeyId = Annotated[
    list[str],
    argument(
        "[ACCOUNT] KEY",
        "Id of the key (key_...). An account in front is the same as --account.",
        callback=account_before(1),
        autocompletion=account_ids,
    ),
]


@app.command()
def issue(  # noqa: PLR0913, PLR0917  # each option is one property of a key
    alias: AccountAlias = None,
    name: Annotated[str, option("What the key is for.")] = "default",
    scope: Annotated[
        list[str] | None, option("Operation it may use; repeat. Default: all.")
    ] = None,
    network: Annotated[
        list[str] | None, option("Network it may be used from; repeat. Default: any.")
    ] = None,
    expires_in: Annotated[str | None, option("Life, such as 90d. Default: none.")] = None,
    rate_limit: Annotated[
        int | None, option("Requests per second; 0: no limit. Default: the server's.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Issue a key. Its text is shown once, here."""
    from gatehouse.admin.keys import types, use_cases

    lasts_s = span_argument(expires_in) // 1000 if expires_in else None
    new = types.NewKey(name, scope or [], network or [], rate_limit, lasts_s)
    session, account_id = open_account(account)
    made = use_cases.issue(session, account_id, new)
    data = {**_data(made.issued, account_id), "key": made.key}
    show(data, f"{made.issued.key_id}\n{made.key}\n{_ONCE}", as_json)


@app.command("list")
def list_keys(
    alias: AccountAlias = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """List the keys of an account, without their text."""
    from gatehouse.admin.keys import use_cases

    session, account_id = open_account(account)
    data = [_data(key, account_id) for key in use_cases.list_keys(session, account_id).keys]
    rows = [
        {
            **each,
            "scopes": ",".join(each["scopes"]) or "all",
            "networks": ",".join(each["networks"]) or "any",
        }
        for each in data
    ]
    headings = ("KEY", "NAME", "STATUS", "SCOPES", "NETWORKS", "EXPIRES", "LAST USED")
    fields = ("keyId", "name", "status", "scopes", "networks", "expiresAt", "lastUsedAt")
    show(data, columns(headings, rows, fields), as_json)


@app.command()
def rotate(
    key: KeyId,
    overlap: Annotated[str, option("How long the old key still works.")] = "24h",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Issue a successor on the same terms and let the old key end after an overlap."""
    from gatehouse.admin.keys import types, use_cases

    session, account_id = open_account(account)
    given = types.KeyRotation(span_argument(overlap) // 1000)
    made = use_cases.rotate(session, account_id, key[0], given)
    found = use_cases.list_keys(session, account_id).keys
    ends = next(str(each.expires_at) for each in found if each.key_id == key[0])
    told = {"key": made.key, "replaces": key[0], "oldKeyExpiresAt": ends}
    human = f"{made.issued.key_id}\n{made.key}\n{_ONCE}\n{key[0]} works until {ends}"
    show(_data(made.issued, account_id) | told, human, as_json)


@app.command()
def revoke(
    key: KeyId,
    reason: Annotated[str, option("Why; kept in the audit log.")] = "",
    children: Annotated[
        bool, option("Also the keys that it issued, and that they issued.", "--children")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """End a key on every server within a second."""
    from gatehouse.admin.keys import types, use_cases

    session, account_id = open_account(account)
    issued = [each.key_id for each in use_cases.issued_by(session, account_id, key[0])]
    given = types.KeyRevocation(reason, children)
    ended = use_cases.revoke(session, account_id, key[0], given)
    text = f"{ended.key_id} is revoked"
    if issued and children:
        text += f"\nrevoked with it: {', '.join(issued)}"
    elif issued:
        warn([f"keys that it issued still work: {', '.join(issued)}; --children ends them too"])
    show(_data(ended, account_id), text, as_json)


_ONCE = "Keep it in a secrets manager: it is not shown again."


def _data(key: "KeyShown", account_id: str) -> dict[str, Any]:
    return {"accountId": account_id, **msgspec.to_builtins(key, enc_hook=str)}
