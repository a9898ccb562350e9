"""Remembers callers between requests, and forgets them as soon as anything about them changes.

Every change bumps the database's revision; a poll sees that within a fraction of a second.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, TypeVar

from gatehouse.access.accounts import Caller
from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.database import Database
from gatehouse.store.state import read_revision

_log: Final = logging.getLogger("gatehouse.store")

POLL_S: Final = 0.25
# Beyond this age nothing remembered is trusted: a revocation counts everywhere within a second.
_TRUSTED_S: Final = 0.75
_MOST_REMEMBERED: Final = 10_000
_FLUSH_EVERY: Final = 40

T = TypeVar("T")


class CallerDirectory:
    """Implements `Callers` on the database, with a memory."""

    def __init__(
        self,
        database: Database,
        monotonic: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is told whenever anything in the database may have changed."""
        self._database = database
        self._monotonic = monotonic
        self._changed = changed
        self._remembered: dict[str, Caller] = {}
        self._revision = -1
        self._generation = 0
        self._checked_at = float("-inf")
        self._uses: dict[str, int] = {}

    @property
    def reachable(self) -> bool:
        """Whether the database answered lately."""
        return self._monotonic() - self._checked_at < _TRUSTED_S + 1

    async def find(self, hashed: str) -> Caller | None:
        """Who is behind the key with this hash."""
        if self._monotonic() - self._checked_at < _TRUSTED_S:
            known = self._remembered.get(hashed)
            if known is not None:
                return known
        generation = self._generation
        caller = await self._read(lambda: self._find(hashed))
        if caller is not None and generation == self._generation:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[hashed] = caller
        return caller

    def used(self, key_id: str, at_ms: int) -> None:
        """Note that a key was used; written down every few seconds."""
        self._uses[key_id] = at_ms

    async def remaining(self, account_id: str) -> int:
        """What the account can still spend, read now."""
        return await self._read(lambda: self._remaining(account_id))

    async def poll(self) -> None:
        """Keep looking for changes until cancelled."""
        turns = 0
        while True:
            turns += 1
            try:
                await self.check()
                if turns % _FLUSH_EVERY == 0:
                    await self.flush()
            except Exception:
                # Whatever it was, the next look may go well; without looks nothing is trusted.
                _log.exception("could not look for changes")
            await asyncio.sleep(POLL_S)

    async def check(self) -> None:
        """Look once whether anything has changed."""
        started = self._monotonic()
        try:
            revision = await self._read(self._read_revision)
        except StoreUnavailable as error:
            _log.warning("the store does not answer", extra={"reason": str(error)})
            return
        if revision != self._revision:
            self._revision = revision
            self._generation += 1
            self._remembered.clear()
            self._changed()
        self._checked_at = started

    async def flush(self) -> None:
        """Write down when keys were last used."""
        uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            await self._read(lambda: self._note(uses))
        except StoreUnavailable:
            self._uses = uses | self._uses

    async def _read(self, question: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, question)

    def _find(self, hashed: str) -> Caller | None:
        with self._database.reading() as connection:
            return keys.find_caller(connection, hashed)

    def _remaining(self, account_id: str) -> int:
        with self._database.reading() as connection:
            return accounts.state(connection, account_id).available

    def _read_revision(self) -> int:
        with self._database.reading() as connection:
            return read_revision(connection)

    def _note(self, uses: dict[str, int]) -> None:
        with self._database.writing() as connection:
            keys.note_uses(connection, uses)
