"""A history is replayed in order of time, whatever the order of its lines, in JSON or CSV."""

import json
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.scorecard import Sheet, load_scorecard, load_sheet
from gatehouse.sentry.stage import SentryStage
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.training.examples import Examples
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import TrainingOptions, train
from gatehouse.training.replay import ordered_lines as ordering
from gatehouse.training.replay.csv_files import csv_lines, request_columns
from gatehouse.training.replay.examples import HistoryCounts, gather_history
from gatehouse.training.replay.lines import BadLine, read_line
from gatehouse.training.replay.ordered_lines import ordered_lines
from gatehouse.training.replay.replay import DAY_MS, ReplayJudge, ReplayOptions
from gatehouse.training.report.report import ModelReport
from tests.sentry.visits import Book
from tests.training.test_replay import DAY, HOUR, Silent, line, merchant, moment

WEEK_MS = 7 * DAY_MS
EVERYTHING = RecordSpan("acct_1", 0, 2**60)
OPTIONS = TrainingOptions(FitOptions(method="logistic"), WEEK_MS, presume=False, source="file")


def gather(lines: Iterable[bytes], span: RecordSpan = EVERYTHING) -> tuple[Examples, HistoryCounts]:
    memory = LocalMemory(50_000)
    hasher = EntityHasher(b"a key for tests")
    stage = SentryStage(Book(), memory, load_scorecard(), hasher, time_limit_ms=1000)
    with ordered_lines(lines, lambda _: None) as ordered:
        judge, options = ReplayJudge(stage, memory), ReplayOptions(WEEK_MS)
        return gather_history(ordered, judge, span, options, Silent())


def learn(lines: Iterable[bytes]) -> tuple[Sheet, ModelReport]:
    trained = train(gather(lines)[0], load_sheet(), load_sheet(), OPTIONS)
    return trained.sheet, trained.report


def test_a_shuffled_file_gives_the_same_split_and_the_same_model() -> None:
    lines = merchant(700, 2 * HOUR)
    shuffled = random.Random(4).sample(lines, len(lines))
    sheet, report = learn(lines)
    again, report_again = learn(shuffled)
    assert report.training is not None
    assert report.training.until < report.holdout.since
    assert (report_again.training, report_again.holdout) == (report.training, report.holdout)
    assert report_again == report
    assert again == sheet


def test_what_is_younger_than_the_label_delay_or_unlabelled_is_counted_and_left_out() -> None:
    lines = merchant(1200, HOUR)
    examples, counts = gather(lines)
    assert len(examples) == 1200 - 7 * 24
    assert counts.young == 7 * 24
    assert counts.unlabelled == list(examples.labels).count(-1) > 50
    last_s = read_line(lines[-1]).at_s
    since = RecordSpan("acct_1", int((last_s - 10 * 86_400) * 1000), 2**60)
    assert len(gather(lines, since)[0]) == 3 * 24 + 1


def test_examples_are_what_records_would_hold() -> None:
    known = json.loads(line(HOUR, "u1", "fraud", amount=12.5, currency="USD"))
    known["labelAt"] = moment(2 * DAY)
    lines = [json.dumps(known).encode(), line(9 * DAY, "u2", None)]
    examples, _ = gather(lines)
    at_s = read_line(lines[0]).at_s
    assert (list(examples.at_s), list(examples.labels)) == ([at_s], [1])
    assert list(examples.known_s) == [at_s + 47 * 3600]
    assert examples.currencies == ["USD"]


def test_a_transaction_that_was_sent_again_is_no_proof_of_honesty() -> None:
    told = json.loads(line(HOUR, "u1"))
    told["request"]["event"]["transactionId"] = "t-1"
    again = json.dumps({**told, "at": moment(2 * HOUR)})
    examples, _ = gather([json.dumps(told).encode(), again.encode(), line(9 * DAY, "u2")])
    assert list(examples.doubtful) == [0, 1]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"labelAt": "soon"}, "labelAt must be a date and time"),
        ({"labelAt": "2026-02-01T00:00:00Z"}, "labelAt is earlier than at"),
        ({"labelAt": "2026-04-01T00:00:00Z", "label": None}, "labelAt is given without a label"),
    ],
)
def test_a_label_that_was_known_before_its_request_is_refused(
    changes: dict[str, Any], says: str
) -> None:
    told = json.loads(line(HOUR, "u1", "fraud")) | changes
    with pytest.raises(BadLine, match=f"line 2: {says}"):
        gather([line(HOUR, "u1"), json.dumps(told).encode()])


def test_lines_are_given_in_order_of_time_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lines = [line(place * HOUR, f"u{place % 7}") for place in (3, 1, 2, 2, 0)]
    reached: list[int] = []
    with ordered_lines([b"\n", *lines], reached.append) as ordered:
        assert len(ordered) == reached[-1] == 5
        assert list(ordered) == [lines[4], lines[1], lines[2], lines[3], lines[0]]
        assert list(tmp_path.iterdir()) == []


def test_a_folder_without_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(InvalidInput, match="TMPDIR"), ordered_lines([], lambda _: None):
        pass


def test_there_is_a_limit_to_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MOST_LINES", 2)
    with pytest.raises(InvalidInput, match="more than 2 lines"):
        gather([line(HOUR, "u1")] * 3)


def test_csv_says_the_same_as_json() -> None:
    rows = [
        b"at,label,labelAt,order.amount,account.userId,shoppingCart.items,order.discountCodes,"
        b"customInputs.branch,customInputs.new\n",
        b'2026-03-01T00:00:00Z,1,2026-03-09T00:00:00Z,12.5,77,"[{""itemId"": ""a""}]",XMAS,'
        b"North 4,true\n",
        b"\n",
        b'2026-03-02 00:00:00Z,Legitimate,,,"u,\n2",,,,\n',
        b"2026-03-03T00:00:00Z,,,,,,,,\n",
    ]
    first, second, third = map(json.loads, csv_lines(rows))
    assert first == {
        "at": "2026-03-01T00:00:00Z",
        "label": "fraud",
        "labelAt": "2026-03-09T00:00:00Z",
        "request": {
            "order": {"amount": 12.5, "discountCodes": ["XMAS"]},
            "account": {"userId": "77"},
            "shoppingCart": {"items": [{"itemId": "a"}]},
            "customInputs": {"branch": "North 4", "new": True},
        },
    }
    assert (second["label"], second["request"]) == ("legitimate", {"account": {"userId": "u,\n2"}})
    assert (third["label"], third["request"]) == (None, {})
    assert [read_line(json.dumps(each).encode()).fraud for each in (first, second, third)] == [
        True,
        False,
        None,
    ]


def test_every_field_of_a_request_has_a_column() -> None:
    assert {"device.ipAddress", "event.transactionId", "clientReferenceId"} < set(request_columns())
    assert len(request_columns()) >= 18


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "no column at"),
        ([b"at,order.amount"], "no column label"),
        ([b"at;label;order.amount"], "separated by commas"),
        ([b"at,label,at"], "twice"),
        ([b"at,label,order.amonut"], r"is order\.amount meant"),
        ([b"at,label,xyzzy"], "there are at, label"),
        ([b"at,label," + b",".join(b"customInputs.c%d" % n for n in range(300))], "more than 200"),
        ([b"at,label\n", b"2026-03-01T00:00:00Z\n"], "has 1 cells, but there are 2 columns"),
        ([b"at,label,order.amount\n", b",,much\n"], r"request\.order\.amount is not a number"),
        ([b"at,label,shoppingCart.items\n", b',,"[1"\n'], "is not a list in JSON"),
        ([b"at,label\n", b'"x"y,\n'], "is not a row of CSV"),
        ([b"at,label\n", b"\xff,\n"], "is not written in UTF-8"),
    ],
)
def test_csv_that_cannot_be_read_says_why_without_its_cells(rows: list[bytes], says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        list(csv_lines(rows))
    assert "much" not in str(refused.value)
