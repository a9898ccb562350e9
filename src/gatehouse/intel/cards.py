"""What may be kept of a card, with what the BIN table knows about its issuer."""

from gatehouse.core.cards import CardNumber, CardOfRequest, KeptCard
from gatehouse.core.hashing import keyed_hash
from gatehouse.intel.bins import BinTable


class Fingerprints:
    """Tells whether two card numbers are the same, and nothing else about them."""

    def __init__(self, fingerprint_key: tuple[int, bytes]) -> None:
        version, self._key = fingerprint_key
        self._prefix = f"fp{version}_"

    def of(self, number: CardNumber) -> str:
        """A keyed hash of a number."""
        return self._prefix + keyed_hash(self._key, number.reveal().encode())[:40]


class CardMasker:
    """Reduces cards to what may be kept of them."""

    def __init__(self, bins: BinTable, fingerprint_key: tuple[int, bytes]) -> None:
        self._bins = bins
        self.fingerprint = Fingerprints(fingerprint_key).of

    def keep(self, card: CardOfRequest) -> KeptCard:
        """The card without anything that could be used to pay with it."""
        number = card.number
        facts = self._bins.facts(number.bin)
        return KeptCard(
            brand=number.brand.name if number.brand else None,
            bin=number.bin,
            last_four=number.last_four,
            expiry=None if card.expiry is None else str(card.expiry),
            country=facts.country if facts else None,
            funding=facts.funding if facts else None,
            prepaid=facts.prepaid if facts else None,
            fingerprint=self.fingerprint(number),
        )
