"""Identity records at rest: found by card and scope, sealed, counted, erased; on both databases."""

import asyncio
import base64
import json
import logging
import os
import random
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from alembic import command

from gatehouse.access.actors import Actor
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate
from gatehouse.core.errors import Conflict, ConnectorFailed, SealBroken
from gatehouse.core.files.lines import Position
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.idverify.people import Identifier, IdentifierType, OwnerType, Person, PersonName
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import Holders, IdentityEnquiry
from gatehouse.operations.installation import open_admin_session, root_secrets
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.keyring import NewKeyVersion, insert_key, open_ring
from gatehouse.store.admin.throttle import batch_of
from gatehouse.store.database import Database
from gatehouse.store.identities import erasure, identities, identity_counts, identity_keys, imports
from gatehouse.store.identities.identities import MOST_HOLDERS, RecordChange, Selector
from gatehouse.store.identities.identity_lookup import SQLITE_ROWS, RecordedIdentities
from gatehouse.store.identities.identity_sealer import (
    EVERYONE,
    HolderRecord,
    IdentitySealer,
    StoredHolder,
)
from gatehouse.store.migrate import alembic_config, migrate
from gatehouse.store.migrations import HEAD
from gatehouse.store.tables import IDENTITIES, IDENTITY_TYPES
from tests.harness import Home, make_account

CARD, OTHER_CARD = "fp1_" + "a" * 40, "fp1_" + "b" * 40
NUMBER = CardNumber.parse("4242424242424242")
ELEANOR = Person(
    names=(PersonName("Whitfield", "Eleanor", "Rosé"),),
    emails=("eleanor.whitfield@example.com",),
    phones=("+442079460958",),
    identifiers=(Identifier(IdentifierType.PASSPORT, "533401372", "GB"),),
)
OSCAR = Person(
    OwnerType.SECONDARY,
    names=(PersonName("Lindqvist", "Oscar"),),
    identifiers=(Identifier(IdentifierType.TAX, "850709-9805", "SE"),),
)
VALUES = (
    "Whitfield", "Eleanor", "Rosé", "eleanor.whitfield", "+442079460958", "2079460958",
    "533401372", "Lindqvist", "850709-9805", "customer-77",
)  # fmt: skip


def keep(session: AdminSession, scope: str, *entries: HolderRecord) -> list[RecordChange]:
    with batch_of(session) as connection:
        sealer = IdentitySealer(session.ring)
        return identities.put(scope, entries, connection, sealer, session.clock())


def kept(session: AdminSession, scope: str, selector: Selector | None = None) -> list[StoredHolder]:
    with session.reading() as connection:
        return identities.find(
            scope, selector or Selector(), connection, IdentitySealer(session.ring)
        )


def types(session: AdminSession, scope: str) -> dict[str, int]:
    query = sa.select(IDENTITY_TYPES.c.type, IDENTITY_TYPES.c.people)
    with session.reading() as connection:
        rows = connection.execute(query.where(IDENTITY_TYPES.c.scope == scope))
        return {row.type: row.people for row in rows}


def enquiry(account: str, card: str = CARD) -> IdentityEnquiry:
    return IdentityEnquiry(
        "req_1", account, NUMBER, card, IdVerifyRequest(NUMBER, ExpiryDate.parse("2099-12"))
    )


def asking(
    session: AdminSession,
    scenario: Callable[[RecordedIdentities], Awaitable[None]],
    reload_ring: Callable[[], KeyRing] | None = None,
) -> None:
    """Run a scenario with a source that has been started."""

    async def run() -> None:
        source = RecordedIdentities(session.database, session.ring, reload_ring)
        source.start()
        try:
            await scenario(source)
        finally:
            await source.stop()
        assert not source.alive

    asyncio.run(run())


def find(session: AdminSession, account: str, card: str = CARD) -> Holders:
    answers: list[Holders] = []

    async def ask(source: RecordedIdentities) -> None:
        answers.append(await source.find(enquiry(account, card)))

    asking(session, ask)
    return answers[0]


def renew(session: AdminSession, home: Home) -> AdminSession:
    """A new identity key, and the session as a new process sees it."""
    settings = load_settings(home.environ())
    version, _ = session.ring.current(keyring.IDENTITIES)
    with session.change() as change:
        new = NewKeyVersion(keyring.IDENTITIES, version + 1, change.now_ms)
        insert_key(change.connection, root_secrets(settings)[0], new, secrets.token_bytes)
        change.audit("secrets.renew-identities", version=version + 1)
    return open_admin_session(settings, Actor.system("test"))


def reseal(session: AdminSession, at_once: int = 100) -> int:
    sealer, after, total = IdentitySealer(session.ring), None, 0
    while True:
        with batch_of(session) as connection:
            part = identity_keys.reseal(after, connection, sealer, at_once)
        after, total = part.until, total + part.done
        if after is None:
            return total


@pytest.fixture
def stocked(session: AdminSession) -> tuple[AdminSession, str]:
    """Two people of one card: the operator's, and one that an account has on record."""
    account = make_account(session)
    keep(session, EVERYONE, HolderRecord(CARD, ELEANOR, "customer-77"))
    keep(session, account, HolderRecord(CARD, OSCAR))
    return session, account


def test_an_account_finds_its_own_people_first_and_then_the_operators(
    stocked: tuple[AdminSession, str],
) -> None:
    session, account = stocked
    found = find(session, account)
    assert found.people == (OSCAR, ELEANOR)
    assert found.identifier_types == {IdentifierType.TAX, IdentifierType.PASSPORT}
    assert found.holds_names


def test_an_account_never_sees_another_accounts_people(stocked: tuple[AdminSession, str]) -> None:
    session, _ = stocked
    other = make_account(session)
    found = find(session, other)
    assert found.people == (ELEANOR,)
    assert found.identifier_types == {IdentifierType.PASSPORT}
    [person] = kept(session, EVERYONE)
    assert kept(session, other, Selector(person_id=person.person_id)) == []


def test_a_card_that_nobody_recorded_has_no_holders(stocked: tuple[AdminSession, str]) -> None:
    session, account = stocked
    found = find(session, account, OTHER_CARD)
    assert found.people == ()
    assert found.identifier_types == {IdentifierType.TAX, IdentifierType.PASSPORT}


def test_lookups_of_one_turn_are_answered_each_for_itself(session: AdminSession) -> None:
    """More than one batch takes, of several accounts, all at once."""
    mine, other = make_account(session), make_account(session)
    cards = [f"fp1_{number:040x}" for number in range(300)]
    people = [Person(names=(PersonName(f"Holder {number}"),)) for number in range(len(cards))]
    keep(session, mine, *(HolderRecord(card, who) for card, who in zip(cards, people, strict=True)))

    async def ask(source: RecordedIdentities) -> None:
        owners = [mine if number % 3 else other for number in range(len(cards))]
        asked = zip(owners, cards, strict=True)
        found = await asyncio.gather(*(source.find(enquiry(a, card)) for a, card in asked))
        for number, (owner, holders) in enumerate(zip(owners, found, strict=True)):
            assert holders.people == ((people[number],) if owner == mine else ())

    asking(session, ask)


def test_a_lookup_reads_one_stretch_of_the_tree(sqlite_home: Home) -> None:
    with sqlite_home.session() as session, session.reading() as connection:
        plan = str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {SQLITE_ROWS}", ("[]",)).all())
    assert "SEARCH i USING PRIMARY KEY (card=? AND scope=?)" in plan


def test_a_stolen_database_reveals_nothing_of_anybody(stocked: tuple[AdminSession, str]) -> None:
    session, _ = stocked
    dump = _everything(session)
    for value in VALUES:
        plain = value.encode()
        spellings = {
            plain, value.encode("utf-16-le"), value.encode("utf-16-be"), plain.hex().encode(),
            plain.hex().upper().encode(), json.dumps(value)[1:-1].encode(), plain[::-1],
            *(base64.b64encode(b" " * shift + plain)[4:-4] for shift in range(3)),
        }  # fmt: skip
        for spelling in spellings:
            if len(spelling) >= 6:
                assert spelling not in dump, value
    assert kept(session, EVERYONE)[0].entry.person == ELEANOR


def _everything(session: AdminSession) -> bytes:
    """All bytes of the file and its log, or all rows of all tables of a server."""
    file = session.database.file
    if file is not None:
        log = file.with_name(file.name + "-wal")
        return file.read_bytes() + (log.read_bytes() if log.exists() else b"")
    dump = b""
    with session.reading() as connection:
        for name in sa.inspect(connection).get_table_names():
            for row in connection.execute(sa.text(f"SELECT * FROM {name}")):
                dump += b" ".join(v if isinstance(v, bytes) else str(v).encode() for v in row)
    return dump


def test_keeping_the_same_again_changes_nothing(session: AdminSession) -> None:
    entry = HolderRecord(CARD, ELEANOR, "customer-77")
    assert keep(session, EVERYONE, entry) == [RecordChange.ADDED]
    before = _rows(session)
    assert keep(session, EVERYONE, entry, entry) == [RecordChange.UNCHANGED, RecordChange.UNCHANGED]
    assert _rows(session) == before


def test_a_reference_makes_another_content_the_same_person(session: AdminSession) -> None:
    keep(session, EVERYONE, HolderRecord(CARD, ELEANOR, "customer-77"))
    [before] = kept(session, EVERYONE)
    assert keep(session, EVERYONE, HolderRecord(CARD, OSCAR, "customer-77")) == [
        RecordChange.CHANGED
    ]
    [after] = kept(session, EVERYONE)
    assert after.person_id == before.person_id
    assert after.entry.person == OSCAR
    assert keep(session, EVERYONE, HolderRecord(CARD, ELEANOR, "customer-78")) == [
        RecordChange.ADDED
    ]
    assert len(kept(session, EVERYONE)) == 2


def test_without_a_reference_a_person_is_known_by_role_and_names(session: AdminSession) -> None:
    def person(role: OwnerType, first: str, *phones: str) -> HolderRecord:
        return HolderRecord(CARD, Person(role, (PersonName("Lee", first),), phones=phones))

    primary = OwnerType.PRIMARY
    first = keep(session, EVERYONE, person(primary, "Ann", "+442079460958"))
    again = keep(session, EVERYONE, person(primary, " ANN ", "+442079460959"))
    others = keep(session, EVERYONE, person(primary, "Anna"), person(OwnerType.SECONDARY, "Ann"))
    assert (first, again) == ([RecordChange.ADDED], [RecordChange.CHANGED])
    assert others == [RecordChange.ADDED, RecordChange.ADDED]
    assert len(kept(session, EVERYONE)) == 3


def test_the_last_of_several_in_one_batch_is_kept(session: AdminSession) -> None:
    outcomes = keep(
        session, EVERYONE, HolderRecord(CARD, ELEANOR, "one"), HolderRecord(CARD, OSCAR, "one")
    )
    assert outcomes == [RecordChange.ADDED, RecordChange.CHANGED]
    assert [one.entry.person for one in kept(session, EVERYONE)] == [OSCAR]
    assert types(session, EVERYONE) == {"TAX": 1}


def test_one_card_cannot_have_endless_holders(session: AdminSession) -> None:
    crowd = [HolderRecord(CARD, OSCAR, f"customer-{number}") for number in range(MOST_HOLDERS + 2)]
    outcomes = keep(session, EVERYONE, *crowd)
    assert outcomes == [RecordChange.ADDED] * MOST_HOLDERS + [RecordChange.REFUSED] * 2
    assert keep(session, EVERYONE, crowd[-1]) == [RecordChange.REFUSED]
    assert keep(session, EVERYONE, crowd[0]) == [RecordChange.UNCHANGED]
    assert len(find(session, make_account(session)).people) == MOST_HOLDERS


def test_people_are_found_and_deleted_by_reference_across_cards(session: AdminSession) -> None:
    keep(
        session,
        EVERYONE,
        *(HolderRecord(card, ELEANOR, "customer-77") for card in (CARD, OTHER_CARD)),
    )
    keep(session, EVERYONE, HolderRecord(CARD, OSCAR, "customer-78"))
    sealer = IdentitySealer(session.ring)
    meant = Selector(references=sealer.reference_marks(EVERYONE, "customer-77"))
    assert {one.entry.card for one in kept(session, EVERYONE, meant)} == {CARD, OTHER_CARD}
    assert erasure.erase(EVERYONE, meant, "asked to", session) == 2
    assert [one.entry.person for one in kept(session, EVERYONE)] == [OSCAR]


def test_types_are_counted_exactly_whatever_happens(session: AdminSession) -> None:
    chance = random.Random(7)
    for _ in range(12):
        entries = [
            HolderRecord(
                f"fp1_{chance.randrange(6):040x}",
                Person(
                    identifiers=tuple(
                        Identifier(chance.choice(list(IdentifierType)), str(number))
                        for number in range(chance.randrange(4))
                    )
                ),
                f"customer-{chance.randrange(5)}",
            )
            for _ in range(chance.randrange(1, 8))
        ]
        keep(session, EVERYONE, *entries)
        if chance.random() < 0.4:
            gone = Selector(cards=[f"fp1_{chance.randrange(6):040x}"])
            erasure.erase(EVERYONE, gone, "", session)
        counted = Counter(
            kind.value
            for one in kept(session, EVERYONE)
            for kind in identity_counts.types_of(one.entry.person)
        )
        assert types(session, EVERYONE) == dict(counted)
    assert sum(types(session, EVERYONE).values()) > 0


def test_rows_that_were_swapped_do_not_open(
    stocked: tuple[AdminSession, str], caplog: pytest.LogCaptureFixture
) -> None:
    session, account = stocked
    with session.database.writing() as connection:
        rows = {row.scope: row for row in connection.execute(sa.select(IDENTITIES))}
        for scope, other in ((EVERYONE, account), (account, EVERYONE)):
            connection.execute(
                IDENTITIES.update()
                .where(IDENTITIES.c.scope == scope)
                .values(sealed=rows[other].sealed)
            )
    with pytest.raises(SealBroken, match=rows[EVERYONE].person):
        kept(session, EVERYONE)
    with caplog.at_level(logging.ERROR), pytest.raises(ConnectorFailed):
        find(session, account)
    assert "gatehouse identities delete" in caplog.text
    assert not any(value in caplog.text for value in VALUES)
    assert erasure.erase(EVERYONE, Selector(), "broken", session) == 1


def test_a_row_moved_to_another_card_or_account_does_not_open(
    stocked: tuple[AdminSession, str],
) -> None:
    session, account = stocked
    other = make_account(session)
    for column, value in (("card", OTHER_CARD), ("scope", other)):
        with session.database.writing() as connection:
            mine = IDENTITIES.c.scope == account
            connection.execute(IDENTITIES.update().where(mine).values({column: value}))
        with pytest.raises(ConnectorFailed):
            find(session, other if column == "scope" else account, OTHER_CARD)


def test_one_broken_record_spoils_no_other_lookup(stocked: tuple[AdminSession, str]) -> None:
    session, account = stocked
    keep(session, account, HolderRecord(OTHER_CARD, OSCAR))
    with session.database.writing() as connection:
        broken = IDENTITIES.c.card == CARD
        connection.execute(IDENTITIES.update().where(broken).values(sealed=os.urandom(64)))

    async def ask(source: RecordedIdentities) -> None:
        bad, good = await asyncio.gather(
            source.find(enquiry(account)),
            source.find(enquiry(account, OTHER_CARD)),
            return_exceptions=True,
        )
        assert isinstance(bad, ConnectorFailed)
        assert isinstance(good, Holders)
        assert good.people == (OSCAR,)

    asking(session, ask)


def test_lookups_go_on_while_everything_is_sealed_anew(
    stocked: tuple[AdminSession, str], home: Home
) -> None:
    session, account = stocked
    keep(session, EVERYONE, *(HolderRecord(f"fp1_{n:040x}", ELEANOR) for n in range(150)))
    settings = load_settings(home.environ())
    reloads: list[KeyRing] = []

    def reload() -> KeyRing:
        chance = (session.clock, secrets.token_bytes)
        reloads.append(open_ring(session.database, root_secrets(settings), *chance))
        return reloads[-1]

    def seal_anew() -> None:
        newer = renew(session, home)
        assert reseal(newer, at_once=10) == 152
        with newer.change() as change:
            assert identity_keys.drop_old_keys(change.connection, IdentitySealer(newer.ring)) == 1
            change.audit("identities.reencrypt-end")
        assert reload().versions().count((keyring.IDENTITIES, 1)) == 0
        # What is on record is recognised as before, although its marks are of the new key.
        again = HolderRecord(CARD, ELEANOR, "customer-77")
        assert keep(newer, EVERYONE, again) == [RecordChange.UNCHANGED]
        newer.database.dispose()

    async def ask(source: RecordedIdentities) -> None:
        work = asyncio.get_running_loop().run_in_executor(None, seal_anew)
        number = 0
        while not work.done():
            number += 1
            assert (await source.find(enquiry(account))).people == (OSCAR, ELEANOR)
            assert (await source.find(enquiry(account, f"fp1_{number % 150:040x}"))).people
        await work
        assert (await source.find(enquiry(account))).people == (OSCAR, ELEANOR)

    asking(session, ask, reload)
    assert len(reloads) == 2  # one of them by the test itself


def test_a_record_whose_key_is_gone_is_said_so_once_with_a_remedy(
    stocked: tuple[AdminSession, str], home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    session, account = stocked
    newer = renew(session, home)
    reseal(newer)
    newer.database.dispose()
    asked: list[int] = []

    def reload() -> KeyRing:
        asked.append(1)
        return session.ring

    async def ask(source: RecordedIdentities) -> None:
        for _ in range(5):
            with pytest.raises(ConnectorFailed):
                await source.find(enquiry(account))

    with caplog.at_level(logging.ERROR):
        asking(session, ask, reload)
    assert asked == [1]
    assert caplog.text.count("import them again") == 1
    assert not any(value in caplog.text for value in VALUES)


def test_nobody_writes_with_a_key_that_was_replaced(session: AdminSession, home: Home) -> None:
    run = imports.begin(EVERYONE, None, session)
    newer = renew(session, home)
    batch = imports.Batch([HolderRecord(CARD, ELEANOR)], 0, Position(1, 10))
    with pytest.raises(Conflict, match="renewed meanwhile"):
        imports.take(run, batch, session, IdentitySealer(session.ring))
    imports.take(run, batch, newer, IdentitySealer(newer.ring))
    assert len(kept(newer, EVERYONE)) == 1
    newer.database.dispose()


def test_old_keys_stay_while_they_seal_anything(session: AdminSession, home: Home) -> None:
    keep(session, EVERYONE, HolderRecord(CARD, ELEANOR))
    newer = renew(session, home)
    with pytest.raises(Conflict, match="older key"), newer.change() as change:
        identity_keys.drop_old_keys(change.connection, IdentitySealer(newer.ring))
    # An older record is recognised without being opened, and replaced by one under the new key.
    assert keep(newer, EVERYONE, HolderRecord(CARD, ELEANOR)) == [RecordChange.UNCHANGED]
    newer.database.dispose()


def test_two_imports_of_one_file_do_not_both_go_on(session: AdminSession) -> None:
    first = imports.begin(EVERYONE, "mark", session)
    second = imports.begin(EVERYONE, "mark", session)
    assert second.resumed
    sealer = IdentitySealer(session.ring)
    imports.take(first, imports.Batch([], 3, Position(3, 30)), session, sealer)
    with pytest.raises(Conflict, match="another process"):
        imports.take(second, imports.Batch([], 3, Position(3, 30)), session, sealer)
    third = imports.begin(EVERYONE, "mark", session)
    assert (third.at, third.tally.refused) == (Position(3, 30), 3)
    imports.finish(third, session)
    assert not imports.begin(EVERYONE, "mark", session).resumed
    assert not imports.begin(make_account(session), "mark", session).resumed


def test_erased_people_leave_no_trace_in_the_file(session: AdminSession) -> None:
    """Enough rows that pages were split and rows moved, which leaves copies behind."""
    people = [Person(names=(PersonName("x" * (20 + n % 40)),)) for n in range(1500)]
    chance = random.Random(3)
    entries = [HolderRecord(f"fp1_{chance.randbytes(20).hex()}", person) for person in people]
    for start in range(0, len(entries), 250):
        keep(session, EVERYONE, *entries[start : start + 250])
    before = _rows(session)
    gone = {entry.card for entry in entries[::7]}
    erasure.erase(EVERYONE, Selector(cards=sorted(gone)), "", session)
    erasure.compact(session)
    dump = _everything(session)
    for row in before:
        assert (row.sealed[:24] in dump) is (row.card not in gone)
    assert len(_rows(session)) == len(entries) - len(gone)


def test_lost_connections_are_made_anew(tmp_path: Path, new_database: Callable[[], str]) -> None:
    home = Home(tmp_path / "home", new_database())
    session = open_admin_session(load_settings(home.environ()), Actor.system("test"))
    account = make_account(session)
    keep(session, EVERYONE, HolderRecord(CARD, ELEANOR))

    async def ask(source: RecordedIdentities) -> None:
        assert (await source.find(enquiry(account))).people == (ELEANOR,)
        with psycopg.connect(home.database_url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        with pytest.raises(ConnectorFailed):
            await source.find(enquiry(account))
        assert (await source.find(enquiry(account))).people == (ELEANOR,)

    asking(session, ask)
    session.database.dispose()


def test_a_database_of_the_revision_before_is_brought_up_to_date(empty_home: Home) -> None:
    settings = load_settings(empty_home.environ())
    settings.home.mkdir(parents=True)
    database = Database(settings.effective_database_url, timeout_ms=5000)
    with database.writing() as connection:
        command.upgrade(alembic_config(connection), "0001")
    assert migrate(database) == ("0001", HEAD)
    with database.reading() as connection:
        names = sa.inspect(connection).get_table_names()
    assert {"identities", "identity_types", "identity_imports"} <= set(names)
    database.dispose()


def _rows(session: AdminSession) -> list[Any]:
    with session.reading() as connection:
        return list(connection.execute(sa.select(IDENTITIES).order_by(IDENTITIES.c.card)))
