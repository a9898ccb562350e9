"""What stays readable of an order for evidence, sealed, if its account wants that.

A decision record keeps keyed hashes of most of it. A dispute comes months later, and the issuer
wants to see the values.
"""

import base64
import binascii
import secrets
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import EVIDENCE, KeyRing
from gatehouse.core.secrets.sealing import Sealer

KEPT_DAYS: Final = 485
"""An earlier order counts for 365 days, and a dispute can come 120 days after its order."""
LONGEST_TEXT: Final = 512
LONGEST_DESCRIPTION: Final = 2000
ADDRESS_FIELDS: Final = ("line1", "line2", "city", "state", "postal_code", "country")
_MOST_FIELDS: Final = 20
_ALSO: Final[dict[str, str]] = {
    "postalCode": "postal_code",
    "zip": "postal_code",
    "street": "line1",
}


class OrderEnvelope(Personal, frozen=True, omit_defaults=True):
    """The values of one order, as they were sent."""

    ip_address: str | None = None
    device_id: str | None = None
    user_id: str | None = None
    email: str | None = None
    shipping: dict[str, str] | None = None
    """By the fields of an address; one that was sent as a text is in `line1`."""
    product: str | None = None
    """What was sold."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to keep."""
        return self == OrderEnvelope()

    @property
    def shipping_text(self) -> str | None:
        """The address in one line, as one that was sent as a text."""
        if not self.shipping:
            return None
        return ", ".join(self.shipping[name] for name in ADDRESS_FIELDS if name in self.shipping)


def kept_text(value: Any, longest: int = LONGEST_TEXT) -> str | None:
    """A value as it may be kept: no longer than wanted, and without a card number."""
    if value is None or isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = " ".join(str(value)[:longest].split())
    return recordable(text) or None


def kept_shipping(value: Any) -> dict[str, str] | None:
    """An address that was sent as a text, or by its fields."""
    if not isinstance(value, Mapping):
        text = kept_text(value)
        return None if text is None else {"line1": text}
    found: dict[str, str] = {}
    for name, given in list(value.items())[:_MOST_FIELDS]:
        field = _ALSO.get(str(name), str(name))
        text = kept_text(given) if field in ADDRESS_FIELDS else None
        if text is not None:
            found.setdefault(field, text)
    return found or None


class EnvelopeSealer:
    """Seals envelopes and opens them, each at its own place alone."""

    def __init__(self, ring: KeyRing, randomness: Randomness = secrets.token_bytes) -> None:
        self._sealer = Sealer(ring, EVIDENCE)
        self._randomness = randomness

    def seal(self, account_id: str, request_id: str, envelope: OrderEnvelope) -> tuple[int, str]:
        """The version of the key, and the sealed text."""
        plain, label = msgspec.msgpack.encode(envelope), _label(account_id, request_id)
        version, sealed = self._sealer.seal(plain, label, self._randomness)
        return version, base64.b64encode(sealed).decode()

    def open(self, account_id: str, request_id: str, version: int, sealed: str) -> OrderEnvelope:
        """The envelope; `KeyMissing` or `SealBroken` when it cannot be opened."""
        try:
            raw = base64.b64decode(sealed, validate=True)
        except binascii.Error:
            raw = b""
        plain = self._sealer.open(version, raw, _label(account_id, request_id))
        return msgspec.msgpack.decode(plain, type=OrderEnvelope)


def _label(account_id: str, request_id: str) -> bytes:
    return f"order evidence\n{account_id}\n{request_id}".encode()
