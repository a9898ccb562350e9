"""README and tour are run as a reader would run them, and must print what the pages show."""

import re
from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_README = (ROOT / "README.md").read_text()
_TOUR = (ROOT / "docs/tour.md").read_text()


def test_the_first_look_prints_what_the_readme_shows(checkout_at: tuple[Path, Server]) -> None:
    look = list(steps(_README))
    assert len(look) == 2
    check_steps(look, *checkout_at, with_errors=False)


def test_the_readme_is_short() -> None:
    assert _README.count("\n") < 150


def test_the_readme_shows_a_small_picture_of_the_console() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", _README)
    assert pictures
    assert all((ROOT / each).stat().st_size < 200_000 for each in pictures)


def test_the_tour_prints_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    tour = list(steps(_TOUR))
    assert len(tour) >= 10
    check_steps(tour, *checkout_at, with_errors=False)


def test_the_tour_covers_every_function_of_the_service() -> None:
    commands = "\n".join(step.command for step in steps(_TOUR))
    for promised in (
        "/api/v1/precheck",
        "/api/v1/idverify",
        "/api/v1/sentry",
        "/api/v1/pipeline",
        "rules apply",
        "/api/v1/decisions/",
        "Idempotency-Key",
        "balance show",
        "accounts create",
        "keys issue",
        "ledger verify",
        "gatehouse sandbox",
        "gatehouse doctor",
    ):
        assert promised in commands


def test_the_tour_ends_with_a_pipeline_that_the_reader_has_just_changed() -> None:
    changed, called = list(steps(_TOUR))[-2:]
    assert "rules apply" in changed.command
    assert "/api/v1/pipeline" in called.command
