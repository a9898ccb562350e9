"""Fixtures: both databases for real, homes of their own, a shared server for reading tests."""

import gc
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import gatehouse.operations.stages  # noqa: F401  # registers the stages, as every entry point does
from gatehouse.store.admin.admin_session import AdminSession
from tests.databases import (
    Postgres,
    migrated_sqlite,
    share_compiled_statements,
    skip_waiting_for_disk,
    start_postgres,
)
from tests.forkserver import fork_server
from tests.harness import Home, Server, make_account
from tests.order import mark_by_folder
from tests.preloading import (
    build_commands_once,
    build_routes_once,
    trust_no_public_authority,
)
from tests.valkeys import start_valkey

# Next to nothing of what collecting makes becomes garbage.
gc.disable()
build_commands_once()
build_routes_once()
trust_no_public_authority()
skip_waiting_for_disk()
share_compiled_statements()
# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    """Start what the workers of a run share while tests are collected."""
    if config.getoption("workers", 1) > 1:
        fork_server()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests before some of them are left out by their marks."""
    mark_by_folder(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """From now on, let the collector look at what tests make, as seldom as in a server.

    Workers are forked after this: what they all need and is made now, they need not make each.
    """
    if session.config.getoption("workers", 1) > 1:
        migrated_sqlite()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_runtest_teardown() -> None:
    """Take back what a command that ran within this process has set: it logs heads of the audit."""
    audit = logging.getLogger("gatehouse.audit")
    audit.handlers.clear()
    audit.setLevel(logging.NOTSET)


def pytest_unconfigure() -> None:
    """Let the interpreter free everything when it ends: a library reports what it finds alive."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a Valkey server; tests choose keys of their own."""
    with start_valkey() as url:
        yield url


@pytest.fixture
def new_database(postgres: Postgres) -> Iterator[Callable[[], str]]:
    """Makes PostgreSQL databases with all tables and no rows, and returns their URLs."""
    made: list[str] = []

    def make() -> str:
        made.append(postgres.new())
        return made[-1]

    yield make
    for url in made:
        postgres.give_back(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """A home without data, once on each database."""
    if request.param == "postgresql":
        return Home(tmp_path / "home", request.getfixturevalue("new_database")())
    return Home(tmp_path / "home").migrated()


@pytest.fixture
def sqlite_home(tmp_path: Path) -> Home:
    """A home without data on the embedded database, for what does not depend on it."""
    return Home(tmp_path / "home").migrated()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """A home before the first start, once on each database: not even tables are there."""
    if request.param == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        return Home(tmp_path / "home", postgres.empty())
    return Home(tmp_path / "home")


@pytest.fixture
def empty_sqlite_home(tmp_path: Path) -> Home:
    """A home before the first start on the embedded database."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One sandbox server for a module's tests that do not mind each other."""
    home = Home(tmp_path_factory.mktemp("shared") / "home").migrated()
    with home.server() as server:
        yield server


@pytest.fixture
def session(home: Home) -> Iterator[AdminSession]:
    """The data of an empty sandbox, opened in this process, once on each database."""
    with home.session() as opened:
        yield opened


@pytest.fixture
def sqlite_session(sqlite_home: Home) -> Iterator[AdminSession]:
    """The data of an empty sandbox on the embedded database, opened in this process."""
    with sqlite_home.session() as opened:
        yield opened


@pytest.fixture
def account(sqlite_session: AdminSession) -> str:
    """An account of a merchant in it."""
    return make_account(sqlite_session)
