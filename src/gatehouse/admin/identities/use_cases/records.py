"""Use cases about stored identity records: show, count, export, erase, compact, re-encrypt."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from gatehouse.admin.identities.use_cases.selection import ScopeSelection, check_scope, record_count
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.identities import erasure, identities, identity_counts, identity_keys, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_counts import Census
from gatehouse.store.identities.identity_sealer import (
    EVERYONE,
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)

# What the store returns, for faces.
__all__ = ["StoredHolder", "UnreadableHolder"]

_RESEALED_AT_ONCE: Final = 300

ReportProgress = Callable[[int, int], None]
"""Takes how many records are done, and how many there are."""


class ErasedRecords(msgspec.Struct, frozen=True):
    """How many records were erased, and whether the unused space was cleared."""

    erased: int
    compacted: bool


class ReencryptedRecords(CamelStruct):
    """What a re-encryption did; `compacted` is None when there was nothing to clear."""

    version: int
    resealed: int
    keys_removed: int
    compacted: bool | None
    unreadable: Sequence[UnreadableHolder]


def show_records(
    session: AdminSession, selected: Sequence[ScopeSelection], *, reveal: bool
) -> list[StoredHolder]:
    """The selected records; that their values are revealed is audited."""
    sealer = IdentitySealer(session.ring)
    for one in selected:
        session.actor.check_account(one.scope)
    with session.reading() as connection:
        found = [
            _shown(stored, session.fingerprints)
            for one in selected
            for stored in identities.find(one.scope, one.selector, connection, sealer)
        ]
    if reveal:
        with session.change() as change:
            for scope in sorted({stored.scope for stored in found}):
                ids = [stored.person_id for stored in found if stored.scope == scope]
                account_id = imports.account_of(scope)
                change.audit("identities.reveal", account_id, scope=scope, ids=ids)
    return found


def _shown(stored: StoredHolder, fingerprints: Fingerprints) -> StoredHolder:
    """A record with the fingerprint that its scope may see."""
    card = fingerprints.of_account(stored.scope, stored.entry.card)
    entry = msgspec.structs.replace(stored.entry, card=card)
    return msgspec.structs.replace(stored, entry=entry)


def count_records(session: AdminSession) -> tuple[list[Census], bool]:
    """How many records each scope has, and whether a compaction is due."""
    session.actor.check_account(EVERYONE)
    with session.reading() as connection:
        found = identity_counts.census(connection, IdentitySealer(session.ring))
        return found, erasure.is_due(connection)


def export_records(session: AdminSession, scope: str) -> Iterator[StoredHolder | UnreadableHolder]:
    """All records of a scope in clear, one at a time; the export is audited before the first."""
    with session.change() as change:
        check_scope(session, change.connection, scope)
        count = identities.how_many(scope, Selector(), change.connection)
        change.audit("identities.export", imports.account_of(scope), scope=scope, count=count)
    fingerprints = session.fingerprints
    with session.reading() as connection:
        for stored in identities.everyone(scope, connection, IdentitySealer(session.ring)):
            if isinstance(stored, StoredHolder):
                yield _shown(stored, fingerprints)
            else:
                yield stored


def erase_records(
    session: AdminSession, selected: Sequence[ScopeSelection], reason: str, compact: bool | None
) -> ErasedRecords:
    """Erase the selected records; `compact` None clears the unused space if that is quick."""
    for one in selected:
        session.actor.check_account(one.scope)
    pace = Pace(session.database)
    erased = sum(erasure.erase(one.scope, one.selector, reason, session, pace) for one in selected)
    done = f"{record_count(erased)} deleted, but "
    return ErasedRecords(erased, _clear_unused_space(session, compact, done))


def compact_records(session: AdminSession) -> None:
    """Clear the unused space of the database, where copies of deleted records can survive."""
    session.actor.check_account(EVERYONE)
    _clear_unused_space(session, True, "")
    with session.change() as change:
        change.audit("identities.compact")


def reencrypt_records(
    session: AdminSession, *, keep_old_keys: bool, compact: bool | None, progress: ReportProgress
) -> ReencryptedRecords:
    """Seal all records with the newest identity key, then remove the older keys.

    Older keys stay while a record that cannot be opened may need them.
    """
    session.actor.check_account(EVERYONE)
    sealer = IdentitySealer(session.ring)
    with session.reading() as connection:
        census = identity_counts.census(connection, sealer)
    older = any(version < sealer.version for one in census for version in one.key_versions)
    with session.change() as change:
        if older:
            erasure.mark_due(change)
        change.audit("identities.reencrypt-begin", version=sealer.version)
    total = sum(one.people for one in census)
    resealed, unreadable = _reseal_all(session, sealer, lambda seen: progress(seen, total))
    with session.change() as change:
        keep = keep_old_keys or bool(unreadable)
        removed = 0 if keep else identity_keys.drop_old_keys(change.connection, sealer)
        if removed:
            erasure.mark_due(change)
        change.audit(
            "identities.reencrypt-end",
            version=sealer.version,
            records=resealed,
            keysRemoved=removed,
            unreadable=len(unreadable),
        )
    compacted = None
    if resealed or removed:
        done = "all records are sealed anew, but "
        compacted = _clear_unused_space(session, compact, done)
    return ReencryptedRecords(sealer.version, resealed, removed, compacted, unreadable)


def _reseal_all(
    session: AdminSession, sealer: IdentitySealer, reached: Callable[[int], None]
) -> tuple[int, list[UnreadableHolder]]:
    after, seen, resealed = None, 0, 0
    unreadable: list[UnreadableHolder] = []
    pace = Pace(session.database)
    while True:
        with pace.turn(), batch_of(session) as connection:
            identity_keys.check_keys(connection, sealer)
            part = identity_keys.reseal(after, connection, sealer, _RESEALED_AT_ONCE)
        seen, resealed = seen + part.seen, resealed + part.done
        unreadable += part.unreadable
        reached(seen)
        after = part.until
        if after is None:
            return resealed, unreadable


def _clear_unused_space(session: AdminSession, wanted: bool | None, done: str) -> bool:
    try:
        return erasure.tidy(session, wanted)
    except StoreUnavailable as error:
        raise StoreUnavailable(
            f"{done}unused space is not cleared: {error}; run: gatehouse identities compact"
        ) from None
