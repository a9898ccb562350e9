"""Tracks the operator's folder: which files are in use, and what is wrong with the others."""

import logging
import os
import stat
from pathlib import Path
from typing import Final, Literal

from gatehouse.core.api_values import CamelStruct
from gatehouse.intel.agents.claims import NoRoom, Refused, read_text
from gatehouse.intel.feeds.files import (
    FeedFile,
    FeedUnreadable,
    Form,
    Stamp,
    Unsettled,
    is_ignored,
    read_feed,
    recognise,
    stamp_of,
)

_log: Final = logging.getLogger("gatehouse.intel")

SETTLED_MS: Final = 2000
"""A file counts as finished when it has not been written to for this long."""
AGAIN_MS: Final = 60_000
"""How long to wait before copying a file again for which there was no room."""


class FileReport(CamelStruct):
    """A file that is not in use, at least not as it is now."""

    name: str
    state: Literal["refused", "not recognised", "waiting"]
    reason: str
    earlier_in_use: bool = False
    """Whether its earlier contents are still in use."""


class FeedFolder:
    """The files of a folder, read when they change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._refused: dict[str, tuple[Stamp | None, str]] = {}
        self._waiting: dict[str, Stamp] = {}
        self._again_ms: dict[str, int] = {}
        self._unknown: dict[str, str] = {}
        self._problem = ""
        self.files: dict[str, FeedFile] = {}

    def look(self, now_ms: int, most_bytes: int | None = None) -> list[str]:
        """Check every file once, and read those that changed; returns the refusals that are new.

        A file is read once it is finished: when its last change is old enough, or when it looks the
        same in two checks in a row. A check of small files alone does not count as one of the two.
        """
        try:
            names = sorted(name for name in os.listdir(self._path) if not is_ignored(name))
        except OSError as error:
            # When a disk is unavailable for a moment, the lists read before stay in use.
            return self._unreadable(f"cannot be read: {error.strerror}")
        self._problem = ""
        self._forget(set(names))
        told = [self._look_at(name, now_ms, most_bytes) for name in names]
        if most_bytes is not None:
            self._waiting.clear()
        return [problem for problem in told if problem]

    def reports(self) -> list[FileReport]:
        """Everything that is not in use, and why."""
        found = [FileReport(".", "refused", self._problem, bool(self.files))] * bool(self._problem)
        for name, (_, reason) in self._refused.items():
            found.append(FileReport(_shown(name), "refused", reason, name in self.files))
        for name, reason in self._unknown.items():
            found.append(FileReport(_shown(name), "not recognised", reason))
        for name in self._waiting:
            reason = "changed a moment ago; it is read when that is over"
            found.append(FileReport(_shown(name), "waiting", reason, name in self.files))
        return sorted(found, key=lambda report: report.name)

    def _unreadable(self, problem: str) -> list[str]:
        if problem == self._problem:
            return []
        self._problem = problem
        _log.warning("the folder of feeds was refused", extra={"reason": problem})
        return [f"{self._path}: {problem}"]

    def _forget(self, there: set[str]) -> None:
        if self.files and there.isdisjoint(self.files):
            # A share that is no longer mounted looks the same.
            _log.warning("all feeds are gone from the folder", extra={"feeds": len(self.files)})
        for name in self.files.keys() - there:
            self._drop(name)
        for notes in (self._refused, self._waiting, self._unknown, self._again_ms):
            for name in notes.keys() - there:
                del notes[name]

    def _drop(self, name: str) -> None:
        if self.files.pop(name, None) is not None:
            _log.info("a feed was removed", extra={"feed": _shown(name)})

    def _look_at(self, name: str, now_ms: int, most_bytes: int | None) -> str | None:
        """Check one file and read it if it is due; returns a problem only when it is new."""
        self._unknown.pop(name, None)
        last = self._waiting.pop(name, None)
        form = recognise(name)
        try:
            found = (self._path / name).stat()
        except OSError as error:
            return self._refuse(name, None, f"cannot be read: {error.strerror}")
        if form is None or stat.S_ISDIR(found.st_mode):
            self._unknown[name] = "no rule fits its name" if form is None else "is a folder"
            self._refused.pop(name, None)
            self._drop(name)
            return None
        stamp = stamp_of(found)
        if stamp == self._stamp(name, now_ms) or found.st_size > (most_bytes or found.st_size):
            return None
        if last != stamp and found.st_mtime_ns // 1_000_000 > now_ms - SETTLED_MS:
            self._waiting[name] = stamp
            return None
        return self._read(name, form, stamp, now_ms)

    def _read(self, name: str, form: Form, stamp: Stamp, now_ms: int) -> str | None:
        self._again_ms.pop(name, None)
        try:
            read = read_feed(self._path / name, form)
            if read.stamp != stamp:
                raise Unsettled("was replaced while it was looked at")
        except Unsettled:
            self._waiting[name] = stamp
            return None
        except FeedUnreadable as problem:
            return self._refuse(name, None, str(problem))
        except NoRoom as problem:
            self._again_ms[name] = now_ms + AGAIN_MS
            return self._refuse(name, stamp, str(problem))
        except Refused as refusal:
            return self._refuse(name, stamp, str(refusal))
        self._refused.pop(name, None)
        self.files[name] = read
        _log.info("a feed was read", extra={"feed": _shown(name), "rows": read.feed.rows})
        return None

    def _stamp(self, name: str, now_ms: int) -> Stamp | None:
        """The stamp of a file when it was last read or refused; None when it is due again."""
        if self._again_ms.get(name, now_ms) < now_ms:
            return None
        if name in self._refused:
            return self._refused[name][0]
        return self.files[name].stamp if name in self.files else None

    def _refuse(self, name: str, stamp: Stamp | None, reason: str) -> str | None:
        """Record a refusal; returns it only when the file or the reason is new."""
        if self._refused.get(name) == (stamp, reason):
            return None
        self._refused[name] = stamp, reason
        extra = {"feed": _shown(name), "reason": reason, "earlierInUse": name in self.files}
        _log.warning("a feed was refused", extra=extra)
        return f"{_shown(name)} {reason}"


def _shown(name: str) -> str:
    return read_text(name) or "-"
