"""Who or what a search is about, as addresses of the console hold it: sealed for its account.

Addresses are logged and shared, so that no name stands in one, and not even sealed a card number:
of a card, the account's fingerprints are sealed.
"""

from typing import Final

import msgspec

from gatehouse.admin.entities.types import masked_address, masked_name
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.admin.search.use_cases.values import SearchValues
from gatehouse.admin.secrets.use_cases.sealed_texts import TextSealer
from gatehouse.core.secrets.hidden import Personal
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards

_USE: Final = b"searches for somebody"
_ABOUT: Final = "sought"
_FINGERPRINT: Final = "cardFingerprint"
_ADDRESS: Final = "ipAddress"


class Sought(Personal, frozen=True):
    """A filter of a search by its name in the API, and one value or several of it."""

    name: str
    values: list[str]

    @property
    def masked(self) -> str:
        """The value as everybody may see it who is given the address."""
        value = self.values[0]
        if self.name == _FINGERPRINT:
            return f"{value[:9]}…"
        return masked_address(value) if self.name == _ADDRESS else masked_name(value)


class SoughtTokens:
    """Makes and reads the tokens of what was looked for in one account."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._sealer = TextSealer(session, account_id, _USE)
        self._session = session
        self._account_id = account_id

    def token(self, search: DecisionSearchRequest, name: str, value: str) -> str:
        """What a search is about that names nobody or nothing else, as addresses hold it."""
        card = search.card_number or search.payment_account_reference
        about = Sought(name, [value])
        if card is not None:
            with NamedCards(self._session, self._account_id, "decisions") as cards:
                prints = SearchValues(self._session, cards).fingerprints(card)
            about = Sought(_FINGERPRINT, prints)
        return self._sealer.token(msgspec.json.encode(about).decode(), _ABOUT)

    def opened(self, token: str) -> Sought | None:
        """What a token is about; None for anything that was not made here."""
        text = self._sealer.opened(token, _ABOUT)
        return None if text is None else msgspec.json.decode(text, type=Sought)
