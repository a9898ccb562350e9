"""The commands of the page of backups that back up and restore in containers, run without them."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.databases import QUICK, client_programs, serve_folder
from tests.docs.pages import ROOT, blocks
from tests.forkserver import fork_server
from tests.harness import PATIENCE_S, Home

_SECTION: Final = (
    (ROOT / "docs/backup.md").read_text().partition("## In containers\n")[2].partition("\n## ")[0]
)
_DOCKER: Final = """#!/bin/sh
# Stands for docker: the programs of a container are run here.
set -eu
[ "$1" = compose ]
shift
case "$1 $2" in
"exec -T") [ "$3" = postgres ] && shift 3 && exec "$@" ;;
"run --rm") [ "$3 $4" = "--no-deps migrate" ] && shift 4 && exec "$GATEHOUSE" "$@" ;;
"stop proxy" | "up --detach") ;;
*) exit 64 ;;
esac
"""


@pytest.fixture
def server() -> Iterator[Any]:
    """A PostgreSQL with the user and the database of the compose file."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-containers-") as name:
        Path(name).chmod(0o755)
        with serve_folder(Path(name) / "data", QUICK) as started:
            with psycopg.connect(started.get_uri(), autocommit=True) as connection:
                connection.execute("CREATE ROLE gatehouse SUPERUSER LOGIN")
                connection.execute("CREATE DATABASE gatehouse OWNER gatehouse")
            yield started


class Page:
    """Runs what the page shows, with a program in the place of docker."""

    def __init__(self, folder: Path, home: Home, uri: str) -> None:
        self._folder = folder
        (folder / "bin").mkdir()
        (folder / "bin/docker").write_text(_DOCKER)
        (folder / "bin/docker").chmod(0o755)
        given = psycopg.conninfo.conninfo_to_dict(uri)
        address = {
            f"PG{name.upper()}": str(given[name]) for name in ("host", "port") if name in given
        }
        path = os.pathsep.join([str(folder / "bin"), str(client_programs()), os.environ["PATH"]])
        self._environ = home.environ(PATH=path, GATEHOUSE=str(fork_server().launcher), **address)
        self.commands = [
            [line.removeprefix("$ ") for line in block.text.splitlines()]
            for block in blocks(_SECTION)
            if block.kind == "console"
        ]

    def run(self, command: str) -> int:
        """Run a line; its exit code."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self._folder,
            env=self._environ,
            timeout=PATIENCE_S,
            check=False,
        )
        return done.returncode


def test_a_dump_of_a_container_is_restored_and_what_was_there_can_come_back(
    server: Any, tmp_path: Path, valkey: str
) -> None:
    home = Home(tmp_path / "home", settings={"GATEHOUSE_MEMORY_URL": valkey})
    home.database_url = server.get_uri().replace("/postgres?", "/gatehouse?")
    home.ok("migrate")
    account = home.account("5")
    page = Page(tmp_path, home, server.get_uri())
    [dump], restore, back = page.commands
    assert page.run(dump) == 0
    later = home.account("7")
    assert [page.run(line) for line in restore] == [0] * len(restore)
    assert home.balance(account) == 5
    assert home.run("accounts", "show", later).code == 3
    actions = [line["action"] for line in home.ok("audit", "show", "--json").json]
    assert "restore" in actions
    assert [page.run(line) for line in back] == [0]
    assert home.balance(later) == 7
