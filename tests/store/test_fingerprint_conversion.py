"""A database of the time when one fingerprint served the whole installation."""

from collections.abc import Iterator
from typing import Final
from unittest import mock

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.migration import MigrationContext
from alembic.operations import Operations

from gatehouse.admin.decisions.use_cases import decisions
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import EntryPage, GivenEntries, NewEntries
from gatehouse.admin.secrets.use_cases import secrets
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.ids import new_id
from gatehouse.decisions.record import encode_named
from gatehouse.pipeline.settlement import Search
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin import fingerprint_conversion
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.migrate import alembic_config
from gatehouse.store.requests.settlement import GUESS_WINDOW_MS
from gatehouse.store.tables import AUDIT, CARD_MISMATCHES, DECISIONS, LIST_ENTRIES, METADATA, STATE
from gatehouse.store.weaker_checks import WeakerCheck
from tests.decisions.samples import SAMPLES
from tests.harness import CARD, Home, make_account

SAMPLE = SAMPLES["pipeline_now"]
INNER_OF_SAMPLE = SAMPLE.partition('"fingerprint":"')[2].partition('"')[0]

_OVERSPENT: Final = "held >= 0 AND balance >= held"


@pytest.fixture
def old(home: Home) -> Iterator[tuple[AdminSession, str]]:
    """A session on data as it was before, and its account."""
    with home.session() as session:
        account = make_account(session)
        fingerprints, now_ms = session.fingerprints, session.clock()
        inner = fingerprints.inner(CardNumber.parse(CARD))
        added = GivenEntries([fingerprints.of_account(account, inner)])
        lists.add(session, account, "bad-cards", added, NewEntries(ListKind.CARDS))
        requests = [new_id("req", now_ms + number, bytes) for number in range(3)]
        rows = [
            {
                "account_id": account,
                "request_id": request,
                "at_ms": now_ms,
                "operation": "pipeline",
                "card": inner,
                "record": SAMPLE.replace(INNER_OF_SAMPLE, inner),
            }
            for request in requests
        ]
        with session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), rows)
            guess = {"card": inner, "request_id": requests[0], "at_ms": now_ms}
            connection.execute(CARD_MISMATCHES.insert(), guess)
            connection.execute(LIST_ENTRIES.update().values(value=inner, shown="42424242…4242"))
            _back_to_0004(connection)
    with home.session() as session:
        yield session, account


def _back_to_0004(connection: sa.Connection) -> None:
    """Take away all that later migrations have added, which a database of that time shows."""
    then = _database_at("0004")
    now = "held >= 0 AND (balance >= held OR credit_limit IS NOT NULL)"
    strict = WeakerCheck("accounts", "never_overspent", before=now, now=_OVERSPENT)
    Operations(MigrationContext.configure(connection)).invoke(strict)
    for table in reversed(METADATA.sorted_tables):
        columns = then.get(table.name)
        if columns is None:
            connection.execute(sa.text(f"DROP TABLE {table.name}"))
            continue
        for index in table.indexes:
            if index.name not in then:
                connection.execute(sa.text(f"DROP INDEX IF EXISTS {index.name}"))
        for column in table.c:
            if column.name not in columns:
                connection.execute(sa.text(f"ALTER TABLE {table.name} DROP COLUMN {column.name}"))
    connection.execute(sa.delete(STATE).where(STATE.c.name == "inner-fingerprints"))
    command.stamp(alembic_config(connection), "0004")


def _database_at(revision: str) -> dict[str, set[str]]:
    """The tables with their columns, and the indexes, that migrations up to this one make."""
    with sa.create_engine("sqlite://").begin() as connection:
        command.upgrade(alembic_config(connection), revision)
        names = connection.scalars(sa.text("SELECT name FROM sqlite_master"))
        columns = sa.text("SELECT name FROM pragma_table_info(:table)")
        return {name: {*connection.scalars(columns, {"table": name})} for name in names.all()}


def _inner(session: AdminSession) -> str:
    return session.fingerprints.inner(CardNumber.parse(CARD))


def _everything(session: AdminSession) -> str:
    tables = (DECISIONS, LIST_ENTRIES, CARD_MISMATCHES, AUDIT)
    with session.reading() as connection:
        return "\n".join(
            str(row) for table in tables for row in connection.execute(sa.select(table))
        )


def test_lists_and_guesses_are_converted_as_soon_as_the_data_is_opened(
    old: tuple[AdminSession, str],
) -> None:
    session, account = old
    inner = _inner(session)
    mine = session.fingerprints.of_account(account, inner)
    [entry] = lists.entries(session, account, "bad-cards", EntryPage(session.clock()))
    assert (entry.value, entry.shown) == (mine, "42424242…4242")
    with session.reading() as connection:
        assert list_reading.load(connection, account, session.signer).has(
            "bad-cards", mine, session.clock()
        )
        [guess] = connection.execute(sa.select(CARD_MISMATCHES)).all()
    assert guess.card == session.fingerprints.guess_mark(inner)
    assert session.clock() - guess.at_ms < GUESS_WINDOW_MS


def test_records_are_shown_converted_before_they_are(old: tuple[AdminSession, str]) -> None:
    session, account = old
    found = decisions.list_decisions(session, account, Search(None, None, 10))
    mine = session.fingerprints.of_account(account, _inner(session))
    assert [record.card.fingerprint for record in found if record.card] == [mine] * 3
    assert _inner(session) in _everything(session)


def test_a_command_converts_records_and_the_go_live_list_says_when_it_is_due(
    old: tuple[AdminSession, str], home: Home
) -> None:
    session, account = old

    def is_done() -> bool:
        points = home.run("doctor", "--json").json["points"]
        [point] = [point for point in points if point["name"] == "card fingerprints"]
        ok: bool = point["ok"]
        return ok

    assert not is_done()
    before = decisions.list_decisions(session, account, Search(None, None, 10))
    assert secrets.convert_fingerprints(session, int) == (3, True)
    assert is_done()
    assert _inner(session) not in _everything(session)
    after = decisions.list_decisions(session, account, Search(None, None, 10))
    assert list(map(encode_named, after)) == list(map(encode_named, before))
    file = session.database.file
    assert file is None or _inner(session).encode() not in file.read_bytes()
    assert secrets.convert_fingerprints(session, int) == (0, True)


def test_an_interrupted_conversion_goes_on_where_it_was(old: tuple[AdminSession, str]) -> None:
    session, _ = old

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with mock.patch.object(fingerprint_conversion, "_AT_ONCE", 1):
        with pytest.raises(KeyboardInterrupt):
            secrets.convert_fingerprints(session, stop)
        with session.reading() as connection:
            assert fingerprint_conversion.records_are_due(connection)
        assert secrets.convert_fingerprints(session, int) == (2, True)
    assert _inner(session) not in _everything(session)


def test_a_new_database_has_nothing_to_convert(session: AdminSession) -> None:
    with session.reading() as connection:
        assert not fingerprint_conversion.records_are_due(connection)
