"""Reads the records of a span for a backtest: many of them on all cores, a few in this process.

Each core has a process that reads its own parts of the span out of the database and hands over
columns. The processes are forked, because what they need cannot be sent: the keys.
So they must be made while this process has no other threads and no open connection.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Final

import msgspec

from gatehouse.backtest.judging import ColumnTrial, judge_loaded
from gatehouse.backtest.load import RECORDS, ColumnMaker, LoadedPart, load, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.errors import GatehouseError
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.workspace import open_workspace
from gatehouse.store.database import Database
from gatehouse.store.decisions.records import KeptRecord, Reached, RecordSpan, in_parts, stream

_BACKTEST_ENDED: Final = Phrase(
    "refused.backtest_ended",
    "a process that read records ended before it was done; is memory short?",
)

RECORDS_IN_PART: Final = 20_000
"""More than that are read by several processes; to start them takes as long as some hundred."""


class RecordSource(msgspec.Struct, frozen=True):
    """Where records are read from."""

    database: Database
    fingerprints: Fingerprints
    span: RecordSpan


def judge_records(
    source: RecordSource, trial: ColumnTrial, labels: Mapping[str, bool], reached: Reached
) -> BacktestReport:
    """What a rule set would have done to the requests of the source's span."""
    columns = ColumnMaker(select_signals(trial.rule_set, trial.more_signals), labels)
    with reading_parts(source, columns, reached) as parts, open_workspace() as workspace:
        loaded = load(workspace, columns.types, parts)
        return judge_loaded(workspace, trial, RECORDS, loaded)


@contextlib.contextmanager
def reading_parts(
    source: RecordSource, columns: ColumnMaker, reached: Reached
) -> Iterator[Iterator[LoadedPart]]:
    """The records of a span as parts to load, in no order."""
    database = source.database
    cores = _cores()
    spans = [source.span]
    if cores > 1:
        with database.reading() as connection:
            spans = in_parts(connection, source.span, RECORDS_IN_PART)
    if len(spans) == 1:
        yield columns.parts(_records(source, source.span, columns, reached))
        return
    # SQLite must not be carried into another process.
    database.dispose()
    context = get_context("fork")
    shares = [spans[number::cores] for number in range(min(cores, len(spans)))]
    ends: list[Connection] = []
    processes = []
    for share in shares:
        ours, theirs = context.Pipe(duplex=False)
        ends.append(ours)
        process = context.Process(
            target=_read, args=(theirs, source, columns, share, ends), daemon=True
        )
        process.start()
        theirs.close()
        processes.append(process)
    try:
        yield _received(ends, reached)
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _records(
    source: RecordSource, span: RecordSpan, columns: ColumnMaker, reached: Reached | None = None
) -> Iterator[list[KeptRecord]]:
    # To search every text for the fingerprint of a card takes 1 µs, and few rules ask for it.
    fingerprints = source.fingerprints if columns.of_cards else None
    return stream(source.database, span, fingerprints, reached)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _received(ends: Sequence[Connection], reached: Reached) -> Iterator[LoadedPart]:
    done, open_ends = 0, list(ends)
    while open_ends:
        for end in wait(open_ends):
            assert isinstance(end, Connection)
            try:
                part = end.recv()
            except EOFError:
                raise GatehouseError(_BACKTEST_ENDED()) from None
            if isinstance(part, Exception):
                raise part
            if part is None:
                open_ends.remove(end)
                continue
            yield part
            done += part.counts.looked_at
            reached(done)


def _read(
    end: Connection,
    source: RecordSource,
    columns: ColumnMaker,
    spans: Sequence[RecordSpan],
    ours: Sequence[Connection],
) -> None:
    """Read the spans in a process of its own, until the first process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for each in ours:
        each.close()
    try:
        for span in spans:
            for part in columns.parts(_records(source, span, columns)):
                end.send(part)
        end.send(None)
    except BrokenPipeError:
        pass
    except Exception as error:
        end.send(error)
