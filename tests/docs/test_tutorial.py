"""The tutorial about rules is run from beginning to end, and must print what the page shows."""

from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/tutorial-rules.md").read_text()


def test_the_tutorial_prints_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 9
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_tutorial_goes_all_the_way() -> None:
    commands = "\n".join(step.command for step in steps(_PAGE))
    promised = (
        *("rules show", "rules check", "rules test", "rules backtest", "rules apply"),
        *("reviews resolve", "rules history", "rules rollback", "/api/v1/pipeline"),
    )
    places = [commands.find(each) for each in promised]
    assert min(places) >= 0
