"""The keys of entities in a shared memory: the same in every server, and without the values.

The account is the hash tag of a name, so all keys of an account are in one slot of a cluster. An
entity is named by a keyed hash of account, kind and value; its lowest bits are the kind. Before the
tag stands the name of the installation, so that a copy of it with the same secret has other keys.
"""

import binascii
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import KIND_BITS
from gatehouse.sentry.memory.event_layout import EventLayout, layout_of
from gatehouse.sentry.memory.memory import Entity, MemoryEvent

FORMAT: Final = b"gh1"
"""Opens every key. Servers that pack differently must not read each other's histories."""
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS
_TAG_BYTES: Final = 9
_MOST_FREQUENT: Final = 20_000
_FREQUENT: Final = frozenset(
    (
        *(kinds.NETWORK, kinds.OPERATOR, kinds.COUNTRY, kinds.DEVICE, kinds.AGENT, kinds.BROWSER),
        *(kinds.SYSTEM, kinds.BIN, kinds.ISSUER, kinds.AFFILIATE, kinds.DISCOUNT, kinds.CATEGORY),
        *(kinds.ARTICLE, kinds.SHELF),
    )
)
"""Kinds with few values that come often: finding those takes a fifth of the time of hashing."""
_MOST_ACCOUNTS: Final = 10_000
_SLOTS: Final = 16_384
_SLOTS_OF_A_MARK: Final = 512
"""One server of a cluster has at least so many slots in a row, if there are up to 32 of them."""


class AccountNames(NamedTuple):
    """What the keys of an account begin with, and its keys that are not of an entity."""

    account_id: str
    hashed: bytes
    """What entities are hashed with; it does not depend on the name of the installation."""
    entity: bytes
    other: bytes
    common: tuple[bytes, bytes, bytes]
    """Totals, tallies and goods, which every call of the account names."""

    @property
    def generation(self) -> bytes:
        """The key of the word that all other keys of the account end with since a rebuild."""
        return self.other + b"generation"

    def amounts(self, currency: str | None) -> bytes:
        """The amounts in a currency."""
        return self.other + b"amounts:" + (currency or "").encode()

    def once(self, digest: bytes) -> bytes:
        """The mark of something that is done once."""
        return self.other + b"once:" + digest


class KeyedEntities(NamedTuple):
    """The entities of an event with their keys."""

    layout: EventLayout
    numbers: Sequence[int]
    """By these histories are linked."""
    names: Sequence[bytes]
    """The keys in the store."""


class StableKeys:
    """Makes keys with a secret of the installation."""

    def __init__(self, secret: bytes) -> None:
        self._hash = blake2b(digest_size=8, key=secret, person=b"entity")
        self._tag = blake2b(digest_size=_TAG_BYTES, key=secret, person=b"account")
        self.installation = ""
        """The name of the installation; empty unless it was restored or copied."""
        self.account = lru_cache(_MOST_ACCOUNTS)(self._account)
        self._known = lru_cache(_MOST_FREQUENT)(self._entity)

    def rename(self, installation: str) -> None:
        """Use the keys of an installation with another name from now on."""
        self.installation = installation
        self.account.cache_clear()
        self._known.cache_clear()

    def marks(self) -> list[bytes]:
        """Keys that are spread over a cluster, so that each of its servers has one at least."""
        found: dict[int, bytes] = {}
        number = 0
        while len(found) < _SLOTS // _SLOTS_OF_A_MARK:
            name = self.account(f"mark {number}").other
            tag = name[name.index(b"{") + 1 : name.index(b"}")]
            slot = binascii.crc_hqx(tag, 0) % _SLOTS
            found.setdefault(slot // _SLOTS_OF_A_MARK, name + b"told")
            number += 1
        return list(found.values())

    def keyed(self, event: MemoryEvent) -> KeyedEntities:
        """The keys of an event's entities, in their order."""
        known, new, account_id, entities = (
            self._known,
            self._entity,
            event.account_id,
            event.entities,
        )
        keys = [
            known(account_id, entity) if entity[0] in _FREQUENT else new(account_id, entity)
            for entity in entities
        ]
        layout = layout_of(tuple([kind for kind, _ in entities]))
        return KeyedEntities(layout, [key[0] for key in keys], [key[1] for key in keys])

    def digest(self, *words: str) -> bytes:
        """A keyed hash of a few words."""
        return self._hashed("\0".join(words).encode("utf-8", "surrogatepass"))

    def content(self, event: MemoryEvent) -> str:
        """A name for an event whose request is not known, by what it says."""
        values = [f"{int(kind)} {value}" for kind, value in event.entities]
        return self.digest(event.account_id, repr(event.at_s), *values).hex()

    def _hashed(self, content: bytes) -> bytes:
        state = self._hash.copy()
        state.update(content)
        return state.digest()

    def _entity(self, account_id: str, entity: Entity) -> tuple[int, bytes]:
        kind, value = entity
        names = self.account(account_id)
        content = b"%b%c%b" % (names.hashed, kind, value.encode("utf-8", "surrogatepass"))
        number = int.from_bytes(self._hashed(content), "big") & _KEY_BITS | kind
        return number, names.entity + number.to_bytes(8, "big")

    def _account(self, account_id: str) -> AccountNames:
        state = self._tag.copy()
        state.update(account_id.encode())
        tag = b"{" + binascii.b2a_base64(state.digest(), newline=False) + b"}"
        hashed = FORMAT + b":" + tag + b":"
        own = FORMAT + b":" + self.installation.encode() + tag
        other = own + b"/"
        common = (other + b"totals", other + b"tallies", other + b"goods")
        return AccountNames(account_id, hashed, own + b":", other, common)
