"""Which files of an archive a reader needs for a span, and whether it may trust them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from gatehouse.archive.keeping import day_ms, day_of
from gatehouse.archive.manifest import (
    DAY_MS,
    Manifest,
    StoredFile,
    checksum,
    decisions_file,
    labels_file,
    read_manifest,
)
from gatehouse.archive.places import ArchivePlace
from gatehouse.backtest.judging import Tables
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.figures.layout import ColumnLayout
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.training.report.phrases import ARCHIVE_ENDS


class DayRead(NamedTuple):
    """The files of a day that has decisions."""

    day: str
    decisions: str
    labels: str | None


class ArchivedSpan(NamedTuple):
    """The part of a span that an archive has."""

    span: RecordSpan
    days: list[DayRead]
    decisions: int
    """How many decisions these days have."""
    remarks: tuple[str, ...]
    """What a reader must know: that the archive does not reach to the ends of the span."""


class ArchiveTables(Tables, Protocol):
    """An engine that reads the files of an archive."""

    def read(self, table: str, files: Sequence[str], types: Mapping[str, str]) -> None:
        """Let a table stand for Parquet files with columns of these types."""


Locate = Callable[[str, StoredFile], str]
"""Where an engine finds a file, by its name and what the manifest says of it."""


def find_days(place: ArchivePlace, span: RecordSpan, locate: Locate) -> ArchivedSpan:
    """The files for a span; refused when days within the archive are missing or outdated."""
    account_id = span.account_id
    manifest = read_manifest(place, account_id)
    if manifest is None or not manifest.days:
        raise NotFound(f"{place.shown} has no decisions of this account; {_advice(place, span)}")
    within, remarks = _within(manifest, span)
    version = ColumnLayout().archive_version
    found: list[DayRead] = []
    decisions = 0
    for start_ms in range(within.since_ms // DAY_MS * DAY_MS, within.until_ms, DAY_MS):
        day = day_of(start_ms)
        there = manifest.days.get(day)
        if there is None or there.layout != version:
            why = "is not in" if there is None else "was written by another version to"
            raise Conflict(f"{day} {why} {place.shown}; {_advice(place, span)}")
        if there.file is not None:
            labels, decisions = None, decisions + there.file.rows
            if there.labels is not None:
                labels = locate(labels_file(account_id, day), there.labels)
            found.append(DayRead(day, locate(decisions_file(account_id, day), there.file), labels))
    return ArchivedSpan(within, found, decisions, remarks)


def first_labelled(place: ArchivePlace, account_id: str, locate: Locate) -> DayRead | None:
    """The first day of an archive with feedback about a request."""
    manifest = read_manifest(place, account_id) or Manifest(account_id)
    for day, there in manifest.in_order():
        if there.labels is not None and there.file is not None:
            decisions = locate(decisions_file(account_id, day), there.file)
            return DayRead(day, decisions, locate(labels_file(account_id, day), there.labels))
    return None


def on_this_machine(place: ArchivePlace, folder: Path) -> Locate:
    """Brings files to this machine, into a folder if they are elsewhere, and looks at them."""

    def locate(name: str, stored: StoredFile) -> str:
        file = place.fetch(name, folder)
        fetched = file.is_relative_to(folder)
        try:
            same = file.stat().st_size == stored.bytes
        except OSError:
            raise Conflict(f"{name} is not in {place.shown}; write the archive again") from None
        if not same or (fetched and checksum(file) != stored.sha256):
            raise Conflict(
                f"{name} in {place.shown} is not as the manifest says; if it is not being written "
                "now, bring it up to date with: gatehouse decisions archive"
            )
        return str(file)

    return locate


def at_its_place(place: ArchivePlace) -> Locate:
    """Leaves files where they are, for an engine on other machines."""
    return lambda name, _: place.address(name)


def _within(manifest: Manifest, span: RecordSpan) -> tuple[RecordSpan, tuple[str, ...]]:
    """The span as far as the archive reaches."""
    days = sorted(manifest.days)
    first_ms, end_ms = day_ms(days[0]), day_ms(days[-1]) + DAY_MS
    since_ms, until_ms = max(span.since_ms, first_ms), min(span.until_ms, end_ms)
    if since_ms >= until_ms:
        raise NotFound(f"the archive has the days from {days[0]} to {days[-1]}, and none of these")
    remarks: list[str] = []
    if until_ms < span.until_ms:
        remarks.append(ARCHIVE_ENDS(day=days[-1]))
    return span._replace(since_ms=since_ms, until_ms=until_ms), tuple(remarks)


def _advice(place: ArchivePlace, span: RecordSpan) -> str:
    return f"run: gatehouse decisions archive --account {span.account_id} --to {place.shown}"
