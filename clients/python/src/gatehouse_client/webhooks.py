"""Verifies webhooks by the Standard Webhooks specification, and signs messages for your tests.

Pass the body as the bytes that came: a body that was parsed and written again has another
signature.
"""

import base64
import binascii
import hashlib
import hmac
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from gatehouse_client.errors import SignatureInvalid
from gatehouse_client.events import typed
from gatehouse_client.models import PublicEvent

TOLERANCE_S: Final = 300
_MOST_SIGNATURES: Final = 32
_LEAST_KEY_BYTES: Final = 24
_MOST_KEY_BYTES: Final = 64
"""By the specification. With an empty key, which a missing setting becomes, anybody could sign."""
_SHARED: Final = "whsec_"
_PUBLIC: Final = "whpk_"


class Headers(Protocol):
    """Headers as any framework has them."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Names and values."""


class SignedMessage(NamedTuple):
    """A message as Gatehouse would send it."""

    body: bytes
    headers: dict[str, str]


def verify(
    body: bytes,
    headers: Headers,
    secrets: str | Iterable[str],
    *,
    tolerance_s: float = TOLERANCE_S,
    now_s: float | None = None,
) -> PublicEvent:
    """The event in a webhook, or `SignatureInvalid`.

    `secrets` are shared secrets (`whsec_...`) and public keys (`whpk_...`); one that fits is
    enough, so that both the old and the new one can be given while they are rotated. The same
    message can come twice: its `webhook-id`, which is the event's `id`, tells.
    """
    wanted = [secrets] if isinstance(secrets, str) else [*(secrets or ())]
    if not wanted or not all(isinstance(one, str) and one for one in wanted):
        raise ValueError("the secret of the webhook is missing; is its variable set?")
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent_at = given["webhook-id"], given["webhook-timestamp"]
        signatures = given["webhook-signature"].split()[:_MOST_SIGNATURES]
    except KeyError as missing:
        raise SignatureInvalid(f"the header {missing.args[0]} is missing") from None
    _check_age(sent_at, time.time() if now_s is None else now_s, tolerance_s)
    signed = b".".join([message_id.encode(), sent_at.encode(), body])
    if not any(_fits(one, signed, signatures) for one in wanted):
        raise SignatureInvalid("no signature fits any of the secrets")
    try:
        return typed(msgspec.json.decode(body, type=PublicEvent))
    except msgspec.MsgspecError:
        raise SignatureInvalid("the body is no event") from None


def sign_for_test(
    kind: str,
    data: Mapping[str, Any],
    secret: str,
    *,
    event_id: str | None = None,
    now_s: float | None = None,
) -> SignedMessage:
    """A message for tests of your own endpoint, signed as Gatehouse would sign it.

    Any `whsec_...` will do, such as one that your test makes up; your endpoint must know it.
    """
    at_s = int(time.time() if now_s is None else now_s)
    event = PublicEvent(
        id=event_id or f"evt_{uuid.uuid4().hex}",
        type=kind,
        created_at=datetime.fromtimestamp(at_s, timezone.utc),
        actor="test",
        data=data,
    )
    body = msgspec.json.encode(event)
    signed = b".".join([event.id.encode(), str(at_s).encode(), body])
    signature = hmac.digest(_key(secret.removeprefix(_SHARED)), signed, hashlib.sha256)
    headers = {
        "content-type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
    return SignedMessage(body, headers)


def _check_age(sent_at: str, now_s: float, tolerance_s: float) -> None:
    if not sent_at.isascii() or not sent_at.isdigit() or len(sent_at) > 12:
        raise SignatureInvalid("webhook-timestamp is not a number of seconds")
    if abs(now_s - int(sent_at)) > tolerance_s:
        raise SignatureInvalid("the message is too old, or from the future")


def _fits(secret: str, signed: bytes, signatures: list[str]) -> bool:
    if secret.startswith(_PUBLIC):
        key = _key(secret.removeprefix(_PUBLIC))
        return any(_is_signed_by(key, signed, one) for one in _of_kind("v1a", signatures))
    expected = hmac.new(_key(secret.removeprefix(_SHARED)), signed, hashlib.sha256).digest()
    return any(hmac.compare_digest(expected, one) for one in _of_kind("v1", signatures))


def _of_kind(version: str, signatures: list[str]) -> list[bytes]:
    found = []
    for one in signatures:
        kind, _, text = one.partition(",")
        if kind == version:
            try:
                found.append(base64.b64decode(text, validate=True))
            except (binascii.Error, ValueError):
                continue
    return found


def _key(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not _LEAST_KEY_BYTES <= len(key) <= _MOST_KEY_BYTES:
        raise ValueError("a secret must look like whsec_... or whpk_...")
    return key


def _is_signed_by(key: bytes, signed: bytes, signature: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise RuntimeError("public keys need: pip install 'gatehouse-client[ed25519]'") from None
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except InvalidSignature:
        return False
    return True
