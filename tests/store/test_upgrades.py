"""Databases are migrated while servers run: in turn, without stopping them, and never too far."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import Script, ScriptDirectory

from gatehouse.core.errors import Conflict, SettingsError
from gatehouse.store import migrate as migrating
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.advisory_locks import MIGRATING
from gatehouse.store.database import Database
from gatehouse.store.migrate import alembic_config, current_revision, is_current, migrate
from gatehouse.store.migrations import HEAD
from gatehouse.store.servers import forget_server, row_name
from gatehouse.store.state import set_mark
from gatehouse.store.tables import METADATA
from tests.harness import Home
from tests.harness.samples import BODY
from tests.harness.service import call_service
from tests.store.expanding import Operations, breaks

LAST_BEFORE_THE_RULE = "0018"


@contextlib.contextmanager
def _expanded(home: Home, oldest: str) -> Iterator[AdminSession]:
    """As a later version may leave it: a new table, and a column that may be empty in each."""
    with home.session() as session:
        with session.database.writing() as connection:
            connection.execute(sa.text("CREATE TABLE later (id TEXT PRIMARY KEY)"))
            for name in METADATA.tables:
                connection.execute(sa.text(f"ALTER TABLE {name} ADD COLUMN later TEXT"))
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
            set_mark(connection, "oldest-servers", oldest)
        yield session
        _restore(session.database)


def _restore(database: Database) -> None:
    """Make the tables as they were: other tests use the database again."""
    with database.writing() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS later"))
        for table in METADATA.tables:
            if "later" in {column["name"] for column in sa.inspect(connection).get_columns(table)}:
                connection.execute(sa.text(f"ALTER TABLE {table} DROP COLUMN later"))
        connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{HEAD}'"))


def test_a_server_works_on_a_database_that_a_later_version_has_expanded(home: Home) -> None:
    async def scenario(client: httpx.AsyncClient) -> None:
        answer = await client.post("/api/v1/precheck", json=BODY)
        assert answer.status_code == 200

    account = home.account("10")
    with _expanded(home, oldest=HEAD):
        call_service(home, home.key(account), scenario)
        assert float(home.balance(account)) < 10
        assert home.ok("ledger", "verify").out.endswith("the ledger is right\n")
        assert home.ok("migrate").out.strip() == "up to date at 9999"


def test_a_database_from_which_a_later_version_took_something_away_is_refused(home: Home) -> None:
    with _expanded(home, oldest="9998") as session:
        assert not is_current(session.database)
        with pytest.raises(SettingsError, match="made by a newer one"):
            migrate(session.database)


@pytest.fixture
def older(new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A PostgreSQL database that lacks a migration, which changes a table that requests use."""
    database = Database(new_database(), timeout_ms=5000)
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))

    def upgrade(config: Any, _to: str) -> None:
        change = sa.text("ALTER TABLE holds ADD COLUMN later TEXT")
        config.attributes["connection"].execute(change)

    monkeypatch.setattr(command, "upgrade", upgrade)
    monkeypatch.setattr(migrating, "_LOCK_MS", 20)
    monkeypatch.setattr(migrating, "_ATTEMPTS", 2)
    monkeypatch.setattr(migrating, "_PAUSE_S", 0.0)
    yield database
    _restore(database)
    database.dispose()


def test_nothing_is_taken_away_from_servers_that_run(older: Database) -> None:
    now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    with older.writing() as connection:
        alive = sa.text(f"INSERT INTO state (name, value) SELECT :name, '0001 ' || {now}")
        connection.execute(alive, {"name": row_name("srv_old")})
    with pytest.raises(Conflict, match="1 servers of an earlier version run"):
        migrate(older)
    with older.writing() as connection:
        forget_server(connection, "srv_old")
    assert migrate(older) == ("0001", HEAD)


def test_a_migration_gives_way_to_a_transaction_that_does_not_end(older: Database) -> None:
    with older.reading() as long_query:
        long_query.execute(sa.text("SELECT FROM holds"))
        with pytest.raises(Conflict, match="a table is in use by a transaction"):
            migrate(older)
    assert current_revision(older) == "0001"
    assert migrate(older) == ("0001", HEAD)


def test_who_waits_too_long_for_another_migration_is_told_so(
    older: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "_TURN_S", 0.02)
    with older.writing() as other:
        other.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
        with pytest.raises(Conflict, match="another process has been migrating"):
            migrate(older)


def _later_revisions(session: AdminSession) -> list[Script]:
    with session.reading() as connection:
        tree = ScriptDirectory.from_config(alembic_config(connection))
        return [each for each in tree.walk_revisions() if each.revision > LAST_BEFORE_THE_RULE]


def test_migrations_that_expand_only_add(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration from now on says `expands = True`, or that servers before it must have ended."""
    later = _later_revisions(sqlite_session)
    assert later
    for script in later:
        assert isinstance(getattr(script.module, "expands", None), bool), script.path
        if script.module.expands:
            operations = Operations()
            monkeypatch.setattr(script.module, "op", operations)
            script.module.upgrade()
            assert operations.noted, script.path
            assert list(breaks(operations.noted)) == [], script.path


def _adds(name: str, **column: Any) -> Callable[[Any], object]:
    return lambda op: op.add_column("decisions", sa.Column(name, sa.Text, **column))


@pytest.mark.parametrize(
    ("upgrade", "why"),
    [
        (_adds("later"), None),
        (_adds("later", nullable=False, server_default=""), None),
        (_adds("later", nullable=False), "decisions.later must have a value"),
        (_adds("later", nullable=False, default="x"), "decisions.later must have a value"),
        (_adds("later", unique=True), "decisions.later is unique"),
        (_adds("later", index=True), "the index of decisions.later"),
        (lambda op: op.create_index("few", "holds", ["owner"]), None),
        (lambda op: op.create_index("many", "decisions", ["at_ms"]), "many is made on decisions"),
        (lambda op: op.create_index("one", "holds", ["owner"], unique=True), "one refuses"),
        (lambda op: op.drop_column("holds", "owner"), "drop_column does more"),
        (lambda op: op.execute("DELETE FROM holds"), "execute does more"),
    ],
)
def test_what_breaks_servers_that_run_is_no_expansion(
    upgrade: Callable[[Operations], object], why: str | None
) -> None:
    operations = Operations()
    upgrade(operations)
    found = list(breaks(operations.noted))
    assert len(found) == (0 if why is None else 1)
    assert (why or "") in "".join(found)


def test_a_new_table_may_have_what_it_likes() -> None:
    operations = Operations()
    operations.create_table("later", sa.Column("id", sa.Text, primary_key=True))
    operations.add_column("later", sa.Column("name", sa.Text, nullable=False, unique=True))
    operations.create_index("later_by_name", "later", ["name"], unique=True)
    assert list(breaks(operations.noted)) == []


def test_a_change_within_a_batch_is_seen() -> None:
    operations = Operations()
    with operations.batch_alter_table("holds") as batch:
        batch.alter_column("owner", nullable=False)
    assert len(list(breaks(operations.noted))) == 2
