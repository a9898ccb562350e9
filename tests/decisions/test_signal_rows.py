"""A request is seen as it was where the rules ran: its own signals and what came before them."""

from typing import Any

import msgspec
import pytest

from gatehouse.backtest.load import RECORDS, ColumnMaker, SignalSelection, load
from gatehouse.conditions.catalogue import SIGNALS, VELOCITY
from gatehouse.conditions.nodes import Type
from gatehouse.decisions import packed_values, signal_rows
from gatehouse.decisions.signal_layout import Layout
from gatehouse.figures.workspace import open_workspace, quoted
from tests.backtest.material import kept, record, ruled, stage

SENTRY = stage("Sentry", {"requestConfidence": 0.25, "reasons": {"IP_TOR": -2.0}})
PRECHECK = stage(
    "PreCheck",
    {"advice": "DECLINE", "avsResult": "NO_MATCH", "cvv2Result": "MATCH", "reasons": ["declined"]},
)
CUSTOM = {"custom.level": Type.TEXT, "custom.visits": Type.NUMBER, "custom.known": Type.BOOLEAN}


def row_of(made: dict[str, Any], rule_set: str) -> dict[str, Any]:
    return signal_rows.row_of(msgspec.json.encode(made), rule_set)


def test_velocity_is_told_measure_by_measure() -> None:
    measures = [number * 2 for number in range(len(VELOCITY["card"]))]
    row = row_of(record(signals={"velocity.card": measures, "order.amount": 12.5}), "shop")
    told = {f"velocity.card.{name}": 2 * place for place, name in enumerate(VELOCITY["card"])}
    assert row == {"order.amount": 12.5, **told}


def test_measures_that_an_older_record_does_not_have_are_unknown() -> None:
    row = row_of(record(signals={"velocity.card": [7, 8]}), "shop")
    assert row == {"velocity.card.count_1m": 7, "velocity.card.count_1h": 8}


@pytest.mark.parametrize(("value", "counts"), [(2**53 - 1, True), (2**53, False)])
def test_numbers_count_below_a_bound_as_they_do_live(value: int, counts: bool) -> None:
    for number in (value, -value):
        row = row_of(record(signals={"order.amount": number, "velocity.card": [number]}), "shop")
        names = ["order.amount", "velocity.card.count_1m"]
        assert row == (dict.fromkeys(names, number) if counts else {})


def test_rules_that_waited_see_every_stage_but_no_later_rules() -> None:
    waited, later = ruled("ACCEPT"), ruled("REVIEW", ["late"], "b")
    waited["result"]["matchedLate"] = []
    made = record(stages=[SENTRY, waited, PRECHECK, later])
    row = row_of(made, "shop")
    assert row["sentry.requestConfidence"] == 0.25
    assert row["precheck.advice"] == "DECLINE"
    assert "rules.status" not in row
    types = {"precheck.advice": Type.TEXT, "rules.status": Type.TEXT}
    reader = signal_rows.RowReader(Layout(types))
    seen = reader.seen(msgspec.json.encode(made).decode(), "shop")
    assert seen is not None
    assert seen == ["ACCEPT", None, None, "DECLINE", None]


def test_in_records_whose_rules_did_not_wait_only_stages_before_them_are_seen() -> None:
    made = record(stages=[SENTRY, ruled("ACCEPT"), PRECHECK])
    row = row_of(made, "shop")
    assert row["sentry.requestConfidence"] == 0.25
    assert not any(name.startswith(("precheck.", "rules.")) for name in row)


def test_a_rule_set_that_never_ran_sees_what_the_last_one_saw() -> None:
    made = record(stages=[ruled("REVIEW", ["a"]), SENTRY, ruled("ACCEPT", rule_set="b"), PRECHECK])
    row = row_of(made, "new")
    assert row["sentry.requestConfidence"] == 0.25
    assert row["rules.status"] == "REVIEW"
    assert list(row["rules.matched"]) == ["a"]
    assert "precheck.advice" not in row


def test_without_any_rules_all_stages_are_seen() -> None:
    row = row_of(record(stages=[SENTRY, PRECHECK]), "shop")
    assert row["precheck.advice"] == "DECLINE"
    assert row["sentry.completed"] is True


def test_earlier_rules_are_seen_together() -> None:
    earlier = [ruled("REVIEW", ["a"], "x"), ruled("ACCEPT", ["b"], "y"), ruled("DECLINE")]
    row = row_of(record(stages=earlier), "shop")
    assert (row["rules.status"], list(row["rules.matched"])) == ("REVIEW", ["a", "b"])
    assert row["rules.completed"] is True


ORDINARY: dict[str, Any] = {
    "order.amount": 10.1,
    "order.currency": "USD",
    "card.country": "GB",
    "card.prepaid": False,
    "ip.asn": 64500,
    "velocity.ip": list(range(len(VELOCITY["ip"]))),
    "custom.level": "gold",
    "custom.visits": 3,
    "custom.known": True,
}


@pytest.mark.parametrize(
    "signals",
    [
        ORDINARY,
        {},
        {"order.amount": "12", "card.country": 7, "card.prepaid": 1, "ip.asn": True},
        {"order.amount": 2**60, "ip.asn": -(2**53), "custom.visits": 2**53},
        {"order.amount": 2**53},
        {"velocity.ip": [1, -(2**53), 2.0**53, 4]},
        {"order.amount": 2**53 - 1, "ip.asn": 1 - 2**53, "custom.visits": 1 - 2**53},
        {"custom.level": 1, "custom.visits": "many", "custom.known": "yes"},
        {"custom.level": None, "custom.visits": True, "custom.known": 0},
        {"velocity.ip": [1, 2], "velocity.card": "none", "velocity.bin": []},
        {"velocity.ip": [1, None, "x", 4.5]},
        {"card.country": "a\x00b\n\u2028\U0001f600", "user.id": "'\"; DROP TABLE seen"},
        {"unheard.of": 1, "custom.other": {"deep": [1]}},
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_loaded_is_what_the_record_says(signals: dict[str, Any], packed: bool) -> None:
    made = record(signals=signals, stages=[SENTRY, PRECHECK, ruled("REVIEW")])
    if packed:
        made |= {"signals": packed_values.SIGNALS.pack(signals), "version": 2}
    types = {name: info.type for name, info in SIGNALS.items()} | CUSTOM
    with open_workspace() as workspace:
        columns = ColumnMaker(SignalSelection("shop", types, ()), {})
        load(workspace, columns.types, columns.parts([[kept(made)]]))
        [found] = workspace.ask(f"SELECT {', '.join(map(quoted, types))} FROM {RECORDS}")
    loaded = {name: value for name, value in zip(types, found, strict=True) if value is not None}
    row = row_of(made, "shop")
    told = {n: list(v) if types[n] is Type.WORDS else v for n, v in row.items() if n in types}
    wrong = {n for n, v in told.items() if n in CUSTOM and not _is(v, types[n])}
    assert loaded == {name: value for name, value in told.items() if name not in wrong}


def _is(value: Any, kind: Type) -> bool:
    wanted = {Type.NUMBER: (int, float), Type.TEXT: (str,), Type.BOOLEAN: (bool,)}[kind]
    return type(value) in wanted and (kind is not Type.NUMBER or abs(value) < 2**53)
