"""Says what was measured: as tables for people, or as JSON."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from scripts.eval_sentry.attacking import FREE_TRIES, AttackResult, Judged
from scripts.eval_sentry.comparing import Compared
from scripts.eval_sentry.comparing import lines as compared_lines
from scripts.eval_sentry.converting import DataSet, Known
from scripts.eval_sentry.measuring import DAYS, Scores, View
from scripts.eval_sentry.running import Pace

HEADINGS = ("requests", "frauds", "AUC", "AP", "CP@100", "TPR@1%", "TPR@5%", "ECE")
FOUND_AT_LEAST = 0.97
HARMED_AT_MOST = 0.01
_NAME_WIDTH = 34


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """All about one data set."""

    name: str
    title: str
    notes: tuple[str, ...]
    requests: int
    frauds: int
    replay: Pace
    views: list[View]
    beside: list[Compared] = []
    """Sentry beside other ways, on the requests of the measured weeks."""


def result_of(
    data_set: DataSet,
    known: Known,
    replay: Pace,
    views: Iterable[View],
    beside: Sequence[Compared] = (),
) -> Result:
    """Bring together everything that is reported about a data set."""
    return Result(
        data_set.name,
        data_set.title,
        data_set.notes,
        len(known.fraud),
        int(known.fraud.sum()),
        replay,
        list(views),
        list(beside),
    )


def as_text(result: Result) -> str:
    """The tables of a data set."""
    return "\n".join(_lines(result))


def as_json(results: list[Result], attacks: AttackResult | None) -> str:
    """All that was measured."""
    measured = {"dataSets": results, "attacks": attacks}
    return msgspec.json.format(msgspec.json.encode(measured)).decode()


def attacks_as_text(result: AttackResult) -> str:
    """The tables of the attacks."""
    return "\n".join(_attack_lines(result))


def _attack_lines(result: AttackResult) -> Iterator[str]:
    yield (
        f"Card testing, made up (seed {result.seed}): a shop of {result.customers:,} customers "
        f"and their orders of {result.days} days, then the attacks, each by itself"
    )
    yield (
        f"  Found and harmed: below {result.threshold}, where the starter rules decline. The first "
        f"{FREE_TRIES} tries of an attack do not count."
    )
    for used in result.uses:
        yield f"\n  {used.what}"
        yield _attack_line("attack", ("tries", "found", "bar", "honest", "harmed", "bar"))
        for judged in (*used.attacks, used.together, used.before):
            yield _attack_line(judged.name, _attack_cells(judged)) + f"   {judged.what}"


def _attack_line(name: str, cells: Iterable[str]) -> str:
    return f"  {name:<16}" + "".join(f"{cell:>10}" for cell in cells)


def _attack_cells(judged: Judged) -> tuple[str, ...]:
    harmed = judged.harmed / judged.honest if judged.honest else 0.0
    honest = (f"{judged.honest:,}", f"{harmed:.2%}", _met(harmed <= HARMED_AT_MOST))
    if not judged.tries:
        return ("-", "-", "-", *honest)
    found = judged.found / judged.tries
    return (f"{judged.tries:,}", f"{found:.2%}", _met(found >= FOUND_AT_LEAST), *honest)


def _met(met: bool) -> str:
    return "met" if met else "NOT MET"


def _lines(result: Result) -> Iterator[str]:
    share = result.frauds / result.requests
    yield f"{result.title}: {result.requests:,} requests, {share:.2%} fraud"
    yield from (f"  {note}" for note in result.notes)
    for view in result.views:
        yield f"\n  {view.name}"
        yield _line("week", HEADINGS)
        for week in view.weeks:
            partly = "" if week.days == DAYS else f" ({week.days} of {DAYS} days)"
            yield _line(f"{week.number:>4}  {week.since}{partly}", _cells(week.scores))
        yield _line(f"mean of weeks {view.from_week} to {view.to_week}", _cells(view.mean))
        yield _line("their requests together", _cells(view.together))
    if result.beside:
        yield from compared_lines(_title(result), result.beside)
    yield f"\n  {_pace(result.replay)}"


def all_as_text(results: Iterable[Result]) -> str:
    """One table of all data sets: Sentry beside other ways."""
    found = [line for each in results for line in compared_lines(_title(each), each.beside)]
    return "\n".join(["All data sets, Sentry beside other ways", *found])


def _title(result: Result) -> str:
    view = result.views[0]
    return f"{result.name} beside others, weeks {view.from_week} to {view.to_week}"


def _pace(pace: Pace) -> str:
    return (
        f"replayed in {pace.seconds:,.0f} s of processor time, "
        f"{pace.requests_per_second:,.0f} requests per second; "
        f"new scorecards: {pace.retrainings}; put off for want of labels: {pace.skipped}"
    )


def _line(name: str, cells: Iterable[str]) -> str:
    return f"  {name:<{_NAME_WIDTH}}" + "".join(f"{cell:>10}" for cell in cells)


def _cells(scores: Scores) -> tuple[str, ...]:
    figures = scores.figures
    shares = (figures.auc, figures.average_precision, scores.card_precision)
    more = (figures.recall_at_1, figures.recall_at_5, figures.ece)
    return (
        f"{figures.events:,}",
        f"{figures.frauds:,}",
        *("-" if share is None else f"{share:.4f}" for share in (*shares, *more)),
    )
