"""The use cases of reviews on a running server: on a thread, and one change at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.worker.live import announce
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace

Done = TypeVar("Done")


class LiveReviews:
    """The use cases for callers of the API; refusals are those of the use cases."""

    def __init__(
        self, session: AdminSession, labels_recorded: Callable[[], Awaitable[None]]
    ) -> None:
        """`labels_recorded` is awaited after every resolution, before its sender is answered."""
        self._session = session
        self._labels_recorded = labels_recorded
        self._pace = Pace(session.database)
        self._one_at_a_time = asyncio.Lock()

    async def read(self, use_case: Callable[..., Done], actor: Actor, *given: Any) -> Done:
        """What a use case finds that changes nothing."""
        return await asyncio.to_thread(use_case, self._session.acting_as(actor), *given)

    async def change(self, use_case: Callable[..., Done], actor: Actor, *given: Any) -> Done:
        """Change reviews durably, while others wait."""
        async with self._one_at_a_time:
            return await self.read(use_case, actor, *given, self._pace)

    async def label(self, use_case: Callable[..., Done], actor: Actor, *given: Any) -> Done:
        """A change that labels requests, of which others are told."""
        done = await self.change(use_case, actor, *given)
        await announce(self._labels_recorded)
        return done
