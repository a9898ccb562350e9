"""Caches callers between requests, and drops the cache when accounts or keys change.

Every change increments the database's revision, which is polled several times per second.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from gatehouse.access.accounts import Caller
from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.state import read_revision

_log: Final = logging.getLogger("gatehouse.store")

POLL_S: Final = 0.25
# The cache is not used beyond this age: a revocation counts everywhere within a second.
_TRUSTED_S: Final = 0.75
_MOST_CACHED: Final = 10_000
_FLUSH_S: Final = 10.0


class CallerDirectory:
    """Finds callers in the database, with a cache; its answers are at most one second old."""

    def __init__(
        self,
        database: Database,
        monotonic: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called whenever the revision has changed."""
        self._database = database
        self._monotonic = monotonic
        self._changed = changed
        self._cached: dict[str, Caller] = {}
        self._revision = -1
        self._checked_at = float("-inf")
        self._uses: dict[str, int] = {}

    @property
    def reachable(self) -> bool:
        """Whether the database answered recently."""
        return self._monotonic() - self._checked_at < _TRUSTED_S + 1

    async def find(self, hashed: str) -> Caller | None:
        """The caller whose key has this hash, or None."""
        if self._monotonic() - self._checked_at < _TRUSTED_S:
            known = self._cached.get(hashed)
            if known is not None:
                return known
        revision = self._revision
        caller = await self._database.read_on_thread(lambda c: keys.find_caller(c, hashed))
        if caller is not None and revision == self._revision:
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            self._cached[hashed] = caller
        return caller

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
            repeat(self.check, POLL_S, "could not look for changes"),
            repeat(self.flush, _FLUSH_S, "could not note when keys were used"),
        )

    async def check(self) -> None:
        """Check once whether anything has changed."""
        started = self._monotonic()
        try:
            revision = await self._database.read_on_thread(read_revision)
        except StoreUnavailable as error:
            _log.warning("the store does not answer", extra={"reason": str(error)})
            return
        if revision != self._revision:
            self._revision = revision
            self._cached.clear()
            self._changed()
        self._checked_at = started

    async def flush(self) -> None:
        """Store when keys were last used."""
        uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            await self._database.write_on_thread(lambda c: keys.note_uses(c, uses))
        except StoreUnavailable:
            self._uses = uses | self._uses
