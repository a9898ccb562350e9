"""What a subject of administration is, and how the shells find the subjects.

A subject is a folder below `admin/`. Its `subject.py` says where its commands, pages and endpoints
are, as `module:name`: nothing of them is imported before it is needed, so that the command line
starts and completes quickly. Adding a folder adds the subject; there is no list to keep.
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

_ROOM: Final = "gatehouse.admin"


class CommandPlace(NamedTuple):
    """A command, or a group of them."""

    name: str
    place: str
    """Where its function or typer app is, as `module:name` within the subject."""
    about: str


class Subject(NamedTuple):
    """What people and programs administer: one folder, and where its faces are in it."""

    name: str
    rank: int
    """Where it stands among the others in help, navigation and reference; smaller is earlier."""
    commands: tuple[CommandPlace, ...] = ()
    use_cases: tuple[str, ...] = ()
    """Modules with use cases that the API offers."""
    endpoints: tuple[str, ...] = ()
    """Declarations of the API's endpoints."""
    operations: tuple[str, ...] = ()
    """Declarations of the API's operations beside management."""
    pages: tuple[str, ...] = ()
    """Declarations of the console's pages."""
    without: Mapping[str, str] = MappingProxyType({})
    """Why a face is missing: a sentence for `commands`, `use_cases` or `pages`."""

    def whole(self, place: str) -> str:
        """A place of this subject as the whole program names it."""
        return f"{_ROOM}.{self.name}.{place}"


def load(place: str) -> Any:
    """What is found at `package.module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def subjects() -> tuple[Subject, ...]:
    """All subjects, in the order of their ranks."""
    folders = [
        each.name for each in pkgutil.iter_modules(import_module(_ROOM).__path__) if each.ispkg
    ]
    found = [load(f"{_ROOM}.{folder}.subject:SUBJECT") for folder in folders]
    return tuple(sorted(found, key=lambda subject: (subject.rank, subject.name)))


@cache
def declared(face: str) -> tuple[Any, ...]:
    """What all subjects declare for a face: their `operations` or their `pages`."""
    return tuple(
        each
        for subject in subjects()
        for place in getattr(subject, face)
        for each in load(subject.whole(place))
    )


def folders(named: str) -> list[Path]:
    """The folders of that name that subjects have, such as their `templates`."""
    [room] = import_module(_ROOM).__path__
    return sorted(Path(room).glob(f"*/{named}"))


def written_out_first(path: str) -> tuple[bool, ...]:
    """Sorts paths for a router: one that is written out stands before one with a name in it."""
    return tuple("{" in part for part in path.split("/"))
