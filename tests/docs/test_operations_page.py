"""The drills of operators are run as an operator would run them."""

from pathlib import Path

import pytest

from tests.databases import Postgres
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell, checkout
from tests.harness import precheck, sandbox_key

_DRILLS = {
    "Make one and try it": "docs/backup.md",
    "From SQLite to PostgreSQL": "docs/operations.md",
}


def _section(title: str) -> str:
    page = (ROOT / _DRILLS[title]).read_text()
    start = page.index(f"# {title}\n")
    return page[start : page.index("\n## ", start)]


@pytest.mark.parametrize("title", _DRILLS)
def test_a_drill_prints_what_the_page_shows(title: str, tmp_path: Path, postgres: Postgres) -> None:
    with checkout(tmp_path) as server, server.client(sandbox_key(server.home)) as client:
        precheck(client)
    environ = {k: v for k, v in server.home.environ().items() if not k.startswith("GATEHOUSE_")}
    drill = list(steps(_section(title)))
    assert len(drill) >= 2
    environ["NEW_DATABASE"] = postgres.empty()
    check_in_shell(drill, tmp_path, environ, with_errors=True)
