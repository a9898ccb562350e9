"""Examples: the features of many requests, with their times, labels and amounts.

Most features say nothing about most requests. So only measured values are held, one request after
the other, in a few plain arrays; millions of requests fit into the memory of a small machine.
"""

import copy
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.training.entity_rows import EntityRows

UNKNOWN: Final = -1
LEGITIMATE: Final = 0
FRAUD: Final = 1

KINDS: Final = tuple(ScoredOutcome)
NO_KIND: Final = -1
"""Of a legitimate request, and of one of which nothing is known."""

_AT_ONCE: Final = 16_384
_MOST_UNITS: Final = 1e12
"""Nobody pays more by card in any currency."""
_MOST_CURRENCIES: Final = 256

Rows = NDArray[np.int64]
Paid = tuple[float, str]
"""An amount in units of a currency."""
Values = NDArray[np.float64]


class Examples:
    """Requests as they were measured, in the order in which they were added.

    ``at_s`` and ``labels`` may be read. A NumPy array must be a copy of them, because an array
    cannot grow while another one shares its memory.
    """

    __slots__ = (
        *("_columns", "_currency", "_micros", "_places", "_starts", "_values"),
        *("at_s", "codes", "currencies", "doubtful", "entities", "kinds", "known_s", "labels"),
    )

    def __init__(self, codes: Sequence[str]) -> None:
        self.codes: Final = tuple(codes)
        self.at_s: Final = array("d")
        self.labels = array("b")
        self.kinds = array("b")
        """Which outcome a request had, as its place among `KINDS`; `NO_KIND` for any other."""
        self.known_s: Final = array("d")
        """Since when the label of a request is known."""
        self.doubtful: Final = array("b")
        """Whether a request without a complaint must not count as legitimate."""
        self.entities: Final = EntityRows()
        self.currencies: Final[list[str]] = []
        """Those that amounts are in."""
        self._micros: Final = array("q")
        self._currency: Final = array("B")
        self._places: Final = {code: place for place, code in enumerate(self.codes)}
        # The measurements of all requests, one after the other: of which feature, and the value.
        self._columns: Final = array("B" if len(self.codes) <= 256 else "H")
        self._values: Final = array("d")
        self._starts: Final = array("q", [0])

    def __len__(self) -> int:
        return len(self.at_s)

    def add(
        self,
        at_s: float,
        values: Mapping[str, float],
        *,
        doubtful: bool = False,
        paid: Paid | None = None,
        entities: Iterable[tuple[object, str]] = (),
    ) -> int:
        """Append a request; the number of its row. Unknown codes are left out."""
        places = self._places
        try:
            columns = array(self._columns.typecode, [places[code] for code in values])
        except KeyError:
            known = {code: values[code] for code in values if code in places}
            return self.add(at_s, known, doubtful=doubtful, paid=paid, entities=entities)
        numbers = array("d", values.values())
        self.at_s.append(at_s)
        self.labels.append(UNKNOWN)
        self.kinds.append(NO_KIND)
        self.known_s.append(at_s)
        self.doubtful.append(doubtful)
        micros, currency = (0, 0) if paid is None else self._amount(*paid)
        self._micros.append(micros)
        self._currency.append(currency)
        self._columns.extend(columns)
        self._values.extend(numbers)
        self._starts.append(len(self._values))
        self.entities.add(entities)
        return len(self.at_s) - 1

    def set_label(
        self,
        row: int,
        fraud: bool | None,
        known_s: float | None = None,
        outcome: ScoredOutcome | None = None,
    ) -> None:
        """Set the label of a request; None when it has none, or no longer.

        `known_s` is since when the label is known; None stands for the time of the request.
        """
        self.labels[row] = UNKNOWN if fraud is None else FRAUD if fraud else LEGITIMATE
        self.kinds[row] = NO_KIND if outcome is None else KINDS.index(outcome)
        self.known_s[row] = self.at_s[row] if known_s is None else known_s

    def with_labels(
        self, labels: NDArray[np.int8], kinds: NDArray[np.int8] | None = None
    ) -> "Examples":
        """The same requests with other labels; both share the rest."""
        other = copy.copy(self)
        other.labels = array("b", labels.tobytes())
        if kinds is not None:
            other.kinds = array("b", kinds.tobytes())
        return other

    def forget_before(self, at_s: float) -> int:
        """Drop the oldest rows, where rows were added in order of time; how many."""
        count = bisect_left(self.at_s, at_s)
        first = self._starts[count]
        for of_rows in (self.at_s, self.labels, self.kinds, self.known_s, self.doubtful):
            del of_rows[:count]
        del self._micros[:count], self._currency[:count]
        del self._columns[:first], self._values[:first]
        self.entities.forget(count)
        self._starts[:] = array("q", (np.array(self._starts[count:]) - first).tobytes())
        return count

    def times(self, rows: Rows) -> Values:
        """When the requests of these rows were."""
        times: Values = np.frombuffer(self.at_s)[rows] if len(self) else np.empty(0)
        return times

    def outcomes(self, rows: Rows) -> NDArray[np.int8]:
        """What became of the requests of these rows: -1 unknown, 0 legitimate, 1 fraud."""
        if not len(self):
            return np.empty(0, np.int8)
        outcomes: NDArray[np.int8] = np.frombuffer(self.labels, np.int8)[rows]
        return outcomes

    def amounts(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """What each of these rows is about in millionths, and the place of its currency.

        Of a row without an amount both are 0.
        """
        if not len(self):
            return np.empty(0, np.int64), np.empty(0, np.uint8)
        micros: NDArray[np.int64] = np.frombuffer(self._micros, np.int64)[rows]
        return micros, np.frombuffer(self._currency, np.uint8)[rows]

    def _amount(self, units: float, currency: str) -> tuple[int, int]:
        known = self.currencies
        if not 0 < units < _MOST_UNITS:
            return 0, 0
        if currency not in known:
            if len(known) == _MOST_CURRENCIES:
                return 0, 0
            known.append(currency)
        # A whole number of units stays exact.
        whole = int(units)
        micros = whole * MICROS_PER_UNIT + round((units - whole) * MICROS_PER_UNIT)
        return micros, known.index(currency)

    def matrix(self, rows: Rows) -> Values:
        """The measurements of these rows, a column for each code; NaN where there is none."""
        found = np.full((len(rows), len(self.codes)), np.nan)
        for start in range(0, len(rows), _AT_ONCE):
            self._fill(found[start : start + _AT_ONCE], rows[start : start + _AT_ONCE])
        return found

    def pieces(self, rows: Rows) -> Iterator[tuple[slice, Values]]:
        """The same matrix in pieces that are never large, each with its place."""
        for start in range(0, len(rows), _AT_ONCE):
            place = slice(start, min(start + _AT_ONCE, len(rows)))
            yield place, self.matrix(rows[place])

    def _fill(self, into: Values, rows: Rows) -> None:
        if not len(self._values):
            return
        starts = np.frombuffer(self._starts, np.int64)
        first = starts[rows]
        counts = starts[rows + 1] - first
        # For each measurement of these rows: the row here, and where it lies among all.
        here = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        there = np.arange(len(here)) - before[here] + first[here]
        columns = np.frombuffer(self._columns, np.dtype(self._columns.typecode))[there]
        into[here, columns] = np.frombuffer(self._values)[there]
