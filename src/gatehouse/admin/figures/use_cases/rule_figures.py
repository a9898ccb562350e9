"""Use case: what the rules of a rule set did in a span of time."""

from gatehouse.admin.figures.use_cases.overview import FigureSpan
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.buckets import Bucket
from gatehouse.figures.rule_hits import RuleHits, RuleSetHits, count_hits
from gatehouse.store.admin.admin_session import AdminSession

# What faces need.
__all__ = ["RuleHits", "RuleSetHits"]


def rule_figures(
    session: AdminSession,
    columns: AccountColumns,
    rule_set: str | None,
    span: FigureSpan,
    bucket: Bucket | None = None,
) -> RuleSetHits:
    """Hits and trend of each rule, outcomes, precision by labels and shadow differences.

    Without a name, it is the only rule set that the account has.
    """
    session.actor.check_reads(columns.account_id)
    active = rule_sets.get(session, columns.account_id, rule_set)
    return count_hits(columns, active.definition, span, bucket)
