"""The installation: its home folder, root secret and database, opened for commands and servers.

The sandbox creates what is missing, so that an empty folder is enough; production never does.
"""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gatehouse.access.keys import key_hash
from gatehouse.core.errors import Conflict, SettingsError
from gatehouse.core.keyring import API_KEYS, RootSecret
from gatehouse.settings import Settings
from gatehouse.store.accounts import accounts, keys, ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.keyring import open_ring
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import KINDS
from gatehouse.store.database import Database
from gatehouse.store.migrate import is_current, migrate

DEMO_ACCOUNT: Final = "acct_demo"
_DEMO_BALANCE: Final = 100_000_000
_ROOT_FILE: Final = "root-secret"
_DEMO_KEY_FILE: Final = "demo-key"


def system_clock() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def open_admin_session(settings: Settings, actor: str) -> AdminSession:
    """Open the data for an operator; the sandbox creates what is missing, production does not."""
    database = Database(settings.effective_database_url, timeout_ms=settings.store_timeout_ms)
    if settings.is_production:
        root = root_secret(settings)
        missing = database.file is not None and not database.file.exists()
        if missing or not is_current(database):
            raise SettingsError(
                "the database is not there or not up to date; run: gatehouse migrate"
            )
    else:
        with _prepared_home(settings):
            root = root_secret(settings)
            migrate(database)
    ring = open_ring(database, root, system_clock, secrets.token_bytes)
    chance = (system_clock, secrets.token_bytes)
    return AdminSession(database, ring, chance, environment=settings.environment, actor=actor)


def migrate_database(settings: Settings) -> tuple[str | None, str]:
    """Bring the database up to date and give it its keys."""
    database = Database(settings.effective_database_url, timeout_ms=settings.store_timeout_ms)
    root = root_secret(settings)
    if database.file is not None:
        database.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    revisions = migrate(database)
    open_ring(database, root, system_clock, secrets.token_bytes)
    return revisions


def root_secret(settings: Settings) -> RootSecret:
    """The root secret from the settings, or the sandbox's own from its home."""
    if settings.secret_key:
        return RootSecret.parse(settings.secret_key)
    if settings.is_production:
        raise SettingsError("production needs GATEHOUSE_SECRET_KEY; see: gatehouse doctor")
    path = settings.home / _ROOT_FILE
    if not path.exists():
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_private(path, secrets.token_urlsafe(32))
    return RootSecret.parse(path.read_text(encoding="utf-8").strip())


def ensure_demo(session: AdminSession, settings: Settings) -> str:
    """The demo account's key; account and key are made on the first start of a sandbox."""
    path = settings.home / _DEMO_KEY_FILE
    with _prepared_home(settings):
        with session.reading() as connection:
            known = any(a.account_id == DEMO_ACCOUNT for a, _ in accounts.everyone(connection))
        if known and path.exists():
            text = path.read_text(encoding="utf-8").strip()
            if _still_good(session, text):
                _seed_demo(session)
                return text
        with session.change() as change:
            if not known:
                accounts.create(change, "Demo", "USD", DEMO_ACCOUNT)
                ledger.top_up(change, DEMO_ACCOUNT, _DEMO_BALANCE, "play money")
            configurations.seed_defaults(change, DEMO_ACCOUNT)
            _, text = keys.issue(change, DEMO_ACCOUNT, keys.KeyTerms("demo"))
        _write_private(path, text)
        return text


def _seed_demo(session: AdminSession) -> None:
    """A demo account that is older than rules and pipelines gets them as new ones do."""
    with session.reading() as connection:
        if all(configurations.names(connection, DEMO_ACCOUNT, kind) for kind in KINDS):
            return
    with session.change() as change:
        configurations.seed_defaults(change, DEMO_ACCOUNT)


def _still_good(session: AdminSession, key_text: str) -> bool:
    """Whether the kept demo key still opens this database."""
    _, hashing_key = session.ring.current(API_KEYS)
    with session.reading() as connection:
        caller = keys.find_caller(connection, key_hash(key_text, hashing_key))
    return caller is not None and caller.key.status(session.clock()) == "active"


@contextlib.contextmanager
def only_server(session: AdminSession) -> Iterator[bool]:
    """Hold the right to serve. A SQLite file has one server; PostgreSQL has any number.

    Yields whether this process is the only one, so that holds of others are known to be orphans.
    """
    file = session.database.file
    if file is None:
        yield False
        return
    with Path(f"{file}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict(f"another server is already serving {file}") from None
        yield True


@contextlib.contextmanager
def _prepared_home(settings: Settings) -> Iterator[None]:
    """The sandbox's folder, made if missing, for one process at a time."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (settings.home / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write_private(path: Path, text: str) -> None:
    """Write a secret so that no other user can ever read it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
