"""An identity record as data: in clear, as an import reads it, or masked for people."""

from typing import Any

import msgspec

from gatehouse.core.clock import iso_time
from gatehouse.store.identities.identity_sealer import EVERYONE, StoredHolder


def clear_record(stored: StoredHolder) -> dict[str, Any]:
    """A record as an import reads it."""
    entry = stored.entry
    reference = {} if entry.reference is None else {"reference": entry.reference}
    owner = {"ownerType": entry.person.owner_type}
    return {"card": entry.card, **reference, **owner, **msgspec.to_builtins(entry.person)}


def described_record(stored: StoredHolder, *, reveal: bool) -> dict[str, Any]:
    """A record with its id, account and date; masked unless it is to be revealed."""
    content = clear_record(stored) if reveal else _masked(stored)
    scope = None if stored.scope == EVERYONE else stored.scope
    at = iso_time(stored.updated_at_ms)
    return {"id": stored.person_id, "accountId": scope, "updatedAt": at, **content}


def _masked(stored: StoredHolder) -> dict[str, Any]:
    person = stored.entry.person
    masked: dict[str, Any] = {"card": stored.entry.card, "ownerType": person.owner_type}
    if stored.entry.reference is not None:
        masked["reference"] = _tail(stored.entry.reference)
    if person.names:
        parts = [(name.first_name, name.middle_name, name.last_name) for name in person.names]
        masked["names"] = [" ".join(_initial(part) for part in name if part) for name in parts]
    if person.emails:
        masked["emails"] = [f"…@{address.rpartition('@')[2]}" for address in person.emails]
    if person.phones:
        masked["phones"] = [_tail(phone) for phone in person.phones]
    if person.identifiers:
        masked["identifiers"] = [
            {"type": one.type, "value": _tail(one.value), "country": one.country}
            for one in person.identifiers
        ]
    return masked


def _initial(part: str) -> str:
    """The first letter, unless that would be much of the name, as in many scripts it is."""
    return f"{part[0]}." if len(part) > 2 else "…"


def _tail(value: str) -> str:
    """The last two characters, unless that would be a large part of it."""
    return f"…{value[-2:]}" if len(value) >= 6 else "…"
