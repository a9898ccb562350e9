"""Advice on one payment with what it follows from: told to callers, named in rules, recorded."""

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from gatehouse.sentry.authentication.advice import ScaAdvice, advise_authentication
from gatehouse.sentry.authentication.known import AuthenticationFacts
from gatehouse.sentry.authentication.terms import AuthenticationTerms
from gatehouse.sentry.costs import WHOLE

FACT = "sca"
"""Its name among the facts that a record keeps of Sentry."""


class AdvisedPayment(msgspec.Struct, frozen=True):
    """The advice, what was known, and what the account had chosen."""

    known: AuthenticationFacts
    terms: AuthenticationTerms
    advice: ScaAdvice
    table_as_of: str
    rates_as_of: str

    @classmethod
    def of(
        cls, known: AuthenticationFacts, terms: AuthenticationTerms, days: tuple[str, str]
    ) -> Self:
        """The advice on a payment; `days` are those of the table and of its rates."""
        return cls(known, terms, advise_authentication(known, terms), *days)

    def at(self, confidence: float) -> "AdvisedPayment":
        """The same payment with another confidence."""
        known = msgspec.structs.replace(self.known, confidence=round(confidence * WHOLE))
        return AdvisedPayment.of(known, self.terms, (self.table_as_of, self.rates_as_of))

    @property
    def signals(self) -> dict[str, Any]:
        """What rules can say about it; what it does not advise is unknown."""
        advice = self.advice
        named = {
            "advice": advice.advice,
            "exemption": advice.exemption,
            "placement": advice.placement,
            "challengeIndicator": advice.challenge_indicator,
            "liability": advice.liability,
        }
        found: dict[str, Any] = {
            f"sentry.scaAdvice.{name}": str(word) for name, word in named.items() if word
        }
        found["sentry.scaAdvice.inScope"] = advice.in_scope
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """The same for the decision record."""
        kept: dict[str, Any] = msgspec.to_builtins(self)
        return kept

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> "AdvisedPayment | None":
        """What the facts of Sentry keep; None where no advice was asked for."""
        kept = facts.get(FACT)
        return msgspec.convert(kept, cls) if kept else None
