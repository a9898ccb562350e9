"""A server that stops while it notes what it sent forgets nothing of it."""

import asyncio
import threading
from typing import Any

import pytest

from gatehouse.admin.webhooks.queries import deliveries
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import PATIENCE_S, make_account
from tests.webhooks.test_delivery import ACCEPTED, Receiver, add, delivering, run, tell, until


def test_what_was_noted_while_a_server_stopped_is_not_sent_again(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = make_account(session)
    add(session, account, ordered=True)
    noting, stopping = threading.Event(), threading.Event()

    really_record = deliveries.record

    def record(*args: Any) -> bool:
        noting.set()
        assert stopping.wait(PATIENCE_S)
        return really_record(*args)

    async def stop_while_noting() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(deliveries, "record", record)
            async with delivering(session, Receiver(lambda message: ACCEPTED)):
                await until(noting.is_set)
                asyncio.get_running_loop().call_later(0.1, stopping.set)

    async def send_the_rest(receiver: Receiver) -> None:
        async with delivering(session, receiver):
            await until(lambda: receiver.heard)

    tell(session, account, "one")
    run(stop_while_noting())
    tell(session, account, "two")
    receiver = Receiver(lambda message: ACCEPTED)
    run(send_the_rest(receiver))
    assert receiver.about[0] == "two"
