"""What is kept of cards, mailboxes, phones and users, the same for signals and for lists."""

from gatehouse.core.cards.fingerprints import INNER, OF_ACCOUNT
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.stages.stage import Contacts
from gatehouse.decisions.search_terms import EMAIL, PHONE, FoundBy
from gatehouse.intel.emails import parse_email
from gatehouse.intel.phones import parse_phone
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.named_cards import NamedCards


class Fingerprinter:
    """Makes hashes with the keys of this installation."""

    def __init__(self, hasher: EntityHasher) -> None:
        self.kept = hasher.kept
        self.hashed = hasher.hashed

    def hashed_email(self, mailbox: str) -> str:
        """A keyed hash of a mailbox."""
        return self.hashed(f"email {mailbox}")

    def hashed_phone(self, number: str) -> str:
        """A keyed hash of a phone number."""
        return self.hashed(f"phone {number}")

    def email(self, text: str) -> str | None:
        """The keyed hash of the mailbox that a text names; None when it names none."""
        email = parse_email(text)
        return None if email is None else self.hashed_email(email.canonical)

    def phone(self, text: str) -> str | None:
        """The keyed hash of the number that a text names; None when it names none."""
        phone = parse_phone(text)
        return None if phone is None else self.hashed_phone(phone.e164)

    def found_by(self, contacts: Contacts) -> tuple[FoundBy, ...]:
        """What a request with these contacts is found by, if it is not described in signals."""
        mailbox, number = contacts.mailbox, contacts.number
        email = None if mailbox is None else self.hashed_email(mailbox)
        phone = None if number is None else self.hashed_phone(number)
        found = ((EMAIL, email), (PHONE, phone))
        return tuple([(field, value) for field, value in found if value is not None])


class EntryFingerprinter(Fingerprinter):
    """Implements `rules.list_entries.EntryHasher` for the lists of one account."""

    def __init__(self, ring: KeyRing, cards: NamedCards) -> None:
        super().__init__(EntityHasher(ring.current(keyring.ENTITIES)[1]))
        self._cards = cards
        self._fingerprints = cards.fingerprints
        self._account_id = cards.account_id

    def card(self, card: CardNumber | AccountReference) -> str:
        """The account's fingerprint of a card."""
        return self._fingerprints.of_account(self._account_id, self._cards.of(card))

    def known_card(self, text: str) -> str | None:
        """The account's fingerprint, from a text that is one, now or in an earlier version.

        None for any other text; `ValueError` for a fingerprint of another account.
        """
        if INNER.fullmatch(text) is not None:
            return self._fingerprints.of_account(self._account_id, text)
        if OF_ACCOUNT.fullmatch(text) is None:
            return None
        if self._fingerprints.opened(self._account_id, text) is None:
            raise ValueError("is a fingerprint of another account")
        return text
