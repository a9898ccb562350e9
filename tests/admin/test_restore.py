"""A backup, taken while serving, restored elsewhere: the service answers as before."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from alembic import command

from gatehouse.access.actors import Actor
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.backup.use_cases.backup import write_backup
from gatehouse.admin.backup.use_cases.restore import finish_restore, restore_backup
from gatehouse.admin.installation.queries import count_backlog
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.operations.installation import only_server, open_database
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.database import Database
from gatehouse.store.exclusive import BACKGROUND, exclusive
from gatehouse.store.migrate import alembic_config
from gatehouse.store.people.tables import ONE_TIME_TOKENS, USER_SESSIONS
from tests.databases import Postgres, client_programs
from tests.harness import BODY, Home
from tests.harness.service import call_service

BOB = Actor.operator("bob")
ONCE = {"Idempotency-Key": "restored-1"}
PRODUCTION = {
    "GATEHOUSE_ENVIRONMENT": "production",
    "GATEHOUSE_SECRET_KEY": "gT0cZ1v8mQXr4yJkWb6nPq2sLd9fHa3eUiV7oRxYtCw",
}
# As the first version with people keeps them.
OF_PEOPLE = (
    "INSERT INTO user_sessions (id, hash, user_id, created_at_ms, expires_at_ms, seen_at_ms, "
    "rights, key_version, sealed) "
    "VALUES ('ses_1', 'h', 'usr_1', 0, 9000000000000, 0, 0, 1, :sealed)",
    "INSERT INTO one_time_tokens (hash, kind, user_id, expires_at_ms, key_version, sealed) "
    "VALUES ('h', 'invite', 'usr_1', 9000000000000, 1, :sealed)",
)


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client programs that fit the server of the tests come first."""
    monkeypatch.setenv("PATH", f"{client_programs()}{os.pathsep}{os.environ['PATH']}")


def _settings(home: Home) -> Settings:
    return load_settings(home.environ())


def _precheck(home: Home, key: str, then: Callable[[], object] = lambda: None) -> Any:
    """The answer to one request, and what its record says, while something else is done."""
    answers: list[Any] = []

    async def scenario(client: httpx.AsyncClient) -> None:
        answer = await client.post("/api/v1/precheck", json=BODY, headers=ONCE)
        then()
        record = await client.get(f"/api/v1/decisions/{answer.json()['requestId']}")
        answers.extend([answer.text, record.json()["decisionResponse"]])

    call_service(home, key, scenario)
    return answers


@pytest.fixture
def elsewhere(home: Home, tmp_path: Path, request: pytest.FixtureRequest) -> Home:
    """A home without any data on the same kind of database, with the same root secret."""
    other = Home(tmp_path / "elsewhere")
    if home.database_url:
        postgres: Postgres = request.getfixturevalue("postgres")
        other.database_url = postgres.empty()
    return other


def _bring_secret(home: Home, other: Home) -> None:
    other.path.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(home.path / "root-secret", other.path)


def test_a_restored_service_answers_the_same(home: Home, elsewhere: Home, tmp_path: Path) -> None:
    key, copy = home.key(home.account("1")), tmp_path / "copy"
    connectors = tmp_path / "connectors.yaml"
    connectors.write_text("connectors: {a: {kind: sandbox}}\nroutes: {precheck: [{use: [a]}]}\n")
    home.ok("connectors", "apply", str(connectors))
    before = _precheck(home, key, lambda: write_backup(_settings(home), BOB, copy))
    with home.session() as session, session.reading() as connection:
        assert count_backlog(connection, 0).last_backup_ms is not None
    with pytest.raises(SettingsError, match="root secret of the backup is needed"):
        restore_backup(_settings(elsewhere), BOB, copy, replace=False)
    _bring_secret(home, elsewhere)
    done = elsewhere.ok("restore", str(copy), "--json").json
    assert done["kept"] is None
    assert {name: done["proof"][name] for name in ("accounts", "decisions")} == {
        "accounts": 1,
        "decisions": 1,
    }
    assert _precheck(elsewhere, key) == before
    assert elsewhere.ok("connectors", "show").out == connectors.read_text()
    with elsewhere.session(BOB) as session:
        assert audit_log.lines(session, None, 1)[0].action == "restore"
        assert audit_log.verify(session, [done["proof"]["auditHead"]]).problems == []


def test_data_that_is_there_is_replaced_only_with_consent_and_kept(
    home: Home, elsewhere: Home, tmp_path: Path
) -> None:
    account, copy = home.account("1"), tmp_path / "copy"
    write_backup(_settings(home), BOB, copy)
    _bring_secret(home, elsewhere)
    other = elsewhere.account("2")
    with pytest.raises(Conflict, match="--replace"):
        restore_backup(_settings(elsewhere), BOB, copy, replace=False)
    assert elsewhere.balance(other) == 2
    done = restore_backup(_settings(elsewhere), BOB, copy, replace=True)
    assert elsewhere.balance(account) == 1
    assert elsewhere.run("accounts", "show", other).code == 3
    if home.database_url:
        query = f"SELECT id FROM {str(done.kept).removeprefix('schema ')}.accounts"
        database = open_database(_settings(elsewhere))
        with database.reading() as connection:
            assert connection.scalars(sa.text(query)).all() == [other]
        database.dispose()
    else:
        kept = Home(elsewhere.path, f"sqlite:///{done.kept}")
        assert kept.balance(other) == 2


def test_a_backup_that_does_not_hold_together_changes_nothing(
    home: Home, elsewhere: Home, tmp_path: Path
) -> None:
    account, copy = home.account("1"), tmp_path / "copy"
    database = open_database(_settings(home))
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE accounts SET balance = balance + 1"))
    database.dispose()
    write_backup(_settings(home), BOB, copy)
    _bring_secret(home, elsewhere)
    with pytest.raises(Conflict, match=f"does not hold together: {account}"):
        restore_backup(_settings(elsewhere), BOB, copy, replace=False)
    other = elsewhere.account("2")
    with pytest.raises(Conflict, match="does not hold together"):
        restore_backup(_settings(elsewhere), BOB, copy, replace=True)
    assert elsewhere.balance(other) == 2
    assert elsewhere.ok("ledger", "verify", "--json").json["problems"] == []


def test_data_that_others_loaded_is_proven_and_its_links_no_longer_work(
    tmp_path: Path, new_database: Callable[[], str], postgres: Postgres
) -> None:
    home = Home(tmp_path / "home", new_database())
    elsewhere = Home(tmp_path / "elsewhere", postgres.empty())
    account, copy = home.account("1"), tmp_path / "copy"
    home.ok("users", "invite", "ada@ops.example", "--operator")
    write_backup(_settings(home), BOB, copy)
    _bring_secret(home, elsewhere)
    _load(copy, elsewhere)
    done = elsewhere.ok("restore", "--loaded", "--json").json
    assert (done["kept"], done["proof"]["accounts"]) == (None, 1)
    assert elsewhere.balance(account) == 1
    _assert_finished(elsewhere)


def _assert_finished(home: Home) -> None:
    """What a restore does after loading was done: no session or link works, and a line tells."""
    with home.session(BOB) as session:
        assert audit_log.lines(session, None, 1)[0].action == "restore"
        with session.database.reading() as connection:
            for table in (USER_SESSIONS, ONE_TIME_TOKENS):
                assert connection.execute(sa.select(table)).all() == []


def test_data_that_others_loaded_and_that_does_not_hold_together_is_refused(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    home = Home(tmp_path / "home", new_database())
    home.account("1")
    database = open_database(_settings(home))
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE accounts SET balance = balance + 1"))
    database.dispose()
    with pytest.raises(Conflict, match="does not hold together"):
        finish_restore(_settings(home), BOB)


def _load(file: Path, home: Home) -> None:
    """As the operations page does it in containers: with PostgreSQL's program alone."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    program, target = client_programs() / "pg_restore", f"--dbname={home.database_url}"
    subprocess.run([program, *options, target, file], check=True)


def test_a_restore_is_of_a_file_or_of_what_was_loaded(sqlite_home: Home) -> None:
    for words in ([], ["file", "--loaded"], ["--loaded", "--replace"]):
        said = sqlite_home.run("restore", *words)
        assert said.code == 4
        assert "either the FILE of a backup or --loaded" in said.err


def test_data_that_is_not_there_is_not_taken_for_loaded(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", f"sqlite:///{tmp_path}/missing.db", PRODUCTION)
    said = home.run("restore", "--loaded")
    assert said.code == 3
    assert "missing.db is not there" in said.err
    assert not (tmp_path / "missing.db").exists()


def test_a_backup_needs_its_own_root_secret(home: Home, elsewhere: Home, tmp_path: Path) -> None:
    home.account("1")
    copy = tmp_path / "copy"
    write_backup(_settings(home), BOB, copy)
    elsewhere.settings["GATEHOUSE_SECRET_KEY"] = "another secret than that of the backup"
    with pytest.raises(SettingsError, match="not the one this database was made with"):
        restore_backup(_settings(elsewhere), BOB, copy, replace=False)


def test_nothing_is_restored_while_a_server_runs(sqlite_home: Home, tmp_path: Path) -> None:
    sqlite_home.account("1")
    settings, copy = _settings(sqlite_home), tmp_path / "copy"
    write_backup(settings, BOB, copy)
    database = open_database(settings)
    with only_server(database), pytest.raises(Conflict, match="a server is already serving"):
        restore_backup(settings, BOB, copy, replace=True)


def test_a_restore_waits_for_the_process_beside_a_killed_server(
    sqlite_home: Home, tmp_path: Path
) -> None:
    sqlite_home.account("1")
    settings, copy = _settings(sqlite_home), tmp_path / "copy"
    write_backup(settings, BOB, copy)
    database = open_database(settings)
    with ThreadPoolExecutor() as pool:
        with exclusive(database, BACKGROUND):
            restoring = pool.submit(restore_backup, settings, BOB, copy, replace=True)
            with pytest.raises(TimeoutError):
                restoring.result(0.2)
        assert restoring.result().kept is not None


def test_nothing_is_restored_while_others_are_connected(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    home = Home(tmp_path / "home", new_database())
    home.account("1")
    settings, copy = _settings(home), tmp_path / "copy"
    write_backup(settings, BOB, copy)
    other = open_database(settings)
    with other.reading(), pytest.raises(Conflict, match="1 other connections"):
        restore_backup(settings, BOB, copy, replace=True)
    other.dispose()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello", "is not a backup"),
        (b"", "is not a backup"),
        (b"PGDMP\x01", "is a backup of PostgreSQL"),
        (b"SQLite format 3\0" + b"x" * 5000, "did not pass its check"),
    ],
)
def test_what_is_no_backup_is_refused(
    sqlite_home: Home, tmp_path: Path, content: bytes, says: str
) -> None:
    sqlite_home.account("1")
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises((InvalidInput, Conflict), match=says):
        restore_backup(_settings(sqlite_home), BOB, file, replace=True)
    assert sqlite_home.ok("accounts", "list", "--json").json != []


def test_another_program_s_database_is_refused(sqlite_home: Home, tmp_path: Path) -> None:
    sqlite_home.account("1")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE accounts (id)")
    other.close()
    with pytest.raises(InvalidInput, match="not a backup of Gatehouse"):
        restore_backup(_settings(sqlite_home), BOB, tmp_path / "other.db", replace=True)


def _older(file: Path, revision: str) -> Path:
    """A database as a version with that revision made it."""
    database = Database(f"sqlite:///{file}", timeout_ms=5000)
    with database.writing() as connection:
        command.upgrade(alembic_config(connection), "0005")
        connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    database.dispose()
    return file


def test_an_earlier_backup_waits_for_its_migration_in_production(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", settings=PRODUCTION)
    later = _older(tmp_path / "later.db", "9999")
    with pytest.raises(SettingsError, match="revision 9999, which this version does not know"):
        restore_backup(_settings(home), BOB, later, replace=False)
    done = home.ok("restore", str(_older(tmp_path / "older.db", "0005")))
    assert "run: gatehouse migrate" in done.out
    home.ok("migrate")
    assert home.ok("accounts", "list", "--json").json == []
    again = home.ok("backup", str(tmp_path / "now.db"), "--json").json["file"]
    assert "all agree" in home.ok("restore", again, "--replace").out


@pytest.fixture
def earlier(empty_home: Home) -> Home:
    """Data of an earlier version in production, with a session and a link of somebody."""
    empty_home.path.mkdir(mode=0o700)
    empty_home.settings |= PRODUCTION
    database = open_database(_settings(empty_home))
    with database.writing() as connection:
        command.upgrade(alembic_config(connection), "0018")
        for opened in OF_PEOPLE:
            connection.execute(sa.text(opened), {"sealed": b"sealed"})
    database.dispose()
    return empty_home


def _follow(home: Home, said: str) -> None:
    """Run the commands that a message names."""
    commands = [found.split() for found in re.findall(r"\bgatehouse ([a-z -]+)", said)]
    assert commands[0] == ["migrate"]
    for words in commands:
        home.ok(*words)


def test_sessions_and_links_of_an_earlier_backup_end_with_the_commands_that_a_restore_names(
    earlier: Home, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    write_backup(_settings(earlier), BOB, copy)
    done = earlier.ok("restore", str(copy), "--replace")
    assert "an earlier version, not proven yet" in done.out
    _follow(earlier, done.out)
    _assert_finished(earlier)


def test_loaded_data_of_an_earlier_version_is_refused_until_it_was_migrated(earlier: Home) -> None:
    said = earlier.run("restore", "--loaded")
    assert said.code == 4
    assert "is of an earlier version, revision 0018" in said.err
    _follow(earlier, said.err)
    _assert_finished(earlier)


def test_a_missing_backup_is_named_and_a_key_may_not_restore(
    sqlite_home: Home, tmp_path: Path
) -> None:
    settings = _settings(sqlite_home)
    with pytest.raises(NotFound, match="No such file"):
        restore_backup(settings, BOB, tmp_path / "missing", replace=False)
    with pytest.raises(NotFound, match="only for operators"):
        restore_backup(settings, Actor.key("key_1", "acct_1"), tmp_path / "x", replace=False)
