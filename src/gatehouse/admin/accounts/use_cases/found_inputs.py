"""What Sentry found in an account's custom inputs, and what the account says to it."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.types import FoundInputChoice, FoundInputShown, FoundInputsShown
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.found.found_inputs import (
    MOST_KEPT,
    NAME,
    FoundInput,
    FoundInputs,
    InputFinding,
    is_name,
    with_findings,
)
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES, SentryPolicy
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_KEY: Final = Phrase(
    "refused.found_key",
    "a key that Sentry finds is a name of 1 to {most} letters, digits and signs such as _ and -",
)
_NOT_FOUND: Final = Phrase(
    "refused.input_not_found",
    "{key} was not found among the custom inputs of the account; to have it remembered, declare it",
)
_TOO_MANY: Final = Phrase(
    "refused.found_too_many", "at most {most} keys of customInputs can be refused or found"
)
_NO_ROOM: Final = Phrase(
    "refused.found_no_room", "Sentry remembers {most} custom inputs already; refuse another first"
)
_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "foundInputsResponse",
}


class _NothingNew(Exception):
    """Ends a change that another server has made already."""


@use_case("GET /policies/sentry/found", **_MAY)
def list_found_inputs(reading: Reading, account_id: str) -> FoundInputsShown:
    """Custom inputs that Sentry found.

    Keys of `customInputs` that look like identifiers or categories and are remembered although
    nobody declared them, and those that the account refused.
    """
    return _shown(_kept(reading.connection, account_id)[1])


@use_case("PUT /policies/sentry/found", **_MAY)
def set_found_input(change: Change, account_id: str, given: FoundInputChoice) -> FoundInputsShown:
    """Say whether a found custom input is remembered.

    A no stays one, and can be said before the key is found. Servers follow within a second.
    """
    check_approved(change, account_id, ApprovalKind.POLICIES)
    declared, found = _kept(change.connection, account_id)
    known = next((each for each in found.inputs if each.key == given.key), None)
    if given.remembered:
        wanted = _allowed(declared, found, known, given.key)
    else:
        wanted = _refused(found, known, given.key, change.now_ms)
    _store(change, account_id, wanted)
    return _shown(wanted)


def keep_findings(
    session: AdminSession, account_id: str, findings: dict[str, InputFinding]
) -> bool:
    """Keep what a server has found; whether anything was new."""
    at_ms = session.clock()
    with session.account_reading(account_id) as connection:
        declared, found = _kept(connection, account_id)
    if with_findings(found, declared, findings, at_ms) is found:
        return False
    try:
        with session.account_change(account_id) as change:
            declared, found = _kept(change.connection, account_id)
            wanted = with_findings(found, declared, findings, at_ms)
            if wanted is found:
                raise _NothingNew
            _store(change, account_id, wanted)
    except _NothingNew:
        return False
    return True


def _refused(found: FoundInputs, known: FoundInput | None, key: str, at_ms: int) -> FoundInputs:
    if known is not None:
        return _replaced(found, known, msgspec.structs.replace(known, refused=True))
    if not is_name(key):
        raise InvalidInput(_KEY(most=LONGEST_KEY))
    if len(found.inputs) >= MOST_KEPT:
        raise Conflict(_TOO_MANY(most=MOST_KEPT))
    return FoundInputs((*found.inputs, FoundInput(key, at_ms, refused=True)))


def _allowed(
    declared: tuple[str, ...], found: FoundInputs, known: FoundInput | None, key: str
) -> FoundInputs:
    if known is None:
        raise NotFound(_NOT_FOUND(key=recordable(key)))
    if known.kind is None:
        # It was refused before it was found: from now on it may be.
        return FoundInputs(tuple(each for each in found.inputs if each is not known))
    remembered = len(declared) + sum(each.remembered for each in found.inputs)
    if known.refused and remembered >= MOST_ENTITIES:
        raise Conflict(_NO_ROOM(most=MOST_ENTITIES))
    return _replaced(found, known, msgspec.structs.replace(known, refused=False))


def _replaced(found: FoundInputs, old: FoundInput, new: FoundInput) -> FoundInputs:
    return FoundInputs(tuple(new if each is old else each for each in found.inputs))


def _kept(connection: sa.Connection, account_id: str) -> tuple[tuple[str, ...], FoundInputs]:
    """The keys that the account declared, and what was found or refused."""
    policies = accounts.get(connection, account_id).policies
    declared = msgspec.convert(policies.get(SENTRY.name, {}), SentryPolicy).entities
    return declared, msgspec.convert(policies.get(NAME, {}), FoundInputs)


def _store(change: Change, account_id: str, found: FoundInputs) -> None:
    accounts.set_policy(change, account_id, NAME, msgspec.to_builtins(found))


def _shown(found: FoundInputs) -> FoundInputsShown:
    return FoundInputsShown(
        [
            FoundInputShown(each.key, each.kind, Moment(each.since_ms), each.remembered)
            for each in found.inputs
        ]
    )
