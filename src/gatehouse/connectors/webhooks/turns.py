"""How many messages are sent at once: few enough for the process, and a share for each account."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from gatehouse.connectors.webhooks.sending import SendResult, WebhookMessage, WebhookSender

_MOST_AT_ONCE: Final = 64
MOST_OF_ACCOUNT: Final = 16
"""Messages of one account at once, so that receivers that never answer hold up nobody else's."""

Send = Callable[[WebhookMessage], Awaitable[SendResult]]
Observe = Callable[[float, bool], None]
"""Told how long an attempt took, and whether the message was accepted."""


class SendingTurns:
    """Lets messages be sent in turn."""

    def __init__(self, sender: WebhookSender, observe: Observe) -> None:
        self._sender = sender
        self._observe = observe
        self._at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        self._of_account: dict[str, asyncio.Semaphore] = {}

    @contextlib.asynccontextmanager
    async def wait(self, account_id: str) -> AsyncIterator[Send]:
        """Wait until one message of an account may be sent."""
        own = self._of_account.get(account_id)
        if own is None:
            own = self._of_account[account_id] = asyncio.Semaphore(MOST_OF_ACCOUNT)
        async with own, self._at_once:
            yield self._send

    async def _send(self, message: WebhookMessage) -> SendResult:
        began = time.perf_counter()
        result = await self._sender.send(message)
        self._observe(time.perf_counter() - began, result.is_accepted)
        return result
