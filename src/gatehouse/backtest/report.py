"""What a backtest found, in figures."""

from typing import Final

import msgspec

from gatehouse.core.outcomes import Outcome

Amounts = dict[str, int]
"""Millionths by currency; amounts without a currency are under an empty name."""

CATCHING: Final = (Outcome.REVIEW, Outcome.DECLINE)
"""Outcomes that keep a payment from going through by itself."""


class LabelTally(msgspec.Struct):
    """How many requests were caught, and what their labels say."""

    matches: int = 0
    fraud: int = 0
    """Labelled fraud among them."""
    legitimate: int = 0
    """Labelled legitimate among them."""
    caught: Amounts = {}
    """Amounts of the labelled fraud."""
    lost: Amounts = {}
    """Amounts of what was labelled legitimate."""

    def add(self, count: int, fraud: bool | None, currency: str, amount: int) -> None:
        """Count requests that have a label and a currency in common."""
        self.matches += count
        if fraud is None:
            return
        if fraud:
            self.fraud += count
        else:
            self.legitimate += count
        if amount:
            amounts = self.caught if fraud else self.lost
            amounts[currency] = amounts.get(currency, 0) + amount

    @property
    def precision(self) -> float | None:
        """The share of fraud among what was caught and has a label."""
        labelled = self.fraud + self.legitimate
        return self.fraud / labelled if labelled else None

    def recall(self, all_fraud: int) -> float | None:
        """The share of all labelled fraud that was caught."""
        return self.fraud / all_fraud if all_fraud else None


class RuleFigures(msgspec.Struct, frozen=True, rename="camel"):
    """What one rule would have done."""

    name: str
    outcome: Outcome
    final: bool
    shadow: bool
    matches: int
    decisive: int
    """Requests that would have been decided differently without it."""
    fraud: int
    legitimate: int
    precision: float | None
    recall: float | None
    caught: Amounts
    lost: Amounts
    unknown: tuple[str, ...] = ()
    """Signals it needs that no record has."""


class Judged(msgspec.Struct, frozen=True, rename="camel"):
    """How all requests were decided: at the time, or by the rule set that is tried."""

    outcomes: dict[str, int]
    precision: float | None
    recall: float | None
    caught: Amounts
    lost: Amounts


class DecisionShift(msgspec.Struct, frozen=True, rename="camel"):
    """Requests that were decided one way and would be decided another, or the same."""

    before: str
    after: str
    records: int
    amounts: Amounts


class Example(msgspec.Struct, frozen=True, rename="camel"):
    """A request that would be decided differently."""

    request_id: str
    before: str
    after: str
    matched: tuple[str, ...]


class BacktestReport(msgspec.Struct, frozen=True, rename="camel"):
    """What a rule set would have done to the requests of a span."""

    rule_set: str
    since_ms: int
    until_ms: int
    records: int
    skipped: int
    unreadable: int
    labelled: int
    labelled_fraud: int
    before: Judged
    after: Judged
    rules: tuple[RuleFigures, ...]
    changes: tuple[DecisionShift, ...]
    examples: tuple[Example, ...]
    warnings: tuple[str, ...]
