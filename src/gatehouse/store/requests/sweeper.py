"""Deletes what is over: holds that nobody ends, idempotency keys, old guesses and numbers."""

import asyncio
import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

import sqlalchemy as sa

from gatehouse.billing.ledger import Hold
from gatehouse.core.clock import Clock
from gatehouse.store.accounts import ledger
from gatehouse.store.advisory_locks import PRUNING
from gatehouse.store.database import Database
from gatehouse.store.requests.card_numbers import NUMBERS_WINDOW_MS
from gatehouse.store.requests.settlement import GUESS_WINDOW_MS, Expire
from gatehouse.store.requests.writer import Writer
from gatehouse.store.servers import forget_server, servers_seen
from gatehouse.store.tables import CARD_MISMATCHES, CARD_NUMBERS, IDEMPOTENCY

_log: Final = logging.getLogger("gatehouse.store")

_PRUNED_AT_ONCE: Final = 1000
_MOST_PASSES: Final = 200
_MAY_PRUNE: Final = sa.select(sa.func.pg_try_advisory_xact_lock(PRUNING))


class Sweeper:
    """Cleans up in the background of the server, a little at a time."""

    def __init__(
        self, database: Database, writer: Writer, clock: Clock, only_owner: str | None
    ) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock
        self._only_owner = only_owner
        self._silent: set[str] = set()
        """Servers that had not said at the last look that they are alive."""
        self._owner = ""
        self._under_way: Collection[str] = ()
        self._ended: set[str] = set()
        """Requests of this server that had ended at the last look, and held something."""

    def look_after(self, owner: str, under_way: Collection[str]) -> None:
        """Let the holds of an owner end, too, whose requests are no longer under way."""
        self._owner, self._under_way = owner, under_way

    async def release_of_dead(self) -> int:
        """Release what servers hold that have been silent for long, also at the last look.

        One that was merely paused finds its authorizations lost: it charges nobody. After a pause
        of the database all servers were silent, and speak again before the second look.
        """
        if self._database.is_sqlite:
            return 0
        seen = await self._database.read_on_thread(servers_seen)
        silent = {each.owner for each in seen if not each.lives}
        dead, self._silent = silent & self._silent, silent
        total = 0
        for owner in dead:
            released = await self._release(partial(ledger.holds_of, owner=owner))
            await self._database.write_on_thread(partial(forget_server, owner=owner))
            _log.warning("a server is dead", extra={"server": owner, "released": released})
            total += released
        return total

    async def release_of_ended(self) -> int:
        """Release what this server holds for requests that have ended, also at the last look.

        They were broken off, or lost the database and never learned what was committed. A request
        is under way before anything is held and until its close is answered, so that no close is
        on its way; one that came all the same would find its hold gone, and charge nothing.
        """
        held = await self._database.read_on_thread(partial(ledger.holds_of, owner=self._owner))
        ended = [hold for hold in held if hold.request_id not in self._under_way]
        orphans = [hold for hold in ended if hold.request_id in self._ended]
        self._ended = {hold.request_id for hold in ended}
        return await self._expire(orphans)

    async def release_orphans(self) -> int:
        """Release the holds that have expired, and where one server can run, those of any other."""
        now_ms = self._clock()
        return await self._release(lambda c: ledger.expired_holds(c, now_ms, self._only_owner))

    async def _release(self, find: Callable[[sa.Connection], list[Hold]]) -> int:
        return await self._expire(await self._database.read_on_thread(find))

    async def _expire(self, orphans: list[Hold]) -> int:
        now_ms = self._clock()
        ends = [Expire(hold.account_id, hold.request_id, now_ms) for hold in orphans]
        await asyncio.gather(*map(self._writer.release, ends))
        if orphans:
            _log.info("released orphaned authorizations", extra={"count": len(orphans)})
        return len(orphans)

    def prune(self) -> int:
        """Delete expired idempotency keys, and mismatches and numbers that no longer count."""
        deleted = 0
        for _ in range(_MOST_PASSES):
            counts = self._prune_some()
            deleted += sum(counts)
            if max(counts) < _PRUNED_AT_ONCE:
                break
        return deleted

    def _prune_some(self) -> list[int]:
        """Delete a limited number, so that requests never wait long for the lock."""
        now_ms = self._clock()
        expired = sa.select(IDEMPOTENCY.c.claim_id).where(IDEMPOTENCY.c.expires_at_ms <= now_ms)
        chosen = expired.limit(_PRUNED_AT_ONCE).scalar_subquery()
        deletions = [
            IDEMPOTENCY.delete().where(IDEMPOTENCY.c.claim_id.in_(chosen)),
            _older_than(CARD_MISMATCHES, now_ms - GUESS_WINDOW_MS),
            _older_than(CARD_NUMBERS, now_ms - NUMBERS_WINDOW_MS),
        ]
        with self._database.writing() as connection:
            if not self._database.is_sqlite and not connection.scalar(_MAY_PRUNE):
                return [0]  # Another server is at it.
            return [connection.execute(deletion).rowcount for deletion in deletions]


def _older_than(rows: sa.Table, at_ms: int) -> sa.Delete:
    """Deletes a limited number of rows that no longer count."""
    key = list(rows.primary_key)
    chosen = sa.select(*key).where(rows.c.at_ms <= at_ms).limit(_PRUNED_AT_ONCE)
    return rows.delete().where(sa.tuple_(*key).in_(chosen))
