"""Rule sets and pipelines of accounts, and the connectors of the installation: every version.

A version never changes. Applying a file makes the next version and puts it in force; a rollback
puts an earlier one in force. Both name the version that the author saw in force, so that nobody
overwrites a change without having seen it.

Sentry's models are kept in the same tables; see `store.configured.models`. What belongs to no
account is kept under `INSTALLATION`.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.core.api_values import LONGEST_NOTE
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.account_signature import refused, signed_change
from gatehouse.store.configured.signing import INSTALLATION, Signer
from gatehouse.store.database import struct_from
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS, LISTS

_UNCHANGED: Final = Phrase(
    "refused.what_unchanged", "{what}: nothing changed since version {version}"
)
_IN_FORCE: Final = Phrase("refused.what_in_force", "{what}: version {version} is in force already")
_NONE: Final = Phrase("refused.what_none", "no {what}")
_NO_VERSION: Final = Phrase("refused.what_no_version", "no version {version} of {what}")
_FIRST: Final = Phrase(
    "refused.what_first",
    "version {version} of {what} is the first one; no other was in force before it, "
    "so there is nothing to go back to",
)
_NEW: Final = Phrase("refused.what_new", "{what} has no version {base}; it is new")
_STALE: Final = Phrase(
    "refused.what_stale",
    "{what} is at version {version} (made by {actor}, in force since {since}), you saw {seen}; "
    "look at it, then apply again",
)
_SEEN_NONE: Final = Phrase("refused.what_seen_none", "that there was none")
_SEEN: Final = Phrase("refused.what_seen", "version {version}")

_NAMES_MANY: Final = Phrase(
    "refused.names_many", "an account has at most {most} of them; apply under a known name"
)
_NOTE_LENGTH: Final = Phrase("refused.note_length", "a note has at most {most} characters")

RULES: Final = "rules"
PIPELINE: Final = "pipeline"
CONNECTORS: Final = "connectors"
KINDS: Final = (RULES, PIPELINE)
"""Those of accounts."""
MOST_NAMES: Final = 200
_CALLED: Final = {RULES: "rule set", PIPELINE: "pipeline", CONNECTORS: "configuration of"}
_WHAT: Final = {
    kind: Phrase(f"refused.what_{kind}", f"{called} {{name}}") for kind, called in _CALLED.items()
}
_COMMANDS: Final = {RULES: "rules", PIPELINE: "pipelines", CONNECTORS: "connectors"}


class ConfigurationKey(NamedTuple):
    """What has versions: a rule set, a pipeline or a model of an account, by name."""

    account_id: str
    kind: str
    name: str

    @property
    def label(self) -> str:
        """What people call the kind."""
        return _CALLED[self.kind]

    @property
    def called(self) -> str:
        """What people call this one, as part of a sentence."""
        return _WHAT[self.kind](name=recordable(self.name))

    def command(self, verb: str) -> str:
        """The command that does something with it; connectors have one configuration alone."""
        named = "" if self.account_id == INSTALLATION else f" {self.name}"
        return f"gatehouse {_COMMANDS[self.kind]} {verb}{named}"

    @property
    def audited(self) -> str | None:
        """The account that an audit line about it names."""
        return None if self.account_id == INSTALLATION else self.account_id


CONNECTORS_KEY: Final = ConfigurationKey(INSTALLATION, CONNECTORS, CONNECTORS)
"""All connectors and their routes, which have one configuration."""


class VersionContent(NamedTuple):
    """A file as its author wrote it, and the program that it was read into."""

    document: str
    program: str


class VersionLine(msgspec.Struct, frozen=True):
    """One line of a history: who made which version when, and whether it is in force."""

    name: str
    version: int
    created_at_ms: int
    actor: str
    note: str | None
    active: bool


class StoredVersion(VersionLine, frozen=True):
    """A version with its file and the program that it was read into."""

    document: str
    program: str
    account_id: str = ""
    kind: str = ""
    signature: str | None = None


V = TypeVar("V", bound=VersionLine)


class Unchanged(Conflict):
    """The version to apply is in force already."""


class StaleVersion(Conflict):
    """Another version is in force than the one that the author saw."""


def apply(
    change: Change,
    key: ConfigurationKey,
    content: VersionContent,
    *,
    base: int | None,
    note: str | None = None,
    again: bool = False,
) -> int:
    """Keep a new version and put it in force; its number.

    `base` is the version that the author saw in force, None for none. `Conflict` when it is another
    one, `Unchanged` when nothing would change, unless it is to be kept `again` for its author.
    """
    account_id, kind, name = key
    checked = check_note(note)
    now = find(change.connection, key)
    if now is not None and (now.document, now.program) == content and not again:
        raise Unchanged(_UNCHANGED(what=key.called, version=now.version))
    check_base(change.connection, key, base)
    if now is None and len(names(change.connection, account_id, kind)) >= MOST_NAMES:
        raise InvalidInput(_NAMES_MANY(most=MOST_NAMES))
    version = insert_version(change, key, content, checked)
    about = {"name": name, "version": version, "base": base}
    change.audit(f"{kind}.apply", key.audited, **about, note=checked)
    if kind == RULES:
        said = {"ruleSet": name, "version": version, "before": base, "note": checked}
        change.event(EventName.RULES_APPLIED, account_id, name, said)
    return version


def activate(change: Change, key: ConfigurationKey, version: int, *, base: int | None) -> None:
    """Put an earlier version in force again."""
    _, kind, name = key
    get(change.connection, key, version)
    check_base(change.connection, key, base)
    if base == version:
        raise Unchanged(_IN_FORCE(what=key.called, version=version))
    set_head(change, key, version)
    change.audit(f"{kind}.activate", key.audited, name=name, version=version, base=base)
    if kind == RULES:
        said = {"ruleSet": name, "version": version, "before": base}
        change.event(EventName.RULES_ROLLED_BACK, key.account_id, name, said)


def active(connection: sa.Connection, account_id: str, kind: str) -> list[StoredVersion]:
    """Everything of a kind that is in force, by name."""
    c, h = CONFIGURATIONS.c, CONFIGURATION_HEADS.c
    same = ("account_id", "kind", "name", "version")
    query = (
        sa.select(CONFIGURATIONS)
        .join(CONFIGURATION_HEADS, sa.and_(*(h[each] == c[each] for each in same)))
        .where(h.account_id == account_id, h.kind == kind)
    )
    found = [struct_from(row, StoredVersion, active=True) for row in connection.execute(query)]
    return sorted(found, key=lambda kept: _natural(kept.name))


def check_versions(signer: Signer, stored: Sequence[StoredVersion]) -> None:
    """Raise `ConfigurationRefused` if one of the versions is not as it was stored."""
    for each in stored:
        if not signer.is_genuine(CONFIGURATIONS, msgspec.structs.asdict(each)):
            called = each.name if each.name == each.kind else f"{each.kind} {each.name}"
            what = f"version {each.version} of {called} was changed"
            raise refused(each.account_id, what)


def find(
    connection: sa.Connection, key: ConfigurationKey, version: int | None = None
) -> StoredVersion | None:
    """One version, without a number the one in force; None when there is none."""
    there = head(connection, key)
    in_force = None if there is None else there.version
    wanted = in_force if version is None else version
    row = None if wanted is None else _version_row(connection, key, wanted)
    return None if row is None else struct_from(row, StoredVersion, active=wanted == in_force)


def newest_of(connection: sa.Connection, key: ConfigurationKey, actor: str) -> StoredVersion | None:
    """The newest version of an author whose name begins in a way, in force or not."""
    c = CONFIGURATIONS.c
    theirs = rows_of(CONFIGURATIONS, key) & c.actor.startswith(actor, autoescape=True)
    query = sa.select(CONFIGURATIONS).where(theirs).order_by(c.version.desc()).limit(1)
    row = connection.execute(query).first()
    return None if row is None else struct_from(row, StoredVersion, active=False)


def program_of(
    signer: Signer, connection: sa.Connection, key: ConfigurationKey, version: int
) -> str | None:
    """The program of a version; None when it is not there, or not as it was stored."""
    row = _version_row(connection, key, version)
    return row.program if row and signer.is_genuine(CONFIGURATIONS, row._mapping) else None


def _version_row(connection: sa.Connection, key: ConfigurationKey, version: int) -> Any:
    # A number that the column cannot hold is not there either.
    if not 0 < version < 2**31:
        return None
    this = rows_of(CONFIGURATIONS, key) & (CONFIGURATIONS.c.version == version)
    return connection.execute(sa.select(CONFIGURATIONS).where(this)).first()


def get(
    connection: sa.Connection, key: ConfigurationKey, version: int | None = None
) -> StoredVersion:
    """One version, without a number the one in force; or `NotFound`."""
    found = find(connection, key, version)
    if found is not None:
        return found
    if version is None:
        raise NotFound(_NONE(what=key.called, command=f"gatehouse {_COMMANDS[key.kind]} list"))
    command = key.command("history")
    raise NotFound(_NO_VERSION(version=version, what=key.called, command=command))


def history(connection: sa.Connection, key: ConfigurationKey) -> list[VersionLine]:
    """All versions, newest first; or `NotFound`."""
    get(connection, key)
    return versions(connection, key, VersionLine)


def versions(connection: sa.Connection, key: ConfigurationKey, wanted: type[V]) -> list[V]:
    """All versions, newest first, with the fields of the struct that is wanted."""
    there = head(connection, key)
    in_force = None if there is None else there.version
    c = CONFIGURATIONS.c
    columns = [c[name] for name in wanted.__struct_fields__ if name != "active"]
    query = sa.select(*columns).where(rows_of(CONFIGURATIONS, key)).order_by(c.version.desc())
    rows = connection.execute(query)
    return [struct_from(row, wanted, active=row.version == in_force) for row in rows]


def previous(connection: sa.Connection, key: ConfigurationKey) -> int:
    """The version that was in force before the present one; or `NotFound`, or `Conflict`."""
    current = get(connection, key).version
    before: int | None = head(connection, key).previous
    if before is None:
        raise Conflict(_FIRST(version=current, what=key.called))
    return before


def names(connection: sa.Connection, account_id: str, kind: str) -> list[str]:
    """The names of a kind."""
    h = CONFIGURATION_HEADS.c
    query = sa.select(h.name).where(h.account_id == account_id, h.kind == kind)
    return sorted(connection.scalars(query), key=_natural)


def next_version(connection: sa.Connection, key: ConfigurationKey) -> int:
    """The number of the version that comes next; numbers are never used again."""
    query = sa.select(sa.func.max(CONFIGURATIONS.c.version)).where(rows_of(CONFIGURATIONS, key))
    return int(connection.scalar(query) or 0) + 1


def add_version(
    change: Change, key: ConfigurationKey, version: int, content: VersionContent, note: str | None
) -> None:
    """Store a version without putting it in force."""
    row = {
        **key._asdict(),
        **content._asdict(),
        "version": version,
        "created_at_ms": change.now_ms,
        "actor": str(change.actor),
        "note": note,
    }
    change.connection.execute(CONFIGURATIONS.insert(), change.signer.signed(CONFIGURATIONS, row))


def insert_version(
    change: Change, key: ConfigurationKey, content: VersionContent, note: str | None
) -> int:
    """Store the next version and put it in force, without an audit line; its number."""
    with signed_change(change, key.account_id):
        version = next_version(change.connection, key)
        add_version(change, key, version, content, note)
        _set_head_unsigned(change, key, version, keep_previous=True)
    return version


def insert_first_unsigned(
    change: Change, key: ConfigurationKey, content: VersionContent, note: str
) -> None:
    """Store what there is nothing of yet and put it in force, inside a `signed_change`."""
    add_version(change, key, 1, content, note)
    _put_head(change, key, 1, None, None)


def set_head(
    change: Change, key: ConfigurationKey, version: int, *, keep_previous: bool = True
) -> None:
    """Put a version in force; the one in force until now becomes the previous one.

    Without `keep_previous` the version itself does, so that nothing goes back to the one before.
    """
    with signed_change(change, key.account_id):
        _set_head_unsigned(change, key, version, keep_previous=keep_previous)


def _set_head_unsigned(
    change: Change, key: ConfigurationKey, version: int, *, keep_previous: bool
) -> None:
    there = head(change.connection, key)
    _put_head(change, key, version, there, there and (there.version if keep_previous else version))


def _put_head(
    change: Change, key: ConfigurationKey, version: int, there: Any, previous: int | None
) -> None:
    changes = 1 if there is None else there.changes + 1
    row = {**key._asdict(), "version": version, "previous": previous, "changes": changes}
    signed = change.signer.signed(CONFIGURATION_HEADS, {**row, "changed_at_ms": change.now_ms})
    if there is None:
        change.connection.execute(CONFIGURATION_HEADS.insert(), signed)
        return
    this = rows_of(CONFIGURATION_HEADS, key)
    change.connection.execute(CONFIGURATION_HEADS.update().where(this).values(signed))


def head(connection: sa.Connection, key: ConfigurationKey) -> Any:
    """The row with the version in force and the one before it; None when there is none."""
    query = sa.select(CONFIGURATION_HEADS).where(rows_of(CONFIGURATION_HEADS, key))
    return connection.execute(query).first()


def check_base(connection: sa.Connection, key: ConfigurationKey, base: int | None) -> None:
    """Refuse to replace a version that the author has not seen."""
    there = head(connection, key)
    if (None if there is None else there.version) == base:
        return
    if there is None:
        raise StaleVersion(_NEW(what=key.called, base=base))
    actor = get(connection, key).actor
    seen = _SEEN_NONE() if base is None else _SEEN(version=base)
    raise StaleVersion(
        _STALE(
            what=key.called,
            version=there.version,
            actor=actor,
            since=iso_time(there.changed_at_ms),
            seen=seen,
            command=key.command("show"),
        )
    )


def check_note(note: str | None) -> str | None:
    """A note as it is stored, or `InvalidInput`."""
    if note is None or not note.strip():
        return None
    checked = recordable(note.strip())
    if len(checked) > LONGEST_NOTE:
        raise InvalidInput(_NOTE_LENGTH(most=LONGEST_NOTE))
    return checked


def rows_of(table: sa.Table, key: ConfigurationKey) -> sa.ColumnElement[bool]:
    """Which rows of a table are about a configuration."""
    c = table.c
    return (c.account_id == key.account_id) & (c.kind == key.kind) & (c.name == key.name)


def _natural(name: str) -> tuple[int, str]:
    """Pipelines in the order of their numbers, everything else by name."""
    return (int(name), "") if name.isascii() and name.isdigit() else (0, name)


def stamp_of(connection: sa.Connection, account_id: str) -> str:
    """A text that changes when a configuration, the live model or a list of the account does.

    The part after the slash is that of the lists alone.
    """
    return stamps_of(connection, [account_id])[account_id]


def stamps_of(connection: sa.Connection, account_ids: Sequence[str]) -> dict[str, str]:
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
    # An account that has no configuration, or no list, has no row there.
    return {each: "/".join(part.get(each, "0:0:0") for part in found) for each in account_ids}
