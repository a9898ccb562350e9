"""Opens the memory that servers share, and looks after the store that it is in.

The client of the store is imported only where a URL is set.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.breaker import Breaker
from gatehouse.core.secrets.keyring import ENTITIES, KeyRing
from gatehouse.operations.installation import system_clock
from gatehouse.settings.settings import Settings

if TYPE_CHECKING:
    from gatehouse.connectors.valkey.store import ValkeyStore
    from gatehouse.sentry.shared.keys import StableKeys
    from gatehouse.sentry.shared.memory_shared import SharedMemory

Observe = Callable[[float, bool], None]
"""Takes the seconds of a call, and whether it succeeded."""

_DAY_S: Final = 86_400
_KEYS_AT_ONCE: Final = 1000
_LOCK_S: Final = 60
_GENERATION_BYTES: Final = 4
_SET_MARK: Final = """
redis.call('SET', KEYS[1], '')
return redis.call('SET', KEYS[1], ARGV[1])
"""
# Twice, so that the store logs it as a transaction, as it does what servers tell: a Redis whose
# default user may do nothing drops transactions when it reads its log, and takes all else.
_INSTALLATION: Final = ""
"""Keys that belong to no account have the tag of an account without a name."""


class StoreFacts(msgspec.Struct, frozen=True):
    """What a store says of itself."""

    version: str
    policy: str
    """What it does when its memory is full (`maxmemory-policy`)."""
    persists: bool | None
    """Whether it writes to a disk, so that a restart loses little; None if it does not tell."""
    limit_bytes: int
    """0 is no limit."""
    is_cluster: bool


class MemoryFacts(NamedTuple):
    """What a store holds of this installation."""

    rebuilt_at: str | None
    """When the memory was last filled from the records, or began empty; None if never."""
    marks: list[int]
    """How far it was told."""


class OpenedMemory(NamedTuple):
    """A shared memory with its store."""

    memory: "SharedMemory"
    store: "ValkeyStore"
    keys: "StableKeys"
    breaker: Breaker
    shown: str
    """Where it is, without what is secret."""

    async def facts(self) -> StoreFacts:
        """Ask the store about itself; `ConnectorFailed` when it cannot be reached."""
        told = _read_info(await self.store.command("INFO"))
        return StoreFacts(
            version=f"{told.get('server_name', 'redis')} "
            f"{told.get('valkey_version') or told.get('redis_version', '?')}",
            policy=told.get("maxmemory_policy", "?"),
            persists=told.get("aof_enabled") == "1" or await self._saves(),
            limit_bytes=int(told.get("maxmemory", 0)),
            is_cluster=told.get("cluster_enabled") == "1",
        )

    async def rebuilt_at(self) -> str | None:
        """When the memory was last filled from the records, or began empty; None if never."""
        found = await self._command("GET", "rebuilt")
        return None if found is None else found.decode()

    async def note_incomplete(self) -> None:
        """Note that not everything recorded is in the memory."""
        await self._command("DEL", "rebuilt")

    async def is_being_rebuilt(self) -> bool:
        """Whether somebody fills the memory just now."""
        return await self._command("GET", "rebuilding") is not None

    async def note_lost(self) -> None:
        """Note that the store has lost something; a rebuild that runs would not notice."""
        await self._command("DEL", "rebuilt")
        await self._command("DEL", "rebuilding")

    async def marks(self) -> list[int]:
        """How far the memory was told, as each part of the store has it; 0 where it has none."""
        names = self.keys.marks()
        found = await asyncio.gather(*[self.store.command("GET", name) for name in names])
        return [int(each or 0) for each in found]

    async def set_marks(self, number: int) -> None:
        """Note in each part of the store how far the memory was told."""
        commands = [("EVAL", _SET_MARK, 1, name, number) for name in self.keys.marks()]
        await asyncio.gather(*[self.store.command(*each) for each in commands])

    async def note_rebuilt(self, at: str) -> None:
        """Note that everything recorded before a moment is in the memory."""
        await self._command("SET", "rebuilt", at)

    async def lock(self, owner: str) -> bool:
        """Take the right to rebuild; it ends by itself a minute after it was last kept."""
        taken = await self._command("SET", "rebuilding", owner, "NX", "EX", _LOCK_S)
        return taken is not None or await self.keeps_lock(owner)

    async def keeps_lock(self, owner: str) -> bool:
        """Whether the right to rebuild is still there; it lasts for another minute then."""
        if await self._command("GET", "rebuilding") != owner.encode():
            return False
        return bool(await self._command("EXPIRE", "rebuilding", _LOCK_S))

    async def unlock(self, owner: str) -> None:
        """Let others rebuild, unless one of them does already."""
        if await self._command("GET", "rebuilding") == owner.encode():
            await self._command("DEL", "rebuilding")

    async def begin_anew(self, account_ids: Iterable[str], generation: bytes) -> None:
        """Let servers use new keys for accounts, which end with the name of a new generation.

        Of each account, servers go over to them in one moment: what they count before it is only
        in the former keys, and what they count after it only in the new ones.
        """
        for account_id in account_ids:
            await self.store.command("SET", self.keys.account(account_id).generation, generation)

    async def delete_former(
        self, account_ids: Iterable[str], generation: bytes
    ) -> AsyncIterator[int]:
        """Delete the keys of accounts that are not of a generation; yields how many, in steps."""
        accounts = [self.keys.account(each) for each in account_ids]
        own = {_tag(each.entity) for each in accounts}
        kept = {each.generation for each in accounts}
        async for found in self.store.keys(_KEYS_AT_ONCE):
            by_tag: dict[bytes, list[bytes]] = {}
            for name in found:
                if not name.endswith(generation) and name not in kept:
                    by_tag.setdefault(_tag(name), []).append(name)
            # In a cluster, the keys of one command belong to one account.
            for tag in by_tag.keys() & own:
                yield int(await self.store.command("UNLINK", *by_tag[tag]))

    async def _command(self, command: str, name: str, *more: str | int) -> Any:
        """Run a command on a key of the installation."""
        own = self.keys.account(_INSTALLATION).other
        return await self.store.command(command, own + name.encode(), *more)

    async def _saves(self) -> bool | None:
        try:
            reply = await self.store.command("CONFIG", "GET", "save")
        except ConnectorFailed:
            # A user who may not read the configuration.
            return None
        return len(reply) > 1 and bool(reply[1])


def new_generation() -> bytes:
    """What the keys of accounts end with after a rebuild."""
    return b"." + token_hex(_GENERATION_BYTES).encode()


def open_shared_memory(
    settings: Settings,
    ring: KeyRing,
    *,
    installation: str = "",
    observe: Observe = lambda _seconds, _succeeded: None,
    entities: int | None = None,
    timeout_ms: int | None = None,
) -> OpenedMemory:
    """The memory that the settings name; nothing is asked yet.

    `installation` is what the database calls itself (`admin/memory/queries/memory_told.py`).
    `entities` and `timeout_ms` are for commands, which keep less and can wait longer.
    """
    from gatehouse.connectors.valkey.address import StoreAddress
    from gatehouse.connectors.valkey.store import ValkeyStore
    from gatehouse.sentry.shared.keys import StableKeys
    from gatehouse.sentry.shared.memory_shared import SharedMemory

    address, breaker = StoreAddress.parse(settings.memory_url), Breaker(time.monotonic)
    store = ValkeyStore(
        address,
        timeout_s=(timeout_ms or settings.memory_timeout_ms) / 1000,
        keep_s=max(1, settings.memory_days) * _DAY_S,
        breaker=breaker,
        observe=observe,
    )
    keys = StableKeys(ring.current(ENTITIES)[1])
    keys.rename(installation)
    memory = SharedMemory(
        store,
        keys,
        entities or settings.memory_entities,
        clock=system_clock,
        shared_reputation=settings.shares_reputation,
    )
    return OpenedMemory(memory, store, keys, breaker, address.shown)


def inspect_store(
    settings: Settings, ring: KeyRing, installation: str = ""
) -> tuple[StoreFacts, MemoryFacts]:
    """What the store says of itself, and of the memory in it.

    `ConnectorFailed` when it cannot be reached.
    """

    async def ask() -> tuple[StoreFacts, MemoryFacts]:
        opened = open_shared_memory(
            settings, ring, installation=installation, entities=1000, timeout_ms=2000
        )
        try:
            memory = MemoryFacts(await opened.rebuilt_at(), await opened.marks())
            return await opened.facts(), memory
        finally:
            await opened.store.close()

    return asyncio.run(ask())


def _read_info(text: bytes) -> dict[str, str]:
    lines = text.decode(errors="replace").splitlines()
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name: value.strip() for name, _, value in pairs}


def _tag(name: bytes) -> bytes:
    """The part of a key that says whose it is."""
    return name[: name.find(b"}") + 1]
