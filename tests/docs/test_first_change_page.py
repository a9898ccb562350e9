"""The page about a first change is run in a copy of the checkout, and must print what it shows."""

import os
import shutil
import sys
from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell

_PAGE = (ROOT / "docs/first-change.md").read_text()


def test_the_first_change_works_as_the_page_shows(tmp_path: Path) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) == 4
    large = shutil.ignore_patterns("*.xz", "*.gz")
    for folder in ("src", "tests", "scripts"):
        # With what is compiled already, which takes longer than all the rest.
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=large)
    for packed in (ROOT / "src").rglob("*.[xg]z"):
        (tmp_path / packed.relative_to(ROOT)).symlink_to(packed)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    clean = {name: value for name, value in os.environ.items() if "GATEHOUSE_" not in name}
    # The reader's checkout is installed in its environment; this copy is not.
    environ = {**clean, "PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    check_in_shell(walk, tmp_path, environ, with_errors=True)
