"""What a threshold on the confidence would do: how much is declined, and what that is worth."""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.core.money import format_amount
from gatehouse.training.examples import FRAUD, Examples, Rows, Values
from gatehouse.training.report.report import OrderValue, ScoreBin, Threshold

BINS: Final = 20
"""Of the histogram of confidence."""
MOST_CURRENCIES: Final = 3
"""The ones with most requests; a report with all of them would not be read."""
DECLINED_SHARES: Final = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075),
    *(0.1, 0.15, 0.2, 0.3),
)
"""Thresholds are those that decline up to these shares of the requests."""
_DIGITS: Final = 4
"""Of a confidence in an answer."""
_SHARE_DIGITS: Final = 6


class OrderValues:
    """What requests are worth, by currency."""

    def __init__(self, examples: Examples, rows: Rows) -> None:
        self._micros, self._currency = examples.amounts(rows)
        counts = np.bincount(self._currency[self._micros > 0], minlength=1)
        places = [int(place) for place in np.argsort(-counts, kind="stable") if counts[place]]
        self._shown = [(place, examples.currencies[place]) for place in places[:MOST_CURRENCIES]]
        self.left_out = tuple(examples.currencies[place] for place in places[MOST_CURRENCIES:])
        """Currencies of fewer requests, which are not shown."""

    def of(self, chosen: NDArray[np.bool_]) -> tuple[OrderValue, ...]:
        """What the chosen ones are worth together, exactly."""
        return tuple(
            OrderValue(currency, self._sum(chosen & (self._currency == place)))
            for place, currency in self._shown
        )

    def count(self, chosen: NDArray[np.bool_]) -> tuple[int, ...]:
        """How many of the chosen ones have an amount in each of the currencies."""
        valued = chosen & (self._micros > 0)
        return tuple(int((valued & (self._currency == place)).sum()) for place, _ in self._shown)

    def _sum(self, chosen: NDArray[np.bool_]) -> msgspec.Raw:
        # Python's integers, because those of NumPy have an end.
        return msgspec.Raw(format_amount(sum(self._micros[chosen].tolist())).encode())


def histogram(fraud: NDArray[Any], risk: Values) -> tuple[ScoreBin, ...]:
    """How many honest requests and frauds have which confidence."""
    actual = np.asarray(fraud, dtype=bool)
    bins = np.clip(((1 - risk) * BINS).round(_DIGITS).astype(np.int64), 0, BINS - 1)
    honest = np.bincount(bins[~actual], minlength=BINS)
    frauds = np.bincount(bins[actual], minlength=BINS)
    return tuple((place / BINS, int(honest[place]), int(frauds[place])) for place in range(BINS))


def thresholds(examples: Examples, rows: Rows, risk: Values) -> tuple[Threshold, ...]:
    """What some thresholds would do to these rows, the lowest first."""
    confidence: Values = (1 - risk).round(_DIGITS)
    fraud, values = examples.outcomes(rows) == FRAUD, OrderValues(examples, rows)
    return tuple(
        _threshold(below, confidence < below, fraud, values) for below in _choose(confidence)
    )


def _choose(confidence: Values) -> list[float]:
    """Round numbers that decline up to some shares; requests that score alike stay together."""
    scores, counts = np.unique(confidence, return_counts=True)
    upto = np.cumsum(counts)
    wanted = np.searchsorted(upto, np.array(DECLINED_SHARES) * len(confidence), side="right")
    ends = np.unique(np.maximum(wanted, 1))
    return [
        _shortest(float(scores[end - 1]), float(scores[end])) for end in ends[ends < len(scores)]
    ]


def _shortest(above: float, most: float) -> float:
    """The number with the fewest decimals that is above one score, and not above the next."""
    last = round(most * 10_000)
    numbers = (last // step * step / 10_000 for step in (1000, 100, 10))
    return next((number for number in numbers if number > above), most)


def _threshold(
    below: float, declined: NDArray[np.bool_], fraud: NDArray[np.bool_], values: OrderValues
) -> Threshold:
    stopped, refused = declined & fraud, declined & ~fraud
    count, frauds, honest = int(declined.sum()), int(fraud.sum()), int((~fraud).sum())
    return Threshold(
        below,
        count,
        _share(count, len(fraud)) or 0.0,
        _share(int(stopped.sum()), count) or 0.0,
        _share(int(stopped.sum()), frauds),
        _share(int(refused.sum()), honest),
        values.of(stopped),
        values.of(refused),
        values.count(stopped),
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, _SHARE_DIGITS) if whole else None
