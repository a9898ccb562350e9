"""What `rules` and `pipelines` do and print alike: a version applied, a rollback, a history."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import option, read_file
from gatehouse.cli.hints import as_hinted
from gatehouse.cli.output import columns, show, warn
from gatehouse.core.clock import iso_time
from gatehouse.core.documents.reading import LARGEST_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gatehouse.admin.configurations.types import VersionApplied
    from gatehouse.admin.configurations.use_cases.configurations import (
        ConfigurationType,
        VersionLine,
    )

Base = Annotated[
    int | None, option("Version that you changed; refused if another is in force by now.")
]
To = Annotated[
    int | None, option("Version to go back to. Default: the one in force before this one.")
]
Version = Annotated[int | None, option("Default: the one in force.")]


def read_document(file: str) -> bytes:
    """The content of a rule set's or a pipeline's file."""
    return read_file(file, LARGEST_DOCUMENT)


def show_applied(
    kind: "ConfigurationType[Any]",
    account_id: str,
    applied: "VersionApplied",
    layout_only: str = "",
    *,
    as_json: bool,
) -> None:
    """Print what applying a file did; `layout_only` is added when no definition changed."""
    state = "is now at" if applied.changed else "is unchanged, at"
    text = f"{kind.label} {applied.name} {state} version {applied.version}"
    if applied.changed and not applied.differences:
        text += layout_only
    data = {
        **_named(kind, account_id, applied.name),
        "version": applied.version,
        "changed": applied.changed,
        "differences": applied.differences,
        "warnings": applied.remarks,
    }
    warn(() if as_json else applied.remarks)
    show(data, "\n".join([text, *applied.differences]), as_json)


def roll_back(
    kind: "ConfigurationType[Any]", account: str | None, name: str, to: int | None, *, as_json: bool
) -> None:
    """Put an earlier version in force again, and print what that changes."""
    from gatehouse.admin.configurations.types import VersionReturn
    from gatehouse.admin.configurations.use_cases import configurations

    session, account_id = open_account(account)
    done = configurations.roll_back(session, account_id, kind, name, VersionReturn(to))
    data = {**_named(kind, account_id, name), **msgspec.to_builtins(done, enc_hook=as_hinted)}
    text = f"{kind.label} {name} is back at version {done.version}"
    show(data, "\n".join([text, *done.differences]), as_json)


def _named(kind: "ConfigurationType[Any]", account_id: str, name: str) -> dict[str, Any]:
    """The first fields of what is printed for scripts."""
    called = {"ruleSet": name} if kind.kind == "rules" else {"pipeline": int(name)}
    return {"accountId": account_id, **called}


def show_history(
    kind: "ConfigurationType[Any]", account: str | None, name: str, *, as_json: bool
) -> None:
    """Print all versions, newest first."""
    from gatehouse.admin.configurations.use_cases import configurations

    data, text = version_lines(configurations.history(*open_account(account), kind, name))
    show(data, text, as_json)


def version_lines(history: "Sequence[VersionLine]") -> tuple[list[dict[str, Any]], str]:
    """Versions for scripts and for people."""
    data: list[dict[str, Any]] = [
        {
            "version": each.version,
            "createdAt": iso_time(each.created_at_ms),
            "actor": each.actor,
            "note": each.note,
            "active": each.active,
        }
        for each in history
    ]
    rows = [{**each, "state": "in force" if each["active"] else ""} for each in data]
    headings = ("VERSION", "MADE", "BY", "STATE", "NOTE")
    return data, columns(
        headings, rows, ("version", "createdAt", "actor", "state", "note"), none=""
    )
