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

import msgspec

from gatehouse.backtest.exported_facts import facts_of, json_line, label_facts
from gatehouse.backtest.load import (
    garbage_collection_paused,
    reading,
    signal_columns,
    signal_types,
)
from gatehouse.backtest.workspace import (
    Workspace,
    open_workspace,
    plain_errors,
    quoted,
    text,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.ending import exit_on_signal
from gatehouse.core.errors import Conflict
from gatehouse.decisions.record import UnreadableRecord, named_text
from gatehouse.decisions.signal_layout import Layout, everything
from gatehouse.decisions.signal_rows import RowReader, SignalRow
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
_NOTHING: Final = SignalRow({}, [], {})


def export_parquet(batches: Batches, labels: FindLabels, unfinished: Path) -> int:
    """Write Parquet files, one folder for each day; how many records they hold."""
    layout = everything()
    reader = RowReader(layout)
    encode = msgspec.json.Encoder().encode_lines
    done = waiting = files = 0
    with open_workspace(unfinished) as workspace, garbage_collection_paused():
        part = workspace.folder / "part.json"
        for batch in batches:
            with plain_errors(unfinished), part.open("ab") as file:
                known = labels(batch)
                rows = [_row(reader, record, known.get(record.request_id)) for record in batch]
                file.write(encode(rows))
            done += len(batch)
            waiting += len(batch)
            if waiting >= ROWS_IN_FILE:
                _write(workspace, part, unfinished, files, layout)
                waiting, files = 0, files + 1
        if waiting:
            _write(workspace, part, unfinished, files, layout)
    return done


def _write(workspace: Workspace, part: Path, folder: Path, number: int, layout: Layout) -> None:
    """Turn a part into Parquet files, one for each of its days."""
    columns = {name: quoted(name) for name in ABOUT} | signal_columns(layout)
    columns |= {name: f"make_timestamptz({quoted(name)} * 1000)" for name in _TIMES}
    columns |= {FEATURE + code: f"f.{quoted(code)}" for code in BY_CODE}
    features = ", ".join(f"{quoted(code)} DOUBLE" for code in BY_CODE)
    types = ABOUT | signal_types(layout) | {"f": f"STRUCT({features})"}
    query = reading(part, types, columns)
    workspace.ask(
        f"COPY ({query} ORDER BY requestId) TO {text(str(folder))} (FORMAT parquet, "
        "COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE, "
        f"FILENAME_PATTERN 'decisions-{number:05d}-{{i}}')"
    )
    part.unlink()


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


def _row(reader: RowReader, record: KeptRecord, label: KnownLabel | None) -> dict[str, Any]:
    try:
        found, facts = reader.exported(record.text), facts_of(record, label)
    except UnreadableRecord:
        found, facts = _NOTHING, label_facts(label)
    return {
        "requestId": record.request_id,
        "at": record.at_ms,
        "day": iso_time(record.at_ms)[:_DAY_LENGTH],
        "operation": record.operation,
        "clientReferenceId": facts.client_reference,
        "transactionId": record.transaction,
        "decision": found.decided,
        "label": facts.label,
        "labelAt": facts.label_ms,
        "eventAt": facts.event_ms,
        "amount": facts.amount,
        "currency": facts.currency,
        "model": facts.model,
        "matches": found.matches,
        "record": named_text(record.text),
        "o": found.own,
        "v": found.velocity,
        "g": found.given,
        "f": facts.features,
    }


def _line(record: KeptRecord, label: KnownLabel | None) -> str:
    try:
        return json_line(record, facts_of(record, label))
    except UnreadableRecord:
        return record.text
