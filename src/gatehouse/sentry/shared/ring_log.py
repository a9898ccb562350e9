"""How servers tell each other of new links: a log for each account, which all of them follow.

Every server keeps rings in its own process. What it links for the first time in a period it adds to
the log, beside the requests, and reads what others have added. Links mean the same in any order and
however often they are told, so nothing is counted, and nothing need be waited for. What comes back
with every event is no news and costs nothing.
"""

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any, Final, Protocol

from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.memory.rings import PERIOD_S, IsFraud, Rings
from gatehouse.sentry.shared.keys import AccountNames

_HEAD: Final = Struct("<BQ")
_KEYS: Final = tuple(Struct(f"<{count}q") for count in range(16))
_REMOVED: Final = 0x80
_READ_AT_ONCE: Final = 8192
"""Bytes that are applied at a time: some 150 entries, a millisecond of work."""
_SERVED_MS: Final = 600_000
"""For so long an account without another event here is followed."""
_MOST_WAITING: Final = 1 << 20
_KEPT_S: Final = 2 * PERIOD_S + 86_400


class LogStore(Protocol):
    """Runs plain commands of the store."""

    async def command(self, *words: bytes | str | int) -> Any:
        """The reply to a command; raises `ConnectorFailed`."""

    def generation(self, names: AccountNames) -> bytes:
        """What the keys of an account end with."""


class _FollowedLog:
    """The logs of one account as far as this server has followed them."""

    __slots__ = ("is_due", "names", "positions", "served_ms", "waiting")

    def __init__(self, names: AccountNames) -> None:
        self.names = names
        self.waiting = bytearray()
        self.is_due = True
        self.served_ms = 0
        self.positions: dict[bytes, int] = {}


class RingLog:
    """Tells and follows the links of the accounts that this server serves."""

    def __init__(
        self, store: LogStore, rings: Rings, is_fraud: Callable[[str], IsFraud | None], clock: Clock
    ) -> None:
        """`is_fraud` tells for an account how to see whether a fraud of an entity is known."""
        self._store = store
        self._rings = rings
        self._is_fraud = is_fraud
        self._clock = clock
        self._accounts: dict[str, _FollowedLog] = {}

    def join(self, names: AccountNames, keys: Sequence[int], born: int) -> None:
        """Link the entities of an event here, and tell it if it is new."""
        followed = self._followed(names)
        if self._rings.join(keys, born, self._is_fraud(names.account_id)):
            _add(followed, _HEAD.pack(len(keys), born) + _KEYS[len(keys)].pack(*keys))

    def remove(self, names: AccountNames, key: int) -> None:
        """Take an entity out of its ring, here and in other servers."""
        if self._rings.remove(key):
            _add(self._followed(names), _HEAD.pack(_REMOVED | 1, 0) + _KEYS[1].pack(key))

    async def exchange(self, *, all_served: bool = False) -> None:
        """Tell what is new, and hear what others have told; `ConnectorFailed` if that fails.

        Of accounts that had an event since the last time, or of all that were served lately.
        """
        since_ms = self._clock() - _SERVED_MS
        for followed in list(self._accounts.values()):
            if followed.is_due or (all_served and followed.served_ms > since_ms):
                followed.is_due = False
                try:
                    await self._exchange(followed)
                except ConnectorFailed:
                    followed.is_due = True
                    raise

    def _followed(self, names: AccountNames) -> _FollowedLog:
        """The log of an account that has just had an event, so that others may have, too."""
        followed = self._accounts.get(names.account_id)
        if followed is None:
            followed = self._accounts[names.account_id] = _FollowedLog(names)
        followed.is_due, followed.served_ms = True, self._clock()
        return followed

    async def _exchange(self, followed: _FollowedLog) -> None:
        period = self._clock() // (PERIOD_S * 1000)
        earlier, current = (self._name(followed.names, each) for each in (period - 1, period))
        told, followed.waiting = bytes(followed.waiting), bytearray()
        if told:
            try:
                await self._store.command("APPEND", current, told)
                await self._store.command("EXPIRE", current, _KEPT_S)
            except ConnectorFailed:
                followed.waiting[:0] = told
                raise
        if current not in followed.positions:
            # At the start, in a new period, and after a rebuild, which begins with new keys.
            await self._read(followed, earlier, followed.positions.get(earlier, 0))
            followed.positions = {current: 0}
        await self._read(followed, current, followed.positions[current])

    async def _read(self, followed: _FollowedLog, name: bytes, position: int) -> None:
        while True:
            end = position + _READ_AT_ONCE - 1
            found = await self._store.command("GETRANGE", name, position, end)
            position += self._apply(followed.names.account_id, found)
            followed.positions[name] = position
            if len(found) < _READ_AT_ONCE:
                return

    def _apply(self, account_id: str, log: bytes) -> int:
        """Apply the whole entries of a part of a log; how many bytes they take."""
        rings, is_fraud, place = self._rings, self._is_fraud(account_id), 0
        while place + _HEAD.size <= len(log):
            what, born = _HEAD.unpack_from(log, place)
            after = place + _HEAD.size + 8 * (what & 15)
            if after > len(log):
                break
            keys = _KEYS[what & 15].unpack_from(log, place + _HEAD.size)
            if what & _REMOVED:
                for key in keys:
                    rings.remove(key)
            elif keys:
                rings.join(keys, born, is_fraud)
            place = after
        return place

    def _name(self, names: AccountNames, period: int) -> bytes:
        return b"%brings:%d%b" % (names.other, period, self._store.generation(names))


def _add(followed: _FollowedLog, entry: bytes) -> None:
    if len(followed.waiting) < _MOST_WAITING:
        followed.waiting += entry
