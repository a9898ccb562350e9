"""What `rules` and `pipelines` print alike: a version applied, a rollback, a history."""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gatehouse.cli.arguments import read_file
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import columns, show
from gatehouse.core.clock import iso_time
from gatehouse.core.documents import LARGEST_DOCUMENT

if TYPE_CHECKING:
    from gatehouse.admin.configurations import AppliedVersion, ConfigurationType, RolledBack

Base = Annotated[
    int | None,
    typer.Option(help="Version that you changed; refused if another is in force by now."),
]
To = Annotated[
    int | None,
    typer.Option(help="Version to go back to. Default: the one in force before this one."),
]
Version = Annotated[int | None, typer.Option(help="Default: the one in force.")]


class ConfigurationSubject(NamedTuple):
    """What a command is about, as it is printed: its words, its field, and its name."""

    account_id: str
    words: str
    field: str
    name: str | int

    def head(self, **more: Any) -> dict[str, Any]:
        """The first fields of what is printed for scripts."""
        return {"accountId": self.account_id, self.field: self.name, **more}


def read_document(file: str) -> bytes:
    """The content of a rule set's or a pipeline's file."""
    return read_file(file, LARGEST_DOCUMENT)


def show_applied(
    subject: ConfigurationSubject,
    applied: "AppliedVersion",
    layout_only: str = "",
    *,
    as_json: bool,
    **more: Any,
) -> None:
    """Print what applying a file did; `layout_only` is added when no definition changed."""
    data = subject.head(
        version=applied.version,
        changed=applied.changed,
        differences=applied.differences,
        **more,
    )
    state = "is now at" if applied.changed else "is unchanged, at"
    head = f"{subject.words} {subject.name} {state} version {applied.version}"
    if applied.changed and not applied.differences:
        head += layout_only
    show(data, "\n".join([head, *applied.differences]), as_json=as_json)


def show_rollback(subject: ConfigurationSubject, done: "RolledBack", *, as_json: bool) -> None:
    """Print what a rollback did."""
    data = subject.head(version=done.version, before=done.before, differences=done.differences)
    head = f"{subject.words} {subject.name} is back at version {done.version}"
    show(data, "\n".join([head, *done.differences]), as_json=as_json)


def show_history(
    account: str | None, kind: "ConfigurationType[Any]", name: str, *, as_json: bool
) -> None:
    """Print all versions, newest first."""
    from gatehouse.admin import configurations

    data: list[dict[str, Any]] = [
        {
            "version": each.version,
            "createdAt": iso_time(each.created_at_ms),
            "actor": each.actor,
            "note": each.note,
            "active": each.active,
        }
        for each in configurations.history(*open_account(account), kind, name)
    ]
    rows = [{**each, "state": "in force" if each["active"] else ""} for each in data]
    headings = ("VERSION", "MADE", "BY", "STATE", "NOTE")
    text = columns(headings, rows, ("version", "createdAt", "actor", "state", "note"), "")
    show(data, text, as_json=as_json)
