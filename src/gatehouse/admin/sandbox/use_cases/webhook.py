"""A webhook of the demo account, with attempts: real messages to a receiver in this process.

It is disabled, because its receiver is gone when the past has been filled. People can give it the
URL of a receiver of their own, and enable it.
"""

import asyncio
from typing import Final

from gatehouse.admin.webhooks.types.webhook import NewWebhook, WebhookChange
from gatehouse.admin.webhooks.use_cases.endpoints import (
    create,
    list_webhooks,
    update,
)
from gatehouse.admin.webhooks.use_cases.messages import send_test_by
from gatehouse.connectors.webhooks.options import webhook_options
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession

ANSWERS: Final = (200, 200, 503, 200)
"""What the receiver says, message by message."""
_EVENTS: Final = ("review.*", "payment.*", "balance.low")
_ABOUT: Final = "The order system of the shop, which is made up"


class DemoWebhook:
    """The webhook, and the receiver that it has while the past is filled."""

    def __init__(self, session: AdminSession, settings: Settings, account_id: str) -> None:
        """`session` has the moved clock."""
        self._session = session
        self._account_id = account_id
        self._sender = webhook_options(settings).sender()
        self._receiver: asyncio.Server | None = None
        self._webhook_id: str | None = None
        self._answers = iter(ANSWERS)

    async def attempt(self) -> None:
        """Send a message; the first one adds the webhook, unless an earlier walk has."""
        if self._webhook_id is None:
            if list_webhooks(self._session, self._account_id).webhooks:
                return
            self._receiver = await asyncio.start_server(self._reply, "127.0.0.1", 0)
            self._webhook_id = self._add(self._receiver.sockets[0].getsockname()[1])
        await send_test_by(self._session, self._account_id, self._webhook_id, self._sender)

    async def stop(self) -> None:
        """End the receiver."""
        await self._sender.close()
        if self._receiver is not None:
            self._receiver.close()
            await self._receiver.wait_closed()

    def _add(self, port: int) -> str:
        url = f"http://127.0.0.1:{port}/gatehouse"
        new = NewWebhook(url, [*_EVENTS], description=_ABOUT)
        made = create(self._session, self._account_id, new).answer
        update(self._session, self._account_id, made.id, WebhookChange(enabled=False))
        return made.id

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        status = next(self._answers, ANSWERS[-1])
        writer.write(b"HTTP/1.1 %d -\r\ncontent-length: 0\r\nconnection: close\r\n\r\n" % status)
        await writer.drain()
        writer.close()
