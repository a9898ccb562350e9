"""`make eval-sentry`: data sets become requests, and scores become tables. All data are made up."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scripts.eval_sentry import __main__ as command
from scripts.eval_sentry.converting import (
    BASKET_COLUMNS,
    BNP,
    ECOMMERCE,
    ECOMMERCE_COLUMNS,
    HANDBOOK,
    PRODUCT_COLUMNS,
    DataError,
    DataSet,
    Known,
    convert,
)
from scripts.eval_sentry.measuring import (
    EVERY,
    UNKNOWN,
    card_precision,
    choose_from_week,
    mean,
    not_known,
    views,
)
from scripts.eval_sentry.reporting import HEADINGS, as_text, result_of
from scripts.eval_sentry.running import Pace

from gatehouse.training.metrics import measure
from gatehouse.training.replay.lines import read_line
from gatehouse.training.report.report import Figures

MIDNIGHT = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp())


def _csv(path: Path, columns: Sequence[str], rows: Sequence[str]) -> None:
    path.write_bytes(gzip.compress("\n".join([",".join(columns), *rows, ""]).encode()))


def _handbook(folder: Path, *rows: str, name: str = "handbook_made_up.parquet") -> None:
    columns = "TRANSACTION_ID, TX_DATETIME, CUSTOMER_ID, TERMINAL_ID, TX_AMOUNT, TX_FRAUD"
    with duckdb.connect() as database:
        database.execute(
            f"COPY (SELECT * FROM (VALUES {', '.join(rows)}) AS made_up ({columns})) "
            f"TO '{folder / name}' (FORMAT parquet)"
        )


def _bnp(folder: Path, baskets: Sequence[str], products: Sequence[str]) -> None:
    _csv(folder / "bnp_baskets_made_up_labels.csv.gz", BASKET_COLUMNS, baskets)
    _csv(folder / "bnp_products_made_up.csv.gz", PRODUCT_COLUMNS, products)


def _ecommerce(folder: Path, *rows: str) -> None:
    _csv(folder / "fraudecom_made_up.csv.gz", ECOMMERCE_COLUMNS, rows)


def _converted(
    data_set: DataSet, folder: Path, weeks: int | None = None
) -> tuple[list[dict[str, Any]], Known]:
    """What is written for a data set; every line of it is one that a replay takes."""
    path = folder / "requests.jsonl.gz"
    known = convert(data_set.read(data_set.find(folder)), path, weeks)
    lines = gzip.decompress(path.read_bytes()).splitlines()
    read = [read_line(data) for data in lines]
    assert [int(line.at_s) for line in read] == known.at_s.tolist()
    assert [line.fraud for line in read] == known.fraud.tolist()
    return [json.loads(line) for line in lines], known


def _known(days: Sequence[int], fraud: Sequence[int], customers: Sequence[int] | None) -> Known:
    every = np.array(days, dtype=np.int64)
    return Known(
        MIDNIGHT + every * 86_400,
        every,
        np.array(fraud, dtype=bool),
        None if customers is None else np.array(customers, dtype=np.int64),
    )


def _made_up(days: int, events: int = 2000, seed: int = 1) -> tuple[Known, np.ndarray]:
    """Requests of few customers, with risks that tell something."""
    dice = np.random.default_rng(seed)
    fraud = dice.random(events) < 0.1
    known = _known(
        np.sort(np.append(dice.integers(0, days, events - 1), days - 1)).tolist(),
        fraud.tolist(),
        dice.integers(0, 150, events).tolist(),
    )
    return known, np.clip(0.3 * fraud + dice.random(events) * 0.6, 0, 1)


# --- data sets become requests


def test_a_customer_is_a_user_and_a_terminal_an_affiliate_in_order_of_time(tmp_path: Path) -> None:
    _handbook(
        tmp_path,
        "(8, TIMESTAMP '2018-04-02 09:00:00', 596, 3156, 57.16, 1)",
        "(7, TIMESTAMP '2018-04-01 00:00:31', 12, 3412, 146.0, 0)",
    )
    lines, known = _converted(HANDBOOK, tmp_path)
    assert lines == [
        {
            "at": "2018-04-01T00:00:31Z",
            "request": {
                "event": {"type": "PURCHASE", "timestamp": "2018-04-01T00:00:31Z"},
                "account": {"userId": "12"},
                "order": {"amount": 146.0, "affiliateId": "3412"},
            },
            "label": "legitimate",
        },
        {
            "at": "2018-04-02T09:00:00Z",
            "request": {
                "event": {"type": "PURCHASE", "timestamp": "2018-04-02T09:00:00Z"},
                "account": {"userId": "596"},
                "order": {"amount": 57.16, "affiliateId": "3156"},
            },
            "label": "fraud",
        },
    ]
    assert known.customers is not None
    assert known.customers.tolist() == [12, 596]
    assert known.days.tolist() == [0, 1]


def test_later_files_of_a_data_set_go_on_where_the_earlier_ones_end(tmp_path: Path) -> None:
    for name, day in (("a", "2018-05-01"), ("b", "2018-04-01")):
        row = f"(1, TIMESTAMP '{day} 00:00:00', 1, 1, 1.0, 0)"
        _handbook(tmp_path, row, name=f"handbook_{name}.parquet")
    _, known = _converted(HANDBOOK, tmp_path)
    assert known.days.tolist() == [0, 30]


def test_baskets_come_by_their_number_one_every_two_minutes(tmp_path: Path) -> None:
    goods = ["720,COMPUTERS,1187,ACME,ACME ONE,239246780,1", "720,WARRANTY,35.5,,,W1,2"]
    _bnp(tmp_path, ["721,0", "720,1"], [*goods, "721,BEDS,300,SLEEP,DEEP,B1,1", "999,X,1,M,M,X,1"])
    lines, known = _converted(BNP, tmp_path)
    assert [line["at"] for line in lines] == ["2024-01-02T00:00:00Z", "2024-01-02T00:02:00Z"]
    assert [line["label"] for line in lines] == ["fraud", "legitimate"]
    assert lines[0]["request"] == {
        "shoppingCart": {
            "items": [
                {"itemId": "239246780", "category": "COMPUTERS", "price": 1187.0, "quantity": 1.0},
                {"itemId": "W1", "category": "WARRANTY", "price": 35.5, "quantity": 2.0},
            ]
        },
        "customInputs": {"make": ["ACME"], "model": ["ACME ONE"]},
    }
    assert known.customers is None
    # Whoever reads the figures must be told that the time is made up.
    assert "have no time" in " ".join(BNP.notes)


def test_a_purchase_tells_its_address_and_the_age_of_the_account_and_no_user_agent(
    tmp_path: Path,
) -> None:
    _ecommerce(
        tmp_path,
        "2,2/1/15 6:00,2/2/15 18:00,31,DEVICE,SEO,Chrome,0.0,",
        "1,1/1/15 0:00,1/1/15 0:00,14,OTHER,Ads,Safari,1.0,3405803777.9",
    )
    lines, _ = _converted(ECOMMERCE, tmp_path)
    assert lines == [
        {
            "at": "2015-01-01T00:00:00Z",
            "request": {
                "event": {"type": "PURCHASE", "timestamp": "2015-01-01T00:00:00Z"},
                "account": {"userId": "1"},
                "order": {"amount": 14.0, "referralId": "Ads"},
                "customInputs": {"deviceId": "OTHER", "browser": "Safari", "accountAgeDays": 0.0},
                "device": {"ipAddress": "203.0.113.1"},
            },
            "label": "fraud",
        },
        {
            "at": "2015-02-02T18:00:00Z",
            "request": {
                "event": {"type": "PURCHASE", "timestamp": "2015-02-02T18:00:00Z"},
                "account": {"userId": "2"},
                "order": {"amount": 31.0, "referralId": "SEO"},
                "customInputs": {"deviceId": "DEVICE", "browser": "Chrome", "accountAgeDays": 1.5},
            },
            "label": "legitimate",
        },
    ]


def test_the_first_weeks_end_at_midnight(tmp_path: Path) -> None:
    # Two baskets every four days, of which the first comes in the evening.
    baskets = [650, 650 + 719 * 6, 720 * 7 - 1, 720 * 7, 720 * 8]
    _bnp(tmp_path, [f"{basket},0" for basket in baskets], [])
    _, known = _converted(BNP, tmp_path, weeks=1)
    assert known.at_s.tolist() == [
        int((datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=2 * each)).timestamp())
        for each in baskets[:3]
    ]


# --- what is wrong with the data


@pytest.mark.parametrize(
    ("data_set", "said"),
    [
        (HANDBOOK, "handbook: {} has no file handbook_*.parquet"),
        (BNP, "bnp: {} has no file bnp_products_*.csv.gz"),
        (ECOMMERCE, "ecommerce: {} has no file fraudecom_*.csv.gz"),
    ],
    ids=lambda value: value.name if isinstance(value, DataSet) else "",
)
def test_a_missing_file_is_named_and_the_set_left_out(
    data_set: DataSet, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([str(tmp_path), "--only", data_set.name]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == f"{said.format(tmp_path)}; left out"
    assert errors[1].startswith(f"{tmp_path} has nothing to measure")


def test_a_data_set_needs_all_of_its_files(tmp_path: Path) -> None:
    _bnp(tmp_path, [], [])
    (tmp_path / "bnp_baskets_made_up_labels.csv.gz").unlink()
    with pytest.raises(DataError, match=r"has no file bnp_baskets_\*labels\*"):
        BNP.find(tmp_path)


def test_without_a_folder_it_says_how_to_name_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["--only", "bnp"], [str(tmp_path / "nowhere")]):
        assert command.main(arguments) == 2
        assert "make eval-sentry DATA=DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no gzip at all", "is not a CSV file packed with gzip"),
        (gzip.compress(b"user_id,class\n" * 2000)[:40], "is not a CSV file packed with gzip"),
        (gzip.compress(b"user_id,class\n1,0.0\n"), "must have the columns user_id, signup_time"),
        (gzip.compress(b""), "must have the columns"),
    ],
    # What gzip writes holds the time, so it would be another name in every process.
    ids=["plain", "cut", "columns", "empty"],
)
def test_a_file_that_is_something_else_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "fraudecom_made_up.csv.gz").write_bytes(content)
    with pytest.raises(DataError, match=f"^fraudecom_made_up.csv.gz: {said}"):
        _converted(ECOMMERCE, tmp_path)


@pytest.mark.parametrize(
    "row",
    [
        "1,1/1/15 0:00,31/12/15 0:00,14,D,SEO,Chrome,0.0,",
        "1,1/1/15 0:00,1/1/15 0:00,much,D,SEO,Chrome,0.0,",
        "1,1/1/15 0:00,1/1/15 0:00,14,D,SEO,Chrome,0.0,4294967296.0",
        "1,1/1/15 0:00,1/1/15 0:00,14,D,SEO,Chrome,0.0,inf",
        "1,1/1/15 0:00",
    ],
)
def test_a_line_that_cannot_be_read_is_counted_out(row: str, tmp_path: Path) -> None:
    _ecommerce(tmp_path, "1,1/1/15 0:00,1/1/15 0:00,14,D,SEO,Chrome,0.0,", row)
    with pytest.raises(DataError, match=r"^fraudecom_made_up.csv.gz, line 3: cannot be read$"):
        _converted(ECOMMERCE, tmp_path)


def test_parquet_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "handbook_odd.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match=r"^handbook_odd.parquet: is not Parquet with the columns"):
        _converted(HANDBOOK, tmp_path)


def test_goods_without_a_price_name_their_basket(tmp_path: Path) -> None:
    _bnp(tmp_path, ["5,0"], ["5,BEDS,,SLEEP,DEEP,B1,1"])
    with pytest.raises(DataError, match=r"^basket 5: a price or a quantity is not a number$"):
        _converted(BNP, tmp_path)


def test_files_without_a_request_are_refused(tmp_path: Path) -> None:
    _ecommerce(tmp_path)
    with pytest.raises(DataError, match="there is no request in the files"):
        _converted(ECOMMERCE, tmp_path)


# --- scores become figures


def test_a_customer_with_a_fraud_is_left_out_when_the_book_knows_of_it() -> None:
    # Customer 1 is defrauded on day 6 and buys every day; customer 2 was never.
    days = [day for day in range(28) for _ in range(2)]
    customers = [1, 2] * 28
    fraud = [int(day == 6 and customer == 1) for day, customer in zip(days, customers, strict=True)]
    known = _known(days, fraud, customers)
    kept = not_known(known)
    assert kept[1::2].all()
    # Known a week later, for as long as day 6 is in the week that the book trains on.
    assert np.flatnonzero(~kept[::2]).tolist() == list(range(14, 21))


def test_the_book_learns_of_one_more_day_every_morning() -> None:
    known, _ = _made_up(40)
    assert known.customers is not None
    expected = []
    for day, customer in zip(known.days, known.customers, strict=True):
        monday = day // 7 * 7
        frauds = known.days[(known.customers == customer) & known.fraud]
        training = ((frauds >= monday - 14) & (frauds < monday - 7)).any()
        expected.append(not (training or ((frauds >= monday - 7) & (frauds <= day - 8)).any()))
    assert 0 < sum(expected) < len(expected)
    assert not_known(known).tolist() == expected


def test_every_week_has_its_own_figures_and_the_last_may_be_short() -> None:
    known, risk = _made_up(31)
    every, unknown = views(known, risk, 2)
    assert (every.name, unknown.name) == (EVERY, UNKNOWN)
    assert [(week.number, week.since, week.days) for week in every.weeks] == [
        (1, "2026-03-01", 7),
        (2, "2026-03-08", 7),
        (3, "2026-03-15", 7),
        (4, "2026-03-22", 7),
        (5, "2026-03-29", 3),
    ]
    assert known.customers is not None
    for view, chosen in ((every, np.ones(len(risk), dtype=bool)), (unknown, not_known(known))):
        for week in view.weeks:
            rows = chosen & (known.days // 7 == week.number - 1)
            fraud, customers = known.fraud[rows], known.customers[rows]
            assert week.scores.figures == measure(fraud, risk[rows])
            expected = card_precision(known.days[rows], customers, fraud, risk[rows])
            assert week.scores.card_precision == expected
    assert unknown.weeks[3].scores.figures.events < every.weeks[3].scores.figures.events


def test_the_first_weeks_and_a_short_last_one_count_for_nothing_but_their_own_line() -> None:
    known, risk = _made_up(31)
    every, _ = views(known, risk, 2)
    assert (every.from_week, every.to_week) == (2, 4)
    assert every.mean == mean([week.scores for week in every.weeks[1:4]])
    rows = (known.days >= 7) & (known.days < 28)
    assert every.together.figures == measure(known.fraud[rows], risk[rows])


def test_a_mean_adds_up_requests_and_leaves_out_what_a_week_does_not_have() -> None:
    known, risk = _made_up(7)
    [week] = next(views(known, risk, 1)).weeks
    quiet = Figures(10, 0, None, None, None, None, 0.5, 0.25)
    together = mean([week.scores, type(week.scores)(quiet, None)])
    figures = week.scores.figures
    assert (together.figures.events, together.figures.frauds) == (2010, figures.frauds)
    assert together.figures.auc == figures.auc
    assert together.card_precision == week.scores.card_precision
    assert figures.ece is not None
    assert together.figures.ece == pytest.approx((figures.ece + 0.5) / 2)


def test_without_customers_there_is_one_view_and_no_card_precision() -> None:
    known, risk = _made_up(7)
    [view] = views(known._replace(customers=None), risk, 1)
    assert view.mean.card_precision is None
    assert view.mean.figures.auc is not None


@pytest.mark.parametrize(
    ("days", "wanted", "chosen"),
    [(7, None, 1), (13, None, 1), (7 * 8, None, 7), (107, None, 13), (70, 10, 10)],
)
def test_the_figures_begin_with_the_last_quarter_or_where_asked(
    days: int, wanted: int | None, chosen: int
) -> None:
    assert choose_from_week(_known([0, days - 1], [0, 1], None), wanted) == chosen


def test_weeks_that_are_not_there_cannot_be_measured() -> None:
    with pytest.raises(DataError, match="9 whole weeks, so week 10 cannot be"):
        choose_from_week(_known([0, 68], [0, 1], None), 10)
    with pytest.raises(DataError, match="shorter than a week"):
        choose_from_week(_known([0, 5], [0, 1], None), None)


# --- what is printed


def test_the_table_has_a_line_for_every_week_and_says_what_is_not_there() -> None:
    known, risk = _made_up(17)
    pace = Pace(4.0, 500.0, 0, 0)
    text = as_text(result_of(HANDBOOK, known, pace, views(known, risk, 2)))
    lines = text.splitlines()
    assert lines[0].startswith(f"{HANDBOOK.title}: 2,000 requests, ")
    assert all(note in text for note in HANDBOOK.notes)
    assert text.count("3  2026-03-15 (3 of 7 days)") == text.count("mean of weeks 2 to 2") == 2
    heads = [line for line in lines if line.strip().startswith("week ")]
    assert [line.split()[1:] for line in heads] == [list(HEADINGS)] * 2
    together = [line for line in lines if "together" in line]
    assert all(line.split()[-4] == "-" for line in together)
    tables = [line for line in lines if line.split()[-1:] and line.split()[-1].startswith("0.")]
    assert all(len(one) == len(other) for one, other in pairwise(tables))


def test_a_folder_is_converted_replayed_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "measure_attacks", lambda _options: None)
    monkeypatch.setattr(command, "STREAMS", ())
    # What is set for the person who measures has no say.
    monkeypatch.setenv("GATEHOUSE_ACCOUNT", "somebody")
    baskets = range(0, 720 * 8, 60)
    _bnp(
        tmp_path,
        [f"{basket},{int(basket % 420 == 0)}" for basket in baskets],
        [f"{basket},BEDS,{100 + basket % 7},SLEEP,DEEP,B{basket % 5},1" for basket in baskets],
    )
    kept = tmp_path / "kept"
    assert command.main([str(tmp_path), "--json", "--keep", str(kept)]) == 0
    printed = capsys.readouterr()
    assert "handbook" in printed.err
    [found] = json.loads(printed.out)["dataSets"]
    assert (found["name"], found["requests"], found["frauds"]) == ("bnp", 96, 14)
    assert found["replay"]["skipped"] == 1
    [view] = found["views"]
    assert [week["scores"]["figures"]["events"] for week in view["weeks"]] == [84, 12]
    assert (view["fromWeek"], view["toWeek"]) == (1, 1)
    assert 0 <= view["together"]["figures"]["auc"] <= 1
    assert sorted(path.name for path in kept.iterdir()) == ["bnp.jsonl.gz"]
