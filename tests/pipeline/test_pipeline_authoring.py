"""Reading pipeline files: what they become, and everything that is wrong in one, all at once."""

import pytest

from gatehouse.cli.hints import hinted
from gatehouse.conditions.nodes import Type
from gatehouse.core.documents.reading import DocumentRefused, Flaw
from gatehouse.core.stages.outcomes import OnFailure
from gatehouse.pipeline import starter
from gatehouse.pipeline.authoring import Surroundings, read_pipeline
from gatehouse.pipeline.definition import PipelineDefinition, decode_program, encode_program, needs

ACCOUNT = Surroundings(
    rule_sets={"starter": {}, "vip": {"level": Type.TEXT}},
    lists={"good-users": "users", "bad-bins": "bins"},
)


def read(text: str, account: Surroundings | None = None) -> PipelineDefinition:
    return read_pipeline(text.encode(), account)


def flaws(text: str, account: Surroundings | None = None) -> list[Flaw]:
    with pytest.raises(DocumentRefused) as refused:
        read(text, account)
    return list(refused.value.flaws)


def flaw(text: str, account: Surroundings | None = None) -> Flaw:
    found = flaws(text, account)
    assert len(found) == 1, found
    return found[0]


def of(*stages: str, head: str = "") -> str:
    """A pipeline of these stages, each given as its lines."""
    body = "".join("  - " + stage.replace("\n", "\n    ") + "\n" for stage in stages)
    return f"pipeline: 1\nname: Test\n{head}stages:\n{body}"


def place_of(text: str, part: str) -> tuple[int, int]:
    before = text[: text.index(part)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


class TestStarters:
    """The pipelines that every account begins with."""

    def test_the_programs_are_what_the_files_say(self) -> None:
        for number, document, program in starter.starter_pipelines():
            definition = read(document)
            assert program == encode_program(definition)
            assert decode_program(program) == definition
            assert definition.number == int(number)

    def test_they_are_the_pipelines_of_the_documentation(self) -> None:
        first, second = (decode_program(program) for *_, program in starter.starter_pipelines())
        names = [[stage.stage for stage in each.stages] for each in (first, second)]
        assert names[0] == ["Rules", "Sentry", "PreCheck", "Gateway"]
        assert names[1] == ["Sentry", "Rules", "PreCheck", "IdVerify", "Gateway"]
        for each in (first, second):
            assert [s.rule_set for s in each.stages if s.stage == "Rules"] == ["starter"]
        assert set(needs(first)) == {"preCheckRequest", "payment"}
        assert set(needs(second)) == {"preCheckRequest", "idVerifyRequest", "payment"}

    def test_what_the_first_writes_out_is_what_is_meant_when_nothing_is_written(self) -> None:
        first = decode_program(starter.starter_pipelines()[0][2])
        bare = read(
            of("stage: Rules\nrule_set: starter", "stage: Sentry", "stage: PreCheck")[:-1]
            + "\n  - stage: Gateway\n"
        )
        assert bare.stages == first.stages
        assert bare.deciders == first.deciders

    def test_they_fit_an_account_that_has_the_starter_rule_set(self) -> None:
        for _, document, _ in starter.starter_pipelines():
            read(document, ACCOUNT)


class TestReading:
    """What files become."""

    def test_every_option_is_read(self) -> None:
        definition = read(
            "pipeline: 999999\nname: All\ndescription: >\n  two\n  lines\n"
            "inputs: {level: text, visits: number, member: boolean}\n"
            "decided_by: [PreCheck]\n"
            "stages:\n"
            "  - {stage: Sentry, fee: 0.015, on_failure: REVIEW}\n"
            "  - stage: PreCheck\n"
            "    fee: 0\n"
            "    skip_when: custom.level = 'gold' AND sentry.requestConfidence > 0.9\n"
            "    stop_when: precheck.advice = 'FRAUD'\n"
            "    on_failure: CONTINUE\n"
        )
        sentry, precheck = definition.stages
        assert definition.number == 999_999
        assert definition.description == "two lines"
        assert definition.inputs == {
            "level": Type.TEXT,
            "visits": Type.NUMBER,
            "member": Type.BOOLEAN,
        }
        assert definition.decided_by == ("PreCheck",)
        assert sentry.fee_micros == 15_000
        assert sentry.on_failure is OnFailure.REVIEW
        assert precheck.fee_micros == 0
        assert precheck.on_failure is OnFailure.CONTINUE
        assert precheck.stop_when is not None
        assert precheck.stop_when.text == "precheck.advice = 'FRAUD'"
        assert precheck.skip_when is not None
        assert set(precheck.skip_when.signals) == {"custom.level", "sentry.requestConfidence"}
        assert decode_program(encode_program(definition)) == definition

    def test_what_is_left_out_has_the_usual_meaning(self) -> None:
        stages = read(
            of(
                "stage: Rules\nrule_set: a",
                "stage: Sentry",
                "stage: PreCheck",
                "stage: IdVerify",
                "stage: Gateway",
            )
        ).stages
        stops = [stage.stop_when.text if stage.stop_when else None for stage in stages]
        assert stops == [
            "rules.status = 'DECLINE'",
            None,
            "precheck.advice <> 'ACCEPT'",
            None,
            None,
        ]
        assert [stage.on_failure.value for stage in stages] == [
            "CONTINUE",
            "CONTINUE",
            "STOP",
            "CONTINUE",
            "STOP",
        ]
        assert all(stage.fee_micros is None and stage.skip_when is None for stage in stages)

    def test_never_turns_the_usual_stop_off(self) -> None:
        [stage] = read(of("stage: PreCheck\nstop_when: never")).stages
        assert stage.stop_when is None

    def test_a_stop_can_speak_of_its_own_stage_and_a_skip_of_those_before(self) -> None:
        read(of("stage: Sentry\nstop_when: sentry.ipScore < 0.1", "stage: PreCheck"))
        read(of("stage: Sentry", "stage: PreCheck\nskip_when: sentry.ipScore > 0.9"))
        read(of("stage: Rules\nrule_set: a", "stage: Rules\nrule_set: b\n"
                "skip_when: rules.status = 'REVIEW'"))  # fmt: skip

    def test_rules_can_run_several_times_and_after_the_gateway(self) -> None:
        rules = "stage: Rules\nrule_set: a"
        assert len(read(of(rules, "stage: Gateway", rules)).stages) == 3


class TestMistakes:
    """What is refused, where, and with which advice."""

    @pytest.mark.parametrize(
        ("wrong", "meant"),
        [
            ("Sentri", "Sentry"),
            ("sentry", "Sentry"),
            ("GATEWAY", "Gateway"),
            ("pre-check", "PreCheck"),
            ("ID Verify", "IdVerify"),
            ("rule", "Rules"),
        ],
    )
    def test_a_misspelt_stage_is_guessed(self, wrong: str, meant: str) -> None:
        text = of(f"stage: {wrong}")
        found = flaws(text)
        first = next(f for f in found if f.path == "stages[0].stage")
        assert f"did you mean {meant}?" in first.message
        assert (first.line, first.column) == place_of(text, wrong)

    def test_a_word_like_no_stage_gets_the_list_of_all(self) -> None:
        assert (
            "there are Rules, Sentry, PreCheck, IdVerify, Gateway"
            in flaw(of("stage: Xylophone")).message
        )

    def test_a_misspelt_key_is_guessed_where_it_stands(self) -> None:
        text = of("stage: Sentry\nstop_wen: never", head="descripton: x\n")
        first, second = flaws(text)
        assert "did you mean description?" in first.message
        assert (first.line, first.column) == place_of(text, "descripton")
        assert "did you mean stop_when?" in second.message
        assert (second.line, second.column) == place_of(text, "stop_wen")

    def test_a_misspelt_signal_is_shown_inside_its_condition(self) -> None:
        text = of("stage: Sentry\nstop_when: order.amount > 5 AND sentry.ipScor < 0.1")
        found = flaw(text)
        assert found.path == "stages[0].stop_when"
        assert (found.line, found.column) == place_of(text, "sentry.ipScor")
        assert "sentry.ipScore" in found.message

    def test_a_mistake_in_a_block_is_shown_on_its_own_line(self) -> None:
        text = of("stage: Sentry\nstop_when: |\n  order.amount > 5\n  AND odrer.items > 2")
        found = flaw(text)
        assert (found.line, found.column) == place_of(text, "odrer.items")

    @pytest.mark.parametrize(
        ("stages", "word", "advice"),
        [
            (
                ("stage: PreCheck\nskip_when: sentry.ipScore > 0.9", "stage: Sentry"),
                "sentry.ipScore",
                "comes later, as stage 2",
            ),
            (
                ("stage: Sentry\nstop_when: precheck.advice = 'FRAUD'", "stage: PreCheck"),
                "precheck.advice",
                "comes later, as stage 2",
            ),
            (
                ("stage: Sentry\nskip_when: idverify.name = 'MATCH'",),
                "idverify.name",
                "does not have",
            ),
            (
                ("stage: Sentry\nskip_when: order.amount < 5 AND sentry.ipScore > 0.9",),
                "sentry.ipScore",
                "use stop_when",
            ),
            (
                ("stage: Sentry\nstop_when: rules.status = 'REVIEW'",),
                "rules.status",
                "does not have",
            ),
        ],
    )
    def test_a_condition_cannot_speak_of_what_is_never_known_there(
        self, stages: tuple[str, ...], word: str, advice: str
    ) -> None:
        text = of(*stages)
        found = flaw(text)
        assert advice in found.message
        assert f"{word} is not known before" in found.message
        assert (found.line, found.column) == place_of(text, word)

    @pytest.mark.parametrize(
        ("stages", "path", "message"),
        [
            (("stage: Rules",), "stages[0].rule_set", "name the rule set"),
            (("stage: Sentry\nrule_set: a",), "stages[0].rule_set", "runs no rules"),
            (("stage: Rules\nrule_set: a b",), "stages[0].rule_set", "cannot be the name"),
            (("stage: Rules\nrule_set: ''",), "stages[0].rule_set", "is empty"),
            (("stage: Sentry", "stage: Sentry"), "stages[1].stage", "only Rules can run twice"),
            (("stage: Gateway", "stage: Gateway"), "stages[1].stage", "only Rules can run twice"),
            (("stage: Gateway", "stage: PreCheck"), "stages[1].stage", "before Gateway"),
            (("stage: Gateway", "stage: IdVerify"), "stages[1].stage", "before Gateway"),
            (("fee: 1",), "stages[0].stage", "is required"),
            (("Sentry",), "stages[0]", "- stage: Sentry"),
            (("stage: [Sentry]",), "stages[0].stage", "must be a text"),
            (("stage: Sentry\nfee: -0.01",), "stages[0].fee", "cannot be negative"),
            (("stage: Sentry\nfee: 0.0000001",), "stages[0].fee", "at most six decimals"),
            (("stage: Sentry\nfee: 5e3",), "stages[0].fee", "decimal number"),
            (("stage: Sentry\nfee: 9999999999",), "stages[0].fee", "at most"),
            (("stage: Sentry\nfee:",), "stages[0].fee", "is empty"),
            (("stage: Sentry\non_failure: REVEIW",), "stages[0].on_failure", "mean REVIEW?"),
            (("stage: Sentry\non_failure: halt",), "stages[0].on_failure", "CONTINUE, STOP"),
            (("stage: Gateway\npay: acepted",), "stages[0].pay", "mean accepted?"),
            (("stage: PreCheck\npay: accepted",), "stages[0].pay", "pays nothing"),
            (
                ("stage: Gateway\non_declined_review: void",),
                "stages[0].on_declined_review",
                "reverse, leave",
            ),
            (
                ("stage: Sentry\non_declined_review: leave",),
                "stages[0].on_declined_review",
                "pays nothing",
            ),
            (("stage: Gateway\ncapture: now",), "stages[0].capture", "later, accepted"),
            (("stage: Sentry\ncapture: later",), "stages[0].capture", "pays nothing"),
            (("stage: Sentry\nstop_when:",), "stages[0].stop_when", "must be a condition"),
            (("stage: Sentry\nstop_when: [a]",), "stages[0].stop_when", "must be a condition"),
        ],
    )
    def test_a_stage_that_makes_no_sense_is_refused(
        self, stages: tuple[str, ...], path: str, message: str
    ) -> None:
        found = flaw(of(*stages))
        assert found.path == path
        assert message in found.message

    @pytest.mark.parametrize(
        ("text", "path", "message"),
        [
            ("name: x\nstages: [{stage: Sentry}]", "pipeline", "is required"),
            ("pipeline: 1\nstages: [{stage: Sentry}]", "name", "is required"),
            ("pipeline: 1\nname: x", "stages", "is required"),
            ("pipeline: 1\nname: x\nstages: []", "stages", "must be a list"),
            ("pipeline: 1\nname: x\nstages: Sentry", "stages", "must be a list"),
            (of(*["stage: Rules\nrule_set: a"] * 21), "stages", "20 at most"),
            (of("stage: Sentry", head="inputs: [a]\n"), "inputs", "names with types"),
            (of("stage: Sentry", head="inputs: {a: txt}\n"), "inputs.a", "mean text?"),
            (of("stage: Sentry", head="inputs: {a: words}\n"), "inputs.a", "there are number"),
            (of("stage: Sentry", head="inputs: {a: [b]}\n"), "inputs.a", "there are number"),
            (of("stage: Sentry", head="inputs: {a-b: text}\n"), "inputs.a-b", "underscores"),
            (of("stage: PreCheck", head="decided_by: []\n"), "decided_by", "must be a list"),
            (of("stage: PreCheck", head="decided_by: PreCheck\n"), "decided_by", "a list"),
            (of("stage: PreCheck", head="decided_by: [precheck]\n"), "decided_by[0]", "PreCheck?"),
            (of("stage: IdVerify", head="decided_by: [IdVerify]\n"), "decided_by[0]", "no verdict"),
            (of("stage: Sentry", head="decided_by: [Rules]\n"), "decided_by[0]", "no Rules stage"),
            (
                of("stage: PreCheck", head="decided_by: [PreCheck, PreCheck]\n"),
                "decided_by[1]",
                "named twice",
            ),
        ],
    )
    def test_a_head_that_makes_no_sense_is_refused(
        self, text: str, path: str, message: str
    ) -> None:
        found = flaw(text)
        assert found.path == path
        assert message in found.message

    def test_sentry_decides_by_expected_cost_where_it_is_named(self) -> None:
        definition = read(of("stage: Sentry", head="decided_by: [Sentry]\n"))
        assert definition.deciders == ("Sentry",)
        assert "Sentry" not in read(of("stage: Sentry", "stage: PreCheck")).deciders

    @pytest.mark.parametrize("number", ["0", "-1", "1000000", "1.5", "one", "'٣'", "[1]", "''"])
    def test_a_number_is_from_1_to_999999(self, number: str) -> None:
        text = of("stage: Sentry").replace("pipeline: 1", f"pipeline: {number}")
        assert "1 to 999999" in flaw(text).message

    def test_everything_that_is_wrong_is_said_at_once_in_the_order_of_the_file(self) -> None:
        found = flaws(
            "pipeline: many\n"
            "nmae: Test\n"
            "inputs: {level: txt}\n"
            "decided_by: [IdVerify]\n"
            "stages:\n"
            "  - stage: Rules\n"
            "  - stage: Sentri\n"
            "    fee: -1\n"
            "    skip_when: precheck.advice = 'FRAUD'\n"
            "  - stage: PreCheck\n"
            "    skip_when: custom.level = 'gold'\n"
            "    stop_when: precheck.advise <> 'ACCEPT'\n"
            "    on_failure: MAYBE\n"
        )
        assert [each.path for each in found] == [
            "name",
            "pipeline",
            "nmae",
            "inputs.level",
            "decided_by[0]",
            "stages[0].rule_set",
            "stages[1].stage",
            "stages[1].fee",
            "stages[1].skip_when",
            "stages[2].stop_when",
            "stages[2].on_failure",
        ]
        assert [each.line for each in found] == sorted(each.line for each in found)

    def test_one_mistake_does_not_cause_others(self) -> None:
        misspelt = of("stage: Sentri", "stage: PreCheck\nskip_when: sentry.ipScore > 0.9")
        assert flaw(misspelt).path == "stages[0].stage"
        unknown = of("stage: Xylophone", "stage: PreCheck\nskip_when: sentry.ipScore > 0.9")
        assert flaw(unknown).path == "stages[0].stage"
        untyped = of("stage: Sentry\nskip_when: custom.level = 'x'", head="inputs: {level: txt}\n")
        assert flaw(untyped).path == "inputs.level"

    @pytest.mark.parametrize(
        "text",
        [
            of("stage: Sentry").replace("Test", "Shop 4242424242424242"),
            of("stage: '4242424242424242'"),
            of("stage: Rules\nrule_set: '4242 4242 4242 4242'"),
            of("stage: Sentry\n'4242424242424242': 1"),
            of("stage: Sentry", head="inputs: {'4242424242424242': text}\n"),
            of("stage: Sentry", head="decided_by: ['4242424242424242']\n"),
            of("stage: Sentry\nfee: '4242424242424242'"),
        ],
        ids=["name", "stage", "rule set", "key", "input", "decided by", "fee"],
    )
    def test_a_card_number_is_refused_and_never_repeated(self, text: str) -> None:
        found = flaws(text)
        assert not any("42424242" in str(each) for each in found), found

    @pytest.mark.parametrize(
        "text",
        [
            of('stage: "S\\0entry"'),
            of("stage: Sentry").replace("Test", '"a\\x1b[31mb"'),
            of("stage: Sentry").replace("Test", "x" * 5000),
            of(f"stage: {'S' * 5000}"),
            of("stage: Sentry", head="description: " + "word " * 2000 + "\n"),
            of(
                "stage: Sentry",
                head="inputs: {" + ", ".join(f"k{n}: text" for n in range(101)) + "}\n",
            ),
        ],
        ids=["nul", "escape", "long name", "long stage", "long description", "many inputs"],
    )
    def test_strange_texts_are_refused_in_few_words(self, text: str) -> None:
        message = str(flaw(text))
        assert len(message) < 200
        assert message.isprintable()


class TestAccount:
    """What only the account can tell."""

    def test_a_rule_set_that_does_not_exist_is_refused_with_a_guess(self) -> None:
        text = of("stage: Rules\nrule_set: startr")
        read(text)
        found = flaw(text, ACCOUNT)
        assert found.path == "stages[0].rule_set"
        assert (found.line, found.column) == place_of(text, "startr")
        assert "did you mean starter?" in found.message

    def test_a_rule_set_like_no_other_must_be_applied_first(self) -> None:
        found = flaw(of("stage: Rules\nrule_set: zebra"), ACCOUNT)
        assert found.message.endswith("apply it first")
        assert hinted(found.message).endswith("apply it first: gatehouse rules apply")

    def test_an_input_has_one_type_in_the_pipeline_and_its_rule_sets(self) -> None:
        rules = "stage: Rules\nrule_set: vip"
        read(of(rules, head="inputs: {level: text}\n"), ACCOUNT)
        found = flaw(of(rules, head="inputs: {level: number}\n"), ACCOUNT)
        assert found.path == "stages[0].rule_set"
        assert "text in rule set vip, but number in this file" in found.message

    def test_two_rule_sets_agree_about_an_input(self) -> None:
        account = Surroundings({"a": {"x": Type.TEXT}, "b": {"x": Type.NUMBER}}, {})
        found = flaw(of("stage: Rules\nrule_set: a", "stage: Rules\nrule_set: b"), account)
        assert found.path == "stages[1].rule_set"
        assert "custom.x" in found.message

    def test_a_list_must_exist_and_fit(self) -> None:
        def skipping(condition: str) -> str:
            return of(f"stage: Sentry\nskip_when: {condition}")

        read(skipping("user.id IN LIST('good-users')"), ACCOUNT)
        text = skipping("user.id IN LIST('god-users')")
        read(text)
        missing = flaw(text, ACCOUNT)
        assert "did you mean good-users?" in missing.message
        assert (missing.line, missing.column) == place_of(text, "'god-users'")
        unfit = flaw(skipping("user.id IN LIST('bad-bins')"), ACCOUNT)
        assert "needs a list of users" in unfit.message


@pytest.mark.parametrize(
    ("lines", "path"),
    [
        ("decided_by: [PreCheck]\n", "decided_by"),
        ("", "stages[1].on_failure"),
    ],
)
def test_a_payment_that_was_not_made_can_never_be_accepted(lines: str, path: str) -> None:
    failing = "" if lines else "\n    on_failure: CONTINUE"
    text = (
        f"pipeline: 9\nname: x\n{lines}stages:\n  - stage: PreCheck\n  - stage: Gateway{failing}\n"
    )
    with pytest.raises(DocumentRefused) as refused:
        read_pipeline(text.encode())
    assert [flaw.path for flaw in refused.value.flaws] == [path]
