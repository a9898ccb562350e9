"""The keys of entities in a shared memory: the same in every server, and without the values.

The account is the hash tag of a name, so all keys of an account are in one slot of a cluster. An
entity is named by a keyed hash of account, kind and value; its lowest bits are the kind.
"""

import binascii
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from gatehouse.sentry.entity_history import KIND_BITS
from gatehouse.sentry.event_layout import EventLayout, layout_of
from gatehouse.sentry.memory import Entity, MemoryEvent

FORMAT: Final = b"gh1"
"""Opens every key. Servers that pack differently must not read each other's histories."""
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS
_TAG_BYTES: Final = 9
_MOST_FREQUENT: Final = 30_000
_MOST_ACCOUNTS: Final = 10_000


class EntityKey(NamedTuple):
    """An entity as a number, as histories are linked by, and as a key of the store."""

    number: int
    name: bytes


class AccountNames(NamedTuple):
    """What the keys of an account begin with, and its keys that are not of an entity."""

    account_id: str
    entity: bytes
    other: bytes
    common: tuple[bytes, bytes, bytes]
    """Totals, tallies and goods, which every call of the account names."""

    def amounts(self, currency: str | None) -> bytes:
        """The amounts in a currency."""
        return self.other + b"amounts:" + (currency or "").encode()

    def once(self, digest: bytes) -> bytes:
        """The mark of something that is done once."""
        return self.other + b"once:" + digest


class KeyedEntities(NamedTuple):
    """The entities of an event with their keys."""

    layout: EventLayout
    numbers: list[int]
    names: list[bytes]


class StableKeys:
    """Makes keys with a secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._hash = blake2b(digest_size=8, key=secret, person=b"entity")
        self._tag = blake2b(digest_size=_TAG_BYTES, key=secret, person=b"account")
        self.account = lru_cache(_MOST_ACCOUNTS)(self._account)
        # Hashing takes five times as long as finding an entity that came before.
        self._known = lru_cache(_MOST_FREQUENT)(self._entity)

    def keyed(self, event: MemoryEvent) -> KeyedEntities:
        """The keys of an event's entities, in their order."""
        known, account_id, entities = self._known, event.account_id, event.entities
        keys = [known(account_id, entity) for entity in entities]
        layout = layout_of(tuple([kind for kind, _ in entities]))
        return KeyedEntities(layout, [key.number for key in keys], [key.name for key in keys])

    def digest(self, *words: str) -> bytes:
        """A keyed hash of a few words."""
        return self._hashed("\0".join(words))

    def content(self, event: MemoryEvent) -> str:
        """A name for an event whose request is not known, by what it says."""
        values = [f"{int(kind)} {value}" for kind, value in event.entities]
        return self.digest(event.account_id, repr(event.at_s), *values).hex()

    def _hashed(self, text: str) -> bytes:
        state = self._hash.copy()
        state.update(text.encode("utf-8", "surrogatepass"))
        return state.digest()

    def _entity(self, account_id: str, entity: Entity) -> EntityKey:
        kind, value = entity
        digest = self._hashed(f"{account_id}\0{int(kind)}\0{value}")
        number = int.from_bytes(digest, "big") & _KEY_BITS | kind
        return EntityKey(number, self.account(account_id).entity + number.to_bytes(8, "big"))

    def _account(self, account_id: str) -> AccountNames:
        state = self._tag.copy()
        state.update(account_id.encode())
        tag = FORMAT + b":{" + binascii.b2a_base64(state.digest(), newline=False) + b"}"
        other = tag + b"/"
        common = (other + b"totals", other + b"tallies", other + b"goods")
        return AccountNames(account_id, tag + b":", other, common)
