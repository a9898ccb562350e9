"""docs/privacy.md is run as an operator would run it."""

from pathlib import Path

from gatehouse.settings.settings import declarations
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps, checkout

_PAGE = (ROOT / "docs/privacy.md").read_text()


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    with checkout(tmp_path) as server:
        check_steps(list(steps(_PAGE)), tmp_path, server, with_errors=True)


def test_every_setting_of_retention_is_told() -> None:
    names = [name for name, _, _ in declarations() if "_RETENTION_" in name]
    assert len(names) >= 4
    assert all(f"`{name}`" in _PAGE for name in names)
