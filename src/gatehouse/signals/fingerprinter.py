"""What is kept of cards, mailboxes, phones and users, the same for signals and for lists."""

from gatehouse.core import keyring
from gatehouse.core.keyring import KeyRing
from gatehouse.intel.cards import Fingerprints
from gatehouse.sentry.entities import EntityHasher


class Fingerprinter:
    """Implements `rules.list_entries.EntryHasher` with the keys of this installation."""

    def __init__(self, fingerprints: Fingerprints, hasher: EntityHasher) -> None:
        self.fingerprint = fingerprints.of
        self.kept = hasher.kept
        self.hashed = hasher.hashed

    def hashed_email(self, mailbox: str) -> str:
        """A keyed hash of a mailbox."""
        return self.hashed(f"email {mailbox}")

    def hashed_phone(self, number: str) -> str:
        """A keyed hash of a phone number."""
        return self.hashed(f"phone {number}")


def open_fingerprinter(ring: KeyRing) -> Fingerprinter:
    """The fingerprinter with an installation's keys."""
    fingerprints = Fingerprints(ring.current(keyring.CARD_FINGERPRINTS))
    return Fingerprinter(fingerprints, EntityHasher(ring.current(keyring.ENTITIES)[1]))
