"""Pipeline definitions: kept and read back, what callers must send, how decisions combine."""

import pytest

from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.conditions.nodes import Compare, Condition, Literal, Signal, Type
from gatehouse.core.stages.outcomes import OnFailure, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.pipeline.definition import (
    CaptureWhen,
    OnDeclinedReview,
    Pay,
    PipelineDefinition,
    StageDefinition,
    combine,
    decode_program,
    encode_program,
    needs,
)
from gatehouse.pipeline.diff import differences
from gatehouse.pipeline.stage_conditions import (
    never_known,
    rules_after_payment,
    rules_without_results,
)

ACCEPT, REVIEW, DECLINE = Outcome
CONTINUE, STOP, ON_REVIEW = OnFailure

ADVICE = Condition(
    "precheck.advice <> 'ACCEPT'",
    Compare("<>", Signal("precheck.advice", Type.TEXT), Literal("ACCEPT")),
    ("precheck.advice",),
)
EVERYTHING = PipelineDefinition(
    number=7,
    name="All of it",
    description="Every field filled.",
    inputs={"level": Type.TEXT, "visits": Type.NUMBER},
    stages=(
        StageDefinition("Rules", rule_set="starter", fee_micros=0, on_failure=ON_REVIEW),
        StageDefinition("PreCheck", fee_micros=1, stop_when=ADVICE, on_failure=STOP),
        StageDefinition("Gateway", skip_when=ADVICE),
    ),
    decided_by=("PreCheck",),
)


def pipeline(*stages: str | StageDefinition, **more: object) -> PipelineDefinition:
    made = tuple(StageDefinition(s) if isinstance(s, str) else s for s in stages)
    return PipelineDefinition(1, "Test", stages=made, **more)  # type: ignore[arg-type]  # any


def test_a_definition_is_the_same_after_it_was_kept() -> None:
    assert decode_program(encode_program(EVERYTHING)) == EVERYTHING
    plain = pipeline("Sentry")
    assert decode_program(encode_program(plain)) == plain


def test_every_stage_is_charged_under_a_fee_that_exists() -> None:
    assert sorted(spec.fee_type for spec in REGISTRY) == sorted(DEFAULT_FEES)


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        (("Sentry", "Rules"), {}),
        (("PreCheck",), {"preCheckRequest": ("PreCheck",)}),
        (("IdVerify",), {"idVerifyRequest": ("IdVerify",)}),
        (("Gateway",), {"preCheckRequest": ("Gateway",), "payment": ("Gateway",)}),
        (
            ("PreCheck", "IdVerify", "Gateway"),
            {
                "preCheckRequest": ("PreCheck", "Gateway"),
                "idVerifyRequest": ("IdVerify",),
                "payment": ("Gateway",),
            },
        ),
    ],
    ids="-".join,
)
def test_a_pipeline_needs_what_its_stages_need(
    stages: tuple[str, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    assert needs(pipeline(*stages)) == expected


class TestCombining:
    """The decision of a pipeline."""

    def decided(
        self,
        *ran: tuple[str | StageDefinition, Outcome | None, bool],
        by: tuple[str, ...] = ("Rules", "PreCheck", "Gateway"),
    ) -> Outcome:
        stages = [
            (StageDefinition(stage) if isinstance(stage, str) else stage, verdict, completed)
            for stage, verdict, completed in ran
        ]
        return combine(pipeline(*(stage for stage, _, _ in stages), decided_by=by), stages)

    def test_a_pipeline_in_which_nothing_ran_accepts(self) -> None:
        assert self.decided() is ACCEPT

    def test_the_strongest_verdict_counts_whatever_the_order(self) -> None:
        assert self.decided(("Rules", ACCEPT, True), ("PreCheck", ACCEPT, True)) is ACCEPT
        assert self.decided(("Rules", REVIEW, True), ("PreCheck", ACCEPT, True)) is REVIEW
        assert self.decided(("Rules", REVIEW, True), ("PreCheck", DECLINE, True)) is DECLINE
        assert self.decided(("Rules", DECLINE, True), ("Gateway", ACCEPT, True)) is DECLINE

    def test_a_stage_without_a_verdict_does_not_count(self) -> None:
        assert self.decided(("Sentry", None, True), ("Rules", REVIEW, True)) is REVIEW
        assert self.decided(("Rules", None, True)) is ACCEPT

    def test_a_stage_outside_decided_by_does_not_count(self) -> None:
        ran = (("Rules", DECLINE, True), ("PreCheck", REVIEW, True))
        assert self.decided(*ran, by=("PreCheck",)) is REVIEW
        assert self.decided(*ran, by=("Gateway",)) is ACCEPT

    def test_a_failed_stage_that_may_fail_is_ignored_with_its_verdict(self) -> None:
        stage = StageDefinition("Rules", on_failure=CONTINUE)
        assert self.decided((stage, DECLINE, False), ("PreCheck", ACCEPT, True)) is ACCEPT

    def test_a_failed_stage_that_stops_counts_its_verdict(self) -> None:
        stage = StageDefinition("PreCheck", on_failure=STOP)
        assert self.decided((stage, DECLINE, False)) is DECLINE

    def test_a_failed_stage_that_stops_without_a_verdict_is_for_review(self) -> None:
        stage = StageDefinition("Gateway", on_failure=STOP)
        assert self.decided(("Rules", ACCEPT, True), (stage, None, False)) is REVIEW

    def test_a_failed_stage_that_wants_review_gets_it_and_not_its_verdict(self) -> None:
        stage = StageDefinition("PreCheck", on_failure=ON_REVIEW)
        assert self.decided((stage, DECLINE, False)) is REVIEW
        assert self.decided((stage, ACCEPT, False)) is REVIEW

    def test_a_review_for_a_failure_does_not_soften_a_decline(self) -> None:
        stage = StageDefinition("Sentry", on_failure=ON_REVIEW)
        assert self.decided((stage, None, False), ("Rules", DECLINE, True)) is DECLINE

    def test_a_failure_counts_even_if_the_stage_has_no_say_otherwise(self) -> None:
        for failure in (STOP, ON_REVIEW):
            stage = StageDefinition("Sentry", on_failure=failure)
            assert self.decided((stage, None, False), by=("Rules",)) is REVIEW

    def test_what_a_failure_means_is_looked_up_where_the_stage_stands(self) -> None:
        careless = StageDefinition("Rules", "a", on_failure=CONTINUE)
        careful = StageDefinition("Rules", "b", on_failure=ON_REVIEW)
        assert self.decided((careless, None, False), (careful, ACCEPT, True)) is ACCEPT
        assert self.decided((careless, ACCEPT, True), (careful, None, False)) is REVIEW

    def test_a_stage_that_completed_does_not_care_what_its_failure_means(self) -> None:
        stage = StageDefinition("PreCheck", on_failure=ON_REVIEW)
        assert self.decided((stage, ACCEPT, True)) is ACCEPT


class TestKnowing:
    """What is known at which place."""

    STAGES = ("Rules", "Sentry", "PreCheck")

    def test_what_the_request_brought_is_known_from_the_start(self) -> None:
        for signal in ("order.amount", "velocity.card.count_1h", "custom.sentry", "ip.tor"):
            assert never_known(signal, self.STAGES, 0) is None

    def test_a_result_is_known_once_its_stage_has_run(self) -> None:
        assert never_known("sentry.ipScore", self.STAGES, 2) is None
        assert never_known("rules.status", self.STAGES, 1) is None

    def test_a_result_of_a_later_stage_says_where_that_is(self) -> None:
        why = never_known("sentry.ipScore", self.STAGES, 1)
        assert why is not None
        assert "before Sentry has run" in why
        assert "stage 2" in why

    def test_a_result_of_a_stage_that_is_not_there_says_so(self) -> None:
        why = never_known("idverify.name", self.STAGES, 3)
        assert why is not None
        assert "does not have" in why

    def test_rules_that_speak_of_what_is_not_known_share_one_line(self) -> None:
        rules = [(f"about-person-{n}", ["order.amount", "idverify.name"]) for n in range(7)]
        rules += [("about-gateway", ["gateway.status"]), ("harmless", ["ip.tor"])]
        line = rules_without_results(self.STAGES, 1, rules)
        assert line is not None
        assert line.startswith("8 of 9 rules")
        assert "Gateway, IdVerify" in line
        assert line.count("about-") == 5
        assert line.endswith("and 3 more")
        assert "\n" not in line

    def test_rules_that_will_know_everything_need_no_line(self) -> None:
        rules = [("one", ("sentry.ipScore", "precheck.advice")), ("two", ())]
        assert rules_without_results(self.STAGES, 0, rules) is None
        assert rules_without_results(self.STAGES, 2, [("three", ("rules.matched",))]) is None

    def test_rules_that_can_only_follow_the_payment_are_told_apart(self) -> None:
        stages = ("Rules", "Sentry", "Gateway", "Rules")
        rules = [("one", ("sentry.ipScore",)), ("two", ("gateway.status", "sentry.ipScore"))]
        line = rules_after_payment(stages, 0, rules)
        assert line is not None
        assert line.startswith("1 of 2 rules speak of Gateway")
        assert line.endswith("two")
        assert rules_after_payment(stages, 3, rules) is None
        assert rules_after_payment(self.STAGES, 0, rules) is None


class TestDifferences:
    """What an author is shown before and after."""

    def test_a_new_pipeline_is_its_stages(self) -> None:
        assert differences(None, EVERYTHING) == [
            "+ stage 1: Rules (starter)",
            "+ stage 2: PreCheck",
            "+ stage 3: Gateway",
        ]

    def test_the_same_pipeline_has_none(self) -> None:
        assert differences(EVERYTHING, EVERYTHING) == []

    def test_a_stage_that_was_put_in_does_not_change_those_behind_it(self) -> None:
        old, new = pipeline("Sentry", "PreCheck"), pipeline("Sentry", "IdVerify", "PreCheck")
        assert differences(old, new) == ["+ stage 2: IdVerify"]
        assert differences(new, old) == ["- stage 2: IdVerify"]

    def test_every_option_that_changed_is_shown_before_and_after(self) -> None:
        old = pipeline(StageDefinition("PreCheck", stop_when=ADVICE))
        new = pipeline(
            StageDefinition("PreCheck", fee_micros=20_000, skip_when=ADVICE, on_failure=STOP)
        )
        assert differences(old, new) == [
            "~ stage 1: PreCheck: fee: from the schedule -> 0.02",
            "~ stage 1: PreCheck: stop_when: precheck.advice <> 'ACCEPT' -> never",
            "~ stage 1: PreCheck: skip_when: never -> precheck.advice <> 'ACCEPT'",
            "~ stage 1: PreCheck: on_failure: CONTINUE -> STOP",
        ]

    def test_what_is_paid_and_undone_is_compared_where_something_is_paid(self) -> None:
        changed = StageDefinition(
            "Gateway",
            pay=Pay.ACCEPTED,
            on_declined_review=OnDeclinedReview.LEAVE,
            capture=CaptureWhen.ACCEPTED,
        )
        assert differences(pipeline("Gateway"), pipeline(changed)) == [
            "~ stage 1: Gateway: pay: reviewed -> accepted",
            "~ stage 1: Gateway: on_declined_review: reverse -> leave",
            "~ stage 1: Gateway: capture: later -> accepted",
        ]

    def test_the_head_of_a_pipeline_is_compared_too(self) -> None:
        old = PipelineDefinition(1, "Old", "a", {"x": Type.TEXT, "y": Type.TEXT})
        new = PipelineDefinition(1, "New", "b", {"y": Type.NUMBER, "z": Type.TEXT}, (), ("Rules",))
        assert differences(old, new) == [
            "~ name: Old -> New",
            "~ description",
            "- input x: text",
            "~ input y: text -> number",
            "+ input z: text",
            "~ decided_by: Rules, PreCheck, Gateway -> Rules",
        ]
