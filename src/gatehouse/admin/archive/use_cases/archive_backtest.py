"""Use case: try a rule set on an archive, with DuckDB here or with Spark."""

import contextlib
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, prepare_trial
from gatehouse.archive.days import (
    ArchivedSpan,
    ArchiveTables,
    Locate,
    at_its_place,
    find_days,
    on_this_machine,
)
from gatehouse.archive.places import ArchivePlace, open_place
from gatehouse.backtest.judging import judge_columns
from gatehouse.backtest.report import BacktestReport
from gatehouse.core.errors import InvalidInput
from gatehouse.figures.layout import LABELS, ColumnLayout
from gatehouse.figures.workspace import open_workspace
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan

EngineName = Literal["duckdb", "spark"]
LOCAL_MASTER: Final = "local[*]"
_DECISIONS: Final = "decisions"
_LABELS: Final = "labels"


class ArchiveSource(msgspec.Struct, frozen=True):
    """Which archive is read, and by which engine."""

    archive: str
    engine: EngineName = "duckdb"
    spark_master: str = LOCAL_MASTER


def archive_source(
    archive: str, engine: EngineName | None, spark_master: str | None
) -> ArchiveSource:
    """What is read and by what, as people name it; a master implies Spark."""
    chosen = engine or ("duckdb" if spark_master is None else "spark")
    if chosen == "duckdb" and spark_master is not None:
        raise InvalidInput("--spark-master is about Spark; add --engine spark")
    return ArchiveSource(archive, chosen, spark_master or LOCAL_MASTER)


def backtest_archive(
    session: AdminSession,
    rule_set: RuleSet,
    span: RecordSpan,
    options: BacktestOptions,
    source: ArchiveSource,
) -> BacktestReport:
    """Judge every archived record of the span by what was known when its request came."""
    trial, warnings = prepare_trial(session, rule_set, span, options)
    with _open_engine(open_place(source.archive), source) as (tables, locate, place):
        archived = find_days(place, span, locate)
        _read(tables, archived)
        trial = msgspec.structs.replace(trial, span=archived.span)
        report = judge_columns(tables, trial, _DECISIONS, _LABELS)
    told = (*warnings, *archived.remarks, *report.warnings)
    return msgspec.structs.replace(report, warnings=told)


def _read(tables: ArchiveTables, archived: ArchivedSpan) -> None:
    """Let tables stand for the files of these days."""
    days = archived.days
    tables.read(_DECISIONS, [each.decisions for each in days], ColumnLayout().archived)
    tables.read(_LABELS, [each.labels for each in days if each.labels], LABELS)


@contextlib.contextmanager
def _open_engine(
    place: ArchivePlace, source: ArchiveSource
) -> Iterator[tuple[ArchiveTables, Locate, ArchivePlace]]:
    """The engine, and how it finds files."""
    if source.engine == "duckdb":
        with open_workspace() as workspace:
            yield workspace, on_this_machine(place, workspace.folder), place
        return
    from gatehouse.archive.spark_engine import is_local, open_spark

    with open_spark(source.spark_master) as engine:
        if not is_local(source.spark_master):
            yield engine, at_its_place(place), place
            return
        with open_workspace() as workspace:
            yield engine, on_this_machine(place, workspace.folder), place
