"""One table for each data set: Sentry beside simpler and unexplained ways, with intervals."""

from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scripts.eval_sentry.baselines import BOOSTING, REGRESSION, fitted_risks
from scripts.eval_sentry.converting import DataSet, Goal, Known
from scripts.eval_sentry.measuring import DAYS, not_known
from scripts.eval_sentry.running import Replayed

RETRAINED: Final = "Sentry, retrained weekly"
UNTOLD: Final = "shipped scorecard, nothing told"
SHIPPED: Final = "shipped scorecard, labels told"
PLAIN: Final = "plain sum of reputations"
TRUTH: Final = "the true chances"
_DRAWS: Final = 200
_MOST_DRAWN: Final = 60_000_000
"""Requests times draws: of very many requests fewer draws say as much."""
_FEWEST_DRAWS: Final = 40
_SHIPPED_GOAL: Final = Goal(auc=0.80)
_BEHIND_FITTED: Final = 0.01
"""So far Sentry may be behind models that need not explain themselves."""

Values = NDArray[np.float64]
Spread = tuple[float, float]


class Compared(msgspec.Struct, frozen=True, rename="camel"):
    """One way to score the requests of the measured weeks."""

    name: str
    auc: float
    auc_interval: Spread
    average_precision: float
    average_precision_interval: Spread
    goal: Goal | None = None
    """None where nothing is aimed at."""


def compare(data_set: DataSet, replayed: Replayed, known: Known, weeks: range) -> list[Compared]:
    """Sentry and the others on the requests of the same weeks."""
    of_week = known.days // DAYS + 1
    rows = (of_week >= weeks[0]) & (of_week <= weeks[-1])
    if data_set.beside_unknown:
        rows &= not_known(known)
    if not 0 < known.fraud[rows].sum() < rows.sum():
        return []
    return with_goals(
        [
            compared(name, known.fraud[rows], risks[rows])
            for name, risks in _ways(replayed, known, weeks)
        ],
        data_set.goal,
    )


def with_goals(rows: list[Compared], goal: Goal) -> list[Compared]:
    """What Sentry should reach: its goal, the plain sum, and nearly what fitted models reach."""
    aims = [goal]
    for row in rows:
        behind = _BEHIND_FITTED if row.name in (REGRESSION, BOOSTING) else 0.0
        if row.name in (PLAIN, REGRESSION, BOOSTING):
            aims.append(Goal(row.auc - behind, row.average_precision - behind))
    goals = {
        RETRAINED: Goal(*(max(each) for each in zip(*aims, strict=True))),
        SHIPPED: _SHIPPED_GOAL,
    }
    return [msgspec.structs.replace(row, goal=goals.get(row.name)) for row in rows]


def _ways(replayed: Replayed, known: Known, weeks: range) -> Iterator[tuple[str, Values]]:
    yield UNTOLD, replayed.untold
    yield SHIPPED, replayed.shipped
    yield RETRAINED, replayed.risk
    yield PLAIN, replayed.plain
    for name in (REGRESSION, BOOSTING):
        yield name, fitted_risks(name, replayed.matrix, known, weeks)
    if known.chances is not None:
        yield TRUTH, known.chances


def compared(name: str, fraud: NDArray[np.bool_], risk: Values, seed: int = 1) -> Compared:
    """The figures with the intervals in which 95 of 100 draws of the requests put them."""
    order = np.argsort(-risk, kind="stable")
    actual, ordered = fraud[order].astype(np.float64), risk[order]
    ends = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
    area, precision = _figures(actual, np.ones(len(actual)), ends)
    dice = np.random.default_rng(seed)
    draws = max(min(_DRAWS, _MOST_DRAWN // len(actual)), _FEWEST_DRAWS)
    drawn = []
    for _ in range(draws):
        # So often a request comes in a draw of as many, with replacement.
        times = dice.poisson(1.0, len(actual)).astype(np.float64)
        if 0 < times @ actual < times.sum():
            drawn.append(_figures(actual, times, ends))
    low, high = np.quantile(np.array(drawn), (0.025, 0.975), axis=0)
    return Compared(
        name, area, (float(low[0]), float(high[0])), precision, (float(low[1]), float(high[1]))
    )


def _figures(actual: Values, weights: Values, ends: NDArray[np.int64]) -> tuple[float, float]:
    """Area under the curve and average precision of weighted requests, the riskiest first."""
    frauds = np.cumsum(weights * actual)[ends]
    others = np.cumsum(weights * (1 - actual))[ends]
    recall, alarms = frauds / frauds[-1], others / others[-1]
    caught, raised = np.concatenate(([0.0], recall)), np.concatenate(([0.0], alarms))
    area = float(np.sum(np.diff(raised) * (caught[1:] + caught[:-1]) / 2))
    precision = frauds / np.maximum(frauds + others, 1e-9)
    return area, float(np.sum(np.diff(recall, prepend=0.0) * precision))


def lines(title: str, rows: list[Compared]) -> Iterator[str]:
    """The table for people."""
    yield f"\n  {title} (with 95 % intervals)"
    yield f"  {'':<34}{'AUC':<26}{'goal':<15}{'AP':<26}goal"
    for row in rows:
        goal = row.goal or Goal()
        area = f"{row.auc:.4f} {_shown(row.auc_interval)}"
        precision = f"{row.average_precision:.4f} {_shown(row.average_precision_interval)}"
        aims = _met(row.auc, goal.auc), _met(row.average_precision, goal.average_precision)
        yield f"  {row.name:<34}{area:<26}{aims[0]:<15}{precision:<26}{aims[1]}".rstrip()


def _met(figure: float, goal: float) -> str:
    return f"{goal:.3f} {'met' if figure >= goal else 'NOT MET'}" if goal else ""


def _shown(interval: Spread) -> str:
    return f"({interval[0]:.4f}-{interval[1]:.4f})"
