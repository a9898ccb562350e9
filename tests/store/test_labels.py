"""Labels are followed: each once, in the order of their rows, by whatever process."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable
from unittest import mock

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.worker import label_follower
from gatehouse.admin.feedback.worker.label_follower import LabelFollower
from gatehouse.admin.feedback.worker.live import LiveFeedback
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.wording.labels import Label
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.records.event import PastEvent, past_event_in, recorded_event
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject
from gatehouse.store.tables import DECISIONS, FEEDBACK
from tests.harness import PATIENCE_S
from tests.store import deciding
from tests.store.deciding import keep_decision

MOMENT_MS = 1_790_000_000_000
AT_S = MOMENT_MS / 1000

Heard = tuple[str, bool | None, bool | None]
"""The user, what it turned out to be, what was known before."""


@pytest.fixture
def session(sqlite_session: AdminSession) -> AdminSession:
    """What is told of labels does not depend on the database."""
    return sqlite_session


def decide(
    session: AdminSession, account: str, user: str, *, counted: bool = True, completed: bool = True
) -> str:
    """Keep the decision of a request of a user."""
    event = MemoryEvent(account, AT_S, [(EntityKind.USER, user)], 9.5, "USD")
    facts = recorded_event(event, counted=counted)
    stage = {"name": "Sentry", "completed": completed, "result": {"event": facts}}
    record = msgspec.json.encode({"stages": [stage]}).decode()
    return keep_decision(session, account, record=record)


def say(session: AdminSession, account: str, label: Label, *request_ids: str) -> None:
    """Write labels as another process would."""
    deciding.label(session, account, request_ids, FeedbackStatement(label), MOMENT_MS)


class Ears:
    """What was heard, in order; one user is not listened to."""

    def __init__(self, deaf_to: str = "") -> None:
        self.heard: list[Heard] = []
        self.something = asyncio.Event()
        self._deaf_to = deaf_to

    def note(self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None) -> None:
        [(_, user)] = event.entities
        if user == self._deaf_to:
            raise RuntimeError("a defect")
        self.heard.append((user, fraud, previous))
        self.something.set()


def _idle() -> bool:
    return False


def follower(session: AdminSession, ears: Ears) -> LabelFollower:
    return LabelFollower(session.database, ears.note, _idle)


async def following(
    one: LabelFollower, until: asyncio.Event, meanwhile: Awaitable[None] | None = None
) -> None:
    """Let somebody follow until something has happened."""
    task = asyncio.create_task(one.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            if meanwhile is not None:
                await meanwhile
            await until.wait()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_each_row_is_heard_once_and_in_order(session: AdminSession, account: str) -> None:
    ann, ben = decide(session, account, "ann"), decide(session, account, "ben")
    ears = Ears()
    one = follower(session, ears)

    async def scene() -> None:
        await one.catch_up()
        assert ears.heard == []
        say(session, account, Label.FRAUD, ben, ann)
        say(session, account, Label.LEGITIMATE, ann)
        await one.catch_up()
        await one.catch_up()
        assert ears.heard == [
            ("ben", True, None),
            ("ann", True, None),
            # With what is to be undone.
            ("ann", False, True),
        ]
        say(session, account, Label.WITHDRAWN, ann)
        say(session, account, Label.CHARGEBACK, ann)
        # The same statement again changes nothing.
        say(session, account, Label.CHARGEBACK, ann)
        await asyncio.gather(*[one.catch_up() for _ in range(5)])
        assert ears.heard[3:] == [("ann", None, False), ("ann", True, None)]

    asyncio.run(scene())


def test_a_change_of_words_changes_nothing(session: AdminSession, account: str) -> None:
    """A chargeback of what was fraud before takes one fraud back and adds one."""
    ann = decide(session, account, "ann")
    ears = Ears()
    one = follower(session, ears)

    async def scene() -> None:
        await one.catch_up()
        say(session, account, Label.FRAUD, ann)
        say(session, account, Label.CHARGEBACK, ann)
        await one.catch_up()

    asyncio.run(scene())
    assert ears.heard == [("ann", True, None), ("ann", True, True)]


def test_abuse_takes_a_fraud_back_and_is_nothing_to_remember(
    session: AdminSession, account: str
) -> None:
    ann, ben = decide(session, account, "ann"), decide(session, account, "ben")
    ears = Ears()
    one = follower(session, ears)

    async def scene() -> None:
        await one.catch_up()
        say(session, account, Label.CARD_TESTING, ann)
        say(session, account, Label.ABUSE, ann, ben)
        say(session, account, Label.WITHDRAWN, ben)
        await one.catch_up()

    asyncio.run(scene())
    assert ears.heard == [("ann", True, None), ("ann", None, True)]


@pytest.mark.parametrize("at_once", [1, 2, 256])
def test_of_what_was_said_before_the_start_only_the_last_words_are_read(
    session: AdminSession, account: str, at_once: int
) -> None:
    ids = [decide(session, account, user) for user in ("ann", "ben", "cat")]
    for label in (Label.FRAUD, Label.LEGITIMATE, Label.CHARGEBACK):
        say(session, account, label, *ids)
    say(session, account, Label.WITHDRAWN, ids[1])
    say(session, account, Label.LEGITIMATE, ids[0])
    ears = Ears()
    one = follower(session, ears)
    records: list[str] = []

    def read(account_id: str, record: str) -> PastEvent | None:
        records.append(record)
        return past_event_in(account_id, record)

    async def scene() -> None:
        await one.catch_up()
        assert ears.heard == [("cat", True, None), ("ann", False, None)]
        assert len(records) == 2
        # From there on, row by row.
        say(session, account, Label.FRAUD, *ids)
        say(session, account, Label.WITHDRAWN, ids[2])
        await one.catch_up()
        assert ears.heard[2:] == [
            *(("ann", True, False), ("ben", True, None), ("cat", True, True)),
            ("cat", None, True),
        ]

    with (
        mock.patch.object(label_follower, "_AT_ONCE", at_once),
        mock.patch.object(label_follower, "past_event_in", read),
    ):
        asyncio.run(scene())


def test_what_is_said_while_a_server_starts_follows_what_was_said_before(
    session: AdminSession, account: str
) -> None:
    ann, ben = decide(session, account, "ann"), decide(session, account, "ben")
    say(session, account, Label.FRAUD, ann, ben)
    ears = Ears()
    really, first = ears.note, iter([True])

    def note(event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None) -> None:
        really(event, fraud=fraud, previous=previous)
        if next(first, False):
            say(session, account, Label.LEGITIMATE, ben)

    asyncio.run(LabelFollower(session.database, note, _idle).catch_up())
    assert ears.heard == [("ann", True, None), ("ben", True, None), ("ben", False, True)]


def test_a_label_of_a_later_version_does_not_stop_the_others(
    session: AdminSession, account: str
) -> None:
    ann, ben = decide(session, account, "ann"), decide(session, account, "ben")
    say(session, account, Label.FRAUD, ann)
    with session.database.writing() as connection:
        connection.execute(FEEDBACK.update().values(label="SUSPECTED"))
    say(session, account, Label.FRAUD, ben)
    ears = Ears()
    asyncio.run(follower(session, ears).catch_up())
    assert ears.heard == [("ben", True, None)]


def test_more_rows_than_are_read_at_once_are_all_heard(session: AdminSession, account: str) -> None:
    ids = [decide(session, account, f"u{number}") for number in range(7)]
    say(session, account, Label.FRAUD, *ids)
    ears = Ears()
    with mock.patch.object(label_follower, "_AT_ONCE", 3):
        asyncio.run(follower(session, ears).catch_up())
    assert [user for user, _, _ in ears.heard] == [f"u{number}" for number in range(7)]


def test_what_tells_of_no_event_is_passed_over(session: AdminSession, account: str) -> None:
    gone = decide(session, account, "gone")
    odd = decide(session, account, "odd")
    say(
        session,
        account,
        Label.FRAUD,
        gone,
        odd,
        decide(session, account, "ann"),
    )
    with session.database.writing() as connection:
        connection.execute(sa.delete(DECISIONS).where(DECISIONS.c.request_id == gone))
        connection.execute(
            sa.update(DECISIONS).where(DECISIONS.c.request_id == odd).values(record="no JSON")
        )
    ears = Ears()
    asyncio.run(follower(session, ears).catch_up())
    assert ears.heard == [("ann", True, None)]


def test_a_label_is_true_of_a_request_that_did_not_count_as_well(
    session: AdminSession, account: str
) -> None:
    """A merchant that asked twice may report on the second answer."""
    repeated = decide(session, account, "ann", counted=False)
    failed = decide(session, account, "bob", completed=False)
    say(session, account, Label.FRAUD, repeated, failed)
    ears = Ears()
    asyncio.run(follower(session, ears).catch_up())
    assert ears.heard == [("ann", True, None), ("bob", True, None)]


def test_a_store_that_is_away_costs_time_and_nothing_else(
    session: AdminSession, account: str, caplog: pytest.LogCaptureFixture
) -> None:
    ann = decide(session, account, "ann")
    say(session, account, Label.FRAUD, ann)
    ears = Ears()
    one = follower(session, ears)
    newest, failures = feedback.newest, iter([True, True])

    def away(connection: sa.Connection) -> int:
        if next(failures, False):
            assert not one.current.is_set()
            raise StoreUnavailable("the database is away")
        return newest(connection)

    with (
        mock.patch.object(label_follower, "POLL_S", 0),
        mock.patch.object(feedback, "newest", away),
    ):
        asyncio.run(following(one, one.current))
    assert ears.heard == [("ann", True, None)]
    assert [each.message for each in caplog.records].count("could not read labels") == 2


def test_a_row_that_cannot_be_noted_does_not_keep_those_behind_it(
    session: AdminSession, account: str, caplog: pytest.LogCaptureFixture
) -> None:
    ids = [decide(session, account, user) for user in ("ann", "ben", "cat")]
    say(session, account, Label.FRAUD, *ids)
    ears = Ears(deaf_to="ben")
    one = follower(session, ears)
    with mock.patch.object(label_follower, "POLL_S", 0):
        asyncio.run(following(one, one.current))
    assert [user for user, _, _ in ears.heard] == ["ann", "cat"]
    assert [each.levelno for each in caplog.records].count(logging.ERROR) == 1


def test_what_others_write_is_heard_soon(session: AdminSession, account: str) -> None:
    ann = decide(session, account, "ann")
    ears = Ears()
    one = follower(session, ears)

    async def meanwhile() -> None:
        await one.current.wait()
        assert ears.heard == []
        say(session, account, Label.FRAUD, ann)

    with mock.patch.object(label_follower, "POLL_S", 0.01):
        asyncio.run(following(one, ears.something, meanwhile()))
    assert ears.heard == [("ann", True, None)]


def test_who_has_just_spoken_waits_only_when_all_before_is_known(
    session: AdminSession, account: str
) -> None:
    ann = decide(session, account, "ann")
    ears = Ears()
    one = follower(session, ears)

    async def scene() -> None:
        say(session, account, Label.FRAUD, ann)
        await one.labels_recorded()
        assert ears.heard == []
        await one.catch_up()
        one.current.set()
        say(session, account, Label.WITHDRAWN, ann)
        await one.labels_recorded()
        assert ears.heard == [("ann", True, None), ("ann", None, True)]

    asyncio.run(scene())


def test_feedback_is_answered_when_the_memory_knows_it(session: AdminSession, account: str) -> None:
    ann = decide(session, account, "ann")
    ears = Ears()
    one = follower(session, ears)
    live = LiveFeedback(session, one.labels_recorded)

    async def scene() -> None:
        one.current.set()
        subject = FeedbackSubject(request_id=ann)
        for label in (Label.FRAUD, Label.LEGITIMATE):
            await live.record(Actor.system("test"), account, subject, FeedbackStatement(label))
            assert ears.heard[-1][:2] == ("ann", label is Label.FRAUD)

    asyncio.run(scene())
    assert ears.heard == [("ann", True, None), ("ann", False, True)]


def test_the_memory_stands_as_if_only_the_last_words_had_been_said(
    session: AdminSession, account: str
) -> None:
    ids = [decide(session, account, f"u{number}") for number in range(4)]
    changes = (Label.FRAUD, Label.LEGITIMATE, Label.WITHDRAWN, Label.CHARGEBACK)
    for label in changes:
        say(session, account, label, *ids[:3])
    say(session, account, Label.WITHDRAWN, ids[1])
    say(session, account, Label.LEGITIMATE, ids[2])

    def risks(memory: LocalMemory) -> list[float | None]:
        found = []
        for number in range(4):
            asked = MemoryEvent(account, AT_S, [(EntityKind.USER, f"u{number}")])
            standing = memory.note(asked).reputation().get(EntityKind.USER)
            found.append(None if standing is None else standing[0].risk)
        return found

    followed, told = LocalMemory(limit=1000), LocalMemory(limit=1000)
    asyncio.run(LabelFollower(session.database, followed.note_label, _idle).catch_up())
    for user, fraud in (("u0", True), ("u2", False)):
        told.note_label(MemoryEvent(account, AT_S, [(EntityKind.USER, user)]), fraud=fraud)
    assert risks(followed) == risks(told)
    assert risks(followed)[1] is risks(followed)[3] is None
