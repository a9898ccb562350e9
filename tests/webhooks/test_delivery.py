"""Every event reaches its webhooks at least once, whatever receivers and servers do."""

import asyncio
import contextlib
import dataclasses
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission
from gatehouse.admin.installation.queries import Backlog, count_backlog
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.webhooks.queries import claims, deliveries
from gatehouse.admin.webhooks.tables import WEBHOOK_ATTEMPTS
from gatehouse.admin.webhooks.types.endpoint import DisabledBecause, WebhookState
from gatehouse.admin.webhooks.types.webhook import (
    AttemptSearch,
    MessageReplay,
    NewWebhook,
    PublicWebhook,
    ToldDecisions,
    WebhookChange,
)
from gatehouse.admin.webhooks.use_cases import endpoints, messages
from gatehouse.admin.webhooks.use_cases.makers import beyond_their_makers
from gatehouse.admin.webhooks.worker import endpoint_delivery as endpoint_module
from gatehouse.admin.webhooks.worker.batches import BatchReader, MessageBatch
from gatehouse.admin.webhooks.worker.delivery import CLAIM_MS, WebhookDelivery
from gatehouse.connectors.webhooks import turns
from gatehouse.connectors.webhooks.sending import SendResult, WebhookMessage
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Sentence
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.tables import WEBHOOKS
from tests.harness import PATIENCE_S, make_account

URL = "https://shop.example/hook"
ACCEPTED, FAILED = SendResult(204), SendResult(500, "answered 500")


class Receiver:
    """Keeps what it is sent, and answers as it is told."""

    def __init__(self, answer: Callable[[WebhookMessage], SendResult] | None = None) -> None:
        self.answer = answer or (lambda message: ACCEPTED)
        self.heard: list[WebhookMessage] = []

    async def send(self, message: WebhookMessage) -> SendResult:
        self.heard.append(message)
        await asyncio.sleep(0)
        return self.answer(message)

    async def close(self) -> None:
        pass

    @property
    def about(self) -> list[str]:
        return [msgspec.json.decode(each.body)["data"]["version"] for each in self.heard]


class Silent(Receiver):
    """Never answers some messages."""

    def __init__(self, unanswered: set[str]) -> None:
        super().__init__()
        self._unanswered = unanswered

    async def send(self, message: WebhookMessage) -> SendResult:
        result = await super().send(message)
        if self.about[-1] in self._unanswered:
            await asyncio.Event().wait()
        return result


class Hands:
    """A clock that can be set forward."""

    def __init__(self, session: AdminSession) -> None:
        self._real = session.clock
        self.ahead_ms = 0

    def __call__(self) -> int:
        return self._real() + self.ahead_ms


def add(session: AdminSession, account: str, *, ordered: bool = False, events: str = "rules.*"
        ) -> str:  # fmt: skip
    new = NewWebhook(URL, [events], ordered=ordered)
    return endpoints.create(session, account, new).answer.id


def shown(session: AdminSession, account: str, webhook: str) -> PublicWebhook:
    return endpoints.get_webhook(session, account, webhook).answer


def tell(session: AdminSession, account: str, *about: str) -> list[str]:
    """Let things happen, one event each; their ids."""
    for each in about:
        with session.change() as change:
            change.audit("test", account)
            change.event(EventName.RULES_APPLIED, account, each, {"version": each})
    with session.reading() as connection:
        found = outbox.read_after(connection, account, None, 100)
    return [each.event.id for each in found.events if each.event.about in about]


@contextlib.asynccontextmanager
async def delivering(
    session: AdminSession, receiver: Receiver, owner: str = "srv_1", *, alone: bool = False,
    retry_s: tuple[int, ...] = (60, 60)
) -> AsyncIterator[WebhookDelivery]:  # fmt: skip
    delivery = WebhookDelivery(session, receiver, owner, retry_s, alone=alone)
    task = asyncio.create_task(delivery.run())
    try:
        yield delivery
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110  # the database changes
            await asyncio.sleep(0.02)


async def look_in_vain(delivery: WebhookDelivery) -> None:
    """Let it look some times, and do what it finds to do."""
    for _ in range(3):
        await delivery.look()
        await asyncio.sleep(0.05)


def run(story: Awaitable[None]) -> None:
    async def tell_it() -> None:
        await story

    asyncio.run(tell_it())


def attempts(session: AdminSession, account: str, webhook: str) -> list[Any]:
    return messages.list_attempts(session, account, webhook, AttemptSearch(100)).attempts


def test_an_event_is_sent_once_signed_and_its_attempt_is_kept_without_the_body(
    session: AdminSession,
) -> None:
    account, receiver = make_account(session), Receiver()
    tell(session, account, "before")
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver):
            tell(session, account, "one", "two")
            await until(lambda: len(attempts(session, account, webhook)) == 2)

    run(story())
    assert sorted(receiver.about) == ["one", "two"]
    first = receiver.heard[0]
    assert first.signature.startswith(b"v1,")
    assert msgspec.json.decode(first.body)["id"] == first.id
    [kept, _] = attempts(session, account, webhook)
    assert (kept.status, kept.failure, kept.number) == (204, None, 1)
    assert "body" not in WEBHOOK_ATTEMPTS.c


def test_a_webhook_is_not_read_for_again_because_of_events_that_it_has(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, receiver, reads = make_account(session), Receiver(), 0
    webhook = add(session, account)
    read = BatchReader.read

    def counted(*given: Any, **named: Any) -> MessageBatch:
        nonlocal reads
        reads += 1
        return read(*given, **named)

    monkeypatch.setattr(BatchReader, "read", counted)
    monkeypatch.setattr(endpoint_module, "_BETWEEN_S", 0.0)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, account, "one")
            await until(lambda: attempts(session, account, webhook))
            # Looks that were under way may have found the event once more, but not again and again.
            for _ in range(20):
                before = reads
                await look_in_vain(delivery)
                if reads == before:
                    break
            assert reads == before
            tell(session, account, "two")
            await until(lambda: len(attempts(session, account, webhook)) == 2)

    run(story())
    assert receiver.about == ["one", "two"]


def test_what_happens_soon_after_a_batch_waits_for_the_next(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, receiver = make_account(session), Receiver()
    webhook = add(session, account)
    monkeypatch.setattr(endpoint_module, "_BETWEEN_S", PATIENCE_S)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, account, "one")
            await until(lambda: attempts(session, account, webhook))
            tell(session, account, "two")
            await look_in_vain(delivery)
            tell(session, account, "three")
            await look_in_vain(delivery)
            assert receiver.about == ["one"]

    run(story())


def test_what_failed_is_tried_again_on_the_schedule_and_given_up_at_its_end(
    session: AdminSession,
) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    account, receiver = make_account(session), Receiver(lambda message: FAILED)
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver, retry_s=(60,)) as delivery:
            tell(session, account, "one")
            await until(lambda: len(attempts(session, account, webhook)) == 1)
            [first] = attempts(session, account, webhook)
            assert 60_000 <= first.next_at - first.at <= 73_000
            assert shown(session, account, webhook).waiting == 1
            hands.ahead_ms += 30_000
            await delivery.renew()
            hands.ahead_ms += 45_000
            await delivery.renew()
            await until(lambda: len(attempts(session, account, webhook)) == 2)

    run(story())
    last, _ = attempts(session, account, webhook)
    assert (last.number, last.next_at) == (2, None)
    assert shown(session, account, webhook).waiting == 0


def test_what_a_webhook_has_not_accepted_is_told_with_the_age_of_the_oldest(
    session: AdminSession,
) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    account, receiver = make_account(session), Receiver(lambda message: FAILED)
    webhook = add(session, account)
    disabled = add(session, account)
    endpoints.update(session, account, disabled, WebhookChange(enabled=False))

    def backlog() -> Backlog:
        with session.reading() as connection:
            return count_backlog(connection, session.clock())

    def late_s() -> int:
        return round(backlog().webhook_messages_late_seconds)

    before = shown(session, account, webhook)
    assert (before.unread, before.oldest_at, backlog().webhook_messages_waiting) == (0, None, 0)
    tell(session, account, "one")
    hands.ahead_ms += 60_000
    tell(session, account, "two")
    hands.ahead_ms += 60_000
    found = shown(session, account, webhook)
    assert (found.unread, found.waiting) == (2, 0)
    assert found.oldest_at is not None
    assert 119 <= (session.clock() - found.oldest_at) / 1000 < 180
    assert backlog().webhook_messages_waiting == 2
    assert 119 <= backlog().webhook_oldest_message_seconds < 180
    assert 119 <= late_s() < 180

    async def fail() -> None:
        async with delivering(session, receiver, retry_s=(3600,)):
            await until(lambda: shown(session, account, webhook).waiting == 2)

    run(fail())
    assert shown(session, account, webhook).unread == 0
    # What waits for another attempt is not late, and what a failing receiver gets is its affair.
    assert (backlog().webhook_messages_waiting, late_s()) == (2, 0)
    receiver.answer = lambda message: ACCEPTED

    async def accept() -> None:
        async with delivering(session, receiver):
            hands.ahead_ms += 2 * 3_600_000
            await until(lambda: not shown(session, account, webhook).waiting)

    run(accept())
    assert shown(session, account, webhook).oldest_at is None
    assert backlog().webhook_oldest_message_seconds == 0


def test_decisions_that_a_webhook_passes_by_do_not_look_as_if_they_waited(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_module, "_NOTED_EVERY_S", 0.0)
    account, receiver = make_account(session), Receiver()
    declined = ToldDecisions("precheck", [Outcome.DECLINE])
    new = NewWebhook(URL, ["decision.made"], decisions=[declined])
    webhook = endpoints.create(session, account, new).answer.id

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            with session.change() as change:
                change.audit("test", account)
                change.event(EventName.DECISION_MADE, account, "req_gone", {})
            assert shown(session, account, webhook).unread == 1
            delivery.look_now()
            await until(lambda: not shown(session, account, webhook).unread)

    run(story())
    assert receiver.heard == []


def test_in_order_nothing_overtakes_what_was_not_accepted(session: AdminSession) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    receiver = Receiver()
    refusals = iter([FAILED])
    receiver.answer = lambda message: (
        next(refusals, ACCEPTED) if receiver.about[-1] == "two" else ACCEPTED
    )
    account = make_account(session)
    webhook = add(session, account, ordered=True)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, account, "one", "two", "three")
            await until(lambda: len(attempts(session, account, webhook)) == 2)
            assert receiver.about == ["one", "two"]
            hands.ahead_ms += 73_000
            await delivery.renew()
            await until(lambda: len(attempts(session, account, webhook)) == 4)

    run(story())
    assert receiver.about == ["one", "two", "two", "three"]


def test_410_disables_a_webhook_with_an_event_and_an_audit_line(
    sqlite_session: AdminSession,
) -> None:
    session = sqlite_session
    account = make_account(session)
    webhook = add(session, account)
    receiver = Receiver(lambda message: SendResult(410, "answered 410"))

    async def story() -> None:
        async with delivering(session, receiver):
            tell(session, account, "one")
            await until(lambda: _state(session, account, webhook) is WebhookState.DISABLED)

    run(story())
    found = shown(session, account, webhook)
    assert found.disabled_because is DisabledBecause.GONE
    with session.reading() as connection:
        told = outbox.read_after(connection, account, None, 100, [EventName.WEBHOOK_DISABLED])
        [line] = audit.read(connection, account, 1)
    assert [each.event.about for each in told.events] == [webhook]
    assert (line.action, line.actor) == ("webhook.disable", "webhooks")


def test_what_waited_is_sent_at_once_when_a_webhook_is_enabled_again(
    sqlite_session: AdminSession,
) -> None:
    session, answers = sqlite_session, iter([SendResult(410, "answered 410")])
    account, receiver = make_account(session), Receiver(lambda message: next(answers, ACCEPTED))
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver, retry_s=(3600,)) as delivery:
            tell(session, account, "one")
            await until(lambda: _state(session, account, webhook) is WebhookState.DISABLED)
            assert shown(session, account, webhook).waiting == 1
            endpoints.update(session, account, webhook, WebhookChange(enabled=True))
            delivery.changed()  # as servers notice by the revision
            await until(lambda: len(attempts(session, account, webhook)) == 2)

    run(story())
    assert receiver.about == ["one", "one"]


def test_what_waits_is_not_sent_when_its_type_is_no_longer_chosen(
    sqlite_session: AdminSession,
) -> None:
    session, answers = sqlite_session, iter([FAILED])
    account, receiver = make_account(session), Receiver(lambda message: next(answers, ACCEPTED))
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver, retry_s=(3600,)) as delivery:
            [event] = tell(session, account, "one")
            await until(lambda: shown(session, account, webhook).waiting == 1)
            # Who may read nothing of it can choose other events, and then another address.
            changed = WebhookChange(url=f"{URL}2", events=["key.*"], enabled=False)
            endpoints.update(session, account, webhook, changed)
            endpoints.update(session, account, webhook, WebhookChange(enabled=True))
            delivery.changed()
            await until(lambda: shown(session, account, webhook).waiting == 0)
            for again in (MessageReplay(event), MessageReplay(since=Moment(1))):
                assert messages.replay(session, account, webhook, again).messages == 0

    run(story())
    assert receiver.about == ["one"]


def test_a_webhook_that_fails_for_five_days_is_disabled(sqlite_session: AdminSession) -> None:
    hands = Hands(sqlite_session)
    session = dataclasses.replace(sqlite_session, clock=hands)
    account, receiver = make_account(session), Receiver(lambda message: FAILED)
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver, alone=True) as delivery:
            tell(session, account, "one")
            await until(lambda: len(attempts(session, account, webhook)) == 1)
            hands.ahead_ms += 5 * 86_400_000
            await delivery.renew()
            await until(lambda: _state(session, account, webhook) is WebhookState.DISABLED)

    run(story())
    found = shown(session, account, webhook)
    assert found.disabled_because is DisabledBecause.FAILING
    endpoints.update(session, account, webhook, WebhookChange(enabled=True))
    assert shown(session, account, webhook).failing_since is None


def test_a_receiver_that_asks_us_to_wait_is_left_alone_meanwhile(
    sqlite_session: AdminSession,
) -> None:
    session = sqlite_session
    account = make_account(session)
    webhook = add(session, account)
    busy = SendResult(503, "answered 503", retry_after=b"3600")
    receiver = Receiver(lambda message: busy)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, account, "one")
            await until(lambda: len(attempts(session, account, webhook)) == 1)
            tell(session, account, "two")
            await look_in_vain(delivery)

    run(story())
    assert receiver.about == ["one"]
    [kept] = attempts(session, account, webhook)
    assert kept.next_at - kept.at >= 3_600_000


def test_after_a_deletion_nothing_is_sent_and_nothing_wanted(session: AdminSession) -> None:
    account, receiver = make_account(session), Receiver()
    webhook = add(session, account, events="*")

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, account, "one")
            await until(lambda: len(attempts(session, account, webhook)) >= 1)
            delivery.changed()
            task = asyncio.create_task(endpoints.delete(session, account, webhook))
            await until(lambda: not endpoints.list_webhooks(session, account).webhooks)
            delivery.changed()  # as servers notice by the revision
            await task
            heard = len(receiver.heard)
            tell(session, account, "two")
            await delivery.tidy()
            await look_in_vain(delivery)
            assert len(receiver.heard) == heard

    run(story())
    with session.reading() as connection:
        assert connection.execute(WEBHOOKS.select()).all() == []
    with pytest.raises(NotFound):
        endpoints.get_webhook(session, account, webhook)


def test_two_servers_share_the_work_and_send_nothing_twice(session: AdminSession) -> None:
    receivers = [Receiver(), Receiver()]
    accounts = [make_account(session) for _ in range(4)]
    webhooks = [add(session, account) for account in accounts]

    async def story() -> None:
        async with (
            delivering(session, receivers[0], "srv_1"),
            delivering(session, receivers[1], "srv_2"),
        ):
            for account in accounts:
                tell(session, account, "one", "two", "three")
            pairs = list(zip(accounts, webhooks, strict=True))
            await until(lambda: all(len(attempts(session, *pair)) == 3 for pair in pairs))

    run(story())
    sent = [each.id for receiver in receivers for each in receiver.heard]
    assert len(sent) == len(set(sent)) == 12


def test_a_dead_server_is_followed_by_another_when_its_claim_has_expired(
    session: AdminSession,
) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    account, receiver = make_account(session), Receiver()
    webhook = add(session, account)
    tell(session, account, "one")
    now_ms = hands()
    with session.database.writing() as connection:
        assert claims.claim(connection, "srv_dead", [webhook], now_ms, now_ms + CLAIM_MS)
        assert not claims.claim(connection, "srv_1", [webhook], now_ms, now_ms + CLAIM_MS)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            await look_in_vain(delivery)
            assert receiver.heard == []
            hands.ahead_ms += CLAIM_MS + 1000
            await until(lambda: attempts(session, account, webhook))

    run(story())
    assert receiver.about == ["one"]


def test_a_server_whose_claim_was_taken_notes_nothing_and_the_other_goes_on(
    session: AdminSession,
) -> None:
    account = make_account(session)
    webhook = add(session, account)
    is_lost = threading.Event()

    def lose_claim(message: WebhookMessage) -> SendResult:
        """The server was so slow that another one has taken over."""
        with session.database.writing() as connection:
            connection.execute(WEBHOOKS.update().values(claimed_by="srv_2"))
        is_lost.set()
        return ACCEPTED

    slow, other = Receiver(lose_claim), Receiver()

    async def story() -> None:
        async with delivering(session, slow, "srv_1"):
            tell(session, account, "one")
            await until(is_lost.is_set)
            assert attempts(session, account, webhook) == []
            slow.answer = lambda message: ACCEPTED
            with session.database.writing() as connection:
                claims.release(connection, "srv_2", webhook, None)
            async with delivering(session, other, "srv_3"):
                tell(session, account, "two")
                await until(lambda: len(attempts(session, account, webhook)) == 2)

    run(story())
    # The first message is sent again, because nobody noted that it was accepted.
    sent = sorted([*slow.about[1:], *other.about])
    assert (slow.about[0], sent) == ("one", ["one", "two"])


def test_a_row_that_others_changed_sends_nothing(sqlite_session: AdminSession) -> None:
    session, receiver = sqlite_session, Receiver()
    account = make_account(session)
    webhook = add(session, account)
    evil = b'{"url":"https://evil.example/","events":["*"]}'
    with session.database.writing() as connection:
        connection.execute(WEBHOOKS.update().values(terms=evil.decode()))
    tell(session, account, "one")

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            await look_in_vain(delivery)

    run(story())
    assert receiver.heard == []
    assert shown(session, account, webhook).signing is None


def test_one_message_or_all_of_a_span_are_sent_again(sqlite_session: AdminSession) -> None:
    session, receiver = sqlite_session, Receiver()
    account = make_account(session)
    webhook = add(session, account)

    async def story() -> None:
        async with delivering(session, receiver):
            first, _ = tell(session, account, "one", "two")
            await until(lambda: len(attempts(session, account, webhook)) == 2)
            messages.replay(session, account, webhook, MessageReplay(first))
            await until(lambda: len(attempts(session, account, webhook)) == 3)
            span = MessageReplay(since=Moment(1))
            assert messages.replay(session, account, webhook, span).messages == 2
            await until(lambda: len(attempts(session, account, webhook)) == 5)

    run(story())
    assert sorted(receiver.about) == ["one", "one", "one", "two", "two"]
    assert len({each.id for each in receiver.heard}) == 2


def test_a_test_message_is_sent_at_once_and_its_answer_told(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    account = make_account(session)
    webhook = add(session, account)
    for answer in (ACCEPTED, FAILED):
        receiver = Receiver(lambda message, answer=answer: answer)  # type: ignore[misc]  # bound now
        kept = asyncio.run(messages.send_test_by(session, account, webhook, receiver))
        assert (kept.type, kept.failure) == ("webhook.test", answer.failure)
        assert msgspec.json.decode(receiver.heard[0].body)["data"] == {"webhookId": webhook}
    assert len(attempts(session, account, webhook)) == 2


def test_webhooks_that_send_more_than_their_maker_may_read_are_found(
    sqlite_session: AdminSession,
) -> None:
    session = sqlite_session
    account = make_account(session)
    given = NewWebhook("https://shop.example/hooks", ["decision.made"])
    small = NewWebhook(given.url, ["key.*"])
    made = [
        endpoints.create(session.acting_as(actor), account, what).answer.id
        for actor, what in (
            (session.actor, given),
            # As a version let a key do that did not ask for rights.
            (Actor.key(_issued(session, account, "manage:webhooks"), account), given),
            (Actor.key(_issued(session, account, "manage:webhooks"), account), small),
            (Actor.key(_issued(session, account, "manage"), account), given),
            (Actor.key("key_gone", account), given),
            (Actor.user("ada@shop.example", account, may=frozenset(Permission)), given),
        )
    ]
    beyond = beyond_their_makers(session)
    assert [each.partition(" ")[0] for each in beyond] == [made[1], made[4], made[5]]
    assert beyond[2].endswith(f"of {account}, by user:ada@shop.example")
    # Who may read it all makes it its own.
    endpoints.update(session, account, made[1], WebhookChange(description="the back office's"))
    assert len(beyond_their_makers(session)) == 2


def _issued(session: AdminSession, account: str, scope: str) -> str:
    return keys.issue(session, account, NewKey(scopes=[scope])).issued.key_id


def test_a_stranger_finds_no_webhook_and_bad_terms_are_refused(
    sqlite_session: AdminSession,
) -> None:
    session = sqlite_session
    account = make_account(session)
    webhook = add(session, account)
    stranger = session.acting_as(Actor.key("key_1", make_account(session)))
    for question in (endpoints.get_webhook, endpoints.delete, attempts):
        with pytest.raises(NotFound):
            question(stranger, account, webhook)
    with pytest.raises(InvalidInput, match="there is no event"):
        add(session, account, events="rules.eaten")
    with pytest.raises(InvalidInput, match="public address"):
        endpoints.create(session, account, NewWebhook("https://10.0.0.1/", ["*"]))
    for wrong, said in (
        (ToldDecisions("prechek"), "no operation"),
        (ToldDecisions("sentry", [Outcome.DECLINE]), "without outcomes"),
    ):
        with pytest.raises(InvalidInput, match=said):
            endpoints.create(session, account, NewWebhook(URL, ["decision.made"], [wrong]))
    for _ in range(15):
        add(session, account)
    with pytest.raises(Conflict, match="at most 16"):
        add(session, account)


def _state(session: AdminSession, account: str, webhook: str) -> WebhookState:
    return shown(session, account, webhook).state


def test_receivers_of_one_account_that_never_answer_hold_up_no_other_account(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_MOST_AT_ONCE", 4)
    monkeypatch.setattr(turns, "MOST_OF_ACCOUNT", 2)
    session, receiver = sqlite_session, Silent({"never"})
    silent, other = make_account(session), make_account(session)
    for _ in range(3):
        add(session, silent)
    add(session, other)

    async def story() -> None:
        async with delivering(session, receiver) as delivery:
            tell(session, silent, "never", "never")
            await until(lambda: len(receiver.heard) >= 2)
            await look_in_vain(delivery)
            assert receiver.about == ["never", "never"]
            tell(session, other, "soon")
            await until(lambda: "soon" in receiver.about)

    run(story())


def test_why_an_attempt_failed_is_kept_as_a_sentence(session: AdminSession) -> None:
    account = make_account(session)
    webhook = add(session, account)
    # A phrase would be one of the program, which has to be said in each language.
    why = Sentence("example.com does not answer", "refused.silent", {"host": "example.com"})
    failed = deliveries.Attempt("att_1", webhook, "evt_1", "decision.made", 1, 1, 5, failure=why)
    with session.database.writing() as connection:
        deliveries.add_attempts(connection, [failed])
        [kept] = deliveries.attempts_of(connection, webhook, 10, types=[*EventName])
    assert kept == failed
    assert isinstance(kept.failure, Sentence)
