"""Seals people into rows that reveal nothing, and opens such rows.

Three keys are at work. The newest identity key seals a row, and a key derived from it marks the
row's content, so that records can be compared by their marks; both are replaced by re-encryption.
The ids of people and the marks of references and files must stay the same through that. They
depend on the key of card fingerprints: when it is replaced, all records are imported anew.
"""

import secrets
import unicodedata
from hashlib import blake2b
from typing import Any, Final

import msgspec

from gatehouse.core.errors import SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, IDENTITIES, KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.idverify.people import Person

EVERYONE: Final = "*"
"""The scope of records that all accounts may use."""

_encode: Final = msgspec.msgpack.Encoder().encode


class HolderRecord(Personal, frozen=True):
    """A holder of a card, to be stored; `card` is the fingerprint."""

    card: str
    person: Person
    reference: str | None = None
    """The operator's own name for the person."""


class StoredHolder(msgspec.Struct, frozen=True):
    """A holder of a card, as stored."""

    scope: str
    person_id: str
    entry: HolderRecord
    updated_at_ms: int


class UnreadableHolder(msgspec.Struct, frozen=True):
    """A record that cannot be opened."""

    scope: str
    person_id: str
    reason: str


class _Inside(Personal, frozen=True, omit_defaults=True):
    """What is sealed."""

    person: Person
    reference: str | None = None


_open_inside: Final = msgspec.msgpack.Decoder(_Inside).decode


def label_of(scope: str, card: str, person_id: str) -> bytes:
    """Where a sealed person belongs; a row that is moved elsewhere cannot be opened."""
    return f"identity\n{scope}\n{card}\n{person_id}".encode()


def read_person(plain: bytes) -> Person:
    """The person out of an opened value."""
    return _open_inside(plain).person


class IdentitySealer:
    """Everything about stored people that takes a key."""

    def __init__(self, ring: KeyRing, random_bytes: Randomness = secrets.token_bytes) -> None:
        self._ring = ring
        self._random_bytes = random_bytes
        self._sealer = Sealer(ring, IDENTITIES)
        self.version = self._sealer.version
        self.card_version, key = ring.current(CARD_FINGERPRINTS)
        self._marking = _derived(key, b"identity marks")
        self._content_key = _derived(ring.key(IDENTITIES, self.version), b"identity content")

    @property
    def card_prefix(self) -> str:
        """How the fingerprints begin that cards get now."""
        return f"fp{self.card_version}_"

    def person_id(self, scope: str, entry: HolderRecord) -> str:
        """The id of a person of a card, made from the reference, or else from role and names.

        A person with neither is known by everything on record, so that two of them stay two.
        """
        person = entry.person
        if entry.reference is not None:
            who: Any = entry.reference
        else:
            who = [person.owner_type, sorted({_normalized(name) for name in person.names})]
            if not person.names:
                ids = {(one.type.value, one.value, one.country or "") for one in person.identifiers}
                emails = {address.casefold() for address in person.emails}
                who += [sorted(emails), sorted(set(person.phones)), sorted(ids)]
        return "idn_" + keyed_hash(self._marking, _encode([scope, entry.card, who]))[:32]

    def reference_mark(self, scope: str, reference: str) -> str:
        """The mark by which a reference is found."""
        return keyed_hash(self._marking, _encode(["reference", scope, reference]))[:32]

    def reference_marks(self, scope: str, reference: str) -> list[str]:
        """The same under every fingerprint key there ever was, so that old records are found."""
        keys = [
            _derived(self._ring.key(purpose, version), b"identity marks")
            for purpose, version in self._ring.versions()
            if purpose == CARD_FINGERPRINTS
        ]
        content = _encode(["reference", scope, reference])
        return [keyed_hash(key, content)[:32] for key in keys]

    def file_hasher(self) -> "blake2b":
        """A keyed hash to feed a file to."""
        return blake2b(key=self._marking, digest_size=20, person=b"identity file")

    def content(self, scope: str, entry: HolderRecord) -> str:
        """A mark of the content that tells whether a record has changed."""
        inside = _encode(_Inside(entry.person, entry.reference))
        return keyed_hash(self._content_key, _encode([scope, entry.card, inside]))[:32]

    def row(self, scope: str, person_id: str, entry: HolderRecord, now_ms: int) -> dict[str, Any]:
        """The row of a person."""
        plain = _encode(_Inside(entry.person, entry.reference))
        label = label_of(scope, entry.card, person_id)
        version, sealed = self._sealer.seal(plain, label, self._random_bytes)
        reference = entry.reference
        return {
            "card": entry.card,
            "scope": scope,
            "person": person_id,
            "key_version": version,
            "sealed": sealed,
            "content": self.content(scope, entry),
            "reference": None if reference is None else self.reference_mark(scope, reference),
            "updated_at_ms": now_ms,
        }

    def open(self, row: Any) -> StoredHolder:
        """The person of a row; `KeyMissing` or `SealBroken` when the row cannot be opened."""
        label = label_of(row.scope, row.card, row.person)
        try:
            inside = _open_inside(self._sealer.open(row.key_version, row.sealed, label))
        except msgspec.MsgspecError:
            raise SealBroken("a sealed value is no person") from None
        entry = HolderRecord(row.card, inside.person, inside.reference)
        return StoredHolder(row.scope, row.person, entry, row.updated_at_ms)

    def reseal(self, stored: StoredHolder) -> dict[str, Any]:
        """What changes in a person's row when it is sealed with the newest key."""
        row = self.row(stored.scope, stored.person_id, stored.entry, 0)
        return {column: row[column] for column in ("key_version", "sealed", "content")}


def _derived(key: bytes, use: bytes) -> bytes:
    return blake2b(use, key=key, digest_size=32).digest()


def _normalized(name: Any) -> tuple[str, str, str]:
    """A name without differences of case, spacing and composition."""
    parts = (name.last_name, name.first_name, name.middle_name)
    last, first, middle = (
        " ".join(unicodedata.normalize("NFKC", part or "").casefold().split()) for part in parts
    )
    return last, first, middle
