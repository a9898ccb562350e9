"""Seals values that must be read again, so that the database alone reveals nothing of them.

AES-256-GCM under the keys of one purpose of the ring. A label says where a value belongs and is
bound in: a sealed value that is changed, or moved to another place, cannot be opened.
"""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.keyring import KeyRing

# Random nonces of this size are safe for about 2**32 values under one key.
NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class Sealer:
    """Seals with the newest key of a purpose, and opens with the one that was used."""

    def __init__(self, ring: KeyRing, purpose: str) -> None:
        self._ring = ring
        self._purpose = purpose
        self._ciphers: dict[int, AESGCM] = {}
        self.version, _ = ring.current(purpose)

    def seal(self, plain: bytes, label: bytes, nonce_random: Randomness) -> tuple[int, bytes]:
        """The version of the key, and the nonce followed by what only that key opens."""
        nonce = nonce_random(NONCE_BYTES)
        return self.version, nonce + self._cipher(self.version).encrypt(nonce, plain, label)

    def open(self, version: int, sealed: bytes, label: bytes) -> bytes:
        """The sealed value; `KeyMissing` or `SealBroken` when it cannot be opened."""
        cipher = self._ciphers.get(version) or self._cipher(version)
        if len(sealed) < NONCE_BYTES + _TAG_BYTES:
            raise SealBroken("a sealed value was cut off")
        try:
            return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], label)
        except InvalidTag:
            raise SealBroken(
                "a sealed value was changed, or put where it does not belong"
            ) from None

    def _cipher(self, version: int) -> AESGCM:
        if version not in self._ciphers:
            try:
                key = self._ring.key(self._purpose, version)
            except KeyError:
                raise KeyMissing(
                    f"version {version} of the key for {self._purpose} is not on the ring"
                ) from None
            self._ciphers[version] = AESGCM(key)
        return self._ciphers[version]
