"""Streams that are made up, and the table that puts Sentry beside other ways."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scripts.eval_sentry import __main__ as command
from scripts.eval_sentry.baselines import (
    BOOSTING,
    DAY_S,
    REGRESSION,
    PlainSum,
    fitted_risks,
)
from scripts.eval_sentry.comparing import (
    PLAIN,
    RETRAINED,
    SHIPPED,
    TRUTH,
    UNTOLD,
    Compared,
    compare,
    compared,
    lines,
    with_goals,
)
from scripts.eval_sentry.converting import Event, Goal, Known, convert
from scripts.eval_sentry.running import Replayed, replay_once
from scripts.eval_sentry.streams import STREAMS, cold_start, shared, waves

from gatehouse.training.metrics import measure


@pytest.mark.parametrize("make", [waves, shared, cold_start])
def test_a_stream_is_the_same_for_the_same_seed_and_in_order_of_time(
    make: Callable[[int], Iterator[Event]],
) -> None:
    one, again, other = (list(islice(make(seed), 600)) for seed in (1, 1, 2))
    assert one == again != other
    assert [event.at for event in one] == sorted(event.at for event in one)


def test_each_stream_has_what_it_is_for() -> None:
    assert {each.name for each in STREAMS} == {"waves", "shared", "cold-start"}
    assert 20 < sum(event.fraud for event in cold_start(5)) < 80
    made = list(islice(shared(5), 4000))
    chances, frauds = [event.chance or 0.0 for event in made], [event.fraud for event in made]
    assert sum(chances) == pytest.approx(sum(frauds), rel=0.3)
    assert (measure(np.array(frauds), np.array(chances)).auc or 0) > 0.8


def test_the_plain_sum_knows_a_label_a_week_later() -> None:
    plain = PlainSum()
    assert plain.score(0, ["card"], True) == 0
    assert plain.score(6 * DAY_S, ["card"], False) == 0
    after = plain.score(8 * DAY_S, ["card"], False)
    assert after > 1
    both = plain.score(8 * DAY_S, ["card", "other"], False)
    assert both == pytest.approx(after)


def test_a_figure_lies_within_its_interval() -> None:
    dice = np.random.default_rng(1)
    fraud = dice.random(4000) < 0.1
    risk = np.round(fraud * 0.3 + dice.random(4000), 2)
    row, exact = compared("x", fraud, risk), measure(fraud, risk)
    assert row.auc == pytest.approx(exact.auc)
    assert row.average_precision == pytest.approx(exact.average_precision)
    assert row.auc_interval[0] < row.auc < row.auc_interval[1] < row.auc_interval[0] + 0.1
    assert row.average_precision_interval[0] < row.average_precision
    assert compared("x", fraud, risk) == row
    [_, _, line] = lines("beside others", [row])
    assert f"{row.auc:.4f}" in line


Small = tuple[Path, Known, Replayed]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    path = tmp_path_factory.mktemp("stream") / "requests.jsonl.gz"
    known = convert(shared(5, days=35, orders_a_day=60), path)
    return path, known, replay_once(path)


def test_one_replay_tells_what_each_way_finds_in_one_of_its_own(small: Small) -> None:
    path, _, replayed = small
    told = replay_once(path, every_days=None)
    assert np.array_equal(replayed.shipped, told.risk)
    assert np.array_equal(replayed.matrix, told.matrix, equal_nan=True)
    assert replayed.pace.retrainings > 0 == told.pace.retrainings
    untold = replay_once(path, every_days=None, delay_days=10_000)
    # Trust in a user is as it was told, which few orders have anything of.
    assert np.mean(replayed.untold == untold.risk) > 0.99


def test_sentry_stands_beside_the_others_on_the_same_requests(small: Small) -> None:
    _, known, replayed = small
    data_set = next(each for each in STREAMS if each.name == "shared")
    rows = compare(data_set, replayed, known, range(4, 6))
    found = {row.name: row.auc for row in rows}
    assert list(found) == [UNTOLD, SHIPPED, RETRAINED, PLAIN, REGRESSION, BOOSTING, TRUTH]
    assert all(0.4 < auc < 1 for auc in found.values())
    assert found[TRUTH] == max(found.values())
    assert found[UNTOLD] < found[SHIPPED]


def test_the_goal_is_the_best_that_others_reach_or_what_was_aimed_at() -> None:
    def row(name: str, auc: float, precision: float) -> Compared:
        return Compared(name, auc, (auc, auc), precision, (precision, precision))

    others = [row(PLAIN, 0.8, 0.3), row(REGRESSION, 0.9, 0.2), row(BOOSTING, 0.7, 0.305)]
    rows = with_goals([row(SHIPPED, 0.79, 0.1), row(RETRAINED, 0.895, 0.3), *others], Goal(0.5))
    assert [each.goal for each in rows[2:]] == [None] * 3
    assert rows[0].goal == Goal(0.8)
    assert rows[1].goal == pytest.approx((0.89, 0.3))
    [_, _, shipped, sentry, *_] = lines("beside others", rows)
    assert shipped.count("NOT MET") == 1
    assert sentry.count("met") == 2


def test_a_fitted_model_has_seen_nothing_of_its_week(small: Small) -> None:
    _, known, replayed = small
    honest = fitted_risks(REGRESSION, replayed.matrix, known, range(4, 5))
    # Turned labels of the week, and of the one whose labels are not known yet, change nothing.
    late = known.fraud ^ (known.days >= 14)
    other = fitted_risks(REGRESSION, replayed.matrix, known._replace(fraud=late), range(4, 5))
    of_week = known.days // 7 == 3
    assert np.array_equal(honest[of_week], other[of_week])
    assert np.isnan(honest[~of_week]).all()


def test_streams_need_no_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []
    monkeypatch.setattr(command, "evaluate", lambda each, *_: measured.append(each.name))
    monkeypatch.setattr(command, "as_text", lambda _: "")
    monkeypatch.setattr(command, "all_as_text", lambda _: "all")
    assert command.main(["--only", "streams"]) == 0
    assert measured == [each.name for each in STREAMS]
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.endswith("all\n")


def test_what_several_processes_measure_is_in_the_order_of_the_work() -> None:
    work = [partial(sum, range(many)) for many in (200_000, 3)]
    assert list(command.all_done(work, 2)) == [each() for each in work]
