"""The networks' own names for payments, sealed as they are kept.

With such an id and the number of its card, a thief could charge the card again in the merchant's
name. It is sealed together with the fingerprint of its card, so that it serves for that card alone.
"""

import base64
import binascii
import re
from typing import Final

from gatehouse.core.errors import SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.keyring import PAYMENTS, KeyRing
from gatehouse.core.secrets.sealing import Sealer

NETWORK_ID: Final = re.compile(r"[!-~]{1,64}")
_SEALED: Final = "sealed:"
"""What a sealed reference begins with, and no party's own."""


class NetworkIdSealer:
    """Seals the id of a payment, or a reference with it, and opens it at its own place alone."""

    def __init__(self, ring: KeyRing) -> None:
        self._sealer = Sealer(ring, PAYMENTS)

    def seal(
        self, place: tuple[str, str], card: str, network_id: str, randomness: Randomness
    ) -> str:
        """The id with the inner fingerprint of its card, for a place: account and request."""
        plain = f"{card} {network_id}".encode()
        return self._seal(plain, _label(*place), randomness)

    def open(self, place: tuple[str, str], kept: str) -> tuple[str, str]:
        """The fingerprint and the id; `KeyMissing` or `SealBroken` when it cannot be opened."""
        card, _, network_id = self._open(kept, _label(*place)).partition(" ")
        return card, network_id

    def seal_reference(self, place: tuple[str, str], reference: str, randomness: Randomness) -> str:
        """A party's reference of an authorized payment, which may hold the id; sealed once."""
        if reference.startswith(_SEALED):
            return reference
        label = _reference_label(*place)
        return _SEALED + self._seal(reference.encode(), label, randomness)

    def open_reference(self, place: tuple[str, str], kept: str | None) -> str | None:
        """The reference as the party knows it; those of earlier versions are not sealed."""
        if kept is None or not kept.startswith(_SEALED):
            return kept
        return self._open(kept.removeprefix(_SEALED), _reference_label(*place))

    def _seal(self, plain: bytes, label: bytes, randomness: Randomness) -> str:
        version, sealed = self._sealer.seal(plain, label, randomness)
        return f"{version}.{base64.b64encode(sealed).decode()}"

    def _open(self, kept: str, label: bytes) -> str:
        version, _, text = kept.partition(".")
        try:
            raw = base64.b64decode(text, validate=True)
        except binascii.Error:
            raw = b""
        if not version.isdecimal():
            raise SealBroken("a sealed value was changed")
        return self._sealer.open(int(version), raw, label).decode()


def _label(account_id: str, request_id: str) -> bytes:
    return f"network transaction id\n{account_id}\n{request_id}".encode()


def _reference_label(account_id: str, request_id: str) -> bytes:
    return f"payment reference\n{account_id}\n{request_id}".encode()
