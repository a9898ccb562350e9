"""The models that an account's Sentry learned: every version, and the one that is live.

A version never changes. Training stores one without using it; a person looks at it and promotes
it. Version 0 stands for the scorecard that ships with the package: it is what an account
begins with, what it can always go back to, and not kept here.
"""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Sheet, decode_sheet, load_sheet
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import (
    ConfigurationKey,
    StoredVersion,
    VersionContent,
    VersionLine,
)

_NO_LIVE_MODEL: Final = Phrase(
    "refused.no_live_model", "no model is live, the shipped scorecard is used"
)
_NO_MODEL: Final = Phrase("refused.no_model", "no model with version {version}")
_SHIPPED_MODEL: Final = Phrase(
    "refused.shipped_model", "version 0 is the shipped scorecard; go back to it"
)
_MODEL_LIVE: Final = Phrase("refused.model_live", "model {version} is live already")
_NO_MODEL_TO_LEAVE: Final = Phrase(
    "refused.no_model_to_leave",
    "no model is live, the shipped scorecard is used: there is nothing to go back from",
)
_MODEL_ROLLED_BACK: Final = Phrase(
    "refused.model_rolled_back",
    "model {before} is live since a rollback; say which version to go back to: {others}",
)
_NO_SHADOW: Final = Phrase("refused.no_shadow", "no model scores beside the one in force")
_IS_SHADOW: Final = Phrase(
    "refused.is_shadow", "model {version} scores beside the one in force already"
)
_MODEL_SHIPPED: Final = Phrase("refused.model_shipped", "{version} (the shipped scorecard)")

KIND: Final = "model"
NAME: Final = "sentry"
SHADOW: Final = "shadow"
"""Which version scores beside the live one: a head without versions of its own."""
SHIPPED: Final = 0
_MOST_SHOWN: Final = 20


StoredModel = StoredVersion
"""The document of a model is its training report, the program its scorecard; both are JSON."""


def keep(
    change: Change,
    account_id: str,
    document: Callable[[int], str],
    program: Callable[[int], str],
    *,
    note: str | None = None,
    source: str = "records",
    imported: bool = False,
) -> int:
    """Store a new version without using it; its number, for which both texts are made.

    The audit line says what it learned from.
    """
    checked = configurations.check_note(note)
    key = _key(account_id)
    version = configurations.next_version(change.connection, key)
    content = VersionContent(document(version), program(version))
    configurations.add_version(change, key, version, content, checked)
    change.audit(
        "model.import" if imported else "model.train",
        account_id,
        version=version,
        note=checked,
        source=source,
    )
    return version


def listing(connection: sa.Connection, account_id: str) -> list[StoredModel]:
    """All versions, newest first."""
    return configurations.versions(connection, _key(account_id), StoredModel)


def get(connection: sa.Connection, account_id: str, version: int | None = None) -> StoredModel:
    """One version, without a number the live one; or `NotFound`."""
    found = configurations.find(connection, _key(account_id), version)
    if found is not None:
        return found
    if version is None:
        raise NotFound(_NO_LIVE_MODEL())
    raise NotFound(_NO_MODEL(version=version))


def live_program(connection: sa.Connection, account_id: str) -> tuple[int, str] | None:
    """The version and the scorecard of the live model; None when the shipped one is used."""
    live = configurations.find(connection, _key(account_id))
    return None if live is None else (live.version, live.program)


class Shadow(NamedTuple):
    """Which version scores beside the live one, since when, and since when against that one."""

    version: int
    since_ms: int
    compared_since_ms: int


def shadow_of(connection: sa.Connection, account_id: str) -> Shadow | None:
    """The model that is scored with beside the live one, if there is one."""
    beside = configurations.head(connection, _shadow_key(account_id))
    if beside is None or beside.version == SHIPPED:
        return None
    live = configurations.head(connection, _key(account_id))
    began = beside.changed_at_ms
    compared = began if live is None else max(began, live.changed_at_ms)
    return Shadow(beside.version, began, compared)


def shadow_version(connection: sa.Connection, account_id: str) -> StoredModel | None:
    """That model itself."""
    there = shadow_of(connection, account_id)
    return None if there is None else get(connection, account_id, there.version)


def start_shadow(change: Change, account_id: str, version: int) -> None:
    """Let requests be scored with a version, too; nothing is decided by it."""
    if version == SHIPPED:
        raise Conflict(_SHIPPED_MODEL())
    get(change.connection, account_id, version)
    live, _ = _use(change.connection, account_id)
    if live == version:
        raise Conflict(_MODEL_LIVE(version=version))
    there = shadow_of(change.connection, account_id)
    before = None if there is None else there.version
    if before == version:
        raise Conflict(_IS_SHADOW(version=version))
    configurations.set_head(change, _shadow_key(account_id), version)
    change.audit("model.shadow", account_id, version=version, before=before)


def stop_shadow(change: Change, account_id: str, version: int) -> None:
    """Score requests with the live version alone."""
    there = shadow_of(change.connection, account_id)
    if there is None or there.version != version:
        raise Conflict(_NO_SHADOW())
    configurations.set_head(change, _shadow_key(account_id), SHIPPED)
    change.audit("model.unshadow", account_id, version=version)


def promote(change: Change, account_id: str, version: int, note: str | None = None) -> int | None:
    """Put a version into use; the one that was live before, None for the shipped scorecard."""
    if version == SHIPPED:
        raise Conflict(_SHIPPED_MODEL())
    get(change.connection, account_id, version)
    before, _ = _use(change.connection, account_id)
    if before == version:
        raise Conflict(_MODEL_LIVE(version=version))
    configurations.set_head(change, _key(account_id), version)
    why = {"note": checked} if (checked := configurations.check_note(note)) else {}
    change.audit("model.promote", account_id, version=version, before=before, **why)
    _leave_shadow(change, account_id, version)
    _tell(change, account_id, version, before)
    return before or None


def rollback(change: Change, account_id: str, to: int | None = None) -> tuple[int, int | None]:
    """Go back from the live version: to another, by default to what was live before it.

    Returns both versions, None for the shipped scorecard, which `to` names as 0. After a
    rollback there is no default, because the model that was live before was just rolled back.
    """
    before, previous = _use(change.connection, account_id)
    if before == SHIPPED:
        raise Conflict(_NO_MODEL_TO_LEAVE())
    if to is None and previous == before:
        raise Conflict(
            _MODEL_ROLLED_BACK(before=before, others=_others(change.connection, account_id, before))
        )
    target = previous if to is None else to
    if target != SHIPPED:
        get(change.connection, account_id, target)
    if target == before:
        raise Conflict(_MODEL_LIVE(version=before))
    key = _key(account_id)
    # Going back to the shipped scorecard is counted like any change: a row that was deleted and
    # made anew could look to a server like the one it has read.
    # A second rollback must not return to the version that was live before.
    configurations.set_head(change, key, target, keep_previous=False)
    change.audit("model.rollback", account_id, version=target, before=before)
    _leave_shadow(change, account_id, target)
    _tell(change, account_id, target, before)
    return before, target or None


def _leave_shadow(change: Change, account_id: str, version: int) -> None:
    """A model that is live now has nothing to be compared with."""
    there = shadow_of(change.connection, account_id)
    if there is not None and there.version == version:
        stop_shadow(change, account_id, version)


def _tell(change: Change, account_id: str, version: int, before: int) -> None:
    """Tell the account which model is in force; 0 stands for the shipped scorecard."""
    said = {"version": version, "before": before}
    change.event(EventName.MODEL_PROMOTED, account_id, str(version), said)


def _key(account_id: str) -> ConfigurationKey:
    return ConfigurationKey(account_id, KIND, NAME)


def _shadow_key(account_id: str) -> ConfigurationKey:
    return ConfigurationKey(account_id, KIND, SHADOW)


def _use(connection: sa.Connection, account_id: str) -> tuple[int, int]:
    """The version that is live, and the one that was before it; the same one after a rollback."""
    head = configurations.head(connection, _key(account_id))
    return (SHIPPED, SHIPPED) if head is None else (head.version, head.previous or SHIPPED)


def _others(connection: sa.Connection, account_id: str, live: int) -> str:
    """The versions that are not live, newest first, and the shipped scorecard."""
    every = configurations.versions(connection, _key(account_id), VersionLine)
    found = [str(each.version) for each in every if each.version != live]
    shown = [*found[:_MOST_SHOWN], *(["..."] if len(found) > _MOST_SHOWN else [])]
    return ", ".join([*shown, _MODEL_SHIPPED(version=SHIPPED)])


class Adjusted(msgspec.Struct, frozen=True):
    """A sheet with a term for every signal and no other term, and which terms were changed.

    A model outlives the version that it was trained with. Signals that came later have no term in
    it, and terms of signals that are gone, or not here yet, have nothing to measure.
    """

    sheet: Sheet
    added: tuple[str, ...] = ()
    """Signals whose term is the shipped one."""
    dropped: tuple[str, ...] = ()
    """Codes that had a term and are no signals of this version."""


def read_program(program: str) -> Adjusted:
    """The sheet of a stored model; `ScorecardError` when this version cannot read it."""
    return adjust(decode_sheet(program), load_sheet(), BY_CODE.keys())


def adjust(sheet: Sheet, shipped: Sheet, codes: Collection[str]) -> Adjusted:
    """Add the shipped terms of signals that have none, and drop terms of unknown signals.

    An unknown signal is never measured, so its term would never count.
    """
    present = {term.code for term in sheet.terms}
    missing = set(codes) - present
    added = [term for term in shipped.terms if term.code in missing]
    dropped = sorted(present - set(codes))
    if not added and not dropped:
        return Adjusted(sheet)
    kept = [term for term in sheet.terms if term.code in codes]
    return Adjusted(
        msgspec.structs.replace(sheet, terms=(*kept, *added)),
        tuple(term.code for term in added),
        tuple(dropped),
    )
