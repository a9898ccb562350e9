"""What accounts configure by files, rule sets and pipelines: every version, and the one in force.

A version is never changed. Applying a file makes the next version and puts it in force; going back
puts an earlier one in force. Both name the version that the author believed to be in force, so that
nobody undoes another's change without having seen it.

Sentry's models are kept in the same tables, in a way of their own: see `store.configured.models`.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.starter import STARTER_LISTS, STARTER_NAME, starter_document, starter_program
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS, LISTS

RULES: Final = "rules"
PIPELINE: Final = "pipeline"
KINDS: Final = (RULES, PIPELINE)
MOST_NAMES: Final = 200
LONGEST_NOTE: Final = 200
_CALLED: Final = {RULES: "rule set", PIPELINE: "pipeline"}
_COMMANDS: Final = {RULES: "rules", PIPELINE: "pipelines"}
_STARTER_NOTE: Final = "given to every new account"
_NONE: Final = "0:0:0"
"""The stamp of an account that has none of something."""


class VersionLine(msgspec.Struct, frozen=True, rename="camel"):
    """One line of a history: who made which version when, and whether it is in force."""

    name: str
    version: int
    created_at_ms: int
    actor: str
    note: str | None
    active: bool


class StoredVersion(msgspec.Struct, frozen=True):
    """A version: the file as it was written, and what it was read into."""

    name: str
    version: int
    document: str
    program: str


class Unchanged(Conflict):
    """What is to be applied is in force already."""


def apply(  # noqa: PLR0913  # a version has these parts, and all of them are needed
    change: Change,
    account_id: str,
    kind: str,
    name: str,
    document: str,
    program: str,
    *,
    base: int | None,
    note: str | None = None,
) -> int:
    """Keep a new version and put it in force; its number.

    `base` is the version that the author saw in force, None for none. `Conflict` when it is another
    one, `Unchanged` when nothing would change.
    """
    _check_kind(kind)
    said = check_note(note)
    there = head(change.connection, account_id, kind, name)
    if there is not None:
        now = get(change.connection, account_id, kind, name)
        if (now.document, now.program) == (document, program):
            raise Unchanged(f"{_CALLED[kind]} {name}: nothing changed since version {now.version}")
    _check_base(change, account_id, kind, name, base)
    if there is None and len(names(change.connection, account_id, kind)) >= MOST_NAMES:
        raise InvalidInput(f"an account has at most {MOST_NAMES} of them; apply under a known name")
    version = _add(change, (account_id, kind, name), (document, program), said)
    change.audit(f"{kind}.apply", account_id, name=name, version=version, base=base, note=said)
    return version


def activate(
    change: Change, account_id: str, kind: str, name: str, version: int, *, base: int | None
) -> None:
    """Put an earlier version in force again."""
    _check_kind(kind)
    get(change.connection, account_id, kind, name, version)
    _check_base(change, account_id, kind, name, base)
    if base == version:
        raise Unchanged(f"{_CALLED[kind]} {name}: version {version} is in force already")
    set_head(change, (account_id, kind, name), version)
    change.audit(f"{kind}.activate", account_id, name=name, version=version, base=base)


def active(connection: sa.Connection, account_id: str, kind: str) -> list[StoredVersion]:
    """Everything of a kind that is in force, by name."""
    c, h = CONFIGURATIONS.c, CONFIGURATION_HEADS.c
    query = (
        sa.select(c.name, c.version, c.document, c.program)
        .join(
            CONFIGURATION_HEADS,
            (h.account_id == c.account_id)
            & (h.kind == c.kind)
            & (h.name == c.name)
            & (h.version == c.version),
        )
        .where(h.account_id == account_id, h.kind == kind)
    )
    found = [StoredVersion(*row) for row in connection.execute(query)]
    return sorted(found, key=lambda kept: _natural(kept.name))


def get(
    connection: sa.Connection, account_id: str, kind: str, name: str, version: int | None = None
) -> StoredVersion:
    """One version, without a number the one in force; or `NotFound`."""
    wanted = version
    if wanted is None:
        there = head(connection, account_id, kind, name)
        wanted = None if there is None else there.version
    c = CONFIGURATIONS.c
    # A number that the column cannot hold is not there either.
    if wanted is not None and 0 < wanted < 2**31:
        row = connection.execute(
            sa.select(c.name, c.version, c.document, c.program).where(
                c.account_id == account_id, c.kind == kind, c.name == name, c.version == wanted
            )
        ).first()
        if row is not None:
            return StoredVersion(*row)
    which = "" if version is None else f" version {version} of"
    command = f"{_COMMANDS[kind]} list" if version is None else f"{_COMMANDS[kind]} history {name}"
    raise NotFound(f"no{which} {_CALLED[kind]} {recordable(name)}; see: gatehouse {command}")


def history(connection: sa.Connection, account_id: str, kind: str, name: str) -> list[VersionLine]:
    """All versions of one, newest first; or `NotFound`."""
    current = get(connection, account_id, kind, name).version
    c = CONFIGURATIONS.c
    rows = connection.execute(
        sa.select(c.name, c.version, c.created_at_ms, c.actor, c.note)
        .where(c.account_id == account_id, c.kind == kind, c.name == name)
        .order_by(c.version.desc())
    )
    return [VersionLine(*row, active=row.version == current) for row in rows]


def previous(connection: sa.Connection, account_id: str, kind: str, name: str) -> int:
    """The version that was in force before the one that is now; or `NotFound`, or `Conflict`."""
    current = get(connection, account_id, kind, name).version
    before: int | None = head(connection, account_id, kind, name).previous
    if before is None:
        raise Conflict(
            f"version {current} of {_CALLED[kind]} {name} is the first one; no other was in force "
            "before it, so there is nothing to go back to"
        )
    return before


def names(connection: sa.Connection, account_id: str, kind: str) -> list[str]:
    """The names of a kind."""
    h = CONFIGURATION_HEADS.c
    found = connection.scalars(
        sa.select(h.name).where(h.account_id == account_id, h.kind == kind)
    ).all()
    return sorted(found, key=_natural)


def stamp(connection: sa.Connection, account_id: str) -> str:
    """A text that changes whenever a configuration, the live model or a list of the account does.

    The part after the slash is that of the lists alone.
    """
    return stamps(connection, [account_id])[account_id]


def stamps(connection: sa.Connection, account_ids: Sequence[str]) -> dict[str, str]:
    """The stamps of several accounts at once; databases take some hundreds of them."""
    h, li = CONFIGURATION_HEADS.c, LISTS.c
    found: list[dict[str, str]] = []
    for owner, changes, moment in (
        (h.account_id, h.changes, h.changed_at_ms),
        (li.account_id, li.changes, li.created_at_ms),
    ):
        query = (
            sa.select(owner, sa.func.count(), sa.func.sum(changes), sa.func.sum(moment))
            .where(owner.in_(account_ids))
            .group_by(owner)
        )
        rows = connection.execute(query)
        found.append({row[0]: ":".join(str(int(value)) for value in row[1:]) for row in rows})
    return {each: "/".join(part.get(each, _NONE) for part in found) for each in account_ids}


def seed_defaults(change: Change, account_id: str) -> list[str]:
    """Give an account what every new one has, as far as it has none; the names of what it got."""
    made = supply(change, account_id)
    if made:
        change.audit("account.furnish", account_id, made=made)
    return made


def supply(change: Change, account_id: str) -> list[str]:
    """What `furnish` does, for a change that writes its own line about it."""
    made: list[str] = []
    wanted = []
    if not names(change.connection, account_id, RULES):
        wanted.append((RULES, STARTER_NAME, starter_document(), starter_program()))
        made += _supply_lists(change, account_id)
    if not names(change.connection, account_id, PIPELINE):
        wanted += [(PIPELINE, *pipeline) for pipeline in starter_pipelines()]
    for kind, name, document, program in wanted:
        _add(change, (account_id, kind, name), (document, program), _STARTER_NOTE)
        made.append(f"{_CALLED[kind]} {name}")
    return made


def _supply_lists(change: Change, account_id: str) -> list[str]:
    """The empty lists that the starter rule set looks things up on."""
    query = sa.select(LISTS.c.name).where(LISTS.c.account_id == account_id)
    there = set(change.connection.scalars(query))
    missing = [each for each in STARTER_LISTS if each.name not in there]
    if missing:
        change.connection.execute(
            LISTS.insert(),
            [
                {
                    "account_id": account_id,
                    "name": each.name,
                    "kind": each.kind,
                    "description": each.about,
                    "created_at_ms": change.now_ms,
                    "changes": 1,
                }
                for each in missing
            ],
        )
    return [f"list {each.name}" for each in missing]


Key = tuple[str, str, str]
"""Account, kind and name."""


def next_version(connection: sa.Connection, key: Key) -> int:
    """The number of the version that comes next; numbers are never used again."""
    account_id, kind, name = key
    c = CONFIGURATIONS.c
    query = sa.select(sa.func.max(c.version)).where(
        c.account_id == account_id, c.kind == kind, c.name == name
    )
    return int(connection.scalar(query) or 0) + 1


def add_version(
    change: Change, key: Key, version: int, content: tuple[str, str], note: str | None
) -> None:
    """Keep a document and its program as a version, without putting it in force."""
    account_id, kind, name = key
    document, program = content
    change.connection.execute(
        CONFIGURATIONS.insert(),
        {
            "account_id": account_id,
            "kind": kind,
            "name": name,
            "version": version,
            "document": document,
            "program": program,
            "created_at_ms": change.now_ms,
            "actor": str(change.actor),
            "note": note,
        },
    )


def _add(change: Change, key: Key, content: tuple[str, str], note: str | None) -> int:
    """Keep the next version and put it in force."""
    version = next_version(change.connection, key)
    add_version(change, key, version, content, note)
    set_head(change, key, version)
    return version


def set_head(change: Change, key: Key, version: int) -> None:
    """Put a version in force; what was in force until now becomes the previous one."""
    account_id, kind, name = key
    h = CONFIGURATION_HEADS.c
    this = (h.account_id == account_id) & (h.kind == kind) & (h.name == name)
    values = {"version": version, "changed_at_ms": change.now_ms}
    updated = change.connection.execute(
        CONFIGURATION_HEADS.update()
        .where(this)
        .values(**values, previous=h.version, changes=h.changes + 1)
    )
    if updated.rowcount == 0:
        row = {"account_id": account_id, "kind": kind, "name": name, **values, "changes": 1}
        change.connection.execute(CONFIGURATION_HEADS.insert(), row)


def head(connection: sa.Connection, account_id: str, kind: str, name: str) -> Any:
    """Which version is in force, and which one was before; None when there is none."""
    h = CONFIGURATION_HEADS.c
    return connection.execute(
        sa.select(CONFIGURATION_HEADS).where(
            h.account_id == account_id, h.kind == kind, h.name == name
        )
    ).first()


def _check_base(change: Change, account_id: str, kind: str, name: str, base: int | None) -> None:
    """Refuse to replace what the author has not seen."""
    there = head(change.connection, account_id, kind, name)
    if (None if there is None else there.version) == base:
        return
    if there is None:
        raise Conflict(f"{_CALLED[kind]} {recordable(name)} has no version {base}; it is new")
    c = CONFIGURATIONS.c
    actor = change.connection.scalar(
        sa.select(c.actor).where(
            c.account_id == account_id,
            c.kind == kind,
            c.name == name,
            c.version == there.version,
        )
    )
    seen = "that there was none" if base is None else f"version {base}"
    raise Conflict(
        f"{_CALLED[kind]} {name} is at version {there.version} (made by {actor}, in force since "
        f"{iso_time(there.changed_at_ms)}), you saw {seen}; look at it: "
        f"gatehouse {_COMMANDS[kind]} show {name}, then apply again"
    )


def _check_kind(kind: str) -> None:
    assert kind in KINDS, f"a configuration is one of {KINDS}"


def check_note(note: str | None) -> str | None:
    """A note as it is kept, or `InvalidInput`."""
    if note is None or not note.strip():
        return None
    said = recordable(note.strip())
    if len(said) > LONGEST_NOTE:
        raise InvalidInput(f"a note has at most {LONGEST_NOTE} characters")
    return said


def _natural(name: str) -> tuple[int, str]:
    """Pipelines in the order of their numbers, everything else by name."""
    return (int(name), "") if name.isascii() and name.isdigit() else (0, name)
