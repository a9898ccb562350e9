"""What became of the money of a month, by currency."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Final

import msgspec

from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import DisputeResult, DisputeStage, OutcomeKind
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import Phrase

FORMULA: Final = Phrase(
    "outcomes.money_formula",
    "sums of the amounts that were told as outcomes, each in the month (UTC) in which it happened; "
    "disputed = won + lost + open, in the month in which the dispute began",
)
MOST_MONTHS: Final = 24
_WON: Final = frozenset((DisputeResult.WON, DisputeResult.WITHDRAWN))
_KINDS: Final = {
    OutcomeKind.SETTLED: "settled",
    OutcomeKind.REFUNDED: "refunded",
    OutcomeKind.FRAUD_REPORT: "reported",
}


class MoneySum(msgspec.Struct, frozen=True):
    """How many, and how much together."""

    count: Annotated[int, doc("How many.", 3)] = 0
    amount: Annotated[str, doc("Their amounts together, as a decimal.", "59.9")] = "0"


class MoneyMonth(CamelStruct):
    """What became of the payments of a month in one currency."""

    month: Annotated[str, doc("The month, in UTC.", "2026-11")]
    currency: Annotated[str | None, doc("ISO 4217 code; null for outcomes without an amount.")]
    settled: Annotated[MoneySum, doc("Settled in the month.")]
    refunded: Annotated[MoneySum, doc("Refunded in the month.")]
    reported: Annotated[MoneySum, doc("Reported as fraud in the month.")]
    disputed: Annotated[MoneySum, doc("Disputed in the month; mere questions are left out.")]
    won: Annotated[MoneySum, doc("Of these disputes, won or taken back.")]
    lost: Annotated[MoneySum, doc("Of these disputes, lost, accepted or settled before.")]
    open: Annotated[MoneySum, doc("Of these disputes, without a result.")]


class MoneyReport(CamelStruct):
    """What became of the money of some months."""

    months: Annotated[list[MoneyMonth], doc("Newest first, then by currency.")]
    formula: Annotated[str, doc("What is added up, in words.")]


class MoneyReportWanted(CamelStruct):
    """Which months to report on."""

    months: Annotated[int, doc("So many, up to the present one.", ge=1, le=MOST_MONTHS)] = 6


def money_of(month: str, groups: Iterable[OutcomeGroup]) -> list[MoneyMonth]:
    """What became of the money of a month, by currency."""
    counts: dict[str | None, Counter[str]] = {}
    micros: dict[str | None, Counter[str]] = {}
    for group in groups:
        for name in _columns(group):
            counts.setdefault(group.currency, Counter())[name] += group.number
            micros.setdefault(group.currency, Counter())[name] += group.micros

    def total(currency: str | None, name: str) -> MoneySum:
        return MoneySum(counts[currency][name], format_amount(micros[currency][name]))

    names = ("settled", "refunded", "reported", "disputed", "won", "lost", "open")
    return [
        MoneyMonth(month, currency, *(total(currency, name) for name in names))
        for currency in sorted(counts, key=lambda code: code or "")
    ]


def _columns(group: OutcomeGroup) -> tuple[str, ...]:
    """Where a group is counted."""
    if group.kind == OutcomeKind.DISPUTE:
        if group.stage == DisputeStage.INQUIRY:
            return ()
        if group.result is None:
            return "disputed", "open"
        return "disputed", "won" if group.result in _WON else "lost"
    name = _KINDS.get(OutcomeKind(group.kind))
    return () if name is None else (name,)
