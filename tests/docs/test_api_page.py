"""The commands of docs/api.md are run as a reader would run them."""

from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server


def test_the_guide_shows_what_the_service_answers(checkout_at: tuple[Path, Server]) -> None:
    shown = list(steps((ROOT / "docs/api.md").read_text()))
    assert len(shown) == 5
    check_steps(shown, *checkout_at, with_errors=False)
