"""Deciding by expected cost: what accepting, reviewing and declining an order would cost.

The probability of fraud is one minus Sentry's confidence. A model that was trained is calibrated,
so that this is meant literally; the scorecard that ships is not.

Amounts are whole numbers of the currency's smallest unit, shares and the probability are whole
ten-thousandths. Each cost is rounded once, to the smallest unit, halves up. The rounded costs are
compared, so that the advice follows from what is recorded. Of equal costs the mildest outcome wins.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple, Self

import msgspec
from msgspec import Meta

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.intel.places import minor_digits

WHOLE: Final = 10_000
"""Shares are counted in parts of this."""
MOST_FEE: Final = 1_000_000_000
"""In the smallest unit of a currency: more than any chargeback or review costs."""
_MICROS_DIGITS: Final = 6

Share = Annotated[int, Meta(ge=0, le=WHOLE)]
Fee = Annotated[int, Meta(ge=0, le=MOST_FEE)]


class CostPreset(StrEnum):
    """How much a loss by fraud weighs beside a sale that is turned away."""

    PROTECT = "protect"
    BALANCE = "balance"
    REVENUE = "revenue"


_WEIGHTS: Final = {
    CostPreset.PROTECT: (2, 1),
    CostPreset.BALANCE: (1, 1),
    CostPreset.REVENUE: (1, 2),
}
"""What a loss by fraud is multiplied with, as a fraction."""


class CostTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What orders earn and cost an account; `None` in its policy, and nothing is worked out."""

    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
    """Orders in another one get no advice."""
    margin: Share
    """What an order earns, of its amount."""
    preset: CostPreset = CostPreset.BALANCE
    chargeback_fee: Fee = 0
    """What a fraud costs besides its amount."""
    fee_share: Share = 0
    """The same as a share of the amount."""
    review_cost: Fee = 0
    review_finds: Share = WHOLE
    """In how many reviews the truth is found."""


class ExpectedCosts(NamedTuple):
    """What each outcome would cost, in the smallest unit, as the preset weighs it."""

    accept: int
    review: int
    decline: int

    @property
    def advice(self) -> Outcome:
        """The cheapest; of equal ones, the mildest."""
        accept, review, decline = self
        if accept <= review and accept <= decline:
            return Outcome.ACCEPT
        return Outcome.REVIEW if review <= decline else Outcome.DECLINE


def expected_costs(
    terms: CostTerms, amount: int, risk: int, preset: CostPreset | None = None
) -> ExpectedCosts:
    """The costs of an order of this amount whose probability of fraud is `risk`.

    Accepting a fraud loses its amount with the fees, declining an honest order loses its margin. A
    review costs what it costs; where it does not find the truth, the better of the two remains.
    """
    weight, whole = _WEIGHTS[preset or terms.preset]
    accept = risk * loss(terms, amount) * weight
    decline = (WHOLE - risk) * terms.margin * amount * whole
    unit = WHOLE * WHOLE * whole
    review = terms.review_cost * unit * WHOLE + (WHOLE - terms.review_finds) * min(accept, decline)
    return ExpectedCosts(
        rounded(accept, unit), rounded(review, unit * WHOLE), rounded(decline, unit)
    )


def loss(terms: CostTerms, amount: int) -> int:
    """What a fraud of this amount costs when it is accepted, in ten-thousandths of the unit."""
    return amount * (WHOLE + terms.fee_share) + terms.chargeback_fee * WHOLE


def weighed(preset: CostPreset, lost: int, turned_away: int) -> int:
    """A sum of losses by fraud and of margins turned away, comparable within one preset."""
    weight, whole = _WEIGHTS[preset]
    return lost * weight + turned_away * whole


def rounded(part: int, whole: int) -> int:
    """A fraction that is not negative as a whole number, halves up."""
    return (2 * part + whole) // (2 * whole)


def risk_of(confidence: float) -> int:
    """The probability of fraud that a confidence stands for, in ten-thousandths."""
    return WHOLE - round(confidence * WHOLE)


class CostAdvice(msgspec.Struct, frozen=True):
    """The costs of one order, with all that they were worked out from; records keep it."""

    terms: CostTerms
    amount: int
    risk: int
    costs: ExpectedCosts

    @property
    def advice(self) -> Outcome:
        """The cheapest outcome."""
        return self.costs.advice

    def at(self, confidence: float) -> "CostAdvice":
        """The same order with another confidence."""
        risk = risk_of(confidence)
        return CostAdvice(
            self.terms, self.amount, risk, expected_costs(self.terms, self.amount, risk)
        )

    @property
    def signals(self) -> dict[str, Any]:
        """What rules can say about it; amounts in units of the currency, as of the order."""
        digits = minor_digits(self.terms.currency) or 0
        named = zip(ExpectedCosts._fields, self.costs, strict=True)
        return {
            "sentry.costAdvice": str(self.advice),
            **{f"sentry.expectedCost.{name}": cost / 10**digits for name, cost in named},
        }

    @property
    def facts(self) -> dict[str, Any]:
        """The same for the decision record."""
        return {
            "advice": self.advice,
            **self.costs._asdict(),
            "amount": self.amount,
            "risk": self.risk,
            "terms": msgspec.to_builtins(self.terms),
        }

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> Self | None:
        """What the facts of Sentry keep; None where costs were not worked out."""
        kept = facts.get("costs")
        if not kept:
            return None
        costs = ExpectedCosts(*(int(kept[name]) for name in ExpectedCosts._fields))
        terms = msgspec.convert(kept["terms"], CostTerms)
        return cls(terms, int(kept["amount"]), int(kept["risk"]), costs)


def advise(
    terms: CostTerms, amount: float | None, currency: str | None, confidence: float
) -> CostAdvice | None:
    """The costs of an order; None without an amount in the currency of the terms."""
    if amount is None or currency != terms.currency or amount <= 0:
        return None
    minor = round(amount * 10 ** (minor_digits(currency) or 0))
    risk = risk_of(confidence)
    return CostAdvice(terms, minor, risk, expected_costs(terms, minor, risk))


def micros_of(amount: int, currency: str) -> int:
    """An amount in the smallest unit of its currency in millionths."""
    unit: int = 10 ** (_MICROS_DIGITS - (minor_digits(currency) or 0))
    return amount * unit
