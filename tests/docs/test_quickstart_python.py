"""The quick start in Python is run as a reader would run it, and prints what the page shows."""

from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps, checkout
from tests.harness import free_port

_PAGE = (ROOT / "docs/quickstart-python.md").read_text()


def test_the_quick_start_goes_from_nothing_to_a_rule_twice_on_a_sandbox_with_a_past(
    tmp_path: Path,
) -> None:
    walk = list(steps(_PAGE.replace("127.0.0.1:9000", f"127.0.0.1:{(port := free_port())}")
                      .replace('("127.0.0.1", 9000)', f'("127.0.0.1", {port})')))  # fmt: skip
    assert len(walk) == 12
    with checkout(tmp_path, past=True) as server:
        check_steps(walk * 2, tmp_path, server, with_errors=True)
