"""What is worked out once for a setup: whose results are named, what stages cost, Rules alone."""

from typing import Final

from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.operations.account_setup import Setup
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from tests.operations.playing import build
from tests.operations.test_account_setup import SENTRY
from tests.rules.written import rules

_STAGES: Final = """
  - {stage: Rules, rule_set: shop}
  - stage: Sentry
  - {stage: PreCheck, stop_when: never}
  - stage: Gateway
"""


def named(stages: str, *lines: str) -> list[str]:
    steps = build(stages, {"shop": lines}, {}).steps
    return [step.stage.name for step in steps if step.is_named]


def test_only_stages_that_something_speaks_of_are_asked_for_signals() -> None:
    assert named(_STAGES, "a DECLINE: ip.tor") == ["Rules"]
    assert named(_STAGES, "a DECLINE: sentry.requestConfidence < 0.2") == ["Rules", "Sentry"]
    assert named(_STAGES, "a DECLINE: gateway.responseCode IS NULL") == ["Rules", "Gateway"]


def test_conditions_of_the_pipeline_count_also_those_that_are_not_written() -> None:
    by_default = _STAGES.replace(", stop_when: never", "")
    assert named(by_default, "a DECLINE: ip.tor") == ["Rules", "PreCheck"]
    skipping = _STAGES.replace(
        "stage: Gateway", "{stage: Gateway, skip_when: sentry.ipScore < 0.1}"
    )
    assert named(skipping, "a DECLINE: ip.tor") == ["Rules", "Sentry"]


def test_steps_cost_what_the_fees_of_the_moment_say() -> None:
    pipeline = build(_STAGES, {"shop": ["a DECLINE: ip.tor"]}, {})
    usual, own = DEFAULT_FEES, {**DEFAULT_FEES} | {"SENTRY": 1}
    first = pipeline.steps_at(usual)
    assert [step.fee for step in pipeline.steps_at(own)][1] == 1
    assert [step.fee for step in pipeline.steps_at(usual)] == [step.fee for step in first]
    assert pipeline.steps_at(usual) is pipeline.steps_at(usual)


def test_rules_alone_are_made_ready_once_for_a_setup() -> None:
    shop = CompiledRuleSet(rules("a DECLINE: ip.tor"), 1)
    setup = Setup("1", {"shop": shop}, {}, AccountLists({}), SENTRY, None)
    assert setup.rules_alone("shop") is setup.rules_alone("shop") is not None
    assert setup.rules_alone("other") is None
