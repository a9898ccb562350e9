"""Compares the recorded scores of a model in shadow with those of the one in force.

Counted on the columns of decisions, by thresholds and by scores in ten-thousandths, so that it
takes as long with many decisions as with few scores.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.workspace import quoted
from gatehouse.sentry.score_mapping import PARTS, threshold_parts
from gatehouse.sentry.shadow import SHADOW_CONFIDENCE
from gatehouse.training.report.report import Figures, ModelComparison, ThresholdInUse
from gatehouse.training.report.trial import NEAR_PARTS, ModelTrial, ThresholdTrial, TrialShift

_SCORES: Final = tuple(
    f"round({quoted(name)} * {PARTS})::INTEGER"
    for name in ("sentry.requestConfidence", SHADOW_CONFIDENCE)
)


class _ScoreCount(NamedTuple):
    """How many requests have one score, and what is known of them."""

    parts: int
    requests: int
    frauds: int
    legitimate: int


def try_shadow(
    columns: AccountColumns,
    since_ms: int,
    until_ms: int,
    in_use: Sequence[ThresholdInUse],
) -> ModelTrial:
    """What the model in shadow said of the requests of a span, beside the one in force."""
    live, beside = _SCORES
    cuts = [threshold_parts(each.threshold) for each in in_use]
    places = [" + ".join([f"(now >= {cut})::INTEGER" for cut in sorted({*cuts})]) or "0"]
    places.append(places[0].replace("now", "shadow"))
    shifts = [f"{places[1]} < {places[0]}", f"{places[1]} > {places[0]}"]
    shifts += [each for cut in cuts for each in _moved(cut)]
    rows = (
        f"(SELECT {live} AS now, {beside} AS shadow, fraud FROM {DECISIONS} "  # noqa: S608
        f"WHERE id_ms >= {since_ms} AND id_ms < {until_ms} AND {beside} IS NOT NULL "
        f"AND {live} IS NOT NULL)"
    )
    with columns.reading() as asking:
        [(requests, labelled, frauds, near, *counts)] = asking.ask(
            "SELECT count(*), count(fraud), count(*) FILTER (WHERE fraud), "  # noqa: S608
            f"count(*) FILTER (WHERE abs(now - shadow) <= {NEAR_PARTS}), "
            f"{', '.join(map(_counted, shifts))} FROM {rows}"
        )
        before, after = (_by_score(asking, rows, name) for name in ("now", "shadow"))
    moved = [TrialShift(*counts[place : place + 3]) for place in range(0, len(counts), 3)]
    thresholds = [
        ThresholdTrial(
            one,
            before=_share(_below(before, cut), requests),
            after=_share(_below(after, cut), requests),
            newly_below=moved[2 + 2 * place],
            no_longer_below=moved[3 + 2 * place],
            equal_share=_equal_share(after, _below(before, cut)) / PARTS,
        )
        for place, (one, cut) in enumerate(zip(in_use, cuts, strict=True))
    ]
    return ModelTrial(
        requests=requests,
        labelled=labelled,
        frauds=frauds,
        agreement=_share(near, requests),
        stricter=moved[0],
        milder=moved[1],
        figures=ModelComparison(_figures(after), _figures(before)),
        thresholds=tuple(thresholds),
        since_ms=since_ms,
        until_ms=until_ms,
        recorded=True,
    )


def _moved(cut: int) -> tuple[str, str]:
    """Which requests come below a threshold, and which are no longer below it."""
    return f"now >= {cut} AND shadow < {cut}", f"now < {cut} AND shadow >= {cut}"


def _counted(wanted: str) -> str:
    kinds = ("", " AND fraud", " AND NOT fraud")
    return ", ".join(f"count(*) FILTER (WHERE ({wanted}){each})" for each in kinds)


def _by_score(asking: ColumnConnection, rows: str, score: str) -> list[_ScoreCount]:
    found = asking.ask(
        f"SELECT {score}, count(*), count(*) FILTER (WHERE fraud), "  # noqa: S608
        f"count(*) FILTER (WHERE NOT fraud) FROM {rows} GROUP BY 1 ORDER BY 1"
    )
    return [_ScoreCount(*each) for each in found]


def _below(counts: Iterable[_ScoreCount], cut: int) -> int:
    return sum(each.requests for each in counts if each.parts < cut)


def _equal_share(counts: Sequence[_ScoreCount], wanted: int) -> int:
    """The threshold below which nearest to so many of the requests are."""
    passed = 0
    for each in counts:
        if passed + each.requests > wanted:
            is_near = wanted - passed <= passed + each.requests - wanted
            return each.parts if is_near else each.parts + 1
        passed += each.requests
    return counts[-1].parts + 1 if counts else 0


def _figures(counts: Sequence[_ScoreCount]) -> Figures | None:
    """How well scores tell fraud from honest requests, as far as it is known of them."""
    frauds, honest = (sum(each[kind] for each in counts) for kind in (2, 3))
    if not frauds + honest:
        return None
    if not frauds or not honest:
        return Figures(frauds + honest, frauds, None, None, None, None, None, None)
    caught = alarms = 0
    area = precision = 0.0
    for each in counts:
        # The lowest confidence comes first; equal scores count half for each other.
        area += each.legitimate * (caught + each.frauds / 2)
        caught, alarms = caught + each.frauds, alarms + each.legitimate
        if each.frauds:
            precision += each.frauds / frauds * caught / (caught + alarms)
    area /= frauds * honest
    return Figures(frauds + honest, frauds, area, precision, None, None, None, None)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0
