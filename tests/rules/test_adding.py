"""A rule is added to a document as its author would have written it."""

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.adding import NewRule, with_rule
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.starter import starter_document

RULE = NewRule("far", "ip.country = 'GB'\nAND ip.tor", Outcome.DECLINE, 'It\'s "far": away', True)
ONE = "  - name: a\n    condition: ip.tor\n    outcome: REVIEW\n"
DOCUMENTS = {
    "usual": f"rule_set: x\n# kept\nrules:\n{ONE}",
    "no-indent": "rule_set: x\nrules:\n- {name: a, condition: ip.tor, outcome: REVIEW}\n\n\n",
    "rules-first": f"rules:\n{ONE}\nrule_set: x\ndescription: last\n",
    "empty": "rule_set: x\nrules: []\n",
    "starter": starter_document(),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_rule_comes_last_and_the_rest_stays(document: str) -> None:
    before = read_rule_set(document.encode())
    changed = with_rule(document, RULE)
    after = read_rule_set(changed.encode())
    assert after.rules[:-1] == before.rules
    last = after.rules[-1]
    assert (last.name, last.outcome, last.shadow) == ("far", Outcome.DECLINE, True)
    assert last.description == RULE.description
    assert last.condition.text.strip() == RULE.condition
    assert "# kept" in changed or "# kept" not in document


@pytest.mark.parametrize(
    "document", ["rule_set: x\nrules: [{name: a, condition: ip.tor, outcome: REVIEW}]\n"]
)
def test_a_document_in_which_there_is_no_place_is_refused(document: str) -> None:
    with pytest.raises(InvalidInput):
        with_rule(document, RULE)


def test_a_name_cannot_smuggle_anything_in() -> None:
    rule = NewRule("x\n    final: true", "ip.tor", Outcome.ACCEPT)
    with pytest.raises(InvalidInput):
        with_rule(DOCUMENTS["usual"], rule)
