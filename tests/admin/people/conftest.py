"""Data with one account, made once and copied for each test: making it takes longer than most."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gatehouse.access.actors import Actor
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.operations.installation import system_clock
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from tests.admin.people.signing_in import Entrance, shop_of
from tests.harness import Home


class Prepared(NamedTuple):
    """A database file, and the keys that open it."""

    content: bytes
    ring: KeyRing


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    home = Home(tmp_path_factory.mktemp("people")).migrated()
    with home.session() as session:
        shop_of(session)
        ring = session.ring
    return Prepared((home.path / "sandbox.db").read_bytes(), ring)


@pytest.fixture
def sqlite_session(prepared: Prepared, tmp_path: Path) -> Iterator[AdminSession]:
    """The data of a sandbox with one account, on the embedded database."""
    file = tmp_path / "people.db"
    file.write_bytes(prepared.content)
    database = Database(f"sqlite:///{file}", timeout_ms=5000)
    yield AdminSession(
        database=database,
        ring=prepared.ring,
        clock=system_clock,
        randomness=secrets.token_bytes,
        settings=Settings(),
        actor=Actor.system("test"),
    )
    database.dispose()


@pytest.fixture
def at(sqlite_session: AdminSession) -> Entrance:
    """The ways in."""
    return Entrance(sqlite_session)


@pytest.fixture
def shop(sqlite_session: AdminSession) -> str:
    """The account."""
    return shop_of(sqlite_session)
