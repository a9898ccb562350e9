"""The thresholds on Sentry's confidence that an account's rules and pipelines compare it with."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from gatehouse.conditions.nodes import Condition
from gatehouse.core.wording.sentences import Phrase
from gatehouse.explanations.alternatives import Thresholds
from gatehouse.pipeline.definition import decode_program as decode_pipeline
from gatehouse.rules.ruleset import decode_program as decode_rule_set
from gatehouse.sentry.outcomes import OUTCOME_SIGNAL
from gatehouse.sentry.scorecard import Sheet
from gatehouse.store.configured.configurations import PIPELINE, RULES, active
from gatehouse.training.report.report import ThresholdInUse

_SCORE_MISSED: Final = Phrase(
    "refused.score_missed", "it has no score {signal}, which these rules name: {rules}"
)
CONFIDENCE: Final = "sentry.requestConfidence"


def thresholds_in_use(connection: sa.Connection, account_id: str) -> tuple[ThresholdInUse, ...]:
    """Each threshold with the rule or the stage that names it, the lowest first."""
    found = [*_of_rules(connection, account_id), *_of_pipelines(connection, account_id)]
    return tuple(sorted(found, key=lambda each: (each.threshold, each.source, each.name)))


def scores_missed(connection: sa.Connection, account_id: str, sheet: Sheet | None) -> list[str]:
    """What to say of rules that name scores of outcomes which a model does not have.

    `sheet` is None for the shipped scorecard, which has none.
    """
    had = () if sheet is None else sheet.outcomes
    known = {OUTCOME_SIGNAL + each.outcome for each in had}
    missed: dict[str, list[str]] = defaultdict(list)
    for stored in active(connection, account_id, RULES):
        for rule in decode_rule_set(stored.program).rules:
            for signal in rule.condition.signals:
                if signal.startswith(OUTCOME_SIGNAL) and signal not in known:
                    missed[signal].append(rule.name)
    return [
        _SCORE_MISSED(signal=signal, rules=", ".join(dict.fromkeys(names)))
        for signal, names in sorted(missed.items())
    ]


def _of_rules(connection: sa.Connection, account_id: str) -> Iterator[ThresholdInUse]:
    for stored in active(connection, account_id, RULES):
        for rule in decode_rule_set(stored.program).rules:
            for threshold in _numbers(rule.condition):
                yield ThresholdInUse("rule", stored.name, rule.name, threshold)


def _of_pipelines(connection: sa.Connection, account_id: str) -> Iterator[ThresholdInUse]:
    # A server that trains nothing needs no reader of YAML.
    from gatehouse.pipeline.diff import title

    for stored in active(connection, account_id, PIPELINE):
        for stage in decode_pipeline(stored.program).stages:
            for condition in (stage.skip_when, stage.stop_when):
                for threshold in () if condition is None else _numbers(condition):
                    yield ThresholdInUse("pipeline", stored.name, title(stage), threshold)


def _numbers(condition: Condition) -> list[float]:
    # Most conditions do not name it, and looking through them takes longer than asking that.
    if CONFIDENCE not in condition.signals:
        return []
    return sorted(Thresholds().note([condition]).numbers.get(CONFIDENCE, ()))
