"""docs/explanations.md is run as a reader would run it, and its limits are those of the code."""

from pathlib import Path

from gatehouse.explanations.explain import MOST_REASONS
from gatehouse.explanations.explanation import ExplainedChange, ExplainedReason, Explanation
from gatehouse.explanations.search import MOST_JUDGEMENTS, MOST_SINGLE
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps, checkout

_PAGE = (ROOT / "docs/explanations.md").read_text()


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    with checkout(tmp_path) as server:
        check_steps(list(steps(_PAGE)), tmp_path, server, with_errors=True)


def test_every_field_and_every_limit_is_told() -> None:
    for kind in (Explanation, ExplainedReason, ExplainedChange):
        assert all(f"`{name}`" in _PAGE for name in kind.__struct_fields__)
    limits = f"{MOST_SINGLE} single changes and {MOST_JUDGEMENTS:,} judgements"
    assert limits in _PAGE
    assert f"At most {MOST_REASONS} reasons" in _PAGE
