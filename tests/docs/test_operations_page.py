"""The drills of the operations page are run as an operator would run them."""

from pathlib import Path

import pytest

from tests.databases import Postgres
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell, checkout
from tests.harness import precheck, sandbox_key

_PAGE = (ROOT / "docs/operations.md").read_text()


def _section(title: str) -> str:
    start = _PAGE.index(f"# {title}\n")
    return _PAGE[start : _PAGE.index("\n## ", start)]


@pytest.mark.parametrize("title", ["Backup and restore", "From SQLite to PostgreSQL"])
def test_a_drill_prints_what_the_page_shows(title: str, tmp_path: Path, postgres: Postgres) -> None:
    with checkout(tmp_path) as server, server.client(sandbox_key(server.home)) as client:
        precheck(client)
    environ = {k: v for k, v in server.home.environ().items() if not k.startswith("GATEHOUSE_")}
    drill = list(steps(_section(title)))
    assert len(drill) >= 2
    environ["NEW_DATABASE"] = postgres.empty()
    check_in_shell(drill, tmp_path, environ, with_errors=True)
