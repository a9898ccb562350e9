"""Webhooks are delivered to again after the database was in trouble, without a restart."""

import asyncio
import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.admin.webhooks.queries import claims, deliveries
from gatehouse.admin.webhooks.worker import delivery as delivery_module
from gatehouse.admin.webhooks.worker import endpoint_delivery
from gatehouse.admin.webhooks.worker.delivery import CLAIM_MS, WebhookDelivery
from gatehouse.connectors.webhooks.sending import SendResult, WebhookMessage
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import news, outbox
from tests.databases import read_only
from tests.harness import PATIENCE_S, Home, make_account
from tests.webhooks.test_delivery import (
    ACCEPTED,
    FAILED,
    Hands,
    Receiver,
    add,
    attempts,
    delivering,
    run,
    tell,
    until,
)


def by_hand(session: AdminSession, receiver: Receiver) -> WebhookDelivery:
    """A delivery that looks only when it is told to."""
    return WebhookDelivery(session, receiver, "srv_1", (60,))


async def look_until(delivery: WebhookDelivery, condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await delivery.look()
            await asyncio.sleep(0.02)


async def look_often(delivery: WebhookDelivery) -> None:
    for _ in range(20):
        await delivery.look()


async def cancel(running: "set[asyncio.Task[Any]]") -> None:
    assert running
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def test_a_claim_that_could_not_be_given_back_expires_and_its_webhook_is_served_again(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    account, receiver, failed = make_account(session), Receiver(), threading.Event()
    add(session, account)
    really_release = claims.release

    def release(*args: Any) -> None:
        if not failed.is_set():
            failed.set()
            raise sa.exc.InternalError("UPDATE", {}, Exception("of a kind that nobody knows"))
        really_release(*args)

    monkeypatch.setattr(claims, "release", release)
    monkeypatch.setattr(endpoint_delivery, "_IDLE_S", 0)

    async def story() -> None:
        delivery = by_hand(session, receiver)
        await delivery.look()
        await until(failed.is_set)
        tell(session, account, "one")
        hands.ahead_ms += CLAIM_MS + 1000
        await look_until(delivery, lambda: receiver.heard)

    run(story())
    assert receiver.about == ["one"]


def test_a_delivery_that_is_cancelled_before_it_begins_keeps_no_claim(
    session: AdminSession,
) -> None:
    hands = Hands(session)
    session = dataclasses.replace(session, clock=hands)
    account, receiver = make_account(session), Receiver()
    add(session, account)
    tell(session, account, "one")

    async def story() -> None:
        delivery, others = by_hand(session, receiver), asyncio.all_tasks()
        await delivery.look()
        await cancel(asyncio.all_tasks() - others)
        hands.ahead_ms += CLAIM_MS + 1000
        await delivery.renew()
        await look_until(delivery, lambda: receiver.heard)

    run(story())
    assert receiver.about == ["one"]


def test_webhooks_are_served_again_after_the_database_took_no_changes(
    new_database: Callable[[], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = Home(tmp_path / "home", new_database())
    with contextlib.ExitStack() as standby, home.session() as opened:
        hands = Hands(opened)
        session = dataclasses.replace(opened, clock=hands)
        account = make_account(session)
        webhook = add(session, account)

        def answer(message: WebhookMessage) -> SendResult:
            """The database takes no changes before it is noted that this was accepted."""
            if len(receiver.heard) == 1:
                standby.enter_context(read_only(home.database_url))
            return ACCEPTED

        receiver = Receiver(answer)

        async def story() -> None:
            async with delivering(session, receiver):
                tell(session, account, "one")
                await until(lambda: "could not give back a claim" in caplog.text)
                standby.close()
                hands.ahead_ms += CLAIM_MS + 1000
                await until(lambda: attempts(session, account, webhook))

        run(story())
    assert receiver.about == ["one", "one"]


@contextlib.contextmanager
def long_transaction(session: AdminSession, account: str, about: str) -> Iterator[None]:
    """Writes an event, and is not committed before the end."""
    with session.change() as change:
        change.audit("test", account)
        made = change.new_id("evt")
    data = encode_data({"version": about})
    event = NewEvent(made, account, session.clock(), EventName.RULES_APPLIED, "test", about, data)
    with session.database.writing() as connection:
        outbox.add(connection, [event])
        yield


@pytest.mark.parametrize("looks_before", [0, 1, 300])
def test_what_a_long_transaction_wrote_or_held_back_is_sent_when_it_ends(
    new_database: Callable[[], str], tmp_path: Path, looks_before: int
) -> None:
    with Home(tmp_path / "home", new_database()).session() as session:
        within, behind = make_account(session), make_account(session)
        add(session, within)
        add(session, behind)
        receiver = Receiver()

        async def story() -> None:
            delivery = by_hand(session, receiver)
            for _ in range(looks_before):
                await delivery.look()
            with long_transaction(session, within, "within"):
                tell(session, behind, "behind")
                # More looks than are remembered.
                for _ in range(300):
                    await delivery.look()
                assert receiver.heard == []
            await delivery.look()
            await until(lambda: len(receiver.heard) == 2)

        run(story())
    assert sorted(receiver.about) == ["behind", "within"]


def test_an_event_that_can_be_read_while_a_delivery_ends_is_sent_by_the_next(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_release, ending = claims.release, threading.Event()
    monkeypatch.setattr(endpoint_delivery, "_IDLE_S", 3600)
    with Home(tmp_path / "home", new_database()).session() as session:
        account, receiver = make_account(session), Receiver()
        add(session, account)

        async def story() -> None:
            delivery, loop = by_hand(session, receiver), asyncio.get_running_loop()
            running, others = contextlib.ExitStack(), asyncio.all_tasks()

            def release(*args: Any) -> None:
                """Everything happens between the last reading and the end of the claim."""
                if ending.is_set():
                    ending.clear()
                    running.close()
                    asyncio.run_coroutine_threadsafe(delivery.look(), loop).result(PATIENCE_S)
                really_release(*args)

            monkeypatch.setattr(claims, "release", release)
            with running:
                running.enter_context(long_transaction(session, account, "one"))
                tell(session, make_account(session), "of another account")
                for _ in range(300):
                    await delivery.look()
                ending.set()
                await cancel(asyncio.all_tasks() - others)
            assert not ending.is_set()
            await look_until(delivery, lambda: receiver.heard)

        run(story())
    assert receiver.about == ["one"]


def test_a_message_that_took_long_and_could_not_be_noted_is_sent_again(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, really_record, failing = make_account(session), deliveries.record, True
    webhook = add(session, account)
    monkeypatch.setattr(news, "_THOROUGH", 1_000_000)

    class Slow(Receiver):
        """Answers when it is allowed to."""

        def __init__(self) -> None:
            super().__init__()
            self.may_answer = asyncio.Event()

        async def send(self, message: WebhookMessage) -> SendResult:
            result = await super().send(message)
            await self.may_answer.wait()
            return result

    def record(*args: Any) -> bool:
        if failing:
            raise StoreUnavailable("the database is away")
        return really_record(*args)

    monkeypatch.setattr(deliveries, "record", record)

    async def story() -> None:
        nonlocal failing
        receiver, others = Slow(), asyncio.all_tasks()
        delivery = by_hand(session, receiver)
        # At first, any webhook may have something to be sent.
        await look_often(delivery)
        tell(session, account, "one")
        await look_until(delivery, lambda: receiver.heard)
        # By the last of these looks, the event is none of the newest any more.
        await look_often(delivery)
        receiver.may_answer.set()
        await asyncio.gather(*(asyncio.all_tasks() - others))
        failing = False
        await look_until(delivery, lambda: attempts(session, account, webhook))
        await cancel(asyncio.all_tasks() - others)
        assert receiver.about == ["one", "one"]

    run(story())


def test_more_webhooks_than_a_server_holds_at_once_are_all_served(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_module, "_MOST_HELD", 1)
    account, receiver = make_account(session), Receiver()
    for _ in range(3):
        add(session, account)
    tell(session, account, "one")

    async def story() -> None:
        await look_until(by_hand(session, receiver), lambda: len(receiver.heard) == 3)

    run(story())
    assert receiver.about == ["one"] * 3


def test_what_was_found_while_nothing_could_be_claimed_is_sent_later(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, receiver = make_account(session), Receiver()
    add(session, account)
    tell(session, account, "one")

    def refuse(*args: Any) -> None:
        raise StoreUnavailable("the database takes no changes")

    async def story() -> None:
        delivery = by_hand(session, receiver)
        with monkeypatch.context() as patched:
            patched.setattr(claims, "claim", refuse)
            # More looks than are remembered.
            for _ in range(300):
                with pytest.raises(StoreUnavailable):
                    await delivery.look()
        await delivery.look()
        await until(lambda: receiver.heard)

    run(story())
    assert receiver.about == ["one"]


def test_a_server_that_is_alone_delivers_once_a_command_that_writes_for_long_is_done(
    sqlite_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    sqlite_home.settings["GATEHOUSE_STORE_TIMEOUT_MS"] = "100"
    with sqlite_home.session() as session:
        account, receiver = make_account(session), Receiver()
        webhook = add(session, account)
        tell(session, account, "one")
        now_ms = session.clock()
        with session.database.writing() as connection:
            assert claims.claim(connection, "srv_dead", [webhook], now_ms, now_ms + 3_600_000)

        async def story() -> None:
            with contextlib.ExitStack() as command:
                command.enter_context(session.database.writing())
                async with delivering(session, receiver, alone=True):
                    await until(lambda: "could not look for webhooks to send" in caplog.text)
                    command.close()
                    await until(lambda: receiver.heard)

        run(story())
    assert receiver.about == ["one"]


def test_a_server_does_not_try_to_claim_what_another_one_holds(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, receiver = make_account(session), Receiver()
    webhook = add(session, account)
    now_ms = session.clock()
    with session.database.writing() as connection:
        assert claims.claim(connection, "srv_2", [webhook], now_ms, now_ms + CLAIM_MS)
    tell(session, account, "one")
    really_claim, tried = claims.claim, []

    def claim(*args: Any) -> set[str]:
        tried.append(args)
        return really_claim(*args)

    monkeypatch.setattr(claims, "claim", claim)

    async def story() -> None:
        delivery = by_hand(session, receiver)
        for _ in range(3):
            await delivery.look()
        assert tried == []
        with session.database.writing() as connection:
            claims.release(connection, "srv_2", webhook, None)
        await look_until(delivery, lambda: receiver.heard)

    run(story())
    assert receiver.about == ["one"]


def test_what_became_of_a_batch_is_noted_without_a_statement_for_each_message(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    with Home(tmp_path / "home", new_database()).session() as session:
        account, receiver = make_account(session), Receiver(lambda message: FAILED)
        webhook = add(session, account)
        tell(session, account, "one", "two", "three")
        inserts: list[tuple[str, bool]] = []

        def look(*about: Any) -> None:
            _, _, statement, _, _, is_for_each_row = about
            if statement.startswith("INSERT INTO webhook_"):
                inserts.append((statement.split()[2], is_for_each_row))

        sa.event.listen(session.database.engine, "before_cursor_execute", look)

        async def story() -> None:
            async with delivering(session, receiver):
                await until(lambda: len(attempts(session, account, webhook)) == 3)

        run(story())
        kept = attempts(session, account, webhook)
    assert inserts == [("webhook_attempts", False), ("webhook_deliveries", False)]
    assert [(each.status, each.failure, each.number) for each in kept] == [
        (FAILED.status, FAILED.failure, 1)
    ] * 3
