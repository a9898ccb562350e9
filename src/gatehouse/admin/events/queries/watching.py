"""Tells those who wait for events when there are some: one query for all of them, now and then.

Nobody who waits has a connection or a thread, and without anybody nothing is asked.
"""

import asyncio
import contextlib
import logging
from functools import partial
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.limits.places import Places
from gatehouse.store.database import Database
from gatehouse.store.events.outbox import INSTALLATION, EventPlace

_log: Final = logging.getLogger("gatehouse.store")

LOOK_S: Final = 0.25
MOST_WAITING: Final = 1000
MOST_OF_ACCOUNT: Final = 20

_ON_POSTGRESQL: Final = sa.text("""
SELECT w.account_id FROM json_to_recordset(CAST(:waiting AS json))
  AS w(account_id text, xid bigint, seq bigint)
WHERE EXISTS (SELECT 1 FROM events e
  WHERE e.account_id = w.account_id AND (e.xid, e.seq) > (w.xid, w.seq)
  AND e.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
""")
_ON_SQLITE: Final = sa.text("""
WITH w AS (SELECT json_extract(value, '$.account_id') AS account_id,
  json_extract(value, '$.xid') AS xid, json_extract(value, '$.seq') AS seq FROM json_each(:waiting))
SELECT w.account_id FROM w
WHERE EXISTS (SELECT 1 FROM events e
  WHERE e.account_id = w.account_id AND (e.xid, e.seq) > (w.xid, w.seq))
""")


class _Waiter(NamedTuple):
    account_id: str
    after: EventPlace
    woken: "asyncio.Future[None]"


class EventWatch:
    """Everybody of this process who waits for events."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiters: set[_Waiter] = set()
        self.places: Final = Places(MOST_WAITING, MOST_OF_ACCOUNT)
        """Taken before anything is read, so that many who come at once find no room either."""
        self._looking: asyncio.Task[None] | None = None
        self._stopped = False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiters)

    async def wait(self, account_id: str, after: EventPlace, seconds: float) -> bool:
        """Wait until there is an event after a place; False when there was none in time."""
        if self._stopped:
            return False
        waiter = _Waiter(account_id, after, asyncio.get_running_loop().create_future())
        self._waiters.add(waiter)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(seconds):
                await waiter.woken
        except TimeoutError:
            return False
        finally:
            self._waiters.discard(waiter)
        return not self._stopped

    def stop(self) -> None:
        """Let everybody go who waits, and nobody wait any more."""
        self._stopped = True
        for waiter in list(self._waiters):
            _wake(waiter)

    async def _look(self) -> None:
        """Look for events until nobody waits."""
        while self._waiters and not self._stopped:
            await asyncio.sleep(LOOK_S)
            asked = list(self._waiters)
            try:
                found = await self._database.read_on_thread(partial(_newer, asked))
            except StoreUnavailable as error:
                _log.warning("could not look for events", extra={"reason": str(error)})
                continue
            for waiter in asked:
                if INSTALLATION in found or waiter.account_id in found:
                    _wake(waiter)


def _newer(waiting: list[_Waiter], connection: sa.Connection) -> set[str]:
    """The accounts with events after the earliest place where somebody waits for them."""
    first: dict[str, EventPlace] = {}
    for each in waiting:
        for account_id in (each.account_id, INSTALLATION):
            first[account_id] = min(first.get(account_id, each.after), each.after)
    asked = [{"account_id": name, **place._asdict()} for name, place in first.items()]
    on_sqlite = connection.dialect.name == "sqlite"
    query = _ON_SQLITE if on_sqlite else _ON_POSTGRESQL
    given = {"waiting": msgspec.json.encode(asked).decode()}
    return set(connection.scalars(query, given))


def _wake(waiter: _Waiter) -> None:
    with contextlib.suppress(asyncio.InvalidStateError):
        waiter.woken.set_result(None)
