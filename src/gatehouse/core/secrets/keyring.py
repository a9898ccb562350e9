"""The ring of keys, one per purpose and version, and the root secret that wraps them.

Rotating the root rewraps the ring and changes nothing else. Nothing here touches a file.
"""

import base64
from collections.abc import Mapping
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gatehouse.core.errors import SettingsError
from gatehouse.core.secrets.hidden import Secret

API_KEYS: Final = "api-keys"
CARD_FINGERPRINTS: Final = "card-fingerprints"
IDENTITIES: Final = "identities"
IDEMPOTENCY: Final = "idempotency"
AUDIT: Final = "audit"
ENTITIES: Final = "entities"
CONFIGURATION: Final = "configuration"
SEARCH: Final = "search"
ERASURES: Final = "erasures"
JOBS: Final = "jobs"
WEBHOOKS: Final = "webhooks"
PEOPLE: Final = "people"
SIGN_IN: Final = "sign-in"
COLUMNS: Final = "columns"
ANSWERS: Final = "answers"
EVIDENCE: Final = "evidence"
PAYMENTS: Final = "payments"
PURPOSES: Final = (
    *(API_KEYS, CARD_FINGERPRINTS, IDENTITIES, IDEMPOTENCY, AUDIT, ENTITIES),
    *(CONFIGURATION, SEARCH, ERASURES, JOBS, WEBHOOKS, PEOPLE, SIGN_IN, COLUMNS, ANSWERS),
    *(EVIDENCE, PAYMENTS),
)

_LEAST_SECRET_LENGTH: Final = 32


class RootSecret(Secret):
    """The one secret an operator keeps; everything else is derived from or wrapped by it."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> "RootSecret":
        """Accept any text that is too long to guess."""
        if len(text) < _LEAST_SECRET_LENGTH:
            raise SettingsError(
                f"the root secret must have at least {_LEAST_SECRET_LENGTH} characters; "
                "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
            )
        return cls._wrap(text)

    def _cipher(self) -> AESGCM:
        derive = HKDF(SHA256(), 32, salt=b"gatehouse", info=b"key ring")
        return AESGCM(derive.derive(self._value.encode()))

    def wrap(self, purpose: str, version: int, key: bytes, nonce: bytes) -> str:
        """Encrypt a key of the ring for storage; the nonce is 12 fresh random bytes."""
        label = f"{purpose}:{version}".encode()
        return base64.b64encode(nonce + self._cipher().encrypt(nonce, key, label)).decode()

    def unwrap(self, purpose: str, version: int, wrapped: str) -> bytes:
        """Decrypt a stored key; `SettingsError` when it was wrapped with another secret."""
        raw = base64.b64decode(wrapped)
        label = f"{purpose}:{version}".encode()
        try:
            return self._cipher().decrypt(raw[:12], raw[12:], label)
        except InvalidTag:
            raise SettingsError(
                "the root secret is not the one this database was made with; "
                "set GATEHOUSE_SECRET_KEY to the right one"
            ) from None


class KeyRing:
    """Unwrapped keys, by purpose and version."""

    def __init__(self, keys: Mapping[tuple[str, int], bytes]) -> None:
        self._keys = dict(keys)
        self._newest = {
            purpose: max(v for p, v in self._keys if p == purpose) for purpose, _ in self._keys
        }

    def current(self, purpose: str) -> tuple[int, bytes]:
        """The newest key for a purpose, with its version."""
        version = self._newest[purpose]
        return version, self._keys[purpose, version]

    def key(self, purpose: str, version: int) -> bytes:
        """The key of a given version."""
        return self._keys[purpose, version]

    def versions(self) -> list[tuple[str, int]]:
        """Purpose and version of every key on the ring."""
        return sorted(self._keys)

    def __repr__(self) -> str:
        return f"KeyRing({len(self._keys)} keys)"
