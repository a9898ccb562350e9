"""docs/rules.md is run as a reader would run it, and its limits and words are those of the code."""

import re
from pathlib import Path

import pytest

from gatehouse.conditions.catalogue import LIST_KINDS, SIGNALS
from gatehouse.conditions.check import MOST_WILDCARDS
from gatehouse.conditions.parse import DEEPEST_CONDITION, LONGEST_CONDITION, MOST_NODES
from gatehouse.conditions.signatures import SIGNATURES
from gatehouse.core.documents.reading import LARGEST_DOCUMENT, load_document
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.authoring import (
    LONGEST_DESCRIPTION,
    MOST_INPUTS,
    MOST_TAGS,
    list_problems,
    read_rule_set,
)
from gatehouse.rules.ruleset import MOST_RULES
from gatehouse.rules.starter import STARTER_LISTS, starter_document
from gatehouse.store.configured.list_plans import LONGEST_REASON, MOST_ENTRIES
from gatehouse.store.configured.lists import MOST_LISTS
from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/rules.md").read_text()


def _section(heading: str) -> str:
    """What follows a heading, up to the next of the same level."""
    assert f"\n## {heading}\n" in _PAGE
    return _PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 8
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_rule_set_on_the_page_can_be_applied() -> None:
    shown = next(block.text for block in blocks(_PAGE) if block.kind == "yaml")
    rule_set = read_rule_set(shown.encode())
    assert [rule.name for rule in rule_set.rules] == ["staff", "large-first-order", "night"]
    assert list_problems(rule_set, {}) == []


def test_the_limits_are_those_of_the_code() -> None:
    told = [row[1] for row in _rows(_section("Limits"))[2:]]
    assert told == [
        f"{LARGEST_DOCUMENT // 1024} KiB",
        *map(
            str,
            [
                *(MOST_RULES, LONGEST_CONDITION, MOST_NODES, DEEPEST_CONDITION, MOST_WILDCARDS),
                *(MOST_INPUTS, MOST_TAGS, LONGEST_DESCRIPTION),
                *(MOST_LISTS, MOST_ENTRIES, LONGEST_REASON),
            ],
        ),
    ]


def test_every_outcome_is_explained() -> None:
    assert all(f"`{outcome}`" in _section("The words") for outcome in Outcome)


def test_every_function_is_listed_once() -> None:
    calls = [row[0] for row in _rows(_section("Conditions"))]
    named = [call.strip("`").partition("(")[0] for call in calls if re.match(r"`[A-Z_]+\(", call)]
    assert named == list(SIGNATURES)


@pytest.mark.parametrize("kind", LIST_KINDS)
def test_every_kind_of_list_is_listed_and_explained(kind: str) -> None:
    section = _section("Lists")
    assert f"| `{kind}` |" in section
    assert f"**{kind}**" in section


def test_every_rule_of_the_starter_set_is_listed_with_its_outcome() -> None:
    written = load_document(starter_document().encode()).data["rules"]
    listed = {row[0].strip("`"): row for row in _rows(_section("The starter rule set"))}
    assert list(listed)[2:] == [rule["name"] for rule in written]
    for rule in written:
        assert listed[rule["name"]][2].partition(",")[0] == rule["outcome"]
        assert listed[rule["name"]][2].endswith("final") is (rule.get("final") == "true")
        assert listed[rule["name"]][2].endswith("shadow") is (rule.get("shadow") == "true")
    assert all(f"`{one.name}`" in _PAGE for one in STARTER_LISTS)


def test_every_signal_on_the_page_exists() -> None:
    groups = "|".join(dict.fromkeys(info.group for info in SIGNALS.values()))
    told = re.sub(r"```text\n.*?```", "", _PAGE, flags=re.DOTALL)
    named = set(re.findall(rf"(?<![\w./-])(?:{groups})\.[a-zA-Z_.0-9]*\w", told))
    assert "order.amount" in named
    assert named - set(SIGNALS) == {"ip.contry"}
