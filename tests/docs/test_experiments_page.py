"""docs/experiments.md is run as an analyst would run it."""

from pathlib import Path

from gatehouse.admin.experiments.types.sequential import MeasureVerdict
from gatehouse.pipeline.experiment import ExperimentEnd
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/experiments.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 6
    check_steps(walk, *checkout_at, with_errors=True)


def test_every_end_and_verdict_is_explained() -> None:
    assert all(f"`{each}`" in _PAGE for each in (*ExperimentEnd, *MeasureVerdict))
