"""The history of a user: besides events also the usual amounts and the countries."""

from array import array
from typing import Final

from gatehouse.sentry.memory.entity_history import EntityHistory
from gatehouse.sentry.memory.memory import DAY_S

MOST_AMOUNTS: Final = 20
HIGH_S: Final = 14 * DAY_S
_HIGH: Final = 0.9
"""An amount is high from about two and a half times the user's usual one on."""
_FEWEST_AMOUNTS: Final = 3
_MOST_HIGH: Final = 15


class UserHistory(EntityHistory, gc=False):
    """What is remembered of a user."""

    amounts: "array[float] | None" = None
    """Natural logarithms of the last amounts, all in one currency."""
    country: str | None = None
    country_s: float = 0.0
    previous_country: tuple[str, float] | None = None
    paid_in: str | None = None
    """The currency of the amounts, which can differ from that of the sums."""
    high: "array[float] | None" = None
    """When amounts were far above the usual ones, within the last two weeks."""

    def pay(self, logarithm: float, currency: str | None, at_s: float) -> None:
        """Note an amount; in another currency than before, the usual amounts start again."""
        if self.paid_in != currency:
            self.paid_in, self.amounts = currency, None
        amounts = self.amounts
        if amounts is None:
            self.amounts = array("d", (logarithm,))
            return
        if len(amounts) >= _FEWEST_AMOUNTS and logarithm > _HIGH + sum(amounts) / len(amounts):
            recent = [each for each in (self.high or ())[-_MOST_HIGH:] if each > at_s - HIGH_S]
            self.high = array("d", (*recent, at_s))
        amounts.append(logarithm)
        if len(amounts) > MOST_AMOUNTS:
            del amounts[0]

    def high_before(self, at_s: float) -> int:
        """How many amounts were far above the usual ones in the two weeks before a moment."""
        return len([1 for each in self.high or () if at_s - HIGH_S < each < at_s])

    def take_payment_back(self, logarithm: float, currency: str | None, at_s: float) -> None:
        """Take back the last amount."""
        if self.paid_in == currency and self.amounts and self.amounts[-1] == logarithm:
            self.amounts.pop()
            if self.high and self.high[-1] == at_s:
                self.high.pop()

    def arrive(self, country: str, at_s: float) -> None:
        """Note the country that the user was seen in."""
        if self.country is not None:
            self.previous_country = (self.country, self.country_s)
        if at_s >= self.country_s:
            self.country, self.country_s = country, at_s

    def leave(self, country: str, at_s: float) -> None:
        """Take back the country that the user was seen in last."""
        if (country, at_s) == (self.country, self.country_s):
            self.country, self.country_s = self.previous_country or (None, 0.0)
            self.previous_country = None
