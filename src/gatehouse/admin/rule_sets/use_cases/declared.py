"""What programs do with rule sets. The readers of documents are imported when they are needed."""

from typing import Any, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.types import RULES_EXAMPLE
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType
from gatehouse.admin.configurations.use_cases.declared import Configured, changes, readings
from gatehouse.admin.jobs.types import BacktestOrder, JobKind, JobResponse
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.admin.rule_sets.types import BacktestRequest, TrialRequest, TrialResponse
from gatehouse.core.api_values import doc
from gatehouse.core.reading.spans import read_span
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, OF_DECISIONS, use_case

_DEFAULT_DAYS: Final = 30


def _kind() -> ConfigurationType[Any]:
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS

    return RULE_SETS


_RULE_SETS: Final = Configured(
    module=__name__,
    path="/rules",
    scope="manage:rules",
    noun="RuleSet",
    words="rule set",
    name=doc("Name of the rule set.", "checkout"),
    document=RULES_EXAMPLE,
    load=_kind,
)
list_rule_sets, show, history = readings(_RULE_SETS)
check, apply, roll_back = changes(_RULE_SETS)


@use_case(
    "POST /rules/trials",
    scope="manage:rules",
    permission=Permission.CONFIGURE,
    answers="trialResponse",
    reads=True,
    most_bytes=MOST_DOCUMENT_BYTES,
)
def try_rule_set(session: AdminSession, account_id: str, given: TrialRequest) -> TrialResponse:
    """Try a rule set on one case.

    Shows which rules of a document match a case, and the values that they looked at. Changes
    nothing.
    """
    from gatehouse.admin.rule_sets.use_cases import rule_trial
    from gatehouse.rules.authoring import read_rule_set

    rule_set = read_rule_set(given.document.encode())
    if given.request_id is None:
        case = rule_trial.read_case(msgspec.json.encode({"signals": given.signals}), rule_set)
    else:
        case = rule_trial.recorded_case(session, account_id, given.request_id, rule_set)
    return rule_trial.try_rules_with_lists(session, account_id, rule_set, case)


@use_case(
    "POST /rules/backtests",
    scope="manage:rules",
    permission=Permission.CONFIGURE,
    rights=OF_DECISIONS,
    answers="jobResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
)
def start_backtest(session: AdminSession, account_id: str, given: BacktestRequest) -> JobResponse:
    """Backtest a rule set.

    Starts a job that judges recorded requests by a document, each by what was known when it came.
    Its result says what would have been decided, caught and lost, in millionths by currency.
    Changes nothing.
    """
    from gatehouse.rules.authoring import read_rule_set

    # Mistakes are told now, not by a job that fails.
    read_rule_set(given.document.encode())
    span = read_span(given.since, given.until, session.clock(), _DEFAULT_DAYS)
    order = BacktestOrder(given.document, *span, given.lists_now, given.examples)
    return shown_job(start_job(session, account_id, JobKind.BACKTEST, order))
