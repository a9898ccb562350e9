"""Where an archive lies: a folder, or a bucket of S3-compatible storage.

A file appears under its name at once and whole, or not at all.
"""

import contextlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from gatehouse.core.errors import InvalidInput

_S3: Final = "s3://"
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX: Final = re.compile(r"[A-Za-z0-9!_.*'()/=-]{0,500}")
_OTHER_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_UNFINISHED: Final = ".unfinished-"
_ABANDONED_S: Final = 86_400
_OF_AN_ACCOUNT: Final = "account="
"""Begins the name of a folder in which one process at a time writes."""


class ArchivePlace(Protocol):
    """A place for files that are named by paths with slashes."""

    shown: str
    """How people name it; it never holds credentials."""

    def read(self, name: str) -> bytes | None:
        """The content of a small file; None when there is none."""

    def put(self, name: str, file: Path) -> None:
        """Store a file under a name, in place of what is there."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""

    def fetch(self, name: str, into: Path) -> Path:
        """A file on this machine with the content of a stored one, which it may be itself."""

    def address(self, name: str) -> str:
        """Where an engine on other machines finds a file."""


def open_place(text: str) -> ArchivePlace:
    """The place that an operator names: a folder, or s3://bucket/prefix."""
    if text.startswith(_S3):
        bucket, _, prefix = text.removeprefix(_S3).partition("/")
        prefix = prefix.strip("/")
        parts = PurePosixPath(prefix).parts
        if not _BUCKET.fullmatch(bucket) or not _PREFIX.fullmatch(prefix) or ".." in parts:
            raise InvalidInput(
                "a place in S3 is named s3://bucket/prefix; credentials and the endpoint come from "
                "the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL_S3)"
            )
        # Loads a large package, which folders do not need.
        from gatehouse.archive.s3_place import S3Place

        return S3Place(bucket, prefix)
    if not text or _OTHER_SCHEME.match(text):
        raise InvalidInput("an archive is a folder or s3://bucket/prefix")
    return FolderPlace(Path(text))


class FolderPlace:
    """A folder that only its owner may read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser().absolute()
        self.shown = str(self._folder)

    def read(self, name: str) -> bytes | None:
        """The content of a small file; None when there is none."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failed("read", name, error) from None

    def put(self, name: str, file: Path) -> None:
        """Store a file under a name, in place of what is there."""
        target = self._folder / name
        try:
            self._make_folders(target.parent)
            with tempfile.NamedTemporaryFile(
                prefix=_UNFINISHED, dir=target.parent, delete=False
            ) as unfinished:
                try:
                    with file.open("rb") as source:
                        shutil.copyfileobj(source, unfinished, 1 << 20)
                    unfinished.flush()
                    os.fsync(unfinished.fileno())
                    os.replace(unfinished.name, target)
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(unfinished.name)
                    raise
            self._clear_unfinished(target.parent)
        except OSError as error:
            raise self._failed("write", name, error) from None

    def remove(self, name: str) -> None:
        """Remove a file, if there is one, and its folder with the last one."""
        target = self._folder / name
        try:
            target.unlink(missing_ok=True)
            self._clear_unfinished(target.parent)
        except OSError as error:
            raise self._failed("remove", name, error) from None
        with contextlib.suppress(OSError):
            target.parent.rmdir()

    def fetch(self, name: str, into: Path) -> Path:  # it lies here already
        """The file itself."""
        return self._folder / name

    def address(self, name: str) -> str:
        """Where an engine on other machines finds a file, if they share the folder."""
        # Hadoop takes the path of an address as it is written, so nothing may be percent-encoded.
        return f"file://{self._folder / name}"

    def _make_folders(self, folder: Path) -> None:
        """Make a folder and those above it, each for its owner alone."""
        if not folder.exists():
            self._make_folders(folder.parent)
            folder.mkdir(mode=0o700, exist_ok=True)

    def _clear_unfinished(self, folder: Path) -> None:
        """Remove what a killed process left, and nothing that another one may be writing."""
        within = folder.relative_to(self._folder).parts
        alone = any(part.startswith(_OF_AN_ACCOUNT) for part in within)
        for left in folder.glob(f"{_UNFINISHED}*"):
            if alone or time.time() - left.stat().st_mtime > _ABANDONED_S:
                left.unlink(missing_ok=True)

    def _failed(self, what: str, name: str, error: OSError) -> InvalidInput:
        reason = error.strerror or type(error).__name__
        return InvalidInput(f"cannot {what} {self._folder / name}: {reason}")
