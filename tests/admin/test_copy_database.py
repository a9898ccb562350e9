"""All data copied to another database: every table, proven there, all or nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.backup import queries as copying
from gatehouse.admin.backup.queries import restart_sequences
from gatehouse.admin.backup.use_cases import data_proof
from gatehouse.admin.backup.use_cases.copy_database import CopiedData, copy_database
from gatehouse.admin.backup.use_cases.data_proof import DataProof
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.operations.installation import only_server, open_database
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.columns import key
from gatehouse.store.database import Database
from gatehouse.store.tables import METADATA
from tests.databases import Postgres
from tests.harness import AMELIA, BODY, PURCHASE, Home
from tests.harness.service import call_service

BOB = Actor.operator("bob")
CONNECTORS = "connectors: {here: {kind: sandbox}}\nroutes: {precheck: [{use: [here]}]}\n"
PERSON = '{"cardNumber":"4242424242424242","emails":["ada@example.com"]}\n'


def _settings(home: Home) -> Settings:
    return load_settings(home.environ())


def _copy(home: Home, url: str) -> CopiedData:
    return copy_database(_settings(home), BOB, url, lambda *_: None)


def _answers(home: Home, key_text: str) -> list[Any]:
    found: list[Any] = []

    async def scenario(client: httpx.AsyncClient) -> None:
        for path, body in (("precheck", BODY), ("idverify", AMELIA), ("pipeline", PURCHASE)):
            once = {"Idempotency-Key": f"copied-{path}"}
            found.append((await client.post(f"/api/v1/{path}", json=body, headers=once)).text)
        found.append((await client.get("/api/v1/decisions")).json()["decisionsResponse"])

    call_service(home, key_text, scenario)
    return found


def _rows(url: str) -> dict[str, list[Any]]:
    database = Database(url, timeout_ms=5000)
    with database.reading() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(sa.select(table))), key=repr)
            for table in METADATA.sorted_tables
        }
    database.dispose()
    return found


@pytest.fixture
def used(sqlite_home: Home, tmp_path: Path) -> tuple[Home, str]:
    """A merchant that has used the service, and its key."""
    account = sqlite_home.account("10")
    people = tmp_path / "people.jsonl"
    people.write_text(PERSON)
    sqlite_home.ok("identities", "import", str(people))
    connectors = tmp_path / "connectors.yaml"
    connectors.write_text(CONNECTORS)
    sqlite_home.ok("connectors", "apply", str(connectors))
    return sqlite_home, sqlite_home.key(account)


def test_a_copied_service_answers_the_same(used: tuple[Home, str], postgres: Postgres) -> None:
    home, key_text = used
    before = _answers(home, key_text)
    there = Home(home.path, postgres.empty())
    done = _copy(home, there.database_url)
    assert there.ok("connectors", "show").out == CONNECTORS
    source = _rows(_settings(home).effective_database_url)
    assert done.tables == {name: len(rows) for name, rows in source.items()} | {
        "audit": done.proof.audit_lines
    }
    copied = _rows(there.database_url)
    # Each has the audit line of the copy, from its own moment.
    for name in METADATA.tables.keys() - {"audit", "state"}:
        assert copied[name] == source[name]
    assert [
        table for table in ("identities", "decisions", "idempotency") if not copied[table]
    ] == []
    assert _answers(there, key_text) == before
    for each in (home, there):
        with each.session(BOB) as session:
            assert audit_log.lines(session, None, 1)[0].action == "copy"
            assert audit_log.verify(session, [done.proof.audit_head]).problems == []


def test_the_command_copies_into_a_database_that_is_migrated_already(
    used: tuple[Home, str], new_database: Callable[[], str]
) -> None:
    home, _ = used
    there = Home(home.path, new_database(), settings={"GATEHOUSE_SECRET_KEY": "x" * 40})
    there.ok("accounts", "list")
    done = home.ok("copy", "--to", there.database_url)
    assert "all agree, and signatures fit" in done.out
    again = home.run("copy", "--to", there.database_url)
    assert again.code == 4
    assert "the target is not empty" in again.err
    assert Home(home.path, there.database_url).ok("ledger", "verify").code == 0


def test_data_can_be_copied_back_to_a_file(new_database: Callable[[], str], tmp_path: Path) -> None:
    home = Home(tmp_path / "home", new_database())
    account = home.account("3")
    back = Home(home.path, f"sqlite:///{tmp_path / 'back.db'}")
    _copy(home, back.database_url)
    assert back.balance(account) == 3


def test_a_copy_that_cannot_be_proven_leaves_an_empty_target(
    used: tuple[Home, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = used
    url = f"sqlite:///{tmp_path / 'target.db'}"
    proofs = iter([DataProof(1, 1, 1, 1, "head"), DataProof(1, 1, 0, 1, "head")])
    monkeypatch.setattr(
        "gatehouse.admin.backup.use_cases.copy_database.prove_data", lambda _: next(proofs)
    )
    with pytest.raises(Conflict, match="the copy differs"):
        _copy(home, url)
    target = Database(url, timeout_ms=5000)
    with target.reading() as connection:
        assert sa.inspect(connection).get_table_names() == []
    target.dispose()
    monkeypatch.setattr(
        "gatehouse.admin.backup.use_cases.copy_database.prove_data", data_proof.prove_data
    )
    assert _copy(home, url).rows > 0


def test_an_interrupted_copy_leaves_nothing(
    used: tuple[Home, str], postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = used
    url = postgres.empty()
    monkeypatch.setattr(copying, "_AT_ONCE", 5)

    def stop(done: int, _total: int) -> None:
        if done > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_database(_settings(home), BOB, url, stop)
    assert _rows(url)["accounts"] == []
    assert _copy(home, url).tables["accounts"] == 1


def test_what_does_not_hold_together_is_not_copied(used: tuple[Home, str], tmp_path: Path) -> None:
    home, _ = used
    database = open_database(_settings(home))
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE accounts SET balance = balance + 1"))
    database.dispose()
    url = f"sqlite:///{tmp_path / 'target.db'}"
    with pytest.raises(Conflict, match="does not hold together"):
        _copy(home, url)
    assert not any(rows for name, rows in _rows(url).items() if name != "state")


def test_nothing_is_copied_while_a_server_runs(used: tuple[Home, str], tmp_path: Path) -> None:
    home, _ = used
    database = open_database(_settings(home))
    with only_server(database), pytest.raises(Conflict, match="a server is already serving"):
        _copy(home, f"sqlite:///{tmp_path / 'target.db'}")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://localhost/x", "the target is a URL"),
        ("sqlite:///{source}", "the target is the database that the data is in"),
        ("sqlite:///{other}", "tables of something else"),
    ],
)
def test_what_cannot_be_a_target_is_refused(
    used: tuple[Home, str], tmp_path: Path, url: str, says: str
) -> None:
    home, _ = used
    other = Database(f"sqlite:///{tmp_path / 'other.db'}", timeout_ms=5000)
    with other.writing() as connection:
        connection.execute(sa.text("CREATE TABLE books (id)"))
    other.dispose()
    named = url.format(source=_settings(home).home / "sandbox.db", other=tmp_path / "other.db")
    with pytest.raises((InvalidInput, Conflict), match=says):
        _copy(home, named)


def test_only_operators_copy_and_only_what_is_there(
    empty_sqlite_home: Home, tmp_path: Path
) -> None:
    settings, url = _settings(empty_sqlite_home), f"sqlite:///{tmp_path / 'target.db'}"
    with pytest.raises(NotFound, match="only for operators"):
        copy_database(settings, Actor.key("key_1", "acct_1"), url, lambda *_: None)
    with pytest.raises(NotFound, match="no database"):
        copy_database(settings, BOB, url, lambda *_: None)


def test_a_sequence_goes_on_after_what_was_copied(new_database: Callable[[], str]) -> None:
    metadata = sa.MetaData()
    numbered = sa.Table("numbered", metadata, sa.Column("id", sa.BigInteger, primary_key=True))
    plain = sa.Table("plain", metadata, *key(sa.BigInteger, "id"))
    database = Database(new_database(), timeout_ms=5000)
    with database.writing() as connection:
        metadata.create_all(connection)
        connection.execute(numbered.insert(), [{"id": 7}, {"id": 41}])
        restart_sequences(connection, [numbered, plain])
        made = connection.execute(numbered.insert().returning(numbered.c.id)).scalar_one()
        metadata.drop_all(connection)
    database.dispose()
    assert made == 42
