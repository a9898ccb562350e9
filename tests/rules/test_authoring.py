"""Rule sets as people write them: what is read, what is refused, what changed."""

import pytest

from gatehouse.cli.hints import hinted
from gatehouse.conditions.nodes import Type
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules import authoring
from gatehouse.rules.authoring import differences, list_problems, read_rule_set
from tests.rules.written import rules

GOOD = """\
rule_set: mine
description: Only for
  tests.
inputs:
  plan: text
  visits: number
rules:
  - name: gold
    condition: custom.plan = 'gold' AND custom.visits > 3
    outcome: ACCEPT
    final: true
    tags: [vip, vip]
    description: Good  customers.
  - name: far
    condition: |
      ip.country <> card.country
      AND order.amount > 100
    outcome: DENY
"""


def flaws_of(text: str) -> list[str]:
    with pytest.raises(DocumentRefused) as refused:
        read_rule_set(text.encode())
    return str(refused.value).splitlines()


def test_a_file_becomes_a_rule_set() -> None:
    found = read_rule_set(GOOD.encode())
    gold, far = found.rules
    assert (found.name, found.description) == ("mine", "Only for tests.")
    assert found.inputs == {"plan": Type.TEXT, "visits": Type.NUMBER}
    assert (gold.outcome, gold.final, gold.shadow) == (Outcome.ACCEPT, True, False)
    assert (gold.tags, gold.description) == (("vip",), "Good customers.")
    assert gold.condition.signals == ("custom.plan", "custom.visits")
    assert (far.outcome, far.final, far.tags) == (Outcome.DECLINE, False, ())


def test_inputs_that_differ_only_in_capitals_are_refused_where_they_stand() -> None:
    [told] = flaws_of(GOOD.replace("  plan: text\n", "  plan: text\n  PLAN: number\n"))
    assert told == (
        "line 6, column 3: inputs.PLAN: differs from plan only in capitals; give one of them "
        "another name"
    )


def test_countries_and_numbers_keep_their_letters() -> None:
    text = (
        "rule_set: on\nrules:\n  - {name: NO, outcome: REVIEW, tags: [yes, 010], condition: ip.tor}"
    )
    found = read_rule_set(text.encode())
    assert (found.name, found.rules[0].name, found.rules[0].tags) == ("on", "NO", ("yes", "010"))


def test_one_bad_rule_refuses_the_file_and_all_flaws_are_told_with_their_rule() -> None:
    text = """\
rule_set: mine
rules:
  - name: fine
    condition: ip.tor
    outcome: REVIEW
  - name: typo
    condition: |
      order.amount > 5
      AND order.amuont < 9
    outcome: PERHAPS
  - name: fine
    condition: order.amount
    outcome: REVIEW
    finall: true
  - condition: ip.tor
    outcome: REVIEW
  - name: both
    condition: ip.tor
    outcome: REVIEW
    final: true
    shadow: true
  - not a rule
"""
    told = flaws_of(text)
    assert [line.split(": ")[0] for line in told] == [
        "line 9, column 11",
        "line 10, column 14",
        "line 11, column 11",
        "line 12, column 16",
        "line 14, column 5",
        "line 15, column 5",
        "line 21, column 13",
        "line 22, column 5",
    ]
    assert "rules[1].condition: rule typo: " in told[0]
    assert "order.amount" in told[0]
    assert told[1].endswith(
        "rules[1].outcome: rule typo: must be one of ACCEPT, REVIEW, DECLINE (DENY means DECLINE)"
    )
    assert told[2].endswith(
        "rule fine: another rule on line 3 has this name; every rule needs its own"
    )
    assert "rules[2].condition: rule fine: " in told[3]
    assert told[4].endswith("rules[2].finall: rule fine: is not known; did you mean final?")
    assert told[5].endswith("rules[3].name: is required")
    assert "final or shadow, not both" in told[6]
    assert "rules[5]: must be a mapping" in told[7]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules: []", "rule_set: is required"),
        ("rule_set: mine", "rules: is required"),
        ("rule_set: mine\nrules: none", "rules: must be a list"),
        ("rule_set: two words\nrules: []", "rule_set: must be 1 to 64 letters, digits, - and _"),
        ("rule_set: mine\ninputs: {a-b: text}\nrules: []", "inputs.a-b: the key must be 1 to 64"),
        ("rule_set: mine\ninputs: {a: words}\nrules: []", "must be one of number, text, boolean"),
        ("rule_set: mine\nrule: []\nrules: []", "rule: is not known; did you mean rules?"),
        (
            "rule_set: mine\nrules: [{name: a, condition: ip.tor, outcome: REVIEW, tags: [a b]}]",
            "rules[0].tags[0]: rule a: must be a tag of 1 to 64",
        ),
        (
            "rule_set: mine\nrules: [{name: a, condition: '', outcome: REVIEW}]",
            "rules[0].condition: rule a: ",
        ),
        (
            "rule_set: mine\nrules: [{name: a, condition: [ip.tor], outcome: REVIEW}]",
            "rules[0].condition: rule a: must be a single value",
        ),
        (
            "rule_set: mine\nrules: [{name: a, condition: custom.b > 1, outcome: REVIEW}]",
            "rules[0].condition: rule a: ",
        ),
    ],
)
def test_mistakes_are_explained(text: str, says: str) -> None:
    [flaw] = flaws_of(text)
    assert says in flaw


def test_unreadable_inputs_are_not_blamed_on_the_rules() -> None:
    told = flaws_of(GOOD.replace("plan: text", "plan: string"))
    assert told == ["line 5, column 9: inputs.plan: must be one of number, text, boolean"]


def test_too_many_rules_are_refused() -> None:
    line = "  - {{name: r{}, condition: ip.tor, outcome: REVIEW}}"
    lines = "\n".join(line.format(n) for n in range(1001))
    [flaw] = flaws_of(f"rule_set: mine\nrules:\n{lines}\n")
    assert flaw.endswith("rules: must have at most 1000 entries, and has 1001")


def test_a_condition_as_long_as_the_file_may_be_is_refused_at_once() -> None:
    long = " OR ".join(["ip.tor"] * 20_000)
    told = flaws_of(f"rule_set: mine\nrules: [{{name: a, condition: {long}, outcome: REVIEW}}]")
    assert len(told) == 1
    assert "characters" in told[0]


def test_what_changed_is_told_rule_by_rule() -> None:
    old = rules(
        "a REVIEW: order.amount > 1",
        "b REVIEW: order.amount > 2",
        "c REVIEW: ip.tor",
        "d REVIEW: ip.vpn",
    )
    new = rules(
        "c DECLINE final: ip.tor",
        "b REVIEW: order.amount > 3",
        "d REVIEW shadow: ip.vpn",
        "e ACCEPT final: ip.allowed",
        more="description: New\ninputs: {plan: text}",
    )
    assert differences(old, new) == [
        "~ description: (nothing) -> New",
        "+ input plan: text",
        "- a: REVIEW when order.amount > 1",
        "~ c: outcome: REVIEW -> DECLINE",
        "~ c: final: false -> true",
        "~ b: condition: order.amount > 2 -> order.amount > 3",
        "~ d: shadow: false -> true",
        "+ e: ACCEPT final when ip.allowed",
        "~ order of the rules: c, b, d",
    ]
    assert differences(new, new) == []
    assert differences(None, old)[0] == "+ a: REVIEW when order.amount > 1"


def test_layout_is_no_difference_but_a_quoted_space_is() -> None:
    one = rules("a REVIEW: order.amount   > 1 AND order.affiliate = ''x y''")
    two = rules("a REVIEW: order.amount > 1 AND   order.affiliate = ''x y''")
    three = rules("a REVIEW: order.amount > 1 AND order.affiliate = ''x  y''")
    assert differences(one, two) == []
    assert len(differences(two, three)) == 1


def test_lists_must_exist_and_fit() -> None:
    found = rules(
        "a DECLINE: user.id IN LIST(''people'') OR card.bin IN LIST(''people'')",
        "b DECLINE: ip.address NOT IN LIST(''gone'')",
    )
    assert [hinted(each) for each in list_problems(found, {"people": "users"})] == [
        "rule a: list people holds users and cannot be asked about card.bin; it can about user.id",
        "rule b: there is no list gone; make it: gatehouse lists create gone --kind networks",
    ]
    fitting = rules("a DECLINE: user.id IN LIST(''people'')")
    assert list_problems(fitting, {"people": "users"}) == []


def test_limits_are_known() -> None:
    assert (authoring.MOST_TAGS, authoring.MOST_INPUTS) == (10, 100)


def test_a_comment_in_a_folded_condition_takes_nothing_away() -> None:
    text = """\
rule_set: mine
rules:
  - name: far
    condition: >
      ip.vpn  -- a remark
      AND order.amount > 100
    outcome: DENY
"""
    [told] = flaws_of(text)
    assert told.startswith("line 5, column 15: rules[0].condition: rule far: -- would begin")


@pytest.mark.parametrize("key", ["rule_set", "name", "tags"])
def test_a_name_does_not_end_with_a_line_break(key: str) -> None:
    value = {"rule_set": "mine", "name": "far", "tags": "[vip]"} | {
        key: '["vip\\n"]' if key == "tags" else '"far\\n"'
    }
    [told] = flaws_of(
        "rule_set: {rule_set}\n"
        "rules: [{{name: {name}, condition: ip.vpn, outcome: DENY, tags: {tags}}}]".format(**value)
    )
    assert "letters, digits, - and _" in told
