"""The fingerprints of cards: the inner one, and that of an account, which alone may be shown.

What pays has two: one of its number, and one of the account behind it, if its reference is known.

The inner one is the same for all accounts. BIN and last four leave a thousand numbers, so a person
who saw it beside them and held a key to any account could try them all: it stays in the process,
and in tables that say nothing else about a card. The account's is the inner one encrypted for the
account (AES-SIV). So a card has another one in each account, and the service can open its own.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import b2a_base64
from hashlib import blake2b
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.secrets.hashing import keyed_digest, keyed_hash
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, KeyRing

INNER_PREFIX: Final = "fp"
INNER: Final = re.compile(r"fp([1-9][0-9]{0,8})_([0-9a-f]{40})")
_KEPT_BYTES: Final = 20
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")
OF_ACCOUNT: Final = re.compile(r"card([1-9][0-9]{0,8})_([A-Za-z0-9_-]{48})")


class Fingerprints:
    """Tells whether two card numbers are the same, with the keys of an installation."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self.version, self._key = ring.current(CARD_FINGERPRINTS)
        self.prefix = f"{INNER_PREFIX}{self.version}_"
        """How the inner fingerprints begin that cards get now."""
        self._guesses = _derived(self._key, b"guesses at cards", 32)
        self._numbers = _derived(self._key, b"numbers of accounts", 32)
        self._ciphers: dict[str, AESSIV] = {}
        current = self._cipher(str(self.version))
        assert current is not None
        self._current = current

    def inner(self, card: CardNumber | AccountReference) -> str:
        """The same in every account; it must not be shown."""
        return self.prefix + keyed_hash(self._key, _content(card))[:40]

    def inner_and_shown(
        self, account_id: str, card: CardNumber | AccountReference
    ) -> tuple[str, str]:
        """Both at once for what a request pays with: the inner one, and the account's."""
        digest = keyed_digest(self._key, _content(card))[:_KEPT_BYTES]
        sealed = self._current.encrypt(digest, [account_id.encode()])
        shown = b2a_base64(sealed, newline=False).translate(_URL_SAFE).decode()
        return self.prefix + digest.hex(), f"card{self.version}_{shown}"

    def inner_of_every_key(self, card: CardNumber | AccountReference) -> list[str]:
        """The same under every key there ever was, so that what is older is found."""
        content = _content(card)
        versions = [v for purpose, v in self._ring.versions() if purpose == CARD_FINGERPRINTS]
        keys = [(version, self._ring.key(CARD_FINGERPRINTS, version)) for version in versions]
        return [f"{INNER_PREFIX}{version}_{keyed_hash(key, content)[:40]}" for version, key in keys]

    def of_account(self, account_id: str, inner: str) -> str:
        """The fingerprint that the account is shown, from the inner one.

        A text that is no inner fingerprint of this installation is returned as it is.
        """
        found = INNER.fullmatch(inner)
        cipher = None if found is None else self._cipher(found[1])
        if found is None or cipher is None:
            return inner
        sealed = cipher.encrypt(bytes.fromhex(found[2]), [account_id.encode()])
        return f"card{found[1]}_{urlsafe_b64encode(sealed).decode()}"

    def opened(self, account_id: str, fingerprint: str) -> str | None:
        """The inner fingerprint, from that of the account; None for anything else."""
        found = OF_ACCOUNT.fullmatch(fingerprint)
        cipher = None if found is None else self._cipher(found[1])
        if found is None or cipher is None:
            return None
        try:
            digest = cipher.decrypt(urlsafe_b64decode(found[2]), [account_id.encode()])
        except InvalidTag:
            return None
        return f"{INNER_PREFIX}{found[1]}_{digest.hex()}"

    def guess_mark(self, text: str) -> str:
        """What counts wrong guesses by, of a card or a request: found nowhere else in the store."""
        return keyed_hash(self._guesses, text.encode())[:32]

    def number_mark(self, account_id: str, inner: str) -> str:
        """What a number is counted by, among those that an account sent."""
        return keyed_hash(self._numbers, f"{account_id} {inner}".encode())[:32]

    def group_mark(self, account_id: str, number: CardNumber) -> str:
        """The same for all numbers of an account that share what is kept readable of them."""
        return keyed_hash(self._numbers, f"{account_id} {number.masked()}".encode())[:32]

    def _cipher(self, version: str) -> AESSIV | None:
        """The cipher of a version of the key; None when it is not on the ring."""
        cipher = self._ciphers.get(version)
        if cipher is None and (CARD_FINGERPRINTS, int(version)) in self._ring.versions():
            key = self._ring.key(CARD_FINGERPRINTS, int(version))
            cipher = AESSIV(_derived(key, b"fingerprints of accounts", 64))
            self._ciphers[version] = cipher
        return cipher


def _content(card: CardNumber | AccountReference) -> bytes:
    if isinstance(card, AccountReference):
        # A card number has digits only, so none has the fingerprint of a reference.
        return f"account {card.reveal()}".encode()
    return card.reveal().encode()


def _derived(key: bytes, use: bytes, size: int) -> bytes:
    return blake2b(use, key=key, digest_size=size).digest()
