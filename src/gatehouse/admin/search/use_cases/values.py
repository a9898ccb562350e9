"""Turns what people search for into terms, by way of the form that records keep."""

from typing import Final

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.search_terms import ADDRESS, CARD, DEVICE, EMAIL, PHONE, USER
from gatehouse.intel.addresses import read_address
from gatehouse.rules.list_entries import is_hash
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards

_SEARCH_USER: Final = Phrase("refused.search_user", "must name a user, not stand in for a name")
_SEARCH_NAME: Final = Phrase("refused.search_name", "must be a name, not stand in for one")
_SEARCH_FINGERPRINT: Final = Phrase(
    "refused.search_fingerprint",
    "must be a fingerprint of this account, as decisions show it: card1_…",
)
_SEARCH_EMAIL: Final = Phrase("refused.search_email", "must be an e-mail address")
_SEARCH_PHONE: Final = Phrase(
    "refused.search_phone", "must be a phone number with its country, such as +14155550132"
)
_SEARCH_ADDRESS: Final = Phrase("refused.search_address", "must be an internet address")
_SEARCH_DEVICE: Final = Phrase(
    "refused.search_device", "must name a device, not stand in for a name"
)


class WrongValue(InvalidInput):
    """A value that no decision can have."""


class SearchValues:
    """Makes the terms of one account."""

    def __init__(self, session: AdminSession, cards: NamedCards) -> None:
        self.account_id = cards.account_id
        self._terms = session.terms
        self._cards = cards
        self._fingerprints = cards.fingerprints
        self._kept = Fingerprinter(EntityHasher(session.ring.current(keyring.ENTITIES)[1]))

    def term(self, field: int, value: str) -> int:
        """The term of a value that is compared as it is."""
        return self._terms.term(self.account_id, field, value)

    def kept(self, value: str | int) -> str:
        """A name of the caller's in the form that records keep."""
        return self._kept.kept(value)

    def user(self, user_id: str | int) -> list[int]:
        """The term of a user."""
        if drop_placeholder(user_id) is None:
            raise WrongValue(_SEARCH_USER())
        return [self.term(USER, self._kept.kept(user_id))]

    def username(self, name: str) -> list[int]:
        """The term of a user who is known by the name they chose."""
        if drop_placeholder(name) is None:
            raise WrongValue(_SEARCH_NAME())
        return [self.term(USER, self._kept.hashed(f"name {name}"))]

    def fingerprints(self, card: CardNumber | AccountReference) -> list[str]:
        """The account's fingerprints of a card, one for each key that they were ever made with."""
        inner = self._cards.of_every_key(card)
        return [self._fingerprints.of_account(self.account_id, each) for each in inner]

    def card(self, card: CardNumber | AccountReference) -> list[int]:
        """The terms of a card, one for each of its fingerprints."""
        return [self.term(CARD, each) for each in self.fingerprints(card)]

    def fingerprint(self, text: str) -> int:
        """The term of a card by the account's fingerprint of it."""
        if self._fingerprints.opened(self.account_id, text) is None:
            raise WrongValue(_SEARCH_FINGERPRINT())
        return self.term(CARD, text)

    def email(self, text: str) -> list[int]:
        """The term of a mailbox."""
        hashed = self._kept.email(text)
        if hashed is None:
            raise WrongValue(_SEARCH_EMAIL())
        return [self.term(EMAIL, hashed)]

    def phone(self, text: str) -> list[int]:
        """The term of a phone number."""
        hashed = self._kept.phone(text)
        if hashed is None:
            raise WrongValue(_SEARCH_PHONE())
        return [self.term(PHONE, hashed)]

    def address(self, text: str) -> list[int]:
        """The term of an internet address; of IPv6, that of the /64 around it."""
        address = read_address(text.removesuffix("/64"))
        if address is None:
            raise WrongValue(_SEARCH_ADDRESS())
        return [self.term(ADDRESS, address.household)]

    def device(self, text: str) -> list[int]:
        """The term of a device by its identifier, or as decisions name it."""
        return [self.term(DEVICE, text)] if is_hash(text) else self.device_id(text)

    def device_id(self, text: str) -> list[int]:
        """The term of a device by its identifier alone; many devices share a user agent's hash."""
        if drop_placeholder(text) is None:
            raise WrongValue(_SEARCH_DEVICE())
        return [self.term(DEVICE, self._kept.kept(text))]
