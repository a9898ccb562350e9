"""What long changes leave for others: turns for servers, marks, places, numbers; what they heal."""

import secrets
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.core.files.lines import Position
from gatehouse.idverify.people import Identifier, IdentifierType, Person, PersonName
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.identities import erasure, identities, imports
from gatehouse.store.identities.identities import MOST_HOLDERS, DryRun, RecordChange, Selector
from gatehouse.store.identities.identity_sealer import (
    EVERYONE,
    HolderRecord,
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)
from gatehouse.store.identities.imports import Batch
from gatehouse.store.tables import IDENTITIES, IDENTITY_TYPES
from tests.harness import PATIENCE_S
from tests.store.test_identities import keep, kept, types

CARD = "fp1_" + "a" * 40
PASSPORT = Identifier(IdentifierType.PASSPORT, "533401372", "GB")


def person(name: str, *identifiers: Identifier) -> HolderRecord:
    return HolderRecord(CARD, Person(names=(PersonName(name),), identifiers=identifiers), name)


def spoil(session: AdminSession, person_id: str) -> None:
    """Damage what is sealed, as a disk would."""
    with batch_of(session) as connection:
        this = IDENTITIES.c.person == person_id
        connection.execute(IDENTITIES.update().where(this).values(sealed=secrets.token_bytes(80)))


def is_due(session: AdminSession) -> bool:
    with session.reading() as connection:
        return erasure.is_due(connection)


def test_a_rest_is_as_long_as_the_work_and_counts_what_is_done_meanwhile(
    sqlite_session: AdminSession,
) -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))
        now[0] += seconds

    pace = Pace(sqlite_session.database, lambda: now[0], sleep)
    for held, between in (
        (0.01, 0.0),
        (0.06, 0.0),
        (0.4, 0.1),
        (30.0, 0.0),
        (0.2, 9.0),
        (0.1, 0.0),
    ):
        with pace.turn():
            now[0] += held
        now[0] += between
    assert slept == [0.05, 0.1, 0.3, 1.0]


def test_a_waiting_process_gets_the_lock_between_two_batches(
    sqlite_session: AdminSession,
) -> None:
    keep(sqlite_session, EVERYONE, person("a"))
    file = str(sqlite_session.database.file)
    now, waiting, served = [0.0], [threading.Thread()], []

    def take_lock() -> None:
        with closing(sqlite3.connect(file, timeout=PATIENCE_S, isolation_level=None)) as server:
            server.execute("BEGIN IMMEDIATE")
            server.execute("COMMIT")

    def rest(_seconds: float) -> None:
        waiting[0].join(PATIENCE_S)
        served.append(not waiting[0].is_alive())

    pace = Pace(sqlite_session.database, lambda: now[0], rest)
    for _ in range(4):
        with pace.turn(), batch_of(sqlite_session):
            waiting[0] = threading.Thread(target=take_lock)
            waiting[0].start()
            now[0] += 0.06
    with pace.turn():
        assert served == [True] * 4


def test_after_an_erasure_no_interrupted_import_of_the_scope_skips_anything(
    session: AdminSession,
) -> None:
    sealer = IdentitySealer(session.ring)
    for disturb in ("erase", "another file", "from the start"):
        run = imports.begin(EVERYONE, "mark", session)
        run, _ = imports.take(run, Batch([person("a")], 0, Position(1, 9)), session, sealer)
        assert imports.begin(EVERYONE, "mark", session).before == run.tally
        if disturb == "erase":
            assert erasure.erase(EVERYONE, Selector(), "", session) == 1
        elif disturb == "another file":
            imports.finish(imports.begin(EVERYONE, "other", session), session)
        again = imports.begin(EVERYONE, "mark", session, from_start=disturb == "from the start")
        assert (again.at, again.resumed) == (Position(), False)
        # The one that was running is not stopped by that.
        run, _ = imports.take(run, Batch([person("b")], 0, Position(2, 18)), session, sealer)
        imports.finish(run, session)
        imports.finish(again, session)


def test_what_came_before_an_interruption_is_told_apart(sqlite_session: AdminSession) -> None:
    sealer = IdentitySealer(sqlite_session.ring)
    run = imports.begin(EVERYONE, "mark", sqlite_session)
    imports.take(run, Batch([person("a")], 2, Position(3, 9)), sqlite_session, sealer)
    run = imports.begin(EVERYONE, "mark", sqlite_session)
    run, _ = imports.take(run, Batch([person("b")], 0, Position(4, 18)), sqlite_session, sealer)
    imports.finish(run, sqlite_session)
    with sqlite_session.reading() as connection:
        line = audit.read(connection, None, 100)[-1]
    assert (line.details["added"], line.details["refused"]) == (2, 2)
    assert line.details["before"] == {"added": 1, "changed": 0, "unchanged": 0, "refused": 2}


def test_nameless_people_without_a_reference_stay_apart(session: AdminSession) -> None:
    def nameless(email: str, *identifiers: Identifier) -> HolderRecord:
        return HolderRecord(CARD, Person(emails=(email,), identifiers=identifiers))

    two = (nameless("a@example.com"), nameless("b@example.com"))
    assert keep(session, EVERYONE, *two) == [RecordChange.ADDED] * 2
    assert keep(session, EVERYONE, *two) == [RecordChange.UNCHANGED] * 2
    assert keep(session, EVERYONE, nameless("A@Example.com")) == [RecordChange.CHANGED]
    assert keep(session, EVERYONE, nameless("a@example.com", PASSPORT)) == [RecordChange.ADDED]
    assert len(kept(session, EVERYONE)) == 3


def test_a_rehearsal_counts_as_the_import_does_batch_after_batch(
    sqlite_session: AdminSession,
) -> None:
    sealer = IdentitySealer(sqlite_session.ring)
    keep(sqlite_session, EVERYONE, person("a"), person("b"))
    crowd = [person(f"n{number}") for number in range(MOST_HOLDERS)]
    other = HolderRecord(CARD, Person(names=(PersonName("changed"),)), "a")
    batches = [[*crowd[:3], other], [*crowd[:2], other, person("a")], crowd, crowd[-4:]]

    rehearsal, tallies = DryRun(), []
    run = imports.Run("", EVERYONE, Position(), imports.ImportCounts())
    for entries in batches:
        run, _ = imports.dry_run_batch(
            run, Batch(entries, 1, Position()), sqlite_session, sealer, rehearsal
        )
    tallies.append(run.tally)
    rehearsal.close()
    assert len(kept(sqlite_session, EVERYONE)) == 2
    run = imports.begin(EVERYONE, None, sqlite_session)
    for number, entries in enumerate(batches):
        run, _ = imports.take(run, Batch(entries, 1, Position(0, number)), sqlite_session, sealer)
    tallies.append(run.tally)
    assert tallies[0] == tallies[1]
    assert all(number > 1 for number in (run.tally.changed, run.tally.unchanged, run.tally.refused))


def test_an_import_heals_what_cannot_be_read_and_numbers_come_right(session: AdminSession) -> None:
    entries = [person("a", PASSPORT), person("b", PASSPORT), person("c", PASSPORT)]
    keep(session, EVERYONE, *entries)
    ids = {one.entry.reference: one.person_id for one in kept(session, EVERYONE)}
    spoil(session, ids["a"])
    spoil(session, ids["b"])
    sealer = IdentitySealer(session.ring)
    with session.reading() as connection:
        found = list(identities.everyone(EVERYONE, connection, sealer))
    assert {type(one) for one in found} == {StoredHolder, UnreadableHolder}
    assert keep(session, EVERYONE, entries[0]) == [RecordChange.CHANGED]
    assert erasure.erase(EVERYONE, Selector(person_id=ids["b"]), "", session) == 1
    erasure.compact(session)
    assert {one.entry.reference for one in kept(session, EVERYONE)} == {"a", "c"}
    assert types(session, EVERYONE) == {"PASSPORT": 2}
    spoil(session, ids["c"])
    erasure.erase(EVERYONE, Selector(), "", session)
    with session.reading() as connection:
        assert connection.execute(sa.select(IDENTITY_TYPES)).all() == []


def test_a_compaction_stays_due_until_it_is_done(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(session, EVERYONE, *(person(f"n{number}") for number in range(6)))
    assert not is_due(session)
    people = [one.person_id for one in kept(session, EVERYONE)]
    erasure.erase(EVERYONE, Selector(person_id=people[0]), "", session)
    assert is_due(session)
    assert not erasure.tidy(session, False)
    assert is_due(session)
    monkeypatch.setattr(erasure, "QUICKLY_REWRITTEN_BYTES", 10)
    assert erasure.tidy(session, None) is not session.database.is_sqlite
    assert is_due(session) is session.database.is_sqlite
    monkeypatch.undo()
    assert erasure.tidy(session, None)
    assert not is_due(session)


def test_the_log_is_emptied_even_when_the_file_is_not_rewritten(
    sqlite_session: AdminSession,
) -> None:
    keep(sqlite_session, EVERYONE, person("a"), person("b"))
    [row, _] = _rows(sqlite_session)
    erasure.erase(EVERYONE, Selector(person_id=row.person), "", sqlite_session)
    erasure.tidy(sqlite_session, False)
    file = sqlite_session.database.file
    assert file is not None
    log = Path(f"{file}-wal")
    assert not log.exists() or log.stat().st_size == 0
    assert row.sealed not in file.read_bytes()


def test_an_erasure_that_is_interrupted_leaves_its_mark(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(sqlite_session, EVERYONE, *(person(f"n{number}") for number in range(5)))
    monkeypatch.setattr(erasure, "_AT_ONCE", 2)
    calls = []

    def interrupted(*_: object) -> bool:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(erasure, "_any", interrupted)
    with pytest.raises(KeyboardInterrupt):
        erasure.erase(EVERYONE, Selector(), "", sqlite_session)
    assert len(kept(sqlite_session, EVERYONE)) == 3
    assert is_due(sqlite_session)


def test_the_trail_lists_the_ids_of_a_few_and_counts_the_many(sqlite_session: AdminSession) -> None:
    entries = [
        HolderRecord(f"fp1_{n:040x}", Person(emails=(f"a{n}@example.com",))) for n in range(23)
    ]
    keep(sqlite_session, EVERYONE, *entries)
    erasure.erase(EVERYONE, Selector(cards=[entries[0].card]), "one", sqlite_session)
    erasure.erase(EVERYONE, Selector(), "many", sqlite_session)
    with sqlite_session.reading() as connection:
        one, many = audit.read(connection, None, 100)[-2:]
    assert (one.details["count"], len(one.details["ids"])) == (1, 1)
    assert many.details == {"scope": "*", "count": 22, "reason": "many"}


def _rows(session: AdminSession) -> list[sa.Row[tuple[object, ...]]]:
    with session.reading() as connection:
        return list(connection.execute(sa.select(IDENTITIES)))
