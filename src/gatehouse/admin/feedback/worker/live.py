"""Feedback on a running server: all waiting statements are recorded in one transaction."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.use_cases.record import NewFeedback, feedback_of, record_all
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.wording.labels import LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.feedback.statements import (
    FeedbackStatement,
    FeedbackSubject,
    LabelEntry,
    LabelOutcome,
)

_MOST_AT_ONCE: Final = 64
_log: Final = logging.getLogger("gatehouse.store")


async def announce(labels_recorded: Callable[[], Awaitable[None]]) -> None:
    """Have the follower of labels read the rows that were just committed."""
    try:
        await labels_recorded()
    except Exception:
        # The rows are safe, and the follower polls for them.
        _log.exception("labels were recorded, but could not be followed at once")


class LiveFeedback:
    """The use cases of feedback for callers of the API."""

    def __init__(
        self, session: AdminSession, labels_recorded: Callable[[], Awaitable[None]]
    ) -> None:
        """`labels_recorded` is awaited after every commit, before its senders are answered."""
        self._session = session
        self._pace = Pace(session.database)
        self._labels_recorded = labels_recorded
        self._waiting: list[tuple[NewFeedback, asyncio.Future[list[LabelOutcome]]]] = []
        self._work: asyncio.Task[None] | None = None

    async def record(
        self, actor: Actor, account_id: str, subject: FeedbackSubject, statement: FeedbackStatement
    ) -> list[LabelOutcome]:
        """Record a statement durably; refusals as of `record_feedback`."""
        answer: asyncio.Future[list[LabelOutcome]] = asyncio.get_running_loop().create_future()
        given = NewFeedback(account_id, subject, statement, actor, LabelSource.API)
        self._waiting.append((given, answer))
        # A task of its own: a sender that goes away must not cancel the work for the others.
        if self._work is None:
            self._work = asyncio.create_task(self._write_all())
        return await answer

    async def history(self, actor: Actor, account_id: str, request_id: str) -> list[LabelEntry]:
        """The statements about a request, newest first."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(feedback_of, session, account_id, request_id)

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:_MOST_AT_ONCE]
                del self._waiting[:_MOST_AT_ONCE]
                answers = await asyncio.to_thread(self._settle, [given for given, _ in batch])
                if not all(isinstance(answer, Exception) for answer in answers):
                    await announce(self._labels_recorded)
                for (_, future), answer in zip(batch, answers, strict=True):
                    _deliver(future, answer)
        finally:
            self._work = None

    def _settle(self, given: list[NewFeedback]) -> "list[list[LabelOutcome] | Exception]":
        """One answer or refusal for each, never an exception."""
        try:
            return [*record_all(self._session, given, self._pace)]
        except StoreUnavailable as error:
            return [error for _ in given]
        except Exception as error:
            if len(given) == 1:
                return [error]
            # Nothing was written. One by one, only the cause of the error fails.
            return [answer for one in given for answer in self._settle([one])]


def _deliver(
    future: "asyncio.Future[list[LabelOutcome]]", answer: list[LabelOutcome] | Exception
) -> None:
    if future.done():
        return  # the sender has gone away
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
