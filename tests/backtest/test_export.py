"""An export is complete or not there, typed, by day, and never over somebody else's files."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace

from gatehouse.backtest import export
from gatehouse.backtest.export import export_lines, export_parquet, new_folder
from gatehouse.backtest.exported_facts import json_line, label_facts
from gatehouse.conditions.catalogue import SIGNALS, VELOCITY
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.feedback_history import KnownLabel
from tests.backtest.material import DAY_MS, NOW_MS, kept, record, request_id, ruled, stage

CARD = [1.0 * number for number in range(len(VELOCITY["card"]))]
MADE = RecordedEvent(NOW_MS / 1000 - 60, True, 10.5, "USD", None, False, [], [])
SENTRY = stage(
    "Sentry",
    {
        "requestConfidence": 0.25,
        "reasons": {"IP_TOR": -2.0},
        "model": "learned-3",
        "signals": {"IP_VPN": 1, "VEL_IP_EVENTS": 2.5, "GONE": 7},
        "event": MADE,
    },
)


def _labels(batch: Sequence[KeptRecord]) -> dict[str, KnownLabel]:
    """The first request turned out to be fraud a day later."""
    known = {request_id(1): KnownLabel(Label.FRAUD, NOW_MS + DAY_MS)}
    return {one.request_id: known[one.request_id] for one in batch if one.request_id in known}


def _records() -> list[KeptRecord]:
    signals = {"order.amount": 10.5, "card.prepaid": True, "velocity.card": CARD}
    first = record(1, signals, [ruled("REVIEW", ["a", "b"], version=3), SENTRY], decision="REVIEW")
    second = record(2, {"order.amount": 7}, at_ms=NOW_MS + DAY_MS)
    third = KeptRecord(request_id(3), NOW_MS + DAY_MS, "precheck", '{"stages":[],"decision":null}')
    broken = KeptRecord(request_id(4), NOW_MS, "pipeline", "{")
    named = replace(kept(first | {"clientReferenceId": 1001}), transaction="t-1")
    return [named, kept(second, NOW_MS + DAY_MS), third, broken]


def _read(folder: Path) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        found = connection.execute(
            'SELECT * REPLACE (epoch_ms("at") AS "at", day::VARCHAR AS day, '
            'epoch_ms("labelAt") AS "labelAt", epoch_ms("eventAt") AS "eventAt") '
            f"FROM read_parquet('{folder}/*/*.parquet') ORDER BY requestId"
        )
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_parquet_has_a_row_for_every_record_and_a_column_for_every_signal(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with new_folder(out, overwrite=False) as folder:
        done = export_parquet([_records()], _labels, folder)
    assert done == 4
    assert sorted(entry.name for entry in out.iterdir()) == ["day=2026-11-14", "day=2026-11-15"]
    rows = {row["requestId"]: row for row in _read(out)}
    assert len(rows) == 4
    first = rows[request_id(1)]
    assert set(SIGNALS) < set(first)
    assert (first["at"], first["day"], first["operation"]) == (NOW_MS, "2026-11-14", "pipeline")
    assert (first["decision"], first["label"]) == ("REVIEW", "FRAUD")
    assert (first["clientReferenceId"], first["transactionId"]) == ("1001", "t-1")
    assert (first["model"], first["labelAt"]) == ("learned-3", NOW_MS + DAY_MS)
    assert (first["eventAt"], first["amount"], first["currency"]) == (
        NOW_MS - 60_000,
        10.5,
        "USD",
    )
    assert {f"feature.{code}" for code in BY_CODE} < set(first)
    assert (first["feature.IP_VPN"], first["feature.VEL_IP_EVENTS"]) == (1.0, 2.5)
    assert first["feature.IP_TOR_EXIT"] is None
    assert "feature.GONE" not in first
    assert first["matches"] == ["shop/3/a", "shop/3/b"]
    assert (first["order.amount"], first["card.prepaid"]) == (10.5, True)
    assert first["velocity.card.count_1h"] == 1
    assert first["sentry.requestConfidence"] == 0.25
    assert first["rules.status"] == "REVIEW"
    assert first["record"] == _records()[0].text
    assert rows[request_id(3)]["order.amount"] is None
    assert rows[request_id(4)]["record"] == "{"


def test_many_records_go_into_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_IN_FILE", 2)
    batches = [[kept(record(number, {"order.amount": number}))] for number in range(5)]
    with new_folder(tmp_path / "out", overwrite=False) as folder:
        assert export_parquet(batches, _labels, folder) == 5
    assert len(list((tmp_path / "out").glob("*/*.parquet"))) >= 3
    assert [row["order.amount"] for row in _read(tmp_path / "out")] == [0, 1, 2, 3, 4]


def test_lines_are_the_records_as_they_are_kept_with_what_is_known_besides(tmp_path: Path) -> None:
    texts = [one.text for one in _records()]
    with new_folder(tmp_path / "out", overwrite=False) as folder:
        assert export_lines([_records()[:1], _records()[1:]], _labels, folder) == 4
    first = (tmp_path / "out/day=2026-11-14/decisions.jsonl").read_text().splitlines()
    second = (tmp_path / "out/day=2026-11-15/decisions.jsonl").read_text().splitlines()
    assert (len(first), len(second)) == (2, 2)
    assert first[1] == texts[3]
    told, kept_as = json.loads(first[0]), json.loads(texts[0])
    assert {name: told[name] for name in kept_as} == kept_as
    assert {name: told[name] for name in told if name not in kept_as} == {
        "transactionId": "t-1",
        "label": "FRAUD",
        "labelAt": iso_time(NOW_MS + DAY_MS),
        "eventAt": iso_time(NOW_MS - 60_000),
        "amount": 10.5,
        "currency": "USD",
        "model": "learned-3",
        "features": {"IP_VPN": 1.0, "VEL_IP_EVENTS": 2.5, "GONE": 7.0},
    }
    bare = json.loads(second[1])
    assert (bare["label"], bare["features"], bare["amount"]) == (None, None, None)


def test_a_record_without_any_field_gives_a_line_that_can_be_read() -> None:
    assert json.loads(json_line(KeptRecord("r", 0, "x", "{}"), label_facts(None)))["label"] is None


def test_a_folder_that_is_not_empty_is_left_alone_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "day=2020-01-01").mkdir()
    with pytest.raises(Conflict, match="--overwrite"), new_folder(tmp_path, overwrite=False):
        pass
    with new_folder(tmp_path, overwrite=True) as folder:
        export_lines([_records()], _labels, folder)
        assert (tmp_path / "day=2020-01-01").exists()
    assert sorted(e.name for e in tmp_path.iterdir()) == ["day=2026-11-14", "day=2026-11-15"]


def test_files_that_no_export_made_are_never_removed(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(Conflict, match=r"thesis\.txt"), new_folder(tmp_path, overwrite=True):
        pass
    with pytest.raises(Conflict, match="is a file"):
        with new_folder(tmp_path / "thesis.txt", overwrite=True):
            pass
    assert (tmp_path / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("there", [True, False])
def test_an_export_that_is_interrupted_leaves_nothing(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "out"
    if there:
        out.mkdir()

    def batches() -> Iterator[list[KeptRecord]]:
        yield _records()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), new_folder(out, overwrite=False) as folder:
        export_parquet(batches(), _labels, folder)
    assert out.exists() is there
    assert list(tmp_path.glob("out/*")) == []
