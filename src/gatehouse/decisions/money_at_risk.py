"""What is lost if an order is accepted that turns out to be fraud, times how probable that is."""

from typing import Final, NamedTuple

from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.search_terms import MOST_MICROS, micros_of, order_in

_WHOLE: Final = 1_000_000


class MoneyAtRisk(NamedTuple):
    """Millionths of a currency; nothing where the record tells no amount."""

    micros: int = 0
    currency: str | None = None


NOTHING_AT_RISK: Final = MoneyAtRisk()


def money_at_risk(record: DecisionRecord) -> MoneyAtRisk:
    """The amount of the order times the probability of fraud; without a score, all of it."""
    amount, currency = order_in(record)
    if amount is None or currency is None or amount <= 0:
        return NOTHING_AT_RISK
    doubt = _WHOLE
    for stage in record.stages:
        sure = stage.result.get("requestConfidence")
        if isinstance(sure, int | float):
            doubt = min(max(round((1 - sure) * _WHOLE), 0), _WHOLE)
    return MoneyAtRisk(min(micros_of(amount), MOST_MICROS) * doubt // _WHOLE, currency)
