"""Use case: what is wrong with the rules of a set, and which match together."""

from collections.abc import Sequence
from typing import NamedTuple

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
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import NotFound
from gatehouse.figures.account_columns import ROWS, AccountColumns
from gatehouse.figures.copies import ColumnCopies
from gatehouse.figures.rule_orders import MatchedOrder, matched_orders
from gatehouse.rules.ruleset import RuleSet
from gatehouse.sentry.costs import CostTerms
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan

# What faces need.
__all__ = ["FindingWriter", "MatchedOrder", "Overlap", "RuleFinding"]


class HealthAsked(NamedTuple):
    """Which rules are asked about, and on which requests."""

    rule_set: str
    span: FigureSpan
    newer_than_ms: int = 0
    """What was counted before, or then, is counted again."""


class RuleSetHealth(CamelStruct):
    """What the rules in force would match of the requests of a span, and what is wrong in it."""

    requests: int
    knows_costs: bool
    """Whether the account has said what orders earn and cost."""
    findings: list[RuleFinding]
    overlaps: list[Overlap]


class _JudgedTogether(NamedTuple):
    """What the findings are concluded from; none of it is in anybody's language."""

    together: MatchedTogether | None
    """None without a request."""
    thresholds: Sequence[ThresholdTally]
    costs: CostTerms | None


class KeptHealth(msgspec.Struct, frozen=True):
    """What is known by now."""

    health: RuleSetHealth | None
    """None while it is being counted for the first time."""
    made_at_ms: int | None
    is_being_made: bool


def rule_set_health(
    session: AdminSession,
    copies: ColumnCopies,
    account_id: str,
    asked: HealthAsked,
    write: FindingWriter,
) -> KeptHealth:
    """What is wrong with the rules in force, as counted lately.

    To judge a million requests takes seconds, so it is done beside the page that shows it.
    """
    session.actor.check_reads(account_id)
    active = rule_sets.get(session, account_id, asked.rule_set)
    columns, span = copies.of(account_id), asked.span
    within = (span.since_ms, span.until_ms)
    found = copies.answers.ask(
        account_id,
        ("rule health", asked.rule_set, active.version, *within),
        lambda: _judge(session, columns, active.definition, span),
        newer_than_ms=asked.newer_than_ms,
    )
    health = None if found.answer is None else _concluded(found.answer, write)
    return KeptHealth(health, found.made_at_ms, found.is_being_made)


def _judge(
    session: AdminSession, columns: AccountColumns, rule_set: RuleSet, span: FigureSpan
) -> _JudgedTogether:
    """Judge the requests of the span by the rules."""
    within = RecordSpan(columns.account_id, span.since_ms, span.until_ms)
    trial, _ = prepare_trial(session, rule_set, within, BacktestOptions(examples=0))
    told: list[tuple[Sequence[MatchGroup], Sequence[ThresholdTally]]] = []
    asked = msgspec.structs.replace(
        trial, costs=None, matched=lambda groups, tallies: told.append((groups, tallies))
    )
    try:
        with columns.reading() as asking:
            judge_columns(asking, asked, ROWS)
    except NotFound:
        return _JudgedTogether(None, (), trial.costs)
    [(groups, tallies)] = told
    return _JudgedTogether(MatchedTogether(rule_set.rules, groups), tallies, trial.costs)


def _concluded(judged: _JudgedTogether, write: FindingWriter) -> RuleSetHealth:
    """What is wrong with the rules."""
    together, thresholds, costs = judged
    if together is None:
        return RuleSetHealth(0, costs is not None, [], [])
    found = findings(together, thresholds, costs, write)
    return RuleSetHealth(together.requests, costs is not None, found, together.overlaps())


def orders_of_rule(
    session: AdminSession, columns: AccountColumns, names: tuple[str, str], span: FigureSpan
) -> list[MatchedOrder]:
    """The newest orders that a rule matched, named by its set and itself."""
    session.actor.check_reads(columns.account_id)
    return matched_orders(columns, *names, span, most=8)
