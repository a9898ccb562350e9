"""What `rules` and `pipelines` share: versions that are applied, listed and gone back to."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import sqlalchemy as sa
import typer

from gatehouse.cli.common import open_session, resolve_account, show, table
from gatehouse.core.clock import iso_time
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import StoredVersion

Note = Annotated[str | None, typer.Option(help="Why; kept with the version as it is written.")]
Base = Annotated[
    int | None,
    typer.Option(help="Version that you changed; refused if another is in force by now."),
]
To = Annotated[
    int | None,
    typer.Option(help="Version to go back to. Default: the one in force before this one."),
]
Check = Callable[[sa.Connection], None]
"""Refuses, inside the change, what no longer fits the account."""


class VersionTarget(NamedTuple):
    """What is changed: something of a kind, by name, of one account."""

    session: AdminSession
    account_id: str
    kind: str
    name: str

    def in_force(self) -> StoredVersion | None:
        """The version in force, if there is one."""
        with self.session.reading() as connection:
            found = configurations.active(connection, self.account_id, self.kind)
        return next((kept for kept in found if kept.name == self.name), None)


def opened(account: str | None) -> tuple[AdminSession, str]:
    """The data, and the account that is meant."""
    place = open_session()
    return place, resolve_account(place, account)


def put_in_force(
    place: VersionTarget,
    content: tuple[bytes, str],
    check: Check,
    *,
    base: int | None,
    note: str | None,
) -> tuple[int, bool]:
    """Make a file and its program the next version; its number, and whether anything changed."""
    document, program = content
    try:
        with place.session.change() as change:
            # Nobody can drop a list between this look and the change.
            check(change.connection)
            version = configurations.apply(
                *(change, place.account_id, place.kind, place.name),
                *(document.decode("utf-8-sig"), program),
                base=base,
                note=note,
            )
        return version, True
    except configurations.Unchanged:
        current = place.in_force()
        assert current is not None
        return current.version, False


def go_back(
    place: VersionTarget, to: int | None, check: Callable[[sa.Connection, StoredVersion], None]
) -> tuple[StoredVersion, StoredVersion]:
    """Put an earlier version in force again; what was in force, and what is now."""
    with place.session.change() as change:
        this = (change.connection, place.account_id, place.kind, place.name)
        before = configurations.get(*this)
        target = configurations.previous(*this) if to is None else to
        after = configurations.get(*this, target)
        check(change.connection, after)
        configurations.activate(change, *this[1:], target, base=before.version)
    return before, after


def show_history(place: VersionTarget, *, as_json: bool) -> None:
    """Print all versions, newest first."""
    with place.session.reading() as connection:
        versions = configurations.history(connection, place.account_id, place.kind, place.name)
    data: list[dict[str, Any]] = [
        {
            "version": each.version,
            "createdAt": iso_time(each.created_at_ms),
            "actor": each.actor,
            "note": each.note,
            "active": each.active,
        }
        for each in versions
    ]
    rows = [
        (
            *(each["version"], each["createdAt"], each["actor"]),
            *("in force" if each["active"] else "", each["note"] or ""),
        )
        for each in data
    ]
    show(data, table(("VERSION", "MADE", "BY", "STATE", "NOTE"), rows), as_json=as_json)
