"""Reads one file of an operator, whose name tells its kind, or says why the file is refused.

One unreadable line refuses a file, because part of a list is worse than yesterday's whole list.
"""

import contextlib
import hashlib
import logging
import os
import stat
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO, Final, Literal

import msgspec

from gatehouse.intel.agents.claims import About, Refused, read_text
from gatehouse.intel.databases import AddressDatabase, copy_database
from gatehouse.intel.feeds.freshness import iso_date
from gatehouse.intel.feeds.lines import Lines, read_countries, read_list
from gatehouse.intel.feeds.tables import Table, read_asn_table, read_country_table, read_listed
from gatehouse.intel.networks import Feed
from gatehouse.intel.ranges import Segments

_log: Final = logging.getLogger("gatehouse.intel")

MAX_DATABASE_BYTES: Final = 512 << 20
MAX_TEXT_BYTES: Final = 64 << 20

LISTS: Final = ("tor", "vpn", "proxy", "hosting", "relay", "mobile", "blocked", "allowed")
"""Kinds of lists; a list is of the kind that its name begins with."""
TABLES: Final = ("country", "asn")
"""Kinds of tables that say something of their own about each address."""
BLOCKED_COUNTRIES: Final = "blocked-countries"
_COUNTRIES_BEGIN: Final = ("blocked-countr", "blocked_countr")
_MAY_BE_EMPTY: Final = frozenset({"blocked", "allowed", BLOCKED_COUNTRIES})
"""The lists that operators write themselves. Any other empty list is a failed download."""
_LIST_ENDS: Final = frozenset({".txt", ".list", ".netset", ".ipset"})


class Unsettled(Refused):
    """The file changed while it was read."""


class FeedUnreadable(Refused):
    """The operating system refuses access to the file; it is tried again."""


class Form(msgspec.Struct, frozen=True):
    """How a file is read, which its name tells."""

    shape: Literal["database", "list", "table", "countries"]
    kind: str


Stamp = tuple[int, int, int, int, int]
"""Device, inode, size and times, which show that a file was changed or replaced."""

Content = AddressDatabase | Table | Segments | frozenset[str]
"""A database, a table of countries or networks, a list of addresses, a list of countries."""


class FeedFile(msgspec.Struct, frozen=True):
    """A file that was read."""

    feed: Feed
    content: Content
    stamp: Stamp


def recognise(name: str) -> Form | None:
    """How a file of a name is read; None when no rule fits."""
    begin, end = os.path.splitext(name.lower())
    if end == ".mmdb":
        return Form("database", "database")
    if end in {".csv", *_LIST_ENDS} and begin.startswith(_COUNTRIES_BEGIN):
        return Form("countries", BLOCKED_COUNTRIES)
    kinds = (*LISTS, *TABLES) if end == ".csv" else LISTS if end in _LIST_ENDS else ()
    for kind in kinds:
        if begin.startswith(kind):
            return Form("table" if end == ".csv" else "list", kind)
    return None


def is_ignored(name: str) -> bool:
    """Whether a file of a name is no feed: hidden, unfinished, or meant for people."""
    lower = name.lower()
    return lower.startswith((".", "readme")) or lower.endswith((".tmp", ".part", "~"))


def stamp_of(found: os.stat_result) -> Stamp:
    """The stamp of a file."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_feed(path: Path, form: Form) -> FeedFile:
    """Read a file as its name tells, or refuse it."""
    try:
        # A named pipe in place of a list must not block until a program writes to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Refused("is not a file")
            try:
                if form.shape == "database":
                    content, about, digest = _read_database(file)
                else:
                    content, about, digest = _read_text(file, form)
            finally:
                # A file that is still being written may look wrong and be right in the end.
                if stamp_of(os.fstat(descriptor)) != stamp_of(found):
                    raise Unsettled("is still being written")
    except OSError as error:
        raise FeedUnreadable(f"cannot be read: {error.strerror}") from None
    except Refused:
        raise
    except Exception as surprise:
        # A defect in one file must not stop the others from being read.
        _log.exception("a feed could not be understood")
        raise Refused(f"cannot be understood: {type(surprise).__name__}") from None
    feed = Feed(
        name=read_text(path.name) or "-",
        kind=about.kind,
        source=about.source,
        licence=about.licence,
        date=about.date or iso_date(int(found.st_mtime)),
        rows=about.rows,
        sha256=digest,
        origin="operator",
    )
    return FeedFile(feed, content, stamp_of(found))


def _read_database(file: BinaryIO) -> tuple[Content, About, str]:
    database, digest = copy_database(file, MAX_DATABASE_BYTES)
    return database, database.about, digest


def _read_text(file: BinaryIO, form: Form) -> tuple[Content, About, str]:
    data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise Refused(f"is larger than {MAX_TEXT_BYTES >> 20} MiB")
    lines = Lines(data)
    content, rows = _read_lines(lines, form)
    if not rows and form.kind not in _MAY_BE_EMPTY:
        raise Refused("holds no row; delete it if it shall not be used")
    remarks = lines.remarks
    about = About(
        form.kind,
        remarks.get("source", "not stated"),
        remarks.get("licence", "not stated"),
        _read_date(remarks.get("date", "")),
        rows,
    )
    return content, about, hashlib.sha256(data).hexdigest()


def _read_lines(lines: Lines, form: Form) -> tuple[Content, int]:
    if form.shape == "countries":
        countries = read_countries(lines)
        return countries, len(countries)
    if form.shape == "list":
        return read_list(lines)
    if form.kind == "country":
        return read_country_table(lines)
    return read_asn_table(lines) if form.kind == "asn" else read_listed(lines)


def _read_date(text: str) -> str | None:
    """A date as ISO 8601 or as mail and web servers write it, or None for any other text."""
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text[:10]).isoformat()
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(text).date().isoformat()
    return None
