"""Use case: what is wrong with the rules of a set, and which match together."""

from collections.abc import Sequence

import msgspec

from gatehouse.admin.figures.use_cases.overview import FigureSpan
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, prepare_trial
from gatehouse.backtest.hygiene import (
    FindingWriter,
    MatchedTogether,
    Overlap,
    RuleFinding,
    findings,
)
from gatehouse.backtest.judging import judge_columns
from gatehouse.backtest.run import MatchGroup
from gatehouse.backtest.thresholds import ThresholdTally
from gatehouse.core.errors import NotFound
from gatehouse.figures.account_columns import ROWS, AccountColumns
from gatehouse.figures.rule_orders import MatchedOrder, matched_orders
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan

# What faces need.
__all__ = ["FindingWriter", "MatchedOrder", "Overlap", "RuleFinding"]


class RuleSetHealth(msgspec.Struct, frozen=True, rename="camel"):
    """What the rules in force would match of the requests of a span, and what is wrong in it."""

    requests: int
    knows_costs: bool
    """Whether the account has said what orders earn and cost."""
    findings: list[RuleFinding]
    overlaps: list[Overlap]


def rule_set_health(
    session: AdminSession,
    columns: AccountColumns,
    rule_set: str,
    span: FigureSpan,
    write: FindingWriter,
) -> RuleSetHealth:
    """Judge the requests of the span by the rules in force, and say what is wrong with these."""
    session.actor.check_account(columns.account_id)
    active = rule_sets.get(session, columns.account_id, rule_set).definition
    within = RecordSpan(columns.account_id, span.since_ms, span.until_ms)
    trial, _ = prepare_trial(session, active, within, BacktestOptions(examples=0))
    told: list[tuple[Sequence[MatchGroup], Sequence[ThresholdTally]]] = []
    asked = msgspec.structs.replace(
        trial, costs=None, matched=lambda groups, tallies: told.append((groups, tallies))
    )
    try:
        with columns.reading() as asking:
            judge_columns(asking, asked, ROWS)
    except NotFound:
        return RuleSetHealth(0, trial.costs is not None, [], [])
    [(groups, tallies)] = told
    together = MatchedTogether(active.rules, groups)
    found = findings(together, tallies, trial.costs, write)
    return RuleSetHealth(together.requests, trial.costs is not None, found, together.overlaps())


def orders_of_rule(
    session: AdminSession, columns: AccountColumns, names: tuple[str, str], span: FigureSpan
) -> list[MatchedOrder]:
    """The newest orders that a rule matched, named by its set and itself."""
    session.actor.check_account(columns.account_id)
    return matched_orders(columns, *names, span, most=8)
