"""Every use case tells what it did, in the commit in which it did it."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.events.queries.expiring_keys import TOLD_BEFORE_MS, ExpiringKeys, tell_expiring
from gatehouse.admin.events.types import EventSettingsBody
from gatehouse.admin.events.use_cases import event_settings, events
from gatehouse.admin.events.use_cases.event_settings import parse_filter
from gatehouse.admin.events.use_cases.events import EventQuery
from gatehouse.admin.feedback.use_cases.import_labels import import_feedback
from gatehouse.admin.feedback.use_cases.record import record_feedback
from gatehouse.admin.feedback.use_cases.statements import open_feedback_file
from gatehouse.admin.identities.use_cases.import_records import IdentityImport, import_identities
from gatehouse.admin.identities.use_cases.rows import open_identity_file
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, KeyRotation, NewKey
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.reviews.use_cases import review_desk, reviews
from gatehouse.admin.reviews.use_cases.review_desk import Assignment
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding
from gatehouse.core.api_values import Money
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.events import MEANINGS, DecisionFilter, EventName, request_event_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.store.accounts import keys as stored_keys
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import RULES, ConfigurationKey, VersionContent
from gatehouse.store.events.connector_events import ConnectorsSeen, tell_changes
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState
from tests.admin.test_faces import Quiet
from tests.harness import make_account
from tests.store.reviewing import open_review
from tests.store.test_models import keep, promote, rollback
from tests.store.test_reversal_worker import NOW, RecordingGateway, put, reverser
from tests.web.described_events import check_event

DAY_MS = 86_400_000
_DAY_S = DAY_MS // 1000


class Told:
    """What an account is told from now on."""

    def __init__(self, session: AdminSession, account: str) -> None:
        self.session, self.account = session, account
        self.cursor = events.newest_cursor(session, account)

    def news(self) -> list[tuple[str, dict[str, Any]]]:
        page = events.list_events(self.session, self.account, EventQuery(self.cursor))
        self.cursor = page.cursor
        for each in page.events:
            check_event(each)
        return [(each.type, each.data) for each in page.events]

    def types(self) -> list[str]:
        return [kind for kind, _ in self.news()]


@pytest.fixture
def account(session: AdminSession) -> str:
    return make_account(session)


@pytest.fixture
def told(session: AdminSession, account: str) -> Told:
    return Told(session, account)


def test_reviews_are_told_with_their_decision(
    session: AdminSession, account: str, told: Told
) -> None:
    request_id = open_review(session, account)
    review_desk.assign_review(session, account, request_id, Assignment("Ada"))
    reviews.resolve_review(session, account, request_id, ReviewFinding(True, "known customer"))
    reviews.correct_review(session, account, request_id, ReviewFinding(False, "chargeback"))
    assigned, resolved, corrected = told.news()
    assert (assigned[0], assigned[1]["assignee"]) == ("review.assigned", "Ada")
    assert (resolved[0], resolved[1]["state"]) == ("review.resolved", "APPROVED")
    assert (corrected[0], corrected[1]["state"]) == ("review.corrected", "DECLINED")
    # What a person wrote stays with the review, where it can be erased.
    assert "known customer" not in str(resolved)
    assert {each["requestId"] for _, each in (assigned, resolved)} == {request_id}
    assert resolved[1]["decision"].decision is Outcome.REVIEW


def test_keys_rules_and_models_are_told(session: AdminSession, account: str, told: Told) -> None:
    new = NewKey("shop", ["precheck"], expires_in_s=30 * _DAY_S)
    key = keys.issue(session, account, new).issued
    keys.rotate(session, account, key.key_id, KeyRotation(_DAY_S))
    keys.revoke(session, account, key.key_id, KeyRevocation("leaked"))
    created, rotated, revoked = told.news()
    assert (created[0], created[1]["keyId"]) == ("key.created", key.key_id)
    assert (rotated[0], rotated[1]["replaces"]) == ("key.created", key.key_id)
    assert (revoked[0], revoked[1]["reason"]) == ("key.revoked", "leaked")
    named = ConfigurationKey(account, RULES, "mine")
    with session.change() as change:
        configurations.apply(change, named, VersionContent("a", "{}"), base=None)
        configurations.apply(change, named, VersionContent("b", "{}"), base=1)
        configurations.activate(change, named, 1, base=2)
    assert [(kind, said["version"]) for kind, said in told.news()] == [
        ("rules.applied", 1),
        ("rules.applied", 2),
        ("rules.rolled_back", 1),
    ]
    keep(session, account)
    promote(session, account, 1)
    rollback(session, account, 0)
    assert [said for _, said in told.news()] == [
        {"version": 1, "before": 0},
        {"version": 0, "before": 1},
    ]


def test_a_key_that_ends_soon_is_told_once(session: AdminSession, account: str, told: Told) -> None:
    keys.issue(session, account, NewKey("soon", expires_in_s=3 * _DAY_S))
    keys.issue(session, account, NewKey("later", expires_in_s=90 * _DAY_S))
    told.news()
    now_ms = session.clock()
    for found in (1, 0):
        with session.database.writing() as connection:
            assert tell_expiring(connection, now_ms) == found
    [(kind, said)] = told.news()
    assert (kind, said["name"]) == ("key.expiring", "soon")


def test_keys_are_told_from_a_week_before_their_end_to_a_day_after(
    session: AdminSession, account: str, told: Told
) -> None:
    now_ms = session.clock() + 90 * DAY_MS
    ends = {
        "just now": now_ms,
        "at the week": now_ms + TOLD_BEFORE_MS,
        "after the week": now_ms + TOLD_BEFORE_MS + 1,
        "a day ago": now_ms - DAY_MS,
        "long ago": now_ms - DAY_MS - 1,
        "revoked": now_ms + DAY_MS,
    }
    for name, ends_ms in ends.items():
        with session.change() as change:
            key, _ = stored_keys.issue(
                change, account, stored_keys.KeyTerms(name, expires_at_ms=ends_ms)
            )
        if name == "revoked":
            keys.revoke(session, account, key.key_id, KeyRevocation("over"))
    told.news()

    async def servers() -> None:
        looks = [ExpiringKeys(session.database, lambda: now_ms) for _ in range(2)]
        await asyncio.gather(*(each.look() for each in looks))

    asyncio.run(servers())
    assert sorted(said["name"] for _, said in told.news()) == [
        *("a day ago", "at the week", "just now"),
    ]


@pytest.mark.parametrize("kind", ["feedback", "identities"])
def test_an_import_is_told_once_at_its_end_with_its_counts(
    session: AdminSession, account: str, told: Told, tmp_path: Path, kind: str
) -> None:
    request_id = open_review(session, account)
    told.news()
    file = tmp_path / "rows.csv"

    def run(*, dry_run: bool) -> None:
        if kind == "feedback":
            file.write_text(f"requestId,label\n{request_id},FRAUD\nreq_unknown,FRAUD\n")
            with closing(open_feedback_file(file, "csv")) as rows:
                import_feedback(session, account, rows, Quiet(), dry_run=dry_run)
        else:
            file.write_text("cardNumber,lastName\n4242424242424242,Whitfield\n42,Nobody\n")
            with closing(open_identity_file(file, "csv")) as rows:
                given = IdentityImport(account, rows, None, dry_run=dry_run)
                import_identities(session, given, Quiet())

    run(dry_run=True)
    assert told.news() == []
    run(dry_run=False)
    [(name, said)] = told.news()
    assert (name, said["kind"], said["importId"][:4]) == ("import.finished", kind, "imp_")
    counts = {"new": 1, "bad": 1} if kind == "feedback" else {"added": 1, "refused": 1}
    assert {each: said[each] for each in counts} == counts
    # Nobody and nothing that the file names is told.
    assert request_id not in str(said)
    assert "Whitfield" not in str(said)


def test_a_low_balance_is_told_once_until_it_was_above_again(
    session: AdminSession, account: str, told: Told
) -> None:
    money.top_up(session, account, 10_000_000, "")
    event_settings.set_event_settings(session, account, EventSettingsBody(low_balance=5))
    money.adjust(session, account, -6_000_000, "test")
    money.adjust(session, account, -1_000_000, "test")
    money.top_up(session, account, 1_000_000, "")
    money.adjust(session, account, -1_000_000, "test")
    assert told.types() == ["balance.topped_up", "balance.low", "balance.topped_up"]
    money.top_up(session, account, 4_000_000, "")
    money.adjust(session, account, -4_000_000, "test")
    topped_up, low = told.news()
    assert [bytes(low[1][name].amount) for name in ("remaining", "threshold")] == [b"3", b"5"]
    assert topped_up[1]["amount"].currency == "USD"


def test_a_threshold_above_the_balance_is_told_at_once(
    session: AdminSession, account: str, told: Told
) -> None:
    event_settings.set_event_settings(session, account, EventSettingsBody(low_balance=5))
    assert told.types() == ["balance.low"]
    event_settings.set_event_settings(session, account, EventSettingsBody(low_balance=0))
    assert told.types() == []


def test_a_label_is_told_with_what_it_replaces(
    session: AdminSession, account: str, told: Told
) -> None:
    request_id = open_review(session, account)
    about = FeedbackSubject(request_id=request_id)
    for label in (Label.FRAUD, Label.FRAUD, Label.LEGITIMATE):
        record_feedback(session, account, about, FeedbackStatement(label))
    assert [(said["label"], said["previous"]) for _, said in told.news()] == [
        ("FRAUD", None),
        ("LEGITIMATE", "FRAUD"),
    ]


def test_the_end_of_a_reversal_is_told(session: AdminSession, account: str, told: Told) -> None:
    put(session, "req_done", account_id=account)
    asyncio.run(reverser(session, RecordingGateway()).reverse_due())
    [(kind, said)] = told.news()
    assert (kind, said["amountMinor"], said["decision"]) == ("payment.reversed", 5990, None)
    put(session, "req_lost", account_id=account, next_at_ms=NOW + 5)
    with session.database.writing() as connection:
        claimed = intents.get(connection, "req_lost")
        ended = msgspec.structs.replace(claimed, state=IntentState.FAILED, next_at_ms=None)
        assert intents.finish(connection, claimed, ended)
    assert told.types() == ["payment.reversal_failed"]


def test_a_connector_is_told_of_once_by_all_servers_together(
    session: AdminSession, told: Told
) -> None:
    def see(server: str, at_ms: int, **up: bool | None) -> list[str]:
        with session.database.writing() as connection:
            tell_changes(connection, ConnectorsSeen(server, dict(up), at_ms))
        return told.types()

    assert see("one", 1, acme=True) == []
    assert see("one", 2, acme=False) == ["connector.down"]
    assert see("two", 3, acme=False) == []
    # A server that has just begun says nothing of it.
    assert see("three", 4, acme=None) == []
    assert see("one", 5, acme=True) == ["connector.recovered"]
    assert see("one", 6, acme=False) == ["connector.down"]
    assert see("one", 7) == []
    assert see("one", 8, acme=True) == []


def test_an_event_of_another_account_is_not_found(session: AdminSession, account: str) -> None:
    keys.issue(session, account, NewKey())
    [event, *_] = events.newest_events(session, account, EventQuery(limit=1)).events
    other = make_account(session)
    with pytest.raises(NotFound):
        events.get_event(session, other, event.id)
    stranger = session.acting_as(Actor.key("key_x", other))
    with pytest.raises(NotFound):
        events.get_event(stranger, account, event.id)
    assert events.get_event(session, account, event.id) == event


def test_what_an_account_wants_is_kept_and_audited(session: AdminSession, account: str) -> None:
    wanted = ["pipeline:review, DECLINE", "*"]
    assert [*map(parse_filter, wanted)] == [
        DecisionFilter("pipeline", (Outcome.REVIEW, Outcome.DECLINE)),
        DecisionFilter(),
    ]
    event_settings.set_event_settings(session, account, EventSettingsBody(wanted, 5))
    changed = EventSettingsBody(low_balance=999_999_999.999999)
    kept = event_settings.set_event_settings(session, account, changed)
    assert kept.decisions == ["pipeline:REVIEW,DECLINE", "*"]
    assert kept.low_balance == Money("USD", msgspec.Raw(b"999999999.999999"))
    assert event_settings.get_event_settings(session, account) == kept
    for text in ("nothing", "pipeline:MAYBE", "", "sentry:DECLINE", "idverify:ACCEPT"):
        with pytest.raises(InvalidInput):
            parse_filter(text)
    with pytest.raises(InvalidInput, match="at most"):
        event_settings.set_event_settings(session, account, EventSettingsBody(wanted * 20))
    for wrong in (-1.0, 1_000_000_001.0):
        with pytest.raises(InvalidInput, match="a threshold is"):
            event_settings.set_event_settings(
                session, account, EventSettingsBody(low_balance=wrong)
            )
    assert event_settings.get_event_settings(session, account) == kept


def test_every_type_has_a_sentence() -> None:
    assert set(MEANINGS) == set(EventName)


def test_ids_of_events_stay_the_same_when_types_are_added() -> None:
    """The number of its type is a part of the id by which receivers know an event."""
    request = "req_01m7h76kqwf6jvz5k3axg15xej"
    of_requests = (
        EventName.DECISION_MADE,
        EventName.REVIEW_OPENED,
        EventName.PAYMENT_AUTHORIZED,
        EventName.PAYMENT_REVERSED,
        EventName.BALANCE_LOW,
    )
    assert [request_event_id(request, each) for each in of_requests] == [
        "evt_01m7h76kqwf6jvz5k3axg15x00",
        "evt_01m7h76kqwf6jvz5k3axg15x01",
        "evt_01m7h76kqwf6jvz5k3axg15x05",
        "evt_01m7h76kqwf6jvz5k3axg15x06",
        "evt_01m7h76kqwf6jvz5k3axg15x09",
    ]
