"""Readers and webhooks go on in another database where they stopped in the first."""

from collections.abc import Callable
from pathlib import Path

from gatehouse.access.actors import Actor
from gatehouse.admin.backup.use_cases.copy_database import copy_database
from gatehouse.admin.events.use_cases.events import EventQuery, list_events, newest_cursor
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import WEBHOOK_DELIVERIES
from tests.harness import Home, make_account
from tests.webhooks.test_delivery import (
    ACCEPTED,
    FAILED,
    Receiver,
    add,
    attempts,
    delivering,
    run,
    tell,
    until,
)

HOUR_S = 3600


def copied(home: Home, url: str) -> Home:
    copy_database(load_settings(home.environ()), Actor.system("test"), url, lambda *_: None)
    return Home(home.path, url)


def read_on(session: AdminSession, account: str, cursor: str) -> tuple[list[str], str]:
    page = list_events(session, account, EventQuery(cursor))
    return [each.data["version"] for each in page.events], page.cursor


def refuse_all(
    session: AdminSession, account: str, webhook: str, *about: str, retry_s: int = 1
) -> None:
    """Something happens, and the first message about it is not accepted."""

    async def story() -> None:
        before = len(attempts(session, account, webhook))
        async with delivering(session, Receiver(lambda message: FAILED), retry_s=(retry_s,) * 50):
            tell(session, account, *about)
            await until(lambda: len(attempts(session, account, webhook)) > before)

    run(story())


def heard(session: AdminSession, count: int) -> list[str]:
    """What is sent when everything is accepted, in its order."""
    receiver = Receiver(lambda message: ACCEPTED)

    async def story() -> None:
        async with delivering(session, receiver, alone=True):
            await until(lambda: len(receiver.heard) >= count)

    run(story())
    return receiver.about


def test_the_order_and_every_cursor_outlive_a_copy_there_and_back(
    sqlite_home: Home, new_database: Callable[[], str], tmp_path: Path
) -> None:
    with sqlite_home.session() as session:
        account = make_account(session)
        webhook = add(session, account, ordered=True)
        cursor = newest_cursor(session, account)
        refuse_all(session, account, webhook, "one", "two")
        found, cursor = read_on(session, account, cursor)
        assert found == ["one", "two"]
        tell(session, account, "three")
    there = copied(sqlite_home, new_database())
    with there.session() as session:
        tell(session, account, "four")
        found, cursor = read_on(session, account, cursor)
        assert found == ["three", "four"]
        refuse_all(session, account, webhook, "five")
    back = copied(there, f"sqlite:///{tmp_path / 'back.db'}")
    with back.session() as session:
        tell(session, account, "six")
        assert read_on(session, account, cursor)[0] == ["five", "six"]
        assert heard(session, 6) == ["one", "two", "three", "four", "five", "six"]


def test_messages_that_wait_move_with_their_events(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    home = Home(tmp_path / "home", new_database())
    with home.session() as session:
        account = make_account(session)
        webhook = add(session, account)
        refuse_all(session, account, webhook, "one", "two", retry_s=HOUR_S)
    back = copied(home, f"sqlite:///{tmp_path / 'back.db'}")
    with back.session() as session:
        refuse_all(session, account, webhook, "three", retry_s=HOUR_S)
        with session.reading() as connection:
            waiting = connection.execute(
                WEBHOOK_DELIVERIES.select().order_by(
                    WEBHOOK_DELIVERIES.c.xid, WEBHOOK_DELIVERIES.c.seq
                )
            ).all()
        told = {
            each.id: each.data["version"]
            for each in list_events(session, account, EventQuery()).events
            if each.type == "rules.applied"
        }
    assert [told[each.event_id] for each in waiting] == ["one", "two", "three"]
