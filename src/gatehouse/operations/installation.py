"""The installation: home folder, root secret and database, opened as an admin session.

The sandbox creates what is missing, so that an empty folder is enough; production never does.
"""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.core.errors import Conflict, SettingsError
from gatehouse.core.secrets.keyring import RootSecret
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.fingerprint_conversion import convert_lists
from gatehouse.store.admin.keyring import open_ring
from gatehouse.store.configured.first_signing import sign_sandbox
from gatehouse.store.database import Database
from gatehouse.store.exclusive import BACKGROUND, exclusive
from gatehouse.store.migrate import is_current, migrate

_CLOSING_S: Final = 2.0
_ENDING_S: Final = 20.0
"""More than such a process takes to end without its server."""
_LOOK_AGAIN_S: Final = 0.05
_ROOT_FILE: Final = "root-secret"


def system_clock() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def open_database(settings: Settings) -> Database:
    """The database that the settings name, as it is."""
    return Database(settings.effective_database_url, timeout_ms=settings.store_timeout_ms)


def open_admin_session(settings: Settings, actor: Actor) -> AdminSession:
    """Open the data for an actor; the sandbox creates what is missing, production does not."""
    database = open_database(settings)
    try:
        return _open(settings, database, _prepare(settings, database), actor)
    except BaseException:
        database.dispose()
        raise


def _prepare(settings: Settings, database: Database) -> tuple[RootSecret, ...]:
    """The root secrets, with the database as it must be."""
    if settings.is_production:
        roots = root_secrets(settings)
        missing = database.file is not None and not database.file.exists()
        if missing or not is_current(database):
            raise SettingsError(
                "the database is not there or not up to date; run: gatehouse migrate"
            )
    else:
        with prepared_home(settings):
            roots = root_secrets(settings)
            migrate(database)
    return roots


def migrate_database(settings: Settings) -> tuple[str | None, str]:
    """Bring the database up to date and give it its keys; the revisions before and after."""
    database = open_database(settings)
    roots = root_secrets(settings)
    if database.file is not None:
        database.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    revisions = migrate(database)
    _open(settings, database, roots, Actor.system("migrate"))
    return revisions


def _open(
    settings: Settings, database: Database, roots: Sequence[RootSecret], actor: Actor
) -> AdminSession:
    """The data with its keys; what a migration left to be done with them is done."""
    session = AdminSession(
        database=database,
        ring=open_ring(database, roots, system_clock, secrets.token_bytes),
        clock=system_clock,
        randomness=secrets.token_bytes,
        settings=settings,
        actor=actor,
    )
    convert_lists(session.acting_as(Actor.system("migrate")))
    if not settings.is_production:
        sign_sandbox(session)
    return session


def root_secrets(settings: Settings) -> tuple[RootSecret, ...]:
    """The root secret, and during a change of it the other one, too: either opens the ring."""
    other = settings.other_secret_key
    return (_root_secret(settings), *((RootSecret.parse(other),) if other else ()))


def _root_secret(settings: Settings) -> RootSecret:
    """The root secret from the settings, or the sandbox's own from its home."""
    if settings.secret_key:
        return RootSecret.parse(settings.secret_key)
    if settings.is_production:
        raise SettingsError("production needs GATEHOUSE_SECRET_KEY; see: gatehouse doctor")
    path = settings.home / _ROOT_FILE
    if not path.exists():
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, secrets.token_urlsafe(32))
    return RootSecret.parse(path.read_text(encoding="utf-8").strip())


def has_root_secret(settings: Settings) -> bool:
    """Whether there is a root secret; none is made."""
    return bool(settings.secret_key) or (settings.home / _ROOT_FILE).exists()


@contextlib.contextmanager
def only_server(database: Database) -> Iterator[bool]:
    """Hold the right to serve. A SQLite file has one server; PostgreSQL has any number.

    Yields whether this process is the only one, so that holds of others are known to be orphans.
    """
    file = database.file
    if file is None:
        yield False
        return
    with Path(f"{file}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict(f"a server is already serving {file}; stop it first") from None
        yield True


@contextlib.contextmanager
def without_servers(database: Database) -> Iterator[None]:
    """Make sure that no server works on the data; on SQLite none can start meanwhile."""
    if database.file is not None and not database.file.parent.is_dir():
        yield
        return
    ends_at = time.monotonic() + _CLOSING_S
    # A database server still counts a connection for a moment after it was closed.
    while (count := database.other_connections()) and time.monotonic() < ends_at:
        time.sleep(_LOOK_AGAIN_S)
    if count:
        raise Conflict(
            f"{count} other connections to the database are open; stop all servers and commands"
        )
    with only_server(database), _without_background(database):
        yield


@contextlib.contextmanager
def _without_background(database: Database) -> Iterator[None]:
    """Wait for the process beside a server: it may write for a moment after its server's death."""
    if not database.is_sqlite:
        yield
        return
    ends_at = time.monotonic() + _ENDING_S
    while True:
        with exclusive(database, BACKGROUND) as was_free:
            if was_free:
                yield
                return
        if time.monotonic() >= ends_at:
            raise Conflict(f"the process beside a server still works on {database.file}; stop it")
        time.sleep(_LOOK_AGAIN_S)


@contextlib.contextmanager
def prepared_home(settings: Settings) -> Iterator[None]:
    """The sandbox's folder, made if missing, for one process at a time."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (settings.home / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_private(path: Path, text: str) -> None:
    """Write a secret so that no other user can read it at any moment."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
