"""What became of the money of a month, by currency."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import DisputeResult, DisputeStage, OutcomeKind
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

    count: Annotated[int, Meta(description="How many.", examples=[3])] = 0
    amount: Annotated[
        str, Meta(description="Their amounts together, as a decimal.", examples=["59.9"])
    ] = "0"


class MoneyMonth(msgspec.Struct, frozen=True, rename="camel"):
    """What became of the payments of a month in one currency."""

    month: Annotated[str, Meta(description="The month, in UTC.", examples=["2026-11"])]
    currency: Annotated[
        str | None, Meta(description="ISO 4217 code; null for outcomes without an amount.")
    ]
    settled: Annotated[MoneySum, Meta(description="Settled in the month.")]
    refunded: Annotated[MoneySum, Meta(description="Refunded in the month.")]
    reported: Annotated[MoneySum, Meta(description="Reported as fraud in the month.")]
    disputed: Annotated[
        MoneySum, Meta(description="Disputed in the month; mere questions are left out.")
    ]
    won: Annotated[MoneySum, Meta(description="Of these disputes, won or taken back.")]
    lost: Annotated[
        MoneySum, Meta(description="Of these disputes, lost, accepted or settled before.")
    ]
    open: Annotated[MoneySum, Meta(description="Of these disputes, without a result.")]


class MoneyReport(msgspec.Struct, frozen=True, rename="camel"):
    """What became of the money of some months."""

    months: Annotated[list[MoneyMonth], Meta(description="Newest first, then by currency.")]
    formula: Annotated[str, Meta(description="What is added up, in words.")]


class MoneyReportWanted(msgspec.Struct, frozen=True, rename="camel"):
    """Which months to report on."""

    months: Annotated[
        int, Meta(ge=1, le=MOST_MONTHS, description="So many, up to the present one.")
    ] = 6


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
