"""Feedback for a running server: all who wait are written down in one transaction."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple, TypeVar

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.core.errors import Conflict, GatehouseError, NotFound, StoreUnavailable
from gatehouse.core.labels import LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.feedback.feedback import (
    FeedbackStatement,
    LabelEntry,
    Noted,
    Subject,
    Telling,
    find,
    history,
    note_all,
)
from gatehouse.store.state import lock_changes

_MOST_AT_ONCE: Final = 64
_log: Final = logging.getLogger("gatehouse.store")

T = TypeVar("T")


async def make_known(noted: Callable[[], Awaitable[None]]) -> None:
    """Let whoever follows the rows know that there are some, after they were committed."""
    try:
        await noted()
    except Exception:
        # The rows are safe, and whoever follows them comes by again.
        _log.exception("labels were kept, but could not be followed at once")


class _WaitingStatement(NamedTuple):
    """A caller of a running server who waits."""

    account_id: str
    subject: Subject
    statement: FeedbackStatement
    actor: Actor
    answer: "asyncio.Future[list[Noted]]"


class RecordedFeedback:
    """Keeps what callers say, and tells them what was said."""

    def __init__(self, session: AdminSession, noted: Callable[[], Awaitable[None]]) -> None:
        """`noted` is awaited after every commit, before those who waited are answered."""
        self._database = session.database
        self._clock = session.clock
        self._pace = Pace(session.database)
        self._noted = noted
        self._waiting: list[_WaitingStatement] = []
        self._work: asyncio.Task[None] | None = None

    async def note(
        self, account_id: str, subject: Subject, statement: FeedbackStatement, *, actor: Actor
    ) -> list[Noted]:
        """Keep what is said durably; `NotFound` and `Conflict` as `find` and `weigh` have it."""
        answer: asyncio.Future[list[Noted]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_WaitingStatement(account_id, subject, statement, actor, answer))
        # A task of its own: whoever waits for the others must not end with one that goes away.
        if self._work is None:
            self._work = asyncio.create_task(self._write_all())
        return await answer

    async def history(self, account_id: str, request_id: str) -> list[LabelEntry]:
        """What was said about a request, newest first."""

        def ask() -> list[LabelEntry]:
            with self._database.reading() as connection:
                return history(connection, account_id, request_id)

        return await _on_a_thread(ask)

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:_MOST_AT_ONCE]
                del self._waiting[:_MOST_AT_ONCE]
                answers = await _on_a_thread(partial(self._settle, batch))
                if not all(isinstance(answer, Exception) for answer in answers):
                    await make_known(self._noted)
                for order, answer in zip(batch, answers, strict=True):
                    _deliver(order.answer, answer)
        finally:
            self._work = None

    def _settle(self, orders: list[_WaitingStatement]) -> "list[list[Noted] | Exception]":
        """One answer or refusal for each, never an exception."""
        try:
            return self._write(orders)
        except StoreUnavailable as error:
            return [error for _ in orders]
        except Exception as error:
            if len(orders) == 1:
                return [error]
            # Nothing was written. One by one, only the culprit fails.
            return [answer for order in orders for answer in self._settle([order])]

    def _write(self, orders: list[_WaitingStatement]) -> "list[list[Noted] | Exception]":
        # Who is meant is found out before the lock is taken that requests need.
        with self._database.reading() as connection:
            found = [_find_or_refuse(connection, order) for order in orders]
        tellings = [
            Telling(one.account_id, ids, one.statement, str(one.actor), LabelSource.API)
            for one, ids in zip(orders, found, strict=True)
            if not isinstance(ids, Exception)
        ]
        if not tellings:
            return [each for each in found if isinstance(each, Exception)]
        with self._pace.turn(), self._database.writing() as connection:
            lock_changes(connection)
            written = iter(note_all(connection, tellings, self._clock()))
        return [each if isinstance(each, Exception) else next(written) for each in found]


def _find_or_refuse(
    connection: sa.Connection, order: _WaitingStatement
) -> list[str] | GatehouseError:
    try:
        return find(connection, order.account_id, order.subject)
    except (NotFound, Conflict) as refusal:
        return refusal


def _deliver(future: "asyncio.Future[list[Noted]]", answer: list[Noted] | Exception) -> None:
    if future.done():
        return  # whoever asked has gone away
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


async def _on_a_thread(question: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, question)
