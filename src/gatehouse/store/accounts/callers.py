"""Caches callers between requests, and drops the cache when accounts or keys change.

Every change increments the database's revision, which is polled, several times per second while
requests come, and is heard of at once where there can be several servers (`store.presence`). The
same look tells whatever else has changed that servers follow (`store.lookout`).
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.access.accounts import Account, Caller
from gatehouse.core.errors import ConfigurationRefused, StoreUnavailable
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.core.wording.sentences import said_by
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.background import repeat
from gatehouse.store.configured.account_signature import put_back
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.configured.signing import Signer
from gatehouse.store.database import Database
from gatehouse.store.lookout import Lookout, SeenChanges

_log: Final = logging.getLogger("gatehouse.store")

POLL_S: Final = 0.25
IDLE_POLL_S: Final = 0.75
"""Without requests; the first one that comes is checked by a look of its own."""
# The cache is not used beyond this age: a revocation counts everywhere within a second.
_TRUSTED_S: Final = 0.75
_UNREACHABLE_S: Final = 2.5
_MOST_CACHED: Final = 10_000
_THREADS: Final = 4
_FLUSH_S: Final = 10.0


class _GenuineAccount(NamedTuple):
    """The fees and policies of an account that were last found to be signed."""

    account: Account
    changes: int
    ended: int
    """When the reading ended, in the order of all readings."""


class CallerDirectory:
    """Finds callers in the database, with a cache; its answers are at most one second old."""

    def __init__(
        self,
        database: Database,
        signer: Signer,
        monotonic: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
        refusals: Refusals | None = None,
        saw: Callable[[SeenChanges], None] = lambda seen: None,
    ) -> None:
        """`changed` is called whenever the revision has changed, `saw` after every look."""
        self._database = database
        self._signer = signer
        self._refusals = refusals or Refusals()
        self._genuine: LruCache[str, _GenuineAccount] = LruCache(_MOST_CACHED)
        self._order = count()
        self._monotonic = monotonic
        self._changed = changed
        self._saw = saw
        self._lookout = Lookout(database)
        self._cached: LruCache[str, Caller] = LruCache(_MOST_CACHED)
        self._revision = -1
        self._checked_at = float("-inf")
        self._uses: dict[str, int] = {}
        self._wake = asyncio.Event()
        # Every request needs its caller, so this must not wait for pages, webhooks and the like.
        self._threads = ThreadPoolExecutor(_THREADS, "gatehouse-callers")
        self._confirming: asyncio.Task[None] | None = None
        self._reading: dict[str, tuple[float, asyncio.Task[Caller | None]]] = {}
        """What is being read, and since when, by the hash of a key."""
        self.waiting = 0
        """Requests of known callers that wait until the cache is confirmed."""

    @property
    def reachable(self) -> bool:
        """Whether the database answered recently."""
        return self._monotonic() - self._checked_at < _UNREACHABLE_S

    def known(self, hashed: str) -> Caller | None:
        """The caller whose key has this hash, if the cache has it and is trusted."""
        return self._cached.find(hashed) if self._is_trusted() else None

    async def find(self, hashed: str, *, anew: bool = False) -> Caller | None:
        """The caller whose key has this hash, or None; `anew` does not take the cache for it."""
        if anew:
            return await self._look_up(hashed)
        known = self._cached.find(hashed)
        if known is not None:
            if self._is_trusted():
                return known
            self.waiting += 1
            try:
                if await self._confirm() and (known := self._cached.get(hashed)) is not None:
                    return known
            finally:
                self.waiting -= 1
        return await self._look_up_together(hashed)

    def _is_trusted(self) -> bool:
        return self._monotonic() - self._checked_at < _TRUSTED_S

    async def _confirm(self) -> bool:
        """Whether the cache is up to date, by one look for all requests that wait for it.

        When looks are late, the machine or the database has too much to do. If each request read
        its caller then, that would keep looks late.
        """
        asked = self._monotonic()
        # The first may have begun before this request came, and be too old; the second has not.
        for _ in range(2):
            if self._confirming is None or self._confirming.done():
                self._confirming = asyncio.create_task(self.check())
            before = self._checked_at
            await asyncio.wait([self._confirming])
            if self._checked_at >= asked or self._is_trusted():
                return True
            if self._checked_at == before:
                return False
        return False

    async def _look_up_together(self, hashed: str) -> Caller | None:
        """What is read for all requests with a key that came at about the same time."""
        now = self._monotonic()
        began, reading = self._reading.get(hashed, (now, None))
        if reading is None or now - began >= _TRUSTED_S:
            reading = asyncio.create_task(self._look_up(hashed))
            self._reading[hashed] = now, reading
            reading.add_done_callback(lambda done: self._forget_reading(hashed, done))
        return await asyncio.shield(reading)

    def _forget_reading(self, hashed: str, done: "asyncio.Task[Caller | None]") -> None:
        if self._reading.get(hashed, (0.0, None))[1] is done:
            del self._reading[hashed]
        if not done.cancelled():
            # Also if all that waited for it are gone: or it would be told as never looked at.
            done.exception()

    async def _look_up(self, hashed: str) -> Caller | None:
        revision = self._revision
        began = next(self._order)
        caller = await self._database.read_on_thread(
            lambda c: self._read(c, hashed, began), self._threads
        )
        if caller is not None and revision == self._revision:
            self._cached.put(hashed, caller)
        return caller

    def _read(self, connection: sa.Connection, hashed: str, began: int) -> Caller | None:
        try:
            key = keys.find(connection, hashed, self._signer)
        except ConfigurationRefused as error:
            self._refusals.note(error.account_id, hashed, said_by(error), kept=False)
            raise
        if key is None:
            return None
        self._refusals.clear(key.account_id, hashed)
        return Caller(key, self._account(connection, key.account_id, began))

    def _account(self, connection: sa.Connection, account_id: str, began: int) -> Account:
        """The account, with the last good fees and policies if those in the database are refused.

        A changed key is refused outright: its last good state may be from before a revocation. For
        the same reason an account that the database calls closed is closed.
        """
        known = self._genuine.find(account_id)
        try:
            account, changes = accounts.get_genuine(connection, self._signer, account_id)
            # A reading that began before the known one ended may well be older.
            if known is not None and changes < known.changes and known.ended < began:
                raise put_back(account_id)
        except ConfigurationRefused as error:
            self._refusals.note(account_id, "prices", said_by(error), kept=known is not None)
            if known is None:
                raise
            now = accounts.get(connection, account_id)
            return known.account if now.closed_at_ms is None else now
        self._refusals.clear(account_id, "prices")
        if known is None or changes >= known.changes:
            self._genuine.put(account_id, _GenuineAccount(account, changes, next(self._order)))
        return account

    def used(self, key_id: str, at_ms: int) -> None:
        """Record that a key was used; it is stored every few seconds."""
        self._uses[key_id] = at_ms

    async def remaining(self, account_id: str) -> int:
        """The available balance of an account, read from the database."""
        state = await self._database.read_on_thread(lambda c: accounts.state(c, account_id))
        return state.available

    async def poll(self) -> None:
        """Poll for changes until cancelled."""
        await asyncio.gather(
            repeat(self.check, self._pause_s, "could not look for changes", self._wake),
            repeat(self.flush, _FLUSH_S, "could not note when keys were used"),
        )

    def _pause_s(self) -> float:
        """The uses of keys are noted every few seconds: without any, nobody came lately."""
        return POLL_S if self._uses else max(POLL_S, IDLE_POLL_S)

    def look_now(self) -> None:
        """Something may have changed: check soon."""
        self._wake.set()

    async def check(self) -> None:
        """Check once whether anything has changed."""
        started = self._monotonic()
        try:
            loop = asyncio.get_running_loop()
            seen = await loop.run_in_executor(self._threads, self._lookout.look)
        except StoreUnavailable as error:
            _log.warning("the store does not answer", extra={"reason": str(error)})
            return
        if seen.revision != self._revision:
            self._revision = seen.revision
            self._cached.clear()
            self._changed()
        self._checked_at = started
        self._saw(seen)

    async def flush(self) -> None:
        """Store when keys were last used."""
        uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            await self._database.write_on_thread(lambda c: keys.note_uses(c, uses))
        except StoreUnavailable:
            self._uses = uses | self._uses

    def stop(self) -> None:
        """Wait for looks that were given up, and end their threads."""
        self._threads.shutdown()
        self._lookout.close()
