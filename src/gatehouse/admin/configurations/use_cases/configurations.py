"""Rule sets and pipelines alike: applied from a file, listed, shown and rolled back.

Both are files that become numbered versions, of which one is in force. A `ConfigurationType` holds
what differs: how each is stored, which lists it needs, and how two versions are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.configurations.types import VersionApplied, VersionReturn, VersionReturned
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import lines
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import (
    ConfigurationKey,
    StoredVersion,
    VersionContent,
    VersionLine,
)

__all__ = ["VersionLine"]

T = TypeVar("T")


@dataclass(frozen=True)
class ConfigurationType(Generic[T]):
    """What tells rule sets and pipelines apart."""

    kind: str
    label: str
    read: Callable[[AdminSession, str, bytes], tuple[T, list[str]]]
    """What a file of an account defines, and what its author should know."""
    name_of: Callable[[T], str]
    parts: Callable[[T], int]
    """How many rules, or stages."""
    encode: Callable[[T], str]
    decode: Callable[[str], T]
    problems: Callable[[AdminSession, sa.Connection, str, T], list[str]]
    """Why it cannot be in force in an account now, put there by the actor of the session."""
    differences: Callable[[T | None, T], list[str]]
    approval: ApprovalKind | None = None
    """What its changes are called where two pairs of eyes are wanted."""

    def key(self, account_id: str, name: str) -> ConfigurationKey:
        """Where the store keeps its versions."""
        return ConfigurationKey(account_id, self.kind, name)


class NewVersion(msgspec.Struct, frozen=True):
    """A file to apply."""

    content: bytes
    base: int | None = None
    """The version that the author changed; refused if another one is in force."""
    note: str | None = None
    dry_run: bool = False
    """Whether everything is checked and nothing kept."""
    is_first: bool = False
    """Whether it is refused if any version is in force."""


class AppliedVersion(msgspec.Struct, frozen=True):
    """What applying the file of the installation's connectors did."""

    name: str
    version: int
    changed: bool
    differences: list[str]
    warnings: list[str] | None = None
    """What the author should know."""


class RolledBack(msgspec.Struct, frozen=True):
    """What a rollback of connectors did."""

    version: int
    before: int
    differences: list[str]


@dataclass(frozen=True)
class ConfigurationVersion(Generic[T]):
    """One version, as its author wrote it and as it was read."""

    version: int
    in_force: bool
    document: str
    definition: T


@dataclass(frozen=True)
class ComparedVersions(Generic[T]):
    """Two versions, and what changed from the one to the other."""

    old: ConfigurationVersion[T] | None
    new: ConfigurationVersion[T]
    differences: list[str]


def apply(
    session: AdminSession, account_id: str, kind: ConfigurationType[T], new: NewVersion
) -> VersionApplied:
    """Make a file the next version of what it defines, and put it in force."""
    definition, remarks = kind.read(session, account_id, new.content)
    key = kind.key(account_id, kind.name_of(definition))
    with session.account_reading(account_id) as connection:
        current = configurations.find(connection, key)
    base = new.base
    if base is None and current is not None and not new.is_first:
        base = current.version
    content = VersionContent(new.content.decode("utf-8-sig"), kind.encode(definition))
    if new.dry_run:
        version, changed = _foreseen(session, kind, key, definition, (content, base))
    else:
        version, changed = _kept(session, kind, key, definition, (content, base, new.note))
    old = None if current is None else kind.decode(current.program)
    differences = kind.differences(old, definition) if changed else []
    return VersionApplied(key.name, version, changed, new.dry_run, differences, remarks)


def _kept(
    session: AdminSession,
    kind: ConfigurationType[T],
    key: ConfigurationKey,
    definition: T,
    given: tuple[VersionContent, int | None, str | None],
) -> tuple[int, bool]:
    """The version that is in force after a change, and whether it is a new one."""
    content, base, note = given
    try:
        with session.account_change(key.account_id) as change:
            if kind.approval is not None:
                check_approved(change, key.account_id, kind.approval)
            # Inside the change no list can be dropped after this check.
            check_usable(session, change.connection, kind, key.account_id, definition)
            return configurations.apply(change, key, content, base=base, note=note), True
    except configurations.Unchanged:
        with session.account_reading(key.account_id) as connection:
            return configurations.get(connection, key).version, False


def _foreseen(
    session: AdminSession,
    kind: ConfigurationType[T],
    key: ConfigurationKey,
    definition: T,
    given: tuple[VersionContent, int | None],
) -> tuple[int, bool]:
    """The version that would be in force after a change, and whether it would be a new one."""
    content, base = given
    with session.account_reading(key.account_id) as connection:
        check_usable(session, connection, kind, key.account_id, definition)
        now = configurations.find(connection, key)
        if now is not None and (now.document, now.program) == content:
            return now.version, False
        configurations.check_base(connection, key, base)
        return configurations.next_version(connection, key), True


def listing(
    session: AdminSession, account_id: str, kind: ConfigurationType[T]
) -> list[ConfigurationVersion[T]]:
    """The versions in force, by name."""
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        found = configurations.active(connection, account_id, kind.kind)
    configurations.check_versions(session.signer, found)
    return [_version(kind, stored) for stored in found]


def get(
    session: AdminSession,
    account_id: str,
    kind: ConfigurationType[T],
    name: str,
    version: int | None = None,
) -> ConfigurationVersion[T]:
    """One version, without a number the one in force."""
    key = kind.key(account_id, name)
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        stored = configurations.get(connection, key, version)
    configurations.check_versions(session.signer, [stored])
    return _version(kind, stored)


def compare(
    session: AdminSession,
    account_id: str,
    kind: ConfigurationType[T],
    name: str,
    versions: tuple[int | None, int],
) -> ComparedVersions[T]:
    """What changed from one version to another; None stands for what was before the first."""
    before, after = versions
    old = None if before is None else get(session, account_id, kind, name, before)
    new = get(session, account_id, kind, name, after)
    found = kind.differences(None if old is None else old.definition, new.definition)
    return ComparedVersions(old, new, found)


def history(
    session: AdminSession, account_id: str, kind: ConfigurationType[T], name: str
) -> list[VersionLine]:
    """All versions, newest first."""
    with session.account_reading(account_id) as connection:
        return configurations.history(connection, kind.key(account_id, name))


def roll_back(
    session: AdminSession,
    account_id: str,
    kind: ConfigurationType[T],
    name: str,
    given: VersionReturn,
    dry_run: bool = False,
    seen: Precondition = ANY_VERSION,
) -> VersionReturned:
    """Put an earlier version in force again, by default the one in force before this one."""
    key = kind.key(account_id, name)
    wanted = (given.to, seen.expected)
    if dry_run:
        with session.account_reading(account_id) as connection:
            planned = _planned_return(session, connection, kind, key, wanted)
        return msgspec.structs.replace(planned, dry_run=True)
    with session.account_change(account_id) as change:
        if kind.approval is not None:
            check_approved(change, account_id, kind.approval)
        planned = _planned_return(session, change.connection, kind, key, wanted)
        configurations.activate(change, key, planned.version, base=planned.before)
    return planned


def _planned_return(
    session: AdminSession,
    connection: sa.Connection,
    kind: ConfigurationType[T],
    key: ConfigurationKey,
    wanted: tuple[int | None, int | None],
) -> VersionReturned:
    """What a rollback changes, after everything about it was checked."""
    to, base = wanted
    before = configurations.get(connection, key)
    configurations.check_base(connection, key, before.version if base is None else base)
    target = configurations.previous(connection, key) if to is None else to
    stored = configurations.get(connection, key, target)
    configurations.check_versions(session.signer, [stored])
    definition = kind.decode(stored.program)
    check_usable(session, connection, kind, key.account_id, definition)
    differences = kind.differences(kind.decode(before.program), definition)
    return VersionReturned(target, before.version, False, differences)


def check_usable(
    session: AdminSession,
    connection: sa.Connection,
    kind: ConfigurationType[T],
    account_id: str,
    definition: T,
) -> None:
    """Refuse what cannot be in force, such as conditions about missing lists, which never hold."""
    if problems := kind.problems(session, connection, account_id, definition):
        raise InvalidInput(lines(problems))


def _version(kind: ConfigurationType[T], stored: StoredVersion) -> ConfigurationVersion[T]:
    definition = kind.decode(stored.program)
    return ConfigurationVersion(stored.version, stored.active, stored.document, definition)
