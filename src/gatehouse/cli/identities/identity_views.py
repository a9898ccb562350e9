"""How identity records are shown, masked or in clear, and written to files of their own."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import typer

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.store.identities.identity_sealer import EVERYONE, StoredHolder, UnreadableHolder

_PARTS = {"firstName": "first", "middleName": "middle", "lastName": "last"}


def records(number: int) -> str:
    """So many records, in words."""
    return "1 record" if number == 1 else f"{number} records"


def tell_unreadable(found: Sequence[UnreadableHolder]) -> None:
    """Say on standard error which records could not be opened, and what can be done."""
    for one in found:
        scope = "all accounts" if one.scope == EVERYONE else one.scope
        typer.echo(f"cannot be opened: {one.person_id} of {scope}: {one.reason}", err=True)
    if found:
        typer.echo(
            "import these again from your own files, or erase them by --id: "
            "gatehouse identities delete",
            err=True,
        )


def line_of(kept: StoredHolder) -> dict[str, Any]:
    """A record as import reads it."""
    entry = kept.entry
    reference = {} if entry.reference is None else {"reference": entry.reference}
    owner = {"ownerType": entry.person.owner_type}
    return {"card": entry.card, **reference, **owner, **msgspec.to_builtins(entry.person)}


def described(kept: StoredHolder, *, reveal: bool) -> dict[str, Any]:
    """A record for people, masked unless it is to be revealed."""
    line = line_of(kept) if reveal else _masked(kept)
    scope = None if kept.scope == EVERYONE else kept.scope
    at = iso_time(kept.updated_at_ms)
    return {"id": kept.person_id, "accountId": scope, "updatedAt": at, **line}


def lines_of(one: dict[str, Any]) -> str:
    """A described record, a line for each thing about it."""
    return "\n".join(
        f"{name:<12}{_names(value) if name == 'names' else _plain(value)}"
        for name, value in one.items()
        if value is not None
    )


@contextlib.contextmanager
def new_file(name: str) -> Iterator[BinaryIO]:
    """A file for its owner alone, which appears when it is complete."""
    if name == "-":
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            # What is left in the buffer would be tried again, and fail again, at the very end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise InvalidInput(f"cannot write to standard output: {error.strerror}") from None
        return
    path = Path(name)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        if path.exists():
            raise Conflict(f"{path} exists; choose another name")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        unfinished.rename(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _masked(kept: StoredHolder) -> dict[str, Any]:
    person = kept.entry.person
    masked: dict[str, Any] = {"card": kept.entry.card, "ownerType": person.owner_type}
    if kept.entry.reference is not None:
        masked["reference"] = _tail(kept.entry.reference)
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


def _names(names: Sequence[Any]) -> str:
    """Names in the usual order; revealed ones with a word for each part."""
    return " / ".join(
        name
        if isinstance(name, str)
        else ", ".join(f"{word} {name[part]}" for part, word in _PARTS.items() if name.get(part))
        for name in names
    )


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_plain(one) for one in value)
    if isinstance(value, dict):
        return " ".join(str(one) for one in value.values() if one)
    return str(value)
