"""Tries a rule set on recorded requests: what it would have decided, caught and cost."""

from collections.abc import Callable
from typing import Final

import msgspec

from gatehouse.admin.accounts.use_cases.policies import sentry_policy
from gatehouse.admin.rule_sets.use_cases.rule_sets import lists_of
from gatehouse.backtest.judging import ColumnTrial
from gatehouse.backtest.reading import RecordSource, judge_records
from gatehouse.backtest.report import Amounts, BacktestReport
from gatehouse.rules.authoring import list_problems
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback_history

# What a backtest returns, for faces.
__all__ = ["Amounts", "BacktestReport"]

_FOREVER: Final = 2**63 - 1

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
    session.actor.check_reads(span.account_id)
    trial, warnings = prepare_trial(session, rule_set, span, options)
    with session.reading() as connection:
        labels = feedback_history.labels(connection, *span)
        total = records.count(connection, span)
    source = RecordSource(session.database, session.fingerprints, span)
    report = judge_records(source, trial, labels, lambda done: reached(done, total))
    return msgspec.structs.replace(report, warnings=(*warnings, *report.warnings))


def prepare_trial(
    session: AdminSession, rule_set: RuleSet, span: RecordSpan, options: BacktestOptions
) -> tuple[ColumnTrial, list[str]]:
    """A rule set with the past of the lists that it names, and what is wrong with those."""
    account_id, signer = span.account_id, session.signer
    with session.account_reading(account_id) as connection:
        check_account(connection, signer, account_id)
        kinds = list_reading.kinds(connection, account_id)
        past = list_reading.past_of(connection, account_id, lists_of(rule_set), signer)
        costs = sentry_policy(connection, account_id).costs
    if options.lists_now:
        past = {name: _now(one, session.clock()) for name, one in past.items()}
    trial = ColumnTrial(rule_set, span, past, options.examples, costs)
    return trial, list_problems(rule_set, kinds)


def _now(past: ListPast, now_ms: int) -> ListPast:
    """A list as if it had always been as it is now."""
    listed = {
        value: [0, _FOREVER]
        for value, times in past.spans.items()
        if any(
            since_ms <= now_ms < until_ms
            for since_ms, until_ms in zip(times[::2], times[1::2], strict=True)
        )
    }
    return msgspec.structs.replace(past, spans=listed)
