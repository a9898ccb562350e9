"""Release dates of browsers, and patterns for their names and versions in user agents."""

import hashlib
from bisect import bisect_right
from itertools import pairwise
from typing import Final, TypeVar

import msgspec

from gatehouse.intel.packed import PackageSource, PackedDataError, shipped_file

RELEASES_FILE: Final = "browsers.json"
PATTERNS_FILE: Final = "families.json"

# How far a version may lie beyond the newest that the table knows. The table may be old, so the
# allowance is what comes out in two years at the pace of the last few releases.
_ALLOWANCE_DAYS: Final = 730
_PACE_RELEASES: Final = 4
_LEAST_ALLOWANCE: Final = 3
_QUICKER: Final = 0.7


class Packed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A packed file: its description, and its data as it was written."""

    source: PackageSource
    data: msgspec.Raw


T = TypeVar("T")

FamilyPattern = tuple[str, str | None, str | None]
"""An expression, and the family and major version when they are not its first two groups."""

ReleaseDays = dict[str, list[tuple[int, int]]]
"""By family: each major version and the day, since 1970, on which it or a later one was out."""


class Releases:
    """The major versions of one family of browsers, oldest first."""

    __slots__ = ("_days", "_majors", "_pace", "highest_plausible")

    def __init__(self, rows: list[tuple[int, int]]) -> None:
        self._majors = [major for major, _ in rows]
        self._days = [day for _, day in rows]
        recent = self._days[-_PACE_RELEASES - 1 :]
        gaps = [max(1, later - earlier) for earlier, later in pairwise(recent)]
        allowance = _ALLOWANCE_DAYS * len(gaps) // sum(gaps) if gaps else 0
        self.highest_plausible = self._majors[-1] + max(_LEAST_ALLOWANCE, allowance)
        self._pace = sum(gaps) / len(gaps) if gaps else 0.0

    def superseded_on(self, major: int) -> int | None:
        """The day on which the next major version came out, if one has."""
        place = bisect_right(self._majors, major)
        return self._days[place] if place < len(self._days) else None

    def expected_on(self, major: int) -> int | None:
        """The day before which a version beyond the newest known cannot be out.

        Beta versions are out earlier, and releases may become more frequent.
        """
        ahead = major - self._majors[-1]
        if ahead <= _LEAST_ALLOWANCE:
            return None
        return int(self._days[-1] + (ahead - _LEAST_ALLOWANCE) * self._pace * _QUICKER)

    def was_skipped(self, major: int) -> bool:
        """Whether this version number was skipped; meaningless where the table has gaps."""
        place = bisect_right(self._majors, major)
        return 0 < place < len(self._majors) and self._majors[place - 1] != major


def load_releases() -> dict[str, Releases]:
    """Read the release dates that ship with the package, by family."""
    return read_releases(shipped_file(RELEASES_FILE))


def load_patterns() -> list[FamilyPattern]:
    """Read the patterns that ship with the package, in the order in which they are tried."""
    return read_patterns(shipped_file(PATTERNS_FILE))


def read_releases(content: bytes) -> dict[str, Releases]:
    """The release dates in the bytes of a packed file, or a refusal of the file as a whole."""
    days = _read(content, RELEASES_FILE, ReleaseDays)
    for family, rows in days.items():
        if not rows or any(earlier >= later for (earlier, _), (later, _) in pairwise(rows)):
            raise PackedDataError(f"{RELEASES_FILE} does not list {family} from old to new")
    return {family: Releases(rows) for family, rows in days.items()}


def read_patterns(content: bytes) -> list[FamilyPattern]:
    """The patterns in the bytes of a packed file, or a refusal of the file as a whole."""
    return _read(content, PATTERNS_FILE, list[FamilyPattern])


def load_sources() -> list[PackageSource]:
    """Where the release dates and the patterns that ship with the package came from."""
    return [_open(shipped_file(name)).source for name in (RELEASES_FILE, PATTERNS_FILE)]


def _open(content: bytes) -> Packed:
    try:
        return msgspec.json.decode(content, type=Packed)
    except msgspec.DecodeError as error:
        raise PackedDataError(f"a packed file is malformed: {error}") from error


def _read(content: bytes, name: str, kind: type[T]) -> T:
    packed = _open(content)
    data = bytes(packed.data)
    if hashlib.sha256(data).hexdigest() != packed.source.sha256:
        raise PackedDataError(f"the data from {packed.source.package} is not what was packed")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise PackedDataError(f"{name} is malformed: {error}") from error
