"""Passwords: which ones are taken, and their hashes by Argon2id.

The parameters are those of RFC 9106 for machines with little memory: 64 MiB, three passes, four
lanes. A hash says which parameters it was made with; one made with others is replaced at the next
sign-in.
"""

import threading
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets.strength import estimated_bits
from gatehouse.core.wording.sentences import Phrase

_PASSWORD_GUESSED: Final = Phrase(
    "refused.password_guessed",
    "this password is easily guessed: repeats, sequences, common words and your own "
    "address count little; take several unrelated words, or let a password manager "
    "make one",
)

_PASSWORD_LENGTH: Final = Phrase(
    "refused.password_length", "a password has {least} to {most} characters"
)

LEAST_LENGTH: Final = 12
MOST_LENGTH: Final = 256
_LEAST_BITS: Final = 30
_AT_ONCE: Final = 2
"""Hashes that are computed at the same time: each takes 64 MiB."""


class Passwords:
    """Makes and checks hashes, a few at a time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """`hasher` is for tests, which cannot spend the time that real hashes take."""
        self._hasher = hasher or PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
        self._turns = threading.Semaphore(_AT_ONCE)
        self._of_nobody: str | None = None

    def hash(self, password: str) -> str:
        """The hash of a password that `check_new` took."""
        with self._turns:
            return self._hasher.hash(_plain(password))

    def fits(self, kept: str | None, password: str) -> bool:
        """Whether a password fits its hash; without a hash it takes the same time and does not."""
        if len(password) > MOST_LENGTH:
            password = ""
        fits = False
        try:
            with self._turns:
                fits = self._hasher.verify(kept or self._nobody(), _plain(password))
        except (VerificationError, InvalidHashError):
            return False
        return fits and kept is not None

    def is_outdated(self, kept: str) -> bool:
        """Whether a hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(kept)

    def _nobody(self) -> str:
        if self._of_nobody is None:
            self._of_nobody = self._hasher.hash("nobody has this password")
        return self._of_nobody


def check_new(password: str, login: str) -> None:
    """Refuse a password that is short, endless, or easily guessed."""
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        raise InvalidInput(_PASSWORD_LENGTH(least=LEAST_LENGTH, most=MOST_LENGTH))
    plain = password.casefold()
    named = [part for part in (login, login.partition("@")[0]) if len(part) > 3]
    for part in named:
        plain = plain.replace(part, "")
    if len(plain) < LEAST_LENGTH // 2 or estimated_bits(plain) < _LEAST_BITS:
        raise InvalidInput(_PASSWORD_GUESSED())


def _plain(password: str) -> bytes:
    # The same letters can be typed as different characters, depending on the keyboard.
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
