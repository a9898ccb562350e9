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


class NetworkIdSealer:
    """Seals the id of a payment and opens it, at its own place alone."""

    def __init__(self, ring: KeyRing) -> None:
        self._sealer = Sealer(ring, PAYMENTS)

    def seal(
        self, place: tuple[str, str], card: str, network_id: str, randomness: Randomness
    ) -> str:
        """The id with the inner fingerprint of its card, for a place: account and request."""
        plain = f"{card} {network_id}".encode()
        version, sealed = self._sealer.seal(plain, _label(*place), randomness)
        return f"{version}.{base64.b64encode(sealed).decode()}"

    def open(self, place: tuple[str, str], kept: str) -> tuple[str, str]:
        """The fingerprint and the id; `KeyMissing` or `SealBroken` when it cannot be opened."""
        version, _, text = kept.partition(".")
        try:
            raw = base64.b64decode(text, validate=True)
        except binascii.Error:
            raw = b""
        if not version.isdecimal():
            raise SealBroken("a sealed value was changed")
        plain = self._sealer.open(int(version), raw, _label(*place)).decode()
        card, _, network_id = plain.partition(" ")
        return card, network_id


def _label(account_id: str, request_id: str) -> bytes:
    return f"network transaction id\n{account_id}\n{request_id}".encode()
