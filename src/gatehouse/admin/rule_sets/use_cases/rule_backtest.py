"""Tries a rule set on recorded requests: what it would have decided, caught and cost."""

from collections.abc import Callable

import msgspec

from gatehouse.admin.rule_sets.use_cases.rule_sets import lists_of
from gatehouse.backtest.load import ListLookup
from gatehouse.backtest.report import Amounts, BacktestReport
from gatehouse.backtest.run import Backtest, try_out
from gatehouse.rules.authoring import list_problems
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_reading
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback_history

# What a backtest returns, for faces.
__all__ = ["Amounts", "BacktestReport"]

Reached = Callable[[int, int], None]
"""Called with how many records have been read, and of how many."""


class BacktestOptions(msgspec.Struct, frozen=True):
    """How a backtest looks at lists, and how many requests it names for each change."""

    lists_now: bool = False
    """Whether lists are used as they are now instead of as they were then."""
    examples: int = 5


def backtest(
    session: AdminSession,
    rule_set: RuleSet,
    span: RecordSpan,
    options: BacktestOptions,
    reached: Reached,
) -> BacktestReport:
    """Judge every record of the span by what was known when its request came."""
    with account_reading(session, span.account_id) as connection:
        labels = feedback_history.labels(connection, *span)
        total = records.count(connection, span)
        kinds = list_reading.kinds(connection, span.account_id)
    listed = _list_lookup(session, span.account_id, rule_set, lists_now=options.lists_now)
    trial = Backtest(rule_set, span, listed, labels, options.examples)
    report = try_out(
        session.database, session.fingerprints, trial, lambda done: reached(done, total)
    )
    warnings = (*list_problems(rule_set, kinds), *report.warnings)
    return msgspec.structs.replace(report, warnings=warnings)


def _list_lookup(
    session: AdminSession, account_id: str, rule_set: RuleSet, *, lists_now: bool
) -> ListLookup:
    with account_reading(session, account_id) as connection:
        signer, names = session.signer, lists_of(rule_set)
        check_account(connection, signer, account_id)
        if not lists_now:
            return list_reading.history_of(connection, account_id, names, signer).has
        current = list_reading.load(connection, account_id, signer)
    now_ms = session.clock()
    return lambda name, value, _: current.has(name, value, now_ms)
