"""The rights of a person: what is exported, what is erased, and what has to stay."""

import asyncio
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.events.use_cases.events import EventQuery, newest_events
from gatehouse.admin.feedback.use_cases.record import record_feedback
from gatehouse.admin.lists.use_cases import list_lookup, lists
from gatehouse.admin.lists.use_cases.lists import EntryPage, GivenEntries, ListFile, NewEntries
from gatehouse.admin.privacy.use_cases.erasure import ErasedPerson, ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.export import export_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.privacy.worker import Forgetter
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import ApprovalNeeded, ConnectorFailed, InvalidInput, NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import decode
from gatehouse.rules.list_entries import ListKind
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.records.event import RecordedEvents, past_event_in
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.configured import list_reading
from gatehouse.store.decisions.forgotten_events import KEPT_MS
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject
from gatehouse.store.tables import DECISIONS, FORGOTTEN_EVENTS, IDEMPOTENCY, LIST_ENTRIES
from tests.admin.shop import Shop
from tests.harness import Home

CARD = "4242424242424242"
JANE = PersonNamed(user_id="u-jane")


@pytest.fixture
def shop(session: AdminSession) -> Shop:
    return Shop(session)


def erase(shop: Shop, person: PersonNamed = JANE, **options: Any) -> ErasedPerson:
    pace = Pace(shop.session.database, sleep=lambda _: None)
    chosen = ErasureOptions(compact=False, **options)
    return erase_person(shop.session, shop.account_id, person, chosen, pace)


def exported(shop: Shop, person: PersonNamed = JANE) -> Any:
    pieces: list[bytes] = []
    export_person(shop.session, shop.account_id, person, pieces.append)
    return json.loads(b"".join(pieces))


def test_a_record_keeps_what_accounting_needs_and_nothing_about_the_person(shop: Shop) -> None:
    signals = {"order.amount": 5.0, "user.id": "u-jane", "custom.note": "by the back door"}
    request_id = shop.decide(3, "u-jane", reference="ref-1", card=CARD, signals=signals)
    before = decode(shop.record(request_id))
    erase(shop)
    after = decode(shop.record(request_id))
    assert after.erased_at is not None
    same = msgspec.structs.replace(
        before, client_reference_id=None, card=None, event=None, erased_at=after.erased_at
    )
    assert after == msgspec.structs.replace(same, signals={"order.amount": 5.0})
    assert past_event_in(shop.account_id, shop.record(request_id)) is None
    with shop.session.reading() as connection:
        row = connection.execute(sa.select(DECISIONS)).one()
    assert (row.client_reference, row.card, row.transaction_reference) == (None, None, None)


def test_events_tell_an_erased_request_without_the_person(shop: Shop) -> None:
    request_id = shop.decide(3, "u-jane", reference="ref-1", card=CARD)
    record_feedback(
        shop.session,
        shop.account_id,
        FeedbackSubject(request_id=request_id),
        FeedbackStatement(Label.FRAUD),
    )
    erase(shop)
    [event] = newest_events(shop.session, shop.account_id, EventQuery(limit=1)).events
    assert event.data["decision"].erased_at is not None
    assert event.data["decision"].card is None
    told = msgspec.json.encode(event).decode()
    assert not any(each in told for each in ("u-jane", "ref-1", CARD[-4:]))


def test_who_is_named_in_several_ways_is_found_by_any_of_them(shop: Shop) -> None:
    by_user, by_card = shop.decide(3, "u-jane"), shop.decide(2, "u-2", card=CARD)
    other = shop.decide(1, "u-3")
    person = PersonNamed(user_id="u-jane", card=CardNumber.parse(CARD))
    found = {each["requestId"] for each in exported(shop, person)["decisions"]}
    assert found == {by_user, by_card}
    assert erase(shop, person).decisions == 2
    assert decode(shop.record(other)).erased_at is None


def test_the_same_person_of_another_account_is_untouched(shop: Shop) -> None:
    elsewhere = Shop(shop.session)
    mine, theirs = shop.decide(3, "u-jane", card=CARD), elsewhere.decide(3, "u-jane", card=CARD)
    before = elsewhere.record(theirs)
    assert erase(shop, PersonNamed("u-jane", card=CardNumber.parse(CARD))).decisions == 1
    assert elsewhere.record(theirs) == before
    assert [each["requestId"] for each in exported(elsewhere)["decisions"]] == [theirs]
    assert exported(shop)["decisions"] == []
    assert decode(shop.record(mine)).erased_at is not None


def test_a_request_that_is_not_over_is_left_and_named(shop: Shop) -> None:
    reviewed, doubtful, over = (shop.decide(3, "u-jane") for _ in range(3))
    shop.review(reviewed, "OPEN")
    shop.doubt(doubtful, "FAILED")
    done = erase(shop)
    assert (done.decisions, done.waiting) == (1, 2)
    assert set(done.waiting_requests) == {reviewed, doubtful}
    assert decode(shop.record(over)).erased_at is not None
    assert "u-jane" in shop.record(reviewed)
    assert erase(shop).waiting == 2


def test_a_dry_run_says_the_same_and_changes_nothing(shop: Shop) -> None:
    request_id = shop.decide(3, "u-jane")
    shop.answer(request_id, 1000)
    before, trail = shop.record(request_id), shop.trail()
    foreseen = erase(shop, dry_run=True)
    assert (shop.record(request_id), shop.trail()) == (before, trail)
    done = erase(shop)
    assert (foreseen.decisions, foreseen.answers) == (done.decisions, done.answers) == (1, 1)
    with shop.session.reading() as connection:
        row = connection.execute(sa.select(IDEMPOTENCY)).one()
    # The key stays, or a repeated request would be paid a second time.
    assert (row.answer, row.body) == (None, "")
    assert erase(shop).answers == 0


EVERY_NAME = PersonNamed(
    *("u-jane", "jane@example.com", "+14155550132", CardNumber.parse(CARD)),
    username="jane-nick",
)


@pytest.mark.parametrize(
    ("kind", "written", "signal"),
    [
        (ListKind.USERS, "u-jane", "u-jane"),
        (ListKind.EMAILS, "jane@example.com", None),
        (ListKind.PHONES, "+14155550132", None),
        (ListKind.CARDS, CARD, None),
        (ListKind.WORDS, "jane-nick", "jane-nick"),
    ],
)
def test_an_erasure_leaves_entries_that_name_nobody_and_match_as_before(
    shop: Shop, kind: ListKind, written: str, signal: str | None
) -> None:
    session, account = shop.session, shop.account_id
    file = ListFile("them.txt", lambda: contextlib.nullcontext(io.BytesIO(written.encode())))
    given, new = GivenEntries(file=file), NewEntries(kind, "Jane did it")
    lists.add(session, account, "blocked", given, new)
    signal = signal or lists.entries(session, account, "blocked", EntryPage(0))[0].value
    assert erase(shop, EVERY_NAME).list_entries_kept == 1
    assert erase(shop, EVERY_NAME, lists=True, dry_run=True).list_entries == 1
    done = erase(shop, EVERY_NAME, lists=True)
    assert (done.list_entries, done.list_entries_kept) == (1, 0)
    assert erase(shop, EVERY_NAME, lists=True).list_entries == 0
    with session.reading() as connection:
        rows = str(connection.execute(sa.select(LIST_ENTRIES)).all())
        now_ms = session.clock() + 1
        for found in (
            list_reading.load(connection, account, session.signer),
            list_reading.history_of(connection, account, ["blocked"], session.signer),
            list_reading.history_of(
                connection, account, ["blocked"], session.signer, {"blocked": [signal]}
            ),
        ):
            assert found.has("blocked", signal, now_ms)
            assert not found.has("blocked", "u-2", now_ms)
    assert not [text for text in ("jane", "Jane", "***", "•", CARD[-4:]) if text in rows]
    [left] = exported(shop, EVERY_NAME)["listEntries"]
    assert (left["list"], left["reason"]) == ("blocked", None)
    [(name, _)] = list_lookup.holding(session, account, written)
    assert name == "blocked"
    assert lists.remove(session, account, "blocked", given) == 1
    assert list_lookup.holding(session, account, written) == []
    assert erase(shop, EVERY_NAME, lists=True).list_entries == 1
    assert exported(shop, EVERY_NAME)["listEntries"] == []


def test_who_may_not_take_off_a_list_alone_does_not_by_an_erasure(shop: Shop) -> None:
    given = GivenEntries(["u-jane"])
    lists.add(shop.session, shop.account_id, "blocked", given, NewEntries(ListKind.USERS, "why"))
    approvals.set_wanted(shop.session, shop.account_id, ["lists"])
    with pytest.raises(ApprovalNeeded):
        lists.remove(shop.session, shop.account_id, "blocked", given)
    assert erase(shop, lists=True).list_entries == 1
    [(name, _)] = list_lookup.holding(shop.session, shop.account_id, "u-jane")
    assert name == "blocked"


def test_the_trail_names_nobody(shop: Shop) -> None:
    shop.decide(3, "u-jane", card=CARD)
    exported(shop)
    done = erase(shop)
    lines = [each for each in shop.trail() if each.action.startswith("privacy.")]
    assert [each.action.partition(".")[2] for each in lines] == ["export", "erase-begin", "erase"]
    assert lines[-1].details["erasureId"] == done.erasure_id
    assert lines[-1].details["decisions"] == 1
    assert "jane" not in str(lines)


def test_the_export_has_labels_and_what_is_remembered(shop: Shop) -> None:
    request_id = shop.decide(3, "u-jane", address="198.51.100.4")
    shop.label(request_id, 1)
    found = exported(shop)
    [label] = found["labels"]
    assert label["label"] == Label.FRAUD
    assert {"when", "recordedAt", "source", "by"} <= label.keys()
    assert {(each["kind"], each["value"], each["events"]) for each in found["memory"]} == {
        ("user", "u-jane", 1),
        ("address", "198.51.100.4", 1),
    }


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (PersonNamed(), "name the person"),
        (PersonNamed(email="jane"), "--email must be an e-mail address"),
        (PersonNamed(phone="12"), "--phone must be a phone number"),
        (PersonNamed(user_id="unknown"), "--user must name a user"),
        (PersonNamed(user_id="u" * 600), "--user is longer than 512"),
        (PersonNamed(device_id="unknown"), "--device must name a device"),
    ],
)
def test_who_cannot_be_anybody_is_refused(
    sqlite_session: AdminSession, person: PersonNamed, reason: str
) -> None:
    shop = Shop(sqlite_session)
    for use_case in (erase, exported):
        with pytest.raises(InvalidInput, match=reason):
            use_case(shop, person)


def test_a_key_of_another_account_finds_nobody(sqlite_session: AdminSession) -> None:
    shop = Shop(sqlite_session)
    shop.decide(3, "u-jane")
    shop.session = sqlite_session.acting_as(Actor.key("key_1", "acct_other"))
    for use_case in (erase, exported):
        with pytest.raises(NotFound):
            use_case(shop)


class Server:
    """The memory of a running server, and how it hears of erasures."""

    def __init__(self, shop: Shop) -> None:
        session = shop.session
        self.memory = LocalMemory(10_000)
        recorded = RecordedEvents(self.memory, session.fingerprints)
        self.now_ms = shop.now_ms
        self.is_away = False
        self.forgetter = Forgetter(
            session.database, session.ring, recorded, lambda: self.now_ms, flush=self._flush
        )

    async def _flush(self) -> None:
        if self.is_away:
            raise ConnectorFailed("the memory is away")

    def remember(self, shop: Shop, request_id: str) -> None:
        past = past_event_in(shop.account_id, shop.record(request_id))
        assert past is not None
        self.memory.note(past.event)

    def knows(self, shop: Shop, user: str) -> int:
        """How many events of a user there were."""
        entities = [(EntityKind.USER, user)]
        event = MemoryEvent(shop.account_id, shop.now_ms / 1000, entities)
        found = self.memory.note(event).of(EntityKind.USER)
        assert found is not None
        return found.events - 1


def test_every_running_server_forgets(shop: Shop) -> None:
    jane, other = shop.decide(3, "u-jane"), shop.decide(2, "u-2")
    servers = [Server(shop), Server(shop)]
    for server in servers:
        server.remember(shop, jane)
        server.remember(shop, other)
    erase(shop)
    for server in servers:
        asyncio.run(server.forgetter.catch_up())
        asyncio.run(server.forgetter.catch_up())
        assert (server.knows(shop, "u-jane"), server.knows(shop, "u-2")) == (0, 1)


def test_a_message_stays_until_a_memory_that_is_away_has_heard_it(shop: Shop) -> None:
    shop.decide(3, "u-jane")
    erase(shop)
    server = Server(shop)
    server.now_ms += 2 * KEPT_MS
    for server.is_away, left in ((True, 1), (False, 0)):
        asyncio.run(server.forgetter.catch_up())
        asyncio.run(server.forgetter.delete_old())
        with shop.session.reading() as connection:
            assert len(connection.execute(sa.select(FORGOTTEN_EVENTS)).all()) == left


def test_a_message_to_servers_does_not_stay(shop: Shop) -> None:
    shop.decide(3, "u-jane")
    erase(shop)
    server = Server(shop)
    for later_ms, left in ((0, 1), (2 * KEPT_MS, 0)):
        server.now_ms = shop.now_ms + later_ms
        asyncio.run(server.forgetter.delete_old())
        with shop.session.reading() as connection:
            assert len(connection.execute(sa.select(FORGOTTEN_EVENTS)).all()) == left


def test_the_commands_read_what_is_secret_from_standard_input(
    sqlite_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_home.session() as session:
        shop = Shop(session)
        shop.decide(3, "u-jane", card=CARD)
    account = ("--account", shop.account_id)
    refused = sqlite_home.run("privacy", "erase", "--card", CARD, "--yes", *account)
    assert refused.code == 4
    assert "shell's history" in refused.err
    assert CARD not in refused.err + refused.out
    out = tmp_path / "jane.json"
    lines = io.BytesIO(f"u-jane\n{CARD}\n".encode())
    for module in ("admin.privacy.command.privacy", "cli.card_input"):
        monkeypatch.setattr(f"gatehouse.{module}.standard_input", lambda: lines)
    named = ("--user", "-", "--card", "-")
    done = sqlite_home.ok("privacy", "export", *named, "--out", str(out), *account)
    assert "decisions         1" in done.out
    assert out.stat().st_mode & 0o077 == 0
    assert json.loads(out.read_bytes())["namedBy"] == ["user", "card"]
    erased = sqlite_home.ok("privacy", "erase", "--user", "u-jane", "--yes", "--json", *account)
    assert (erased.json["decisions"], erased.json["compacted"]) == (1, True)


def test_who_is_known_by_a_device_alone_is_found_and_erased_by_it(shop: Shop) -> None:
    theirs = shop.decide(2, "u-1", signals={"device.id": "gd_laptop"})
    other = shop.decide(1, "u-1", signals={"device.id": "gd_phone"})
    person = PersonNamed(device_id="gd_laptop")
    given = GivenEntries(["gd_laptop"])
    lists.add(shop.session, shop.account_id, "farm", given, NewEntries(ListKind.DEVICES, "why"))
    found = exported(shop, person)
    assert [each["requestId"] for each in found["decisions"]] == [theirs]
    done = erase(shop, person, lists=True)
    assert (done.decisions, done.list_entries_kept) == (1, 0)
    assert decode(shop.record(other)).erased_at is None


def test_everybody_with_one_browser_is_not_one_person(shop: Shop) -> None:
    shop.decide(1, "u-1", signals={"device.id": "#" + "0" * 20})
    assert exported(shop, PersonNamed(device_id="#" + "0" * 20))["decisions"] == []
