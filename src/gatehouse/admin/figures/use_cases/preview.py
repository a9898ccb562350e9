"""Use case: what an edited rule set would have done, within the time in which a person waits."""

from typing import Final

import msgspec

from gatehouse.admin.figures.use_cases.overview import FigureSpan
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, prepare_trial
from gatehouse.backtest.judging import judge_columns
from gatehouse.backtest.report import BacktestReport
from gatehouse.core.api_values import CamelStruct
from gatehouse.figures.account_columns import ROWS, AccountColumns, Coverage
from gatehouse.figures.engine import LatestAsking, Superseded
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan

# What faces need.
__all__ = ["BacktestReport", "Superseded"]

_latest: Final = LatestAsking()
MOST_EXAMPLES: Final = 50


class PreviewOptions(msgspec.Struct, frozen=True):
    """How many requests are named of each change, and for whom it is asked."""

    examples: int = 5
    asked_by: str | None = None
    """A newer preview with the same name ends this one, which then raises `Superseded`."""


USUAL: Final = PreviewOptions()


class Preview(CamelStruct):
    """The report of a backtest, and which decisions it counts."""

    report: BacktestReport
    coverage: Coverage


def preview(
    session: AdminSession,
    columns: AccountColumns,
    edited: RuleSet | bytes,
    span: FigureSpan,
    options: PreviewOptions = USUAL,
) -> Preview:
    """Judge every request of the span by what was known when it came.

    A text is read as `gatehouse rules apply` reads a file; `InvalidInput` says what is wrong in it.
    """
    account_id = columns.account_id
    session.actor.check_reads(account_id)
    rule_set = read_rule_set(edited) if isinstance(edited, bytes) else edited
    within = RecordSpan(account_id, span.since_ms, span.until_ms)
    tried = BacktestOptions(examples=min(options.examples, MOST_EXAMPLES))
    trial, warnings = prepare_trial(session, rule_set, within, tried)
    with columns.reading() as asking, _latest.only(options.asked_by, asking):
        coverage = columns.coverage
        report = judge_columns(asking, trial, ROWS)
    told = (*warnings, *report.warnings)
    return Preview(msgspec.structs.replace(report, warnings=told), coverage)
