"""What is in force on each connection to PostgreSQL, so that nobody waits for what is gone."""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from gatehouse.admin.backup import queries as copying
from gatehouse.core.errors import SettingsError, StoreUnavailable
from gatehouse.store.database import Database
from gatehouse.store.identities.identity_lookup import _open_holders
from gatehouse.store.presence import Presence
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.state import set_mark
from tests.databases import read_only
from tests.harness.waiting import PATIENCE_S

IDLE = "SHOW idle_in_transaction_session_timeout"


@pytest.fixture
def database(new_database: Callable[[], str]) -> Iterator[Database]:
    """A database on PostgreSQL."""
    made = Database(new_database(), timeout_ms=5000)
    yield made
    made.dispose()


@pytest.fixture
def over_tcp(new_database: Callable[[], str]) -> Iterator[Database]:
    """A database that is reached over TCP: the server of the tests has a Unix socket only."""
    url = make_url(new_database())
    behind = f"{url.query['host']}/.s.PGSQL.5432"
    with ThreadPoolExecutor() as threads, socket.create_server(("127.0.0.1", 0)) as listening:
        threads.submit(_pass_on, listening, behind, threads)
        port = listening.getsockname()[1]
        reached = url.set(host="127.0.0.1", port=port, query={})
        made = Database(reached.render_as_string(hide_password=False), timeout_ms=5000)
        yield made
        made.dispose()
        listening.shutdown(socket.SHUT_RDWR)


def _pass_on(listening: socket.socket, behind: str, threads: ThreadPoolExecutor) -> None:
    with contextlib.suppress(OSError):  # the test has ended
        while True:
            near, _ = listening.accept()
            threads.submit(_connect, near, behind, threads)


def _connect(near: socket.socket, behind: str, threads: ThreadPoolExecutor) -> None:
    with near, socket.socket(socket.AF_UNIX) as far:
        far.connect(behind)
        back = threads.submit(_pump, far, near)
        _pump(near, far)
        back.result()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while some := source.recv(65536):
            target.sendall(some)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def _from_pool(database: Database) -> Iterator[Any]:
    with database.engine.connect() as connection:
        yield connection.connection.driver_connection


@contextlib.contextmanager
def _of_writer(database: Database) -> Iterator[Any]:
    with contextlib.closing(open_batch_session(database)) as session:
        yield session._connection


@contextlib.contextmanager
def _of_identities(database: Database) -> Iterator[Any]:
    with contextlib.closing(_open_holders(database)) as session:
        yield session._connection


@contextlib.contextmanager
def _that_listens(database: Database) -> Iterator[Any]:
    made: list[Any] = []
    connect = database.driver_connection

    def noted() -> Any:
        made.append(connect())
        return made[-1]

    async def listen() -> None:
        heard: asyncio.Queue[object] = asyncio.Queue()
        present = Presence(database, "srv_a", heard.put_nowait)
        present.start()
        await asyncio.wait_for(heard.get(), PATIENCE_S)
        listens.set()
        await asyncio.to_thread(ends.wait)
        await present.stop()

    listens, ends = threading.Event(), threading.Event()
    # Its connections are made of this method, so that the test sees the one it is to break.
    database.driver_connection = noted  # type: ignore[method-assign]
    server = threading.Thread(target=asyncio.run, args=(listen(),))
    server.start()
    try:
        assert listens.wait(PATIENCE_S)
        yield made[0]
    finally:
        ends.set()
        server.join()


@pytest.mark.parametrize("opened", [_from_pool, _of_writer, _of_identities, _that_listens])
def test_a_connection_whose_packets_nobody_acknowledges_is_given_up_after_ten_seconds(
    over_tcp: Database, opened: Callable[[Database], contextlib.AbstractContextManager[Any]]
) -> None:
    """Keepalives do not: Linux sends none while data waits for its acknowledgement."""
    with opened(over_tcp) as connection, socket.socket(fileno=os.dup(connection.fileno())) as end:
        assert end.family == socket.AF_INET
        assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 10_000


def _url_of(database: Database) -> str:
    url = database.engine.url.set(drivername="postgresql")
    return url.render_as_string(hide_password=False)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_lacks_characters_is_refused_plainly(
    new_database: Callable[[], str], encoding: str
) -> None:
    url, name = new_database(), f"narrow_{encoding.lower()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        )
    narrow = make_url(url).set(database=name).render_as_string(hide_password=False)
    made = Database(narrow, timeout_ms=5000)
    with pytest.raises(SettingsError, match=f"is encoded in {encoding}"), made.reading():
        pass


def test_the_server_gives_up_a_client_that_is_gone_just_as_soon(database: Database) -> None:
    with database.reading() as connection:
        asked = sa.text("SELECT reset_val FROM pg_settings WHERE name = 'tcp_user_timeout'")
        assert connection.scalar(asked) == "10000"


def test_a_change_that_stands_still_is_ended_and_lets_others_have_its_rows(
    database: Database,
) -> None:
    def stand_still() -> None:
        with database.writing() as stopped:
            set_mark(stopped, "kept", "by the one that stopped")
            # A minute is long for a test.
            stopped.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 20")
            with psycopg.connect(_url_of(database)) as other:
                other.execute(f"SET lock_timeout = '{PATIENCE_S}s'")
                other.execute("INSERT INTO state (name, value) VALUES ('kept', 'by the other')")
            set_mark(stopped, "kept", "too late")

    with pytest.raises(StoreUnavailable, match="idle-in-transaction"):
        stand_still()
    with database.reading() as connection:
        kept = connection.scalar(sa.text("SELECT value FROM state WHERE name = 'kept'"))
    assert kept == "by the other"


def test_a_database_that_takes_no_changes_is_not_available_for_them(database: Database) -> None:
    def change() -> None:
        with database.writing() as connection:
            set_mark(connection, "kept", "by nobody")

    with read_only(_url_of(database)):
        with pytest.raises(StoreUnavailable, match="read-only"):
            change()
        with database.reading() as connection:
            assert connection.scalar(sa.text("SELECT 1")) == 1
    change()


def test_what_writes_may_stand_still_for_a_minute_and_what_reads_for_as_long_as_it_likes(
    database: Database,
) -> None:
    with database.writing() as connection:
        assert connection.exec_driver_sql(IDLE).scalar() == "1min"
    with database.reading() as connection:
        assert connection.exec_driver_sql(IDLE).scalar() == "0"


def test_a_copy_may_stand_still_while_its_source_is_slow(
    database: Database, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Database(new_database(), timeout_ms=5000)
    insert, allowed = copying._insert, set()

    def noted(writer: sa.Connection, *others: Any) -> None:
        allowed.add(writer.exec_driver_sql(IDLE).scalar())
        insert(writer, *others)

    monkeypatch.setattr(copying, "_insert", noted)
    copying.copy_rows(database, target, lambda *_: None)
    target.dispose()
    assert allowed == {"0"}
