"""One rule of a document is changed, and the rest stays as its author wrote it."""

from itertools import cycle

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.changing import RuleChange, with_changed_rule
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.ruleset import RuleState, decode_program, encode_program
from gatehouse.rules.starter import starter_document

DOCUMENT = """\
rule_set: x
rules:
  # The first one.
  - name: a
    condition: |
      ip.tor
      AND ip.vpn
    # Why it reviews.
    outcome: REVIEW

  - outcome: DECLINE
    shadow: true
    name: b
    condition: ip.vpn
- """.removesuffix("- ")


def test_every_rule_of_the_starter_set_can_be_switched_and_back() -> None:
    document = changed = starter_document()
    before = read_rule_set(document.encode())
    wanted = {rule.name: rule.state for rule in before.rules}
    for rule, state in zip(before.rules, cycle(RuleState), strict=False):
        if rule.final:
            with pytest.raises(InvalidInput, match="final"):
                with_changed_rule(changed, rule.name, RuleChange(RuleState.SHADOW))
        else:
            changed = with_changed_rule(changed, rule.name, RuleChange(state))
            wanted[rule.name] = state
    now = {rule.name: rule.state for rule in read_rule_set(changed.encode()).rules}
    assert now == wanted
    assert set(now.values()) == set(RuleState)
    for rule in before.rules:
        changed = with_changed_rule(changed, rule.name, RuleChange(rule.state))
    assert read_rule_set(changed.encode()) == before
    assert [line for line in document.splitlines() if line not in changed.splitlines()] == []


def test_only_the_lines_of_what_changes_are_written_anew() -> None:
    change = RuleChange(RuleState.OFF, "ip.tor\nOR ip.vpn", Outcome.ACCEPT, 'it\'s "x": # no')
    changed = with_changed_rule(DOCUMENT, "b", change)
    assert changed.partition("  - outcome")[0] == DOCUMENT.partition("  - outcome")[0]
    found = read_rule_set(changed.encode()).rules[1]
    assert (found.state, found.outcome) == (RuleState.OFF, Outcome.ACCEPT)
    assert (found.condition.text.strip(), found.description) == (
        change.condition,
        'it\'s "x": # no',
    )
    watched = with_changed_rule(DOCUMENT, "a", RuleChange(RuleState.SHADOW))
    assert "    # Why it reviews.\n    outcome: REVIEW\n    shadow: true\n\n" in watched


@pytest.mark.parametrize(
    "document",
    [
        "rule_set: x\nrules:\n- {name: a, condition: ip.tor, outcome: REVIEW}\n",
        "rule_set: x\nrules: [{name: a, condition: ip.tor, outcome: REVIEW}]\n",
    ],
)
def test_what_cannot_be_changed_safely_is_left_to_a_person(document: str) -> None:
    with pytest.raises(InvalidInput, match="change it in the text"):
        with_changed_rule(document, "a", RuleChange(RuleState.OFF))


def test_a_condition_cannot_smuggle_anything_in() -> None:
    change = RuleChange(condition="ip.tor\n    outcome: ACCEPT")
    with pytest.raises(InvalidInput):
        with_changed_rule(DOCUMENT, "a", change)


def test_a_rule_that_is_off_is_not_asked_and_only_watches_on_older_servers() -> None:
    off = with_changed_rule(DOCUMENT, "a", RuleChange(RuleState.OFF))
    kept = decode_program(encode_program(read_rule_set(off.encode())))
    assert (kept.rules[0].shadow, kept.rules[0].final) == (True, False)
    compiled = CompiledRuleSet(kept, 1)
    seen = {"ip.tor": True, "ip.vpn": True}
    judged = compiled.judge(seen, AccountLists({}), 0)
    assert (judged.names, judged.shadow_names) == ([], ["b"])
    assert compiled.matching([0])(seen, AccountLists({}), 0) == []
