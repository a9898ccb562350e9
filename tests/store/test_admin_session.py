"""The data outside requests: accounts, keys, audit, ring, migrations; on both databases."""

import asyncio
import secrets
import threading

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from gatehouse.access.actors import Actor
from gatehouse.access.keys import ApiKey, key_hash
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError, StoreUnavailable
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import RootSecret
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts, keys, ledger
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.keyring import NewKeyVersion, insert_key, open_ring, rewrap
from gatehouse.store.database import Database
from gatehouse.store.migrate import alembic_config, migrate
from gatehouse.store.migrations import HEAD
from gatehouse.store.tables import AUDIT, METADATA, STATE
from tests.harness import Home, make_account


def test_the_tables_are_what_the_migrations_make(session: AdminSession) -> None:
    with session.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        tree = ScriptDirectory.from_config(alembic_config(connection))
        assert tree.get_heads() == [HEAD]


def test_migrating_twice_or_at_once_is_safe(empty_home: Home) -> None:
    settings = load_settings(empty_home.environ())
    settings.home.mkdir(parents=True)
    problems: list[BaseException] = []

    def run() -> None:
        try:
            open_admin_session(settings, Actor.system("test")).database.dispose()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    database = Database(settings.effective_database_url, timeout_ms=5000)
    assert migrate(database) == (HEAD, HEAD)
    database.dispose()


def test_every_change_leaves_a_line_and_no_secret_in_it(session: AdminSession) -> None:
    account = make_account(session, micros=1000)
    with session.change() as change:
        key, text = keys.issue(change, account, keys.KeyTerms("till", scopes=("precheck",)))
    with session.change() as change:
        successor, text2, _ = keys.rotate(change, account, key.key_id, 1000)
    with session.change() as change:
        keys.revoke(change, account, successor.key_id, "lost 4242424242424242")
    with session.change() as change:
        ledger.adjust(change, account, -10, "correction")
    with session.reading() as connection:
        lines = audit.read(connection, account, 100)
        everything = str([row._asdict() for row in connection.execute(sa.select(AUDIT))])
        report = audit.verify(connection, session.ring.current(keyring.AUDIT)[1])
    actions = [line.action for line in lines]
    assert actions == [
        "account.create",
        "balance.top-up",
        "key.issue",
        "key.rotate",
        "key.revoke",
        "balance.adjust",
    ]
    assert {line.actor for line in lines} == {"test"}
    assert report.problems == []
    assert not any(secret in everything for secret in (text, text2, "4242424242424242"))


def test_a_change_without_a_line_does_not_happen(session: AdminSession) -> None:
    with pytest.raises(AssertionError), session.change() as change:
        change.connection.execute(STATE.insert(), {"name": "x", "value": "y"})
    with session.reading() as connection:
        assert connection.scalar(sa.select(STATE.c.value).where(STATE.c.name == "x")) is None


@pytest.mark.parametrize(
    "tamper",
    [
        AUDIT.update().where(AUDIT.c.seq == 2).values(actor="somebody else"),
        AUDIT.update().where(AUDIT.c.seq == 2).values(details='{"micros":1}'),
        AUDIT.delete().where(AUDIT.c.seq == 2),
        AUDIT.delete().where(AUDIT.c.seq == 3),
        STATE.update().where(STATE.c.name == "audit-head").values(value="2:aa:bb"),
        STATE.delete().where(STATE.c.name == "audit-head"),
        AUDIT.delete(),
    ],
    ids=["actor", "details", "cut out", "cut off", "head", "no head", "emptied"],
)
def test_tampering_with_the_trail_is_found(session: AdminSession, tamper: sa.Executable) -> None:
    make_account(session, micros=1000)
    make_account(session)
    with session.database.writing() as connection:
        connection.execute(tamper)
    with session.reading() as connection:
        report = audit.verify(connection, session.ring.current(keyring.AUDIT)[1])
    assert report.problems


def test_a_log_whose_head_is_gone_takes_no_more_changes(session: AdminSession) -> None:
    with session.database.writing() as connection:
        connection.execute(AUDIT.delete())
        connection.execute(STATE.delete().where(STATE.c.name == "audit-head"))
    with session.reading() as connection:
        report = audit.verify(connection, session.ring.current(keyring.AUDIT)[1])
    assert report.problems
    with pytest.raises(Conflict, match="lost its head; nothing can be changed"):
        make_account(session)


def test_concurrent_changes_form_one_chain(session: AdminSession) -> None:
    threads = [
        threading.Thread(target=make_account, args=(session, "Shop", "USD", 5)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with session.reading() as connection:
        report = audit.verify(connection, session.ring.current(keyring.AUDIT)[1])
    assert report.problems == []
    assert report.lines == 16


def test_a_key_is_found_by_its_hash_and_by_nothing_else(session: AdminSession) -> None:
    account = make_account(session)
    with session.change() as change:
        key, text = keys.issue(change, account, keys.KeyTerms(networks=("203.0.113.0/24",)))
    _, hashing = session.ring.current(keyring.API_KEYS)
    with session.reading() as connection:
        found = keys.find(connection, key_hash(text, hashing), session.signer)
        assert keys.find(connection, key_hash(text + "x", hashing), session.signer) is None
    assert found == key
    assert key.account_id == account


def test_another_accounts_key_is_not_found(session: AdminSession) -> None:
    mine, other = make_account(session), make_account(session)
    with session.change() as change:
        key, _ = keys.issue(change, other, keys.KeyTerms())
    with session.reading() as connection, pytest.raises(NotFound):
        keys.get(connection, mine, key.key_id)


def test_rotation_never_prolongs_a_key_and_a_dead_key_cannot_be_rotated(
    session: AdminSession,
) -> None:
    account = make_account(session)
    with session.change() as change:
        soon = change.now_ms + 1000
        key, _ = keys.issue(change, account, keys.KeyTerms(expires_at_ms=soon))
    with session.change() as change:
        successor, _, old = keys.rotate(change, account, key.key_id, 3_600_000)
    assert old.expires_at_ms == soon
    assert successor.expires_at_ms is not None
    assert successor.expires_at_ms - successor.created_at_ms == soon - key.created_at_ms
    with pytest.raises(Conflict, match=successor.key_id), session.change() as change:
        keys.rotate(change, account, key.key_id, 1)
    with session.change() as change:
        keys.revoke(change, account, key.key_id, "")
    with pytest.raises(Conflict), session.change() as change:
        keys.rotate(change, account, key.key_id, 1)
    with pytest.raises(Conflict), session.change() as change:
        keys.revoke(change, account, key.key_id, "")


def test_balances_cannot_be_adjusted_below_nothing(session: AdminSession) -> None:
    account = make_account(session, micros=100)
    for amount, reason in ((-101, "too much"), (0, "nothing"), (-1, "  ")):
        with pytest.raises(InvalidInput), session.change() as change:
            ledger.adjust(change, account, amount, reason)
    with pytest.raises(InvalidInput), session.change() as change:
        ledger.top_up(change, account, -5, "")
    with session.reading() as connection:
        assert accounts.state(connection, account).balance == 100


def make_key(session: AdminSession) -> tuple[str, ApiKey, str]:
    """An account, a key of it, and the hash a server finds the key by."""
    account = make_account(session)
    with session.change() as change:
        key, text = keys.issue(change, account, keys.KeyTerms())
    return account, key, key_hash(text, session.ring.current(keyring.API_KEYS)[1])


def test_what_a_server_remembers_of_a_caller_is_dropped_when_it_changes(
    session: AdminSession,
) -> None:
    account, key, hashed = make_key(session)
    now = [0.0]
    directory = CallerDirectory(session.database, session.signer, lambda: now[0])

    async def scenario() -> None:
        await directory.check()
        first = await directory.find(hashed)
        assert first is await directory.find(hashed)
        with session.change() as change:
            keys.revoke(change, account, key.key_id, "")
        await directory.check()
        after = await directory.find(hashed)
        assert after is not None
        assert after.key.revoked_at_ms is not None
        directory.used(key.key_id, 1234)
        await directory.flush()

    asyncio.run(scenario())
    directory.stop()
    with session.reading() as connection:
        assert keys.get(connection, account, key.key_id).last_used_at_ms == 1234


def test_memory_older_than_a_second_is_not_trusted(session: AdminSession) -> None:
    account, key, hashed = make_key(session)
    now = [0.0]
    directory = CallerDirectory(session.database, session.signer, lambda: now[0])

    async def scenario() -> None:
        await directory.check()
        assert await directory.find(hashed) is not None
        with session.change() as change:
            keys.revoke(change, account, key.key_id, "")
        now[0] = 1.0  # the poll has not come round
        fresh = await directory.find(hashed)
        assert fresh is not None
        assert fresh.key.revoked_at_ms is not None

    asyncio.run(scenario())
    directory.stop()


def test_rotating_the_root_keeps_every_key(session: AdminSession) -> None:
    old_root = RootSecret.parse("o" * 40)
    new_root = RootSecret.parse("n" * 40)
    chance = (lambda: 1, secrets.token_bytes)
    with session.database.writing() as connection:
        connection.execute(sa.text("DELETE FROM key_ring"))
    ring = open_ring(session.database, [old_root], *chance)
    with session.database.writing() as connection:
        rewrap(connection, old_root, new_root, secrets.token_bytes)
    again = open_ring(session.database, [new_root], *chance)
    assert [again.key(*v) for v in again.versions()] == [ring.key(*v) for v in ring.versions()]
    with pytest.raises(SettingsError):
        open_ring(session.database, [old_root], *chance)
    with session.database.writing() as connection:
        new = NewKeyVersion(keyring.CARD_FINGERPRINTS, 2, 1)
        insert_key(connection, new_root, new, secrets.token_bytes)
    newest = open_ring(session.database, [new_root], *chance).current(keyring.CARD_FINGERPRINTS)
    assert newest[0] == 2


@pytest.mark.parametrize("url", ["mysql://x", "not a url", "sqlite://", "sqlite:///:memory:"])
def test_a_database_that_cannot_be_used_is_refused_with_words(url: str) -> None:
    with pytest.raises(SettingsError):
        Database(url, timeout_ms=1000)


def test_a_database_that_is_not_there_is_said_to_be_unavailable() -> None:
    database = Database("postgresql://nobody@127.0.0.1:1/none", timeout_ms=1000)
    with pytest.raises(StoreUnavailable, match="not available"), database.reading():
        pass
