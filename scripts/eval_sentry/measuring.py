"""The figures of every week, and of the weeks after the first ones together.

Weeks are counted from the day of the first request, the first is 1. Card precision is that of the
Fraud Detection Handbook: of the hundred customers that look most risky on a day, how many had a
fraud that day; a customer that was found is left out for the rest of the week.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from statistics import fmean
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.metrics import measure
from gatehouse.training.report.report import Figures
from scripts.eval_sentry.converting import DataError, Known

EVERY: Final = "every request"
UNKNOWN: Final = "without customers known to be compromised, as the Handbook counts"
DAYS: Final = 7
_CARDS_A_DAY: Final = 100
_BOOK_DELAY_DAYS: Final = 7
_BOOK_TRAINING_DAYS: Final = 7

Rows = NDArray[np.bool_]


class Scores(msgspec.Struct, frozen=True, rename="camel"):
    """How good the scores of some requests were."""

    figures: Figures
    card_precision: float | None
    """None without customers."""


class Week(msgspec.Struct, frozen=True, rename="camel"):
    """The scores of one week."""

    number: int
    since: str
    days: int
    """Fewer than seven when the data end in it."""
    scores: Scores


class View(msgspec.Struct, frozen=True, rename="camel"):
    """One way to choose whose requests count."""

    name: str
    weeks: list[Week]
    from_week: int
    to_week: int
    mean: Scores
    """The mean of the figures of these weeks."""
    together: Scores
    """The figures of all requests of these weeks."""


def weeks_of(known: Known) -> int:
    """How many weeks the data have, the last of which may not be whole."""
    return int(known.days[-1]) // DAYS + 1


def choose_from_week(known: Known, wanted: int | None) -> int:
    """From which week on to measure; None: the last quarter. Only whole weeks count."""
    whole = (int(known.days[-1]) + 1) // DAYS
    if not whole:
        raise DataError("the data are shorter than a week: there is nothing to measure")
    if wanted is None:
        return whole - max(whole // 4, 1) + 1
    if wanted > whole:
        raise DataError(
            f"the data have {whole} whole weeks, so week {wanted} cannot be the first to be "
            "measured; see --from-week"
        )
    return wanted


def views(known: Known, risk: NDArray[np.float64], from_week: int) -> Iterator[View]:
    """The figures of all requests, and of those by customers not yet known to be compromised."""
    yield _view(EVERY, known, risk, np.ones(len(risk), dtype=bool), from_week)
    if known.customers is not None:
        yield _view(UNKNOWN, known, risk, not_known(known), from_week)


def not_known(known: Known) -> Rows:
    """Which requests are of customers that are not known to be compromised yet.

    For a week, the book trains on the one that ended seven days before it, and learns of one more
    day every morning. Customers with a fraud in that time are left out. Older frauds are forgotten.
    """
    assert known.customers is not None
    chosen = np.ones(len(known.fraud), dtype=bool)
    fraud_days, defrauded = known.days[known.fraud], known.customers[known.fraud]
    for day in range(int(known.days[-1]) + 1):
        since = day - day % DAYS - _BOOK_DELAY_DAYS - _BOOK_TRAINING_DAYS
        reported = (fraud_days >= since) & (fraud_days < day - _BOOK_DELAY_DAYS)
        begin, end = np.searchsorted(known.days, (day, day + 1))
        chosen[begin:end] = ~np.isin(known.customers[begin:end], defrauded[reported])
    return chosen


def _view(name: str, known: Known, risk: NDArray[np.float64], chosen: Rows, from_week: int) -> View:
    days = int(known.days[-1]) + 1
    weeks = []
    for number in range(1, weeks_of(known) + 1):
        begin = (number - 1) * DAYS
        rows = chosen & (known.days // DAYS == number - 1)
        since = known.first_day + timedelta(days=begin)
        scores = _scores(known, risk, rows)
        weeks.append(Week(number, f"{since:%Y-%m-%d}", min(DAYS, days - begin), scores))
    measured = [week for week in weeks if week.number >= from_week and week.days == DAYS]
    to_week = measured[-1].number
    number_of_week = known.days // DAYS + 1
    rows = chosen & (number_of_week >= from_week) & (number_of_week <= to_week)
    together = Scores(measure(known.fraud[rows], risk[rows]), None)
    return View(name, weeks, from_week, to_week, mean([week.scores for week in measured]), together)


def _scores(known: Known, risk: NDArray[np.float64], rows: Rows) -> Scores:
    fraud, chosen = known.fraud[rows], risk[rows]
    precision = None
    if known.customers is not None:
        precision = card_precision(known.days[rows], known.customers[rows], fraud, chosen)
    return Scores(measure(fraud, chosen), precision)


def mean(several: Sequence[Scores]) -> Scores:
    """The mean of each figure over the weeks that have it; requests and frauds are added up."""
    every = [each.figures for each in several]
    return Scores(
        Figures(
            sum(each.events for each in every),
            sum(each.frauds for each in every),
            _mean([each.auc for each in every]),
            _mean([each.average_precision for each in every]),
            _mean([each.recall_at_1 for each in every]),
            _mean([each.recall_at_5 for each in every]),
            _mean([each.ece for each in every]),
            _mean([each.log_loss for each in every]),
        ),
        _mean([each.card_precision for each in several]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return fmean(given) if given else None


def card_precision(
    days: NDArray[Any],
    users: NDArray[Any],
    fraud: NDArray[Any],
    risk: NDArray[Any],
    k: int = _CARDS_A_DAY,
) -> float:
    """Of the k customers that look most risky each day, the share that had a fraud that day.

    It is the mean over the days. A customer that was found this way is blocked: what follows in the
    same set of requests is not looked at. Customers that were known to be compromised before must
    be left out by the caller, who knows when which label came in.
    """
    names, numbers = np.unique(np.asarray(users), return_inverse=True)
    actual, predicted = np.asarray(fraud, dtype=bool), np.asarray(risk, dtype=np.float64)
    every_day = np.asarray(days)
    blocked = np.zeros(len(names), dtype=bool)
    found = []
    for day in np.unique(every_day):
        here = (every_day == day) & ~blocked[numbers]
        highest = np.full(len(names), -np.inf)
        np.maximum.at(highest, numbers[here], predicted[here])
        compromised = np.zeros(len(names), dtype=bool)
        compromised[numbers[here & actual]] = True
        top = np.argsort(-highest, kind="stable")[:k]
        caught = top[compromised[top]]
        blocked[caught] = True
        found.append(len(caught) / k)
    return float(np.mean(found)) if found else 0.0
