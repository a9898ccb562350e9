"""Encrypts texts that stand in URLs (AES-SIV), because URLs are logged and such texts are personal.

The same text always has the same token, and only its own account can read or make one.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hashlib import blake2b
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from gatehouse.core.secrets import keyring
from gatehouse.store.admin.admin_session import AdminSession

_LONGEST_TOKEN: Final = 4096


class TextSealer:
    """Makes and reads the tokens of one account for one use."""

    def __init__(self, session: AdminSession, account_id: str, use: bytes) -> None:
        session.actor.check_account(account_id)
        _, key = session.ring.current(keyring.SEARCH)
        self._cipher = AESSIV(blake2b(use, key=key, digest_size=64).digest())
        self._account = account_id.encode()

    def token(self, text: str, about: str) -> str:
        """The text as URLs hold it; `about` says what it belongs to."""
        plain = text.encode("utf-8", "surrogatepass")
        sealed = self._cipher.encrypt(plain, [self._account, about.encode()])
        return urlsafe_b64encode(sealed).decode().rstrip("=")

    def opened(self, token: str, about: str) -> str | None:
        """The text of a token; None for anything that was not made here about the same."""
        if len(token) > _LONGEST_TOKEN:
            return None
        try:
            sealed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
            plain = self._cipher.decrypt(sealed, [self._account, about.encode()])
        except (ValueError, NotBase64, InvalidTag):
            return None
        return plain.decode("utf-8", "surrogatepass")
