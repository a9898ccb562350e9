"""A drill of the operations page: PostgreSQL and the shared memory brought back to a moment."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.databases import client_programs
from tests.docs.pages import ROOT, blocks
from tests.harness import VISIT, Home, sentry, until
from tests.resilience.archived_postgres import QUICK, serve_folder

_SECTION = (
    (ROOT / "docs/operations.md")
    .read_text()
    .partition("### To a point in time\n")[2]
    .partition("\n## ")[0]
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can enter."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-drill-") as name:
        path = Path(name)
        path.chmod(0o755)
        (path / "archive").mkdir(mode=0o777)
        (path / "archive").chmod(0o777)
        yield path


def _settings(number: int, folder: Path, **changed: str) -> str:
    """A block of settings of the page, with the archive of this test."""
    text = [
        one.text for one in blocks(re.sub("^ +", "", _SECTION, flags=re.M)) if one.kind == "ini"
    ]
    found = text[number].replace("/archive/", f"{folder}/archive/")
    for name, value in changed.items():
        found, count = re.subn(rf"{name} = .*", f"{name} = '{value}'", found)
        assert count == 1
    return found


def _scalar(url: str, query: str) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        [value] = connection.execute(query).fetchone() or [None]
        return value


def _state(home: Home, account: str, url: str) -> dict[str, Any]:
    """What must be the same afterwards."""
    return {
        "balance": home.balance(account),
        "decisions": _scalar(url, "SELECT count(*) FROM decisions"),
        "ledger": _scalar(url, "SELECT count(*) FROM ledger_entries"),
        "audit": home.ok("audit", "head", "--json").json,
    }


def _back_up(uri: str, base: Path) -> None:
    program = str(client_programs() / "pg_basebackup")
    options = [f"--pgdata={base}", "--checkpoint=fast", f"--dbname={uri}"]
    subprocess.run([program, *options], check=True)


def _order(client: httpx.Client, transaction: str) -> None:
    event = {"type": "PURCHASE", "transactionId": transaction}
    assert sentry(client, {**VISIT, "event": event}).status_code == 200


def test_the_database_is_as_it_was_at_a_moment_and_the_memory_is_rebuilt(
    folder: Path, tmp_path: Path, valkey: str
) -> None:
    home = Home(tmp_path / "home", settings={"GATEHOUSE_MEMORY_URL": valkey})
    with serve_folder(folder / "primary", QUICK + _settings(0, folder)) as uri:
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute("CREATE DATABASE gatehouse")
        url = home.database_url = uri.replace("/postgres?", "/gatehouse?")
        with home.server() as server:
            account = home.account("10")
            with server.client(home.key(account)) as client:
                _order(client, "first")
                _back_up(uri, folder / "base")
                for number in range(3):
                    _order(client, f"before-{number}")
                noted = _state(home, account, url)
                moment = _scalar(url, "SELECT clock_timestamp()::text")
                until(lambda: _scalar(url, f"SELECT clock_timestamp() > '{moment}'"))
                for number in range(2):
                    _order(client, f"after-{number}")
            home.account("77")
        assert _state(home, account, url) != noted
        last = _scalar(url, "SELECT pg_walfile_name(pg_switch_wal())")
        until((folder / "archive" / last).exists)

    restored = folder / "restored"
    shutil.copytree(folder / "base", restored)
    (restored / "recovery.signal").touch()
    owner = (folder / "primary").stat()
    for path in (restored, *restored.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)
    restored.chmod(0o700)
    recovery = _settings(1, folder, recovery_target_time=moment) + "\narchive_mode = off\n"
    with serve_folder(restored, recovery) as uri:
        url = home.database_url = uri.replace("/postgres?", "/gatehouse?")
        until(lambda: not _scalar(url, "SELECT pg_is_in_recovery()"))
        assert "the ledger is right" in home.ok("ledger", "verify").out
        assert _state(home, account, url) == noted
        home.ok("audit", "verify", "--expect", noted["audit"]["head"])
        rebuilt = home.ok("sentry", "rebuild", "--json").json
        assert rebuilt["events"] == noted["decisions"]
