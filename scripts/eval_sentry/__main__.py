"""Measures how well Sentry finds people who try out stolen cards, and how well it learns.

    make eval-sentry
    make eval-sentry DATA=DIR
    make eval-sentry DATA=DIR ARGS="--only handbook --quick"

The attacks are made up from a seed, need no data, and meet the scorecard that ships, without any
label; see card_testing.py for what is assumed of attackers and shop.py of honest customers. How
well Sentry learns is measured on labelled data that others published.

DIR holds the files of one or more data sets, as they are called here:

    handbook_*.parquet                                  simulated card transactions
    bnp_products_*.csv.gz, bnp_baskets_*labels*.csv.gz  baskets
    fraudecom_*.csv.gz                                  purchases

Each set is written as JSON Lines and replayed as by `gatehouse sentry replay`, with nothing learned
before. A request is scored with what was known when it came: its label, and that of every other
request, becomes known seven days after the request. It then counts for the reputation of what the
request touched, and for the next scorecard, which is fitted every seven days. So the scorecard of a
week has seen nothing of that week, nor of the week before, and a reputation is a week behind.

For each week, and over all whole weeks from --from-week on: area under the curve (AUC), average
precision (AP), card precision of a hundred customers a day (CP@100), the share of fraud that is
found when 1 % and 5 % of honest requests are suspected (TPR), and the calibration error (ECE).

Beside that stand other ways to score the same requests, with 95 % intervals: the shipped scorecard
that nothing is told, the same with labels told and nothing trained, the plain sum of reputations,
and logistic regression and gradient boosted trees on what Sentry measured, fitted every week.
"""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from scripts.eval_sentry.attacking import FULL, QUICK, AttackResult
from scripts.eval_sentry.attacking import evaluate as evaluate_attacks
from scripts.eval_sentry.comparing import compare
from scripts.eval_sentry.converting import DATA_SETS, DataError, DataSet, convert
from scripts.eval_sentry.measuring import choose_from_week, views
from scripts.eval_sentry.outcomes import as_text as as_outcomes
from scripts.eval_sentry.outcomes import learn_outcome_scores
from scripts.eval_sentry.reporting import (
    Result,
    all_as_text,
    as_json,
    as_text,
    attacks_as_text,
    result_of,
)
from scripts.eval_sentry.running import replay_once
from scripts.eval_sentry.streams import STREAMS

ATTACKS: Final = "attacks"
OUTCOMES: Final = "outcomes"
STREAMS_ALONE: Final = "streams"
DATA_SETS_BY_NAME: Final = frozenset(each.name for each in DATA_SETS)
SEED: Final = 11
"""Another one than those with which signals and effects were chosen, which were 1 to 3."""
QUICK_WEEKS: Final = 4
QUICK_FROM_WEEK: Final = 3
"""The first week that begins with a scorecard of its own: labels are a week late."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = read_options(arguments)
    folder, only = options.data, options.only
    streams = [each for each in STREAMS if only in (None, STREAMS_ALONE, each.name)]
    needs_data = only is None or only in DATA_SETS_BY_NAME
    if needs_data and folder is None:
        needs = "data that others published are in a folder: make eval-sentry DATA=DIR"
        if only is not None:
            return _fail(needs)
        print(f"{needs}; there is none, so what is made up is measured", file=sys.stderr)
    if folder is not None and not folder.is_dir():
        return _fail(f"{folder} is not a folder: make eval-sentry DATA=DIR")
    found = [] if folder is None or not needs_data else list(find(folder, only))
    if folder is not None and needs_data and not found:
        return _fail(f"{folder} has nothing to measure; python -m scripts.eval_sentry --help")
    found += [(each, each.find(Path())) for each in streams]
    try:
        with place_for_files(options.keep) as place:
            work: list[Callable[[], Any]] = [
                partial(evaluate, data_set, files, place, options) for data_set, files in found
            ]
            says: list[Callable[[Any], str]] = [as_text] * len(work)
            if only in (None, OUTCOMES) and not options.json:
                work.append(partial(learn_outcome_scores, place))
                says.append(as_outcomes)
            if only in (None, ATTACKS):
                work.append(partial(measure_attacks, options))
                says.append(attacks_as_text)
            done = []
            for result, say in zip(all_done(work, options.jobs), says, strict=True):
                done.append(result)
                if not options.json:
                    print(f"{say(result)}\n", flush=True)
    except DataError as error:
        return _fail(str(error))
    results = done[: len(found)]
    if options.json:
        print(as_json(results, done[-1] if only in (None, ATTACKS) else None))
    elif len(results) > 1:
        print(all_as_text(results))
    return 0


def all_done(work: Sequence[Callable[[], Any]], jobs: int) -> Iterator[Any]:
    """What each piece of work comes to, in order; several are done at once with several jobs."""
    if jobs == 1:
        yield from (each() for each in work)
        return
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        futures = [pool.submit(each) for each in work]
        yield from (each.result() for each in futures)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.eval_sentry",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("data", type=Path, nargs="?", help="folder with the files of data sets")
    names = [ATTACKS, OUTCOMES, STREAMS_ALONE, *(each.name for each in (*STREAMS, *DATA_SETS))]
    parser.add_argument(
        "--only",
        choices=names,
        help="the attacks, the scores of outcomes, the streams, or one data set alone",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"the first {QUICK_WEEKS} weeks alone, and attacks on a small shop",
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"of the attacks (default: {SEED})"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes that measure (default: 1)"
    )
    parser.add_argument(
        "--from-week",
        type=_week,
        metavar="N",
        help="week from which on the figures count, the first is 1\n"
        "(default: 10; bnp: the last quarter; --quick: 3)",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the requests in this folder"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    return parser.parse_args(arguments)


def _week(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("the first week is 1")
    return number


def measure_attacks(options: argparse.Namespace) -> AttackResult:
    """Put the attacks before Sentry."""
    print("attacks: making up a shop and those who attack it", file=sys.stderr, flush=True)
    return evaluate_attacks(options.seed, QUICK if options.quick else FULL)


def find(folder: Path, only: str | None) -> Iterator[tuple[DataSet, list[list[Path]]]]:
    """The data sets that a folder has all files of; says which are left out."""
    for data_set in DATA_SETS:
        if only not in (None, data_set.name):
            continue
        try:
            yield data_set, data_set.find(folder)
        except DataError as error:
            print(f"{error}; left out", file=sys.stderr)


def evaluate(
    data_set: DataSet, files: list[list[Path]], place: Path, options: argparse.Namespace
) -> Result:
    """Convert, replay and measure one data set."""
    requests = place / f"{data_set.name}.jsonl.gz"
    print(f"{data_set.name}: writing {requests}", file=sys.stderr, flush=True)
    try:
        known = convert(data_set.read(files), requests, QUICK_WEEKS if options.quick else None)
        usual = QUICK_FROM_WEEK if options.quick else data_set.from_week
        from_week = choose_from_week(known, options.from_week or usual)
    except DataError as error:
        raise DataError(f"{data_set.name}: {error}") from None
    print(f"{data_set.name}: replaying", file=sys.stderr, flush=True)
    replayed = replay_once(requests)
    every = list(views(known, replayed.risk, from_week))
    print(f"{data_set.name}: beside others", file=sys.stderr, flush=True)
    rows = compare(data_set, replayed, known, range(from_week, every[0].to_week + 1))
    return result_of(data_set, known, replayed.pace, every, rows)


@contextlib.contextmanager
def place_for_files(keep: Path | None) -> Iterator[Path]:
    """Where requests are written: a folder to keep, or one that goes away."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="gatehouse-eval-") as folder:
            yield Path(folder)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write to {keep}: {error.strerror}") from None
    yield keep


def _fail(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
