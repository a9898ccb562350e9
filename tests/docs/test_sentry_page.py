"""docs/sentry.md is run as a reader would run it, and what it says of the scorecard is so."""

import re
from pathlib import Path

import pytest

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.scorecard import LARGEST_TOTAL, confidence, load_scorecard, load_sheet
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/sentry.md").read_text()
_CODE = re.compile(r"`([A-Z]+(?:_[A-Z]+)+)`")


def _section(heading: str) -> str:
    """What follows a heading, up to the next of any kind."""
    assert f"\n{heading}\n" in _PAGE
    return _PAGE.partition(f"\n{heading}\n")[2].partition("\n#")[0]


def _fields() -> list[list[str]]:
    """The rows of the table of fields, without its head."""
    table = _PAGE.partition("<!-- examples: fields -->\n")[2].partition("<!-- end of fields -->")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 8
    check_steps(walk, *checkout_at, with_errors=True)


def test_every_signal_stands_with_one_field() -> None:
    named = [code for row in _fields() for code in _CODE.findall(row[2])]
    assert sorted(named) == sorted(BY_CODE)


@pytest.mark.parametrize("row", _fields(), ids=lambda row: row[0])
def test_the_strongest_effects_of_a_field_are_those_of_the_scorecard(row: list[str]) -> None:
    terms = [term for term in load_sheet().terms if term.code in _CODE.findall(row[2])]
    effects = [effect for term in terms for effect in term.effects]
    down, up = min(effects), max(effects)
    expected = [f"{effect:+}" for effect in (down, up) if effect]
    assert row[3].split(", ") == expected


def test_every_code_on_the_page_is_one_of_a_reason() -> None:
    named = {code for code in _CODE.findall(_PAGE) if not code.startswith("GATEHOUSE_")}
    assert named <= {*BY_CODE, *REMARKS}


def test_every_effect_is_told_so_that_reasons_are_complete() -> None:
    sheet = load_sheet()
    effects = {abs(effect) for term in sheet.terms for effect in term.effects}
    assert min(effects - {0.0}) >= sheet.report_from
    assert f"What is below {sheet.report_from} would count" in _PAGE


def test_the_prior_and_the_ends_of_the_scale_are_those_of_the_scorecard() -> None:
    assert load_scorecard().score({}).confidence == pytest.approx(0.60)
    assert "A confidence of 0.60 is odds of 3 to 2 and a log-odds of 0.405." in _PAGE
    assert f"- **It ends at {LARGEST_TOTAL:g}.**" in _PAGE
    assert f"{confidence(-LARGEST_TOTAL):.4f}" == "0.0003"
    assert "nearer to 0 or 1 than 0.0003" in _PAGE


def test_every_kind_of_entity_is_listed() -> None:
    listed = set(re.findall(r"`([a-z_]+)`", _section("## Memory")))
    assert {kind.name.lower() for kind in EntityKind} - {"transaction"} == listed
