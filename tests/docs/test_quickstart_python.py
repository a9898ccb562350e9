"""The quick start in Python is run as a reader would run it, and prints what the page shows."""

from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server, free_port

_PAGE = (ROOT / "docs/quickstart-python.md").read_text()


def test_the_quick_start_goes_from_nothing_to_a_rule(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE.replace("127.0.0.1:9000", f"127.0.0.1:{(port := free_port())}")
                      .replace('("127.0.0.1", 9000)', f'("127.0.0.1", {port})')))  # fmt: skip
    assert len(walk) == 12
    check_steps(walk, *checkout_at, with_errors=True)
