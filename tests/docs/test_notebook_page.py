"""docs/notebook.md is run as a reader would run it, and names what the library has."""

import sys
from pathlib import Path

from gatehouse import library
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/notebook.md").read_text()


def test_the_page_goes_from_exported_examples_to_a_promoted_model_and_back(
    checkout_at: tuple[Path, Server],
) -> None:
    folder = checkout_at[0]
    # A link to it would not find its packages.
    python = folder / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    check_steps(list(steps(_PAGE)), *checkout_at, with_errors=True)
    decisions = list(library.read_decisions(folder / "lines"))
    table = library.read_examples(folder / "lines", presumed=False)
    assert len(decisions) == 600
    # Nothing is younger than the delay of labels, so nothing may be learned from yet.
    assert not len(table.rows)
    made, kept = (
        library.read_model(folder / name) for name in ("notebook-model.json", "kept.json")
    )
    assert kept.signature is not None
    assert made.scorecard.terms == kept.scorecard.terms


def test_everything_of_the_library_is_on_the_page() -> None:
    functions = [name for name in library.__all__ if name[0].islower()]
    assert all(f"`{name}(" in _PAGE for name in functions)
