"""Shows identity records on a terminal, and writes them to files of their own."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import typer

from gatehouse.admin.identities.use_cases.records import UnreadableHolder
from gatehouse.admin.identities.use_cases.selection import ScopeSelection, record_count, scope_name
from gatehouse.core.errors import Conflict, InvalidInput

_SCOPES_NAMED = 5
_PARTS = {"firstName": "first", "middleName": "middle", "lastName": "last"}


def selection_text(selected: Sequence[ScopeSelection]) -> str:
    """How many records of which scopes are selected."""
    if len(selected) == 1:
        return f"{record_count(selected[0].number)} of {scope_name(selected[0].scope)}"
    named, others = selected[:_SCOPES_NAMED], selected[_SCOPES_NAMED:]
    parts = [f"{one.number} of {scope_name(one.scope)}" for one in named]
    if others:
        parts.append(f"{sum(one.number for one in others)} of {len(others)} other accounts")
    return f"{record_count(sum(one.number for one in selected))} ({', '.join(parts)})"


def report_unreadable(found: Sequence[UnreadableHolder]) -> None:
    """End with code 1 if records could not be opened; name them and say what can be done."""
    if not found:
        return
    for one in found:
        scope = scope_name(one.scope)
        typer.echo(f"cannot be opened: {one.person_id} of {scope}: {one.reason}", err=True)
    remedy = "import these again from your own files, or erase them by --id"
    typer.echo(f"{remedy}: gatehouse identities delete", err=True)
    raise typer.Exit(1)


def record_text(one: dict[str, Any]) -> str:
    """A described record, one line for each of its fields."""
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
