"""Writes decision records into a folder, by day, for other tools to read.

Parquet has a typed column for every signal and for every feature of Sentry. JSON lines are the
records as they are kept, with what is known of them besides. The folder holds a whole export or
none.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gatehouse.backtest.exported_facts import ExportedFacts, facts_of, json_line, label_facts
from gatehouse.backtest.load import garbage_collection_paused
from gatehouse.conditions.compile_sql import column_type
from gatehouse.conditions.nodes import Type
from gatehouse.core.clock import iso_time
from gatehouse.core.ending import exit_on_signal
from gatehouse.core.errors import Conflict
from gatehouse.decisions.record import UnreadableRecord, named_text
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_layout import everything
from gatehouse.figures.workspace import (
    Workspace,
    described,
    open_workspace,
    plain_errors,
    quoted,
    text,
)
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.feedback_history import KnownLabel

Batches = Iterable[Sequence[KeptRecord]]
FindLabels = Callable[[Sequence[KeptRecord]], Mapping[str, KnownLabel]]
"""What is known of the requests of one batch, so that never all labels are in memory."""

ROWS_IN_FILE: Final = 25_000
"""When the next files are begun."""

_DAY: Final = re.compile(r"day=\d{4}-\d\d-\d\d")
_UNFINISHED: Final = ".unfinished-"
_DAY_LENGTH: Final = len("2026-11-15")
FEATURE: Final = "feature."
"""What the columns of Sentry's features begin with."""
_TIMES: Final = ("at", "eventAt", "labelAt")
ABOUT: Final = {
    "requestId": "VARCHAR",
    "at": "BIGINT",
    "day": "VARCHAR",
    "operation": "VARCHAR",
    "clientReferenceId": "VARCHAR",
    "transactionId": "VARCHAR",
    "decision": "VARCHAR",
    "label": "VARCHAR",
    "labelAt": "BIGINT",
    "eventAt": "BIGINT",
    "amount": "DOUBLE",
    "currency": "VARCHAR",
    "model": "VARCHAR",
    "matches": "VARCHAR[]",
    "record": "VARCHAR",
}
"""What every row has besides signals and features."""
_FACTS: Final = {
    "clientReferenceId": "client_reference",
    "label": "label",
    "labelAt": "label_ms",
    "eventAt": "event_ms",
    "amount": "amount",
    "currency": "currency",
    "model": "model",
    "matches": "matches",
}
_PART: Final = "part"


def export_parquet(batches: Batches, labels: FindLabels, unfinished: Path) -> int:
    """Write Parquet files, one folder for each day; how many records they hold."""
    layout = everything()
    reader = ColumnReader(layout, in_the_end=True)
    velocity = [name for places in layout.velocity.values() for name, _ in places]
    signals = {**layout.own, **layout.given, **dict.fromkeys(velocity, Type.NUMBER)}
    types = ABOUT | {name: column_type(kind) for name, kind in signals.items()}
    types |= {FEATURE + code: "DOUBLE" for code in BY_CODE}
    done = waiting = files = 0
    with open_workspace(unfinished) as workspace, garbage_collection_paused():
        for batch in batches:
            if not waiting:
                workspace.ask(f"CREATE OR REPLACE TEMP TABLE {_PART} ({described(types)})")
            columns = _columns(reader, batch, labels(batch))
            told = {name: columns[name] for name in types if name in columns}
            workspace.insert(_PART, types, told)
            done += len(batch)
            waiting += len(batch)
            if waiting >= ROWS_IN_FILE:
                _write(workspace, unfinished, files)
                waiting, files = 0, files + 1
        if waiting:
            _write(workspace, unfinished, files)
    return done


def _write(workspace: Workspace, folder: Path, number: int) -> None:
    """Turn a part into Parquet files, one for each of its days."""
    times = ", ".join(
        f"make_timestamptz({quoted(name)} * 1000) AS {quoted(name)}" for name in _TIMES
    )
    workspace.ask(
        f"COPY (SELECT * REPLACE ({times}) FROM {_PART} ORDER BY requestId) "  # noqa: S608
        f"TO {text(str(folder))} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), "
        f"OVERWRITE_OR_IGNORE, FILENAME_PATTERN 'decisions-{number:05d}-{{i}}')"
    )


def export_lines(batches: Batches, labels: FindLabels, unfinished: Path) -> int:
    """Write JSON lines, one folder for each day; how many records they hold."""
    done = 0
    for batch in batches:
        known = labels(batch)
        days: dict[str, list[str]] = {}
        for record in batch:
            line = _line(record, known.get(record.request_id))
            days.setdefault(iso_time(record.at_ms)[:_DAY_LENGTH], []).append(line)
        with plain_errors(unfinished):
            for day, lines in days.items():
                folder = unfinished / f"day={day}"
                folder.mkdir(exist_ok=True)
                with (folder / "decisions.jsonl").open("a", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
        done += len(batch)
    return done


@contextlib.contextmanager
def new_folder(out: Path, *, overwrite: bool) -> Iterator[Path]:
    """A folder inside `out` to write to; its content replaces that of `out` at the end."""
    there = _content(out, overwrite=overwrite)
    made = not out.exists()
    finished = False
    with exit_on_signal(), plain_errors(out):
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=out))
        try:
            yield unfinished
            for old in there:
                shutil.rmtree(old)
            for new in sorted(unfinished.iterdir()):
                new.rename(out / new.name)
            finished = True
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
            if made and not finished:
                with contextlib.suppress(OSError):
                    out.rmdir()


def _content(out: Path, *, overwrite: bool) -> list[Path]:
    """What an earlier export left in the folder; `Conflict` when anything else is there."""
    if not out.exists():
        return []
    if not out.is_dir():
        raise Conflict(f"{out} is a file; name a folder")
    with plain_errors(out):
        there = sorted(out.iterdir())
    if there and not overwrite:
        raise Conflict(f"{out} is not empty; name another folder, or replace it with --overwrite")
    for entry in there:
        ours = _DAY.fullmatch(entry.name) or entry.name.startswith(_UNFINISHED)
        if not ours or entry.is_symlink() or not entry.is_dir():
            raise Conflict(f"{out} holds more than an export ({entry.name}); name another folder")
    return there


def _columns(
    reader: ColumnReader, batch: Sequence[KeptRecord], known: Mapping[str, KnownLabel]
) -> dict[str, list[Any]]:
    """The columns of a batch; of what cannot be read, no more is told than its label."""
    seen = reader.read([each.text for each in batch])
    unread = sorted(set(range(len(batch))) - set(seen.which))
    records = [batch[which] for which in (*seen.which, *unread)]
    facts = [_facts(each, known.get(each.request_id)) for each in records]
    nulls = [None] * len(unread)
    signals = zip(reader.columns, seen.columns, strict=True)
    columns: dict[str, list[Any]] = {name: [*found, *nulls] for name, found in signals}
    columns |= {
        "requestId": [each.request_id for each in records],
        "at": [each.at_ms for each in records],
        "day": [iso_time(each.at_ms)[:_DAY_LENGTH] for each in records],
        "operation": [each.operation for each in records],
        "transactionId": [each.transaction for each in records],
        "decision": columns["decided"],
        "record": [named_text(each.text) for each in records],
    }
    for name, fact in _FACTS.items():
        columns[name] = [getattr(each, fact) for each in facts]
    features = [each.features or {} for each in facts]
    for code in BY_CODE.keys() & set().union(*features):
        columns[FEATURE + code] = [each.get(code) for each in features]
    # Most of some hundred columns have no value.
    return {name: found for name, found in columns.items() if found.count(None) < len(found)}


def _facts(record: KeptRecord, label: KnownLabel | None) -> ExportedFacts:
    try:
        return facts_of(record, label)
    except UnreadableRecord:
        return label_facts(label)


def _line(record: KeptRecord, label: KnownLabel | None) -> str:
    try:
        return json_line(record, facts_of(record, label))
    except UnreadableRecord:
        return record.text
