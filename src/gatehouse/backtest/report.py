"""What a backtest found, in figures."""

from collections import Counter
from typing import Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.sentry.costs import CostPreset

Amounts = dict[str, int]
"""Millionths by currency; amounts without a currency are under an empty name."""

CATCHING: Final = (Outcome.REVIEW, Outcome.DECLINE)
"""Outcomes that keep a payment from going through by itself."""


class LabelTally:
    """How many requests were caught, and their amounts, by their labels."""

    def __init__(self) -> None:
        self.requests: Counter[bool | None] = Counter()
        """True is fraud, False is legitimate, None has no label."""
        self.amounts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}

    def add(self, count: int, fraud: bool | None, currency: str, amount: int) -> None:
        """Count requests that have a label and a currency in common."""
        self.requests[fraud] += count
        if fraud is not None and amount:
            self.amounts[fraud][currency] += amount

    @property
    def precision(self) -> float | None:
        """The share of fraud among what was caught and has a label."""
        labelled = self.requests[True] + self.requests[False]
        return self.requests[True] / labelled if labelled else None

    def recall(self, all_fraud: int) -> float | None:
        """The share of all labelled fraud that was caught."""
        return self.requests[True] / all_fraud if all_fraud else None


class RuleFigures(CamelStruct):
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


class Judged(CamelStruct):
    """How all requests were decided: at the time, or by the rule set that is tried."""

    outcomes: dict[str, int]
    precision: float | None
    recall: float | None
    caught: Amounts
    lost: Amounts


class DecisionShift(CamelStruct):
    """Requests that were decided one way and would be decided another, or the same."""

    before: str
    after: str
    records: int
    amounts: Amounts


class Example(CamelStruct):
    """A request that would be decided differently."""

    request_id: str
    before: str
    after: str
    matched: tuple[str, ...]


class PresetFigures(CamelStruct):
    """What deciding by expected cost alone would have done, under one preset."""

    preset: CostPreset
    outcomes: dict[str, int]
    fraud_lost: Amounts
    """Frauds that it accepts."""
    good_turned_away: Amounts
    """Honest orders that it declines."""
    cost: Amounts
    """What requests with a label would have cost, reviews included."""


class BacktestReport(CamelStruct):
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
    presets: tuple[PresetFigures, ...] = ()
    """Nothing unless the account has set its costs."""
