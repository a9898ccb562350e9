"""A drill of the operations page: PostgreSQL and the shared memory brought back to a moment."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.admin.audit import use_cases as audit_log
from tests.admin.people.signing_in import ADA, Entrance
from tests.databases import QUICK, client_programs, serve_folder
from tests.docs.pages import ROOT, blocks
from tests.harness import VISIT, Home, sentry, until

_SECTION = (
    (ROOT / "docs/backup.md")
    .read_text()
    .partition("## To a point in time\n")[2]
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


def _blocks(kind: str) -> list[str]:
    """What the page shows of a kind, without the indentation of lists."""
    section = re.sub("^ +", "", _SECTION, flags=re.M)
    return [one.text for one in blocks(section) if one.kind == kind]


def _settings(number: int, folder: Path, **changed: str) -> str:
    """A block of settings of the page, with the archive of this test."""
    found = _blocks("ini")[number].replace("/archive/", f"{folder}/archive/")
    for name, value in changed.items():
        found, count = re.subn(rf"{name} = .*", f"{name} = '{value}'", found)
        assert count == 1
    return found


def _commands(number: int) -> list[list[str]]:
    """The commands of Gatehouse in a step of the page."""
    [step] = re.findall(rf"^{number}\. (.*)$", _SECTION, flags=re.M)
    return [words.split() for words in re.findall("`gatehouse (.+?)`", step)]


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


def _prune(folder: Path) -> None:
    """Delete the log from before the base backup, by the command of the page."""
    shown = [text.strip().removeprefix("$ ") for text in _blocks("console")]
    [command] = [text for text in shown if text.startswith("pg_archivecleanup")]
    for given, here in (("/archive", "archive"), ("/backups/monday", "base")):
        command = command.replace(given, str(folder / here))
    archived = {path.name for path in (folder / "archive").iterdir()}
    environ = {**os.environ, "PATH": f"{client_programs()}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", command], env=environ, check=True)
    assert {path.name for path in (folder / "archive").iterdir()} < archived


def _order(client: httpx.Client, transaction: str) -> None:
    event = {"type": "PURCHASE", "transactionId": transaction}
    assert sentry(client, {**VISIT, "event": event}).status_code == 200


def test_the_database_is_as_it_was_at_a_moment_and_the_memory_is_rebuilt(
    folder: Path, tmp_path: Path, valkey: str
) -> None:
    home = Home(tmp_path / "home", settings={"GATEHOUSE_MEMORY_URL": valkey})
    with serve_folder(folder / "primary", QUICK + _settings(0, folder)) as primary:
        uri = primary.get_uri()
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute("CREATE DATABASE gatehouse")
        url = home.database_url = uri.replace("/postgres?", "/gatehouse?")
        with home.server() as server:
            account = home.account("10")
            with home.session() as session:
                token = Entrance(session).person(account).token
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
            # Whoever had the token is out now, and must stay out.
            home.ok("users", "end-sessions", ADA)
        assert _state(home, account, url) != noted
        last = _scalar(url, "SELECT pg_walfile_name(pg_switch_wal())")
        until((folder / "archive" / f"{last}.gz").exists)
        _prune(folder)

    restored = folder / "restored"
    shutil.copytree(folder / "base", restored)
    (restored / "recovery.signal").touch()
    owner = (folder / "primary").stat()
    for path in (restored, *restored.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)
    restored.chmod(0o700)
    recovery = _settings(1, folder, recovery_target_time=moment) + "\narchive_mode = off\n"
    with serve_folder(restored, recovery) as copy:
        url = home.database_url = copy.get_uri().replace("/postgres?", "/gatehouse?")
        until(lambda: not _scalar(url, "SELECT pg_is_in_recovery()"))
        assert _state(home, account, url) == noted
        with home.session() as session:
            assert Entrance(session).visitor(token)
        done = {}
        for words in (*_commands(5), *_commands(6)):
            given = [noted["audit"]["head"] if word == "HEAD" else word for word in words]
            done[" ".join(words[:2])] = home.ok(*given, "--json").json
        assert done["restore --loaded"]["proof"]["decisions"] == noted["decisions"]
        assert done["audit verify"]["problems"] == []
        assert done["sentry rebuild"]["events"] == noted["decisions"]
        with home.session() as session:
            assert Entrance(session).visitor(token) is None
            assert "restore" in {line.action for line in audit_log.lines(session, None, 3)}
        assert _scalar(url, "SELECT count(*) FROM user_sessions") == 0


@pytest.fixture
def archive(folder: Path) -> Callable[[bytes], int]:
    """Archives a file of the log with this content, as PostgreSQL would; the exit code."""
    [command] = re.findall(r"^archive_command = '(.*)'$", _settings(0, folder), flags=re.M)

    def run(content: bytes) -> int:
        (folder / "log").write_bytes(content)
        words = command.replace("%p", str(folder / "log")).replace("%f", "000000010000000000000001")
        return subprocess.run(["sh", "-c", words], check=False).returncode

    return run


def test_a_file_of_the_log_is_archived_whole_and_never_replaced_by_another(
    folder: Path, archive: Callable[[bytes], int]
) -> None:
    # A primary that was ended in the middle left half a file.
    (folder / "archive/000000010000000000000001.part").write_bytes(b"half")
    content = b"log" + bytes(1 << 20)
    assert archive(content) == 0
    [kept] = (folder / "archive").iterdir()
    assert gzip.decompress(kept.read_bytes()) == content
    assert kept.stat().st_size < 10_000
    # It did not hear that it had been archived, and tries again.
    assert archive(content) == 0
    assert archive(b"another log") != 0
    assert gzip.decompress(kept.read_bytes()) == content


def test_a_log_that_cannot_be_kept_is_not_taken_for_archived(
    folder: Path, archive: Callable[[bytes], int]
) -> None:
    (folder / "archive").rmdir()
    assert archive(b"log") != 0


def test_the_compose_file_archives_as_the_page_says() -> None:
    compose = yaml.safe_load((ROOT / "deploy/compose/compose.yaml").read_text())
    given = [
        word.removeprefix("-c").partition("=")
        for word in compose["services"]["postgres"]["command"]
        if word.startswith("-c") and not word.startswith("-cssl")
    ]
    page = [line.partition(" = ") for line in _blocks("ini")[0].splitlines()]
    assert {name: value for name, _, value in given} == {
        name: value.strip("'") for name, _, value in page
    }
