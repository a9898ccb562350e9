"""docs/outcomes.md is run as a reader would run it, and names what there is."""

from pathlib import Path

from gatehouse.admin.acquirer_files.types.mapping import SHIPPED
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell
from tests.forkserver import fork_server
from tests.harness import Home

_PAGE = (ROOT / "docs/outcomes.md").read_text()


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    command = tmp_path / ".venv/bin/gatehouse"
    command.parent.mkdir(parents=True)
    command.symlink_to(fork_server().launcher)
    environ = Home(tmp_path / ".gatehouse").migrated().environ()
    walk = list(steps(_PAGE))
    assert len(walk) == 4
    check_in_shell(walk, tmp_path, environ, with_errors=True)


def test_every_kind_and_mapping_is_told() -> None:
    names = (*OutcomeKind, *SHIPPED)
    assert [name for name in names if f"`{name}`" not in _PAGE] == []
