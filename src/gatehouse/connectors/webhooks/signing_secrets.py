"""The secrets of webhooks and their signatures, by the Standard Webhooks specification.

An HMAC secret (`whsec_`) is shared with the receiver. Of an Ed25519 pair the receiver gets the
public key (`whpk_`) alone; the other half (`whsk_`) never leaves the service.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gatehouse.core.ids import Randomness

_KEY_BYTES: Final = 32


class SecretKind(StrEnum):
    """How messages are signed."""

    HMAC = "hmac"
    ED25519 = "ed25519"


class SigningSecret(msgspec.Struct, frozen=True):
    """One secret of an endpoint; it is never printed."""

    kind: SecretKind
    key: bytes
    expires_at_ms: int | None = None
    """When it signs no more, after a rotation."""

    def __repr__(self) -> str:
        return f"SigningSecret({self.kind})"

    @property
    def shown(self) -> str:
        """What the receiver verifies with: the secret itself, or the public key."""
        if self.kind is SecretKind.HMAC:
            return "whsec_" + base64.b64encode(self.key).decode()
        public = Ed25519PrivateKey.from_private_bytes(self.key).public_key()
        return "whpk_" + base64.b64encode(public.public_bytes_raw()).decode()

    def is_live(self, now_ms: int) -> bool:
        """Whether messages are still signed with it."""
        return self.expires_at_ms is None or now_ms < self.expires_at_ms

    def sign(self, content: bytes) -> bytes:
        """One signature, with the name of its scheme."""
        if self.kind is SecretKind.HMAC:
            return b"v1," + base64.b64encode(hmac.digest(self.key, content, hashlib.sha256))
        signature = Ed25519PrivateKey.from_private_bytes(self.key).sign(content)
        return b"v1a," + base64.b64encode(signature)


def new_secret(kind: SecretKind, random_bytes: Randomness) -> SigningSecret:
    """A fresh secret; any 32 bytes are the seed of an Ed25519 pair."""
    return SigningSecret(kind, random_bytes(_KEY_BYTES))


def signatures(
    secrets: Iterable[SigningSecret], message_id: str, at_ms: int, body: bytes
) -> tuple[bytes, bytes]:
    """The values of `webhook-timestamp` and `webhook-signature`, one signature per live secret."""
    timestamp = b"%d" % (at_ms // 1000)
    content = b"%b.%b.%b" % (message_id.encode(), timestamp, body)
    return timestamp, b" ".join([each.sign(content) for each in secrets if each.is_live(at_ms)])


def rotated(
    secrets: Sequence[SigningSecret], new: SigningSecret, now_ms: int, until_ms: int
) -> tuple[SigningSecret, ...]:
    """The new secret first; live ones sign until the given moment at the latest."""
    ending = [
        msgspec.structs.replace(each, expires_at_ms=min(each.expires_at_ms or until_ms, until_ms))
        for each in secrets
        if each.is_live(now_ms)
    ]
    return (new, *(each for each in ending if each.is_live(now_ms)))
