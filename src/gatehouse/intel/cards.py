"""What may be kept of a card, with what the BIN table knows about its issuer."""

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.cards.numbers import CardNumber, CardOfRequest, KeptCard, MaskedCard
from gatehouse.intel.bins import BinTable


class CardMasker:
    """Reduces cards to what may be kept of them."""

    def __init__(self, bins: BinTable, fingerprints: Fingerprints) -> None:
        self._bins = bins
        self.fingerprints = fingerprints

    def is_of(self, number: CardNumber, inner: str) -> bool:
        """Whether an inner fingerprint, of whichever key, is that of a number."""
        return inner in self.fingerprints.inner_of_every_key(number)

    def mask(self, account_id: str, card: CardOfRequest) -> MaskedCard:
        """The card of a request without anything that could be used to pay with it."""
        number, bin_digits = card.number, card.number.bin
        facts = self._bins.facts(bin_digits)
        inner, shown = self.fingerprints.inner_and_shown(account_id, number)
        reference, inner_account, shown_account = card.account_reference, None, None
        if reference is not None:
            inner_account, shown_account = self.fingerprints.inner_and_shown(account_id, reference)
        kept = KeptCard(
            brand=number.brand.name if number.brand else None,
            bin=bin_digits,
            last_four=number.last_four,
            expiry=None if card.expiry is None else str(card.expiry),
            country=facts.country if facts else None,
            funding=facts.funding if facts else None,
            prepaid=facts.prepaid if facts else None,
            fingerprint=shown,
            account_fingerprint=shown_account,
            credential_type=card.credential_type,
        )
        return MaskedCard(kept, inner, inner_account)
