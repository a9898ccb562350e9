"""Requests of a merchant that never was, and reports made by hand."""

import math
import random
from typing import Any

from gatehouse.training.report.report import (
    Curves,
    Figures,
    ModelComparison,
    ModelReport,
    ReportPeriod,
    TermShape,
)

_DAWN = "T00:00:00.000Z"


def figures(
    auc: float | None, average_precision: float | None, frauds: int = 60, ece: float = 0.01
) -> Figures:
    return Figures(2000, frauds, auc, average_precision, 0.5, 0.75, ece, 0.1)


def report(**changes: Any) -> ModelReport:
    """An ordinary report, with some of its fields changed."""
    curves = Curves(
        ((0.001, 0.0, 500), (0.01, 0.012, 1000), (0.1, 0.09, 400), (0.6, 0.5, 100)),
        ((0.9, 1.0, 0.1), (0.5, 0.8, 0.5), (0.1, 0.3, 0.9), (0.001, 0.03, 1.0)),
        ((0.0, 10, 40), (0.5, 1930, 20)),
    )
    made: dict[str, Any] = {
        "method": "ebm",
        "since": "2026-01-01" + _DAWN,
        "until": "2026-05-01" + _DAWN,
        "label_delay_ms": 30 * 86_400_000,
        "records": 10_000,
        "frauds": 300,
        "presumed": 8000,
        "training": ReportPeriod("2026-01-01" + _DAWN, "2026-03-07" + _DAWN, 6000, 180),
        "holdout": ReportPeriod("2026-04-06" + _DAWN, "2026-05-01" + _DAWN, 2000, 60),
        "figures": ModelComparison(figures(0.9, 0.6), figures(0.7, 0.2)),
        "current_version": "prior-2",
        "terms": (
            TermShape("IP_VPN", (0.5,), (0.0, -0.7), 900, "learned", (0.0, 1.0)),
            TermShape("PACE", (1, 5, 50), (0.2, 0, -1, -2), 9000, "learned", (0.5, 0.3, 0.1, 0.1)),
            TermShape("IP_TOR_EXIT", (0.5,), (0.0, -2.0), 3, "shipped", (0.0, 1.0)),
        ),
        "candidate": curves,
        "current": curves,
    }
    return ModelReport(**made | changes)


def merchant(
    requests: int, seed: int = 1, rate: float = -4.2
) -> list[tuple[dict[str, float], bool]]:
    """What was measured in each of a merchant's requests, and whether it was fraud.

    Many honest customers come from data centres here, which the shipped scorecard does not expect.
    """
    dice = random.Random(seed)
    made = []
    for _ in range(requests):
        signals = {"ORDER_PLAUSIBLE": 1.0, "VEL_IP_EVENTS": round(dice.expovariate(0.4), 4)}
        signals |= {"UA_CURRENT": 1.0} if dice.random() < 0.7 else {"UA_OUTDATED": 400.0}
        if dice.random() < 0.3:
            signals["IP_HOSTING"] = 1.0
        if dice.random() < 0.1:
            signals["IP_VPN"] = 1.0
        if dice.random() < 0.5:
            signals["ORDER_AMOUNT_HIGH"] = round(dice.lognormvariate(0.5, 0.8), 4)
        risk = rate + 0.25 * signals["VEL_IP_EVENTS"] - 0.8 * signals.get("IP_HOSTING", 0)
        risk += 2.5 * signals.get("IP_VPN", 0) + 0.4 * signals.get("ORDER_AMOUNT_HIGH", 0)
        made.append((signals, dice.random() < 1 / (1 + math.exp(-risk))))
    return made
