"""In a pipeline a rule is judged as soon as everything it names is known."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.signal_rows import row_of
from gatehouse.pipeline.settlement import IntentEnd
from gatehouse.rules.response import RulesResponse
from tests.operations.playing import FAILS, Played, play

EARLY_RULES = """
  - {stage: Rules, rule_set: mine}
  - stage: Sentry
  - stage: IdVerify
  - stage: Gateway
"""
DOUBT: Mapping[str, Any] = {"requestConfidence": 0.1}
TRUST: Mapping[str, Any] = {"requestConfidence": 0.9}
STRANGER: Mapping[str, Any] = {"nameMatchDecision": "NO_MATCH"}
PAID: Mapping[str, Any] = {"status": "APPROVED"}


def matched(played: Played) -> list[str]:
    return list(played.ruled["matched"])


def test_a_rule_about_a_later_stage_declines_when_that_stage_has_run() -> None:
    mine = ["unknown-person DECLINE: idverify.name = ''NO_MATCH''"]
    found = {"Sentry": TRUST, "IdVerify": STRANGER, "Gateway": PAID}
    late = play(EARLY_RULES, {"mine": mine}, found)
    assert late.stages == ["Rules", "Sentry", "IdVerify"]
    assert late.decision is Outcome.DECLINE
    assert late.ruled["status"] == "DECLINE"
    assert late.ruled["matchedLate"] == ["unknown-person"]
    assert late.intent is IntentEnd.SETTLED


def test_rules_are_judged_no_later_than_they_can_be() -> None:
    mine = [
        "large DECLINE: order.amount > 100",
        "doubt DECLINE: sentry.requestConfidence < 0.5",
        "unknown-person DECLINE: idverify.name = ''NO_MATCH''",
    ]
    found = {"Sentry": DOUBT, "IdVerify": STRANGER, "Gateway": PAID}
    assert play(EARLY_RULES, {"mine": mine}, found, order__amount=200).stages == ["Rules"]
    small = play(EARLY_RULES, {"mine": mine}, found, order__amount=20)
    assert small.stages == ["Rules", "Sentry"]
    assert matched(small) == ["doubt"]


def test_matches_are_told_in_the_order_of_the_rule_set() -> None:
    mine = [
        "third REVIEW: idverify.name = ''NO_MATCH''",
        "first REVIEW: order.amount > 1",
        "second REVIEW: sentry.requestConfidence < 0.5",
    ]
    found = {"Sentry": DOUBT, "IdVerify": STRANGER, "Gateway": PAID}
    played = play(EARLY_RULES, {"mine": mine}, found, order__amount=20)
    assert matched(played) == ["third", "first", "second"]
    assert played.ruled["matchedLate"] == ["second", "third"]
    assert played.decision is Outcome.REVIEW
    assert played.stages == ["Rules", "Sentry", "IdVerify", "Gateway"]
    response = played.done.runs[0].result.response
    assert isinstance(response, RulesResponse)
    assert [rule.id for rule in response.matched_rules] == matched(played)


def test_a_rule_is_charged_once_however_often_its_set_is_asked() -> None:
    mine = ["doubt REVIEW: sentry.requestConfidence < 0.5"]
    played = play(EARLY_RULES, {"mine": mine}, {"Sentry": DOUBT, "Gateway": PAID})
    assert [run.item.fee_type for run in played.done.runs].count("RULES") == 1


@pytest.mark.parametrize("sentry", ["\n    skip_when: order.amount > 1", ""])
def test_of_a_stage_that_was_skipped_or_failed_nothing_is_known_and_that_is_known(
    sentry: str,
) -> None:
    stages = EARLY_RULES.replace("- stage: Sentry", f"- stage: Sentry{sentry}")
    mine = [
        "no-score DECLINE: sentry.requestConfidence IS NULL",
        "doubt DECLINE: sentry.requestConfidence < 0.5",
    ]
    found = {"Sentry": DOUBT if sentry else FAILS, "Gateway": PAID}
    played = play(stages, {"mine": mine}, found, order__amount=20)
    assert matched(played) == ["no-score"]
    assert "Gateway" not in played.stages


def test_rules_that_waited_for_stages_beyond_the_end_are_judged_without_them() -> None:
    mine = [
        "large DECLINE: order.amount > 100",
        "no-name REVIEW: idverify.name IS NULL",
        "doubt REVIEW: sentry.requestConfidence < 0.5",
    ]
    played = play(EARLY_RULES, {"mine": mine}, {"Sentry": DOUBT}, order__amount=200)
    assert played.stages == ["Rules"]
    assert matched(played) == ["large", "no-name"]
    failed = play(
        EARLY_RULES.replace("- stage: Sentry", "- {stage: Sentry, on_failure: STOP}"),
        {"mine": mine},
        {"Sentry": FAILS},
    )
    assert failed.stages == ["Rules", "Sentry"]
    assert matched(failed) == ["no-name"]


def test_a_stage_that_the_pipeline_does_not_have_is_not_waited_for() -> None:
    mine = ["unpaid DECLINE: gateway.status IS NULL"]
    played = play("  - {stage: Rules, rule_set: mine}\n  - stage: Sentry\n", {"mine": mine}, {})
    assert played.stages == ["Rules"]
    assert played.ruled["matchedLate"] == []


def test_a_rule_about_the_payment_is_judged_after_it_and_reverses_it() -> None:
    mine = ["odd-code DECLINE: gateway.responseCode = ''08''"]
    paid = {**PAID, "responseCode": "08"}
    played = play(EARLY_RULES, {"mine": mine}, {"Gateway": paid})
    assert played.stages[-1] == "Gateway"
    assert played.decision is Outcome.DECLINE
    assert played.intent is IntentEnd.DOUBTFUL


def test_no_payment_is_asked_for_once_a_late_rule_declines_whatever_the_author_says() -> None:
    stages = EARLY_RULES.replace("mine}", "mine, stop_when: never}")
    mine = ["doubt DECLINE: sentry.requestConfidence < 0.5"]
    played = play(stages, {"mine": mine}, {"Sentry": DOUBT, "Gateway": PAID})
    assert played.stages == ["Rules", "Sentry", "IdVerify"]
    assert played.decision is Outcome.DECLINE


class TestFinalRules:
    """A final rule decides alone, also when it is judged late."""

    MINE = (
        "known-person ACCEPT final: idverify.name = ''MATCH''",
        "large DECLINE: order.amount > 100",
    )

    def test_a_decline_waits_for_a_final_rule_that_can_overrule_it(self) -> None:
        found = {"IdVerify": {"nameMatchDecision": "MATCH"}, "Gateway": PAID}
        played = play(EARLY_RULES, {"mine": self.MINE}, found, order__amount=200)
        assert played.stages[-1] == "Gateway"
        assert played.decision is Outcome.ACCEPT
        assert played.ruled["finalBy"] == "known-person"

    def test_it_counts_as_soon_as_none_can(self) -> None:
        found = {"IdVerify": STRANGER, "Gateway": PAID}
        played = play(EARLY_RULES, {"mine": self.MINE}, found, order__amount=200)
        assert played.stages == ["Rules", "Sentry", "IdVerify"]
        assert played.decision is Outcome.DECLINE
        assert played.ruled["matchedLate"] == []

    def test_a_final_rule_that_comes_first_and_matched_is_not_waited_upon(self) -> None:
        mine = ["blocked DECLINE final: order.amount > 100", *self.MINE]
        played = play(EARLY_RULES, {"mine": mine}, {}, order__amount=200)
        assert played.stages == ["Rules"]

    def test_a_payment_never_waits_for_a_rule_about_itself(self) -> None:
        mine = [
            "went-well ACCEPT final: gateway.status = ''APPROVED''",
            "large DECLINE: order.amount > 100",
        ]
        played = play(EARLY_RULES, {"mine": mine}, {"Gateway": PAID}, order__amount=200)
        assert played.stages == ["Rules"]
        assert played.decision is Outcome.DECLINE


class TestSeveralRulesStages:
    """Each rule set waits on its own, and sees what the sets before it decided."""

    STAGES = """
  - {stage: Rules, rule_set: first}
  - {stage: Rules, rule_set: second}
  - stage: Sentry
  - stage: Gateway
"""

    def test_a_rule_about_earlier_rules_waits_until_all_of_them_are_judged(self) -> None:
        sets = {
            "first": ["doubt REVIEW: sentry.requestConfidence < 0.5"],
            "second": ["twice DECLINE: rules.status = ''REVIEW'' AND order.amount > 10"],
        }
        found = {"Sentry": DOUBT, "Gateway": PAID}
        played = play(self.STAGES, sets, found, order__amount=20)
        assert played.stages == ["Rules", "Rules", "Sentry"]
        assert played.record.stages[1].result["matchedLate"] == ["twice"]

    def test_a_rule_never_sees_its_own_set_among_the_earlier_ones(self) -> None:
        sets = {
            "first": ["large REVIEW: order.amount > 10"],
            "second": [
                "small DECLINE: order.amount < 1",
                "itself REVIEW: sentry.ipScore IS NULL AND HAS(rules.matched, ''any'')",
                "others REVIEW: sentry.ipScore IS NULL AND HAS(rules.matched, ''large'')",
                "any REVIEW: order.amount > 1",
            ],
        }
        played = play(self.STAGES, sets, {"Gateway": PAID}, order__amount=20)
        assert played.record.stages[1].result["matched"] == ["others", "any"]

    def test_a_rule_about_the_payment_in_one_set_does_not_delay_the_next(self) -> None:
        sets = {
            "first": [
                "late REVIEW: gateway.status = ''DECLINED''",
                "large REVIEW: order.amount > 10",
            ],
            "second": ["twice DECLINE: rules.status = ''REVIEW''"],
        }
        played = play(self.STAGES, sets, {"Gateway": PAID}, order__amount=20)
        assert played.stages == ["Rules", "Rules"]

    def test_conditions_of_stages_see_what_late_rules_decided(self) -> None:
        stages = self.STAGES.replace(
            "- stage: Gateway", "- {stage: Gateway, skip_when: rules.status = 'REVIEW'}"
        )
        sets = {
            "first": ["doubt REVIEW: sentry.requestConfidence < 0.5"],
            "second": ["never DECLINE: order.amount < 0"],
        }
        played = play(stages, sets, {"Sentry": DOUBT, "Gateway": PAID})
        assert played.stages == ["Rules", "Rules", "Sentry"]
        assert played.decision is Outcome.REVIEW

    def test_a_set_that_was_skipped_is_not_judged_later(self) -> None:
        stages = self.STAGES.replace("first}", "first, skip_when: order.amount > 1}")
        sets = {
            "first": ["doubt DECLINE: sentry.requestConfidence < 0.5"],
            "second": ["never DECLINE: order.amount < 0"],
        }
        played = play(stages, sets, {"Sentry": DOUBT, "Gateway": PAID}, order__amount=2)
        assert played.stages == ["Rules", "Sentry", "Gateway"]
        assert played.decision is Outcome.ACCEPT


def test_what_is_read_back_from_the_record_is_what_every_rule_saw() -> None:
    mine = ["doubt REVIEW: sentry.requestConfidence < 0.5"]
    found = {"Sentry": DOUBT, "IdVerify": STRANGER, "Gateway": {**PAID, "responseCode": "00"}}
    played = play(EARLY_RULES, {"mine": mine}, found, order__amount=20)
    seen = row_of(msgspec.json.encode(played.record), "mine")
    assert seen["sentry.requestConfidence"] == 0.1
    assert seen["idverify.name"] == "NO_MATCH"
    assert seen["gateway.responseCode"] == "00"
    assert "rules.status" not in seen
