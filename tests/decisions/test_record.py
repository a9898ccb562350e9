"""Every record that was ever written can be read, and says the same when it is written anew."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import FieldInfo, fields

from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import (
    VERSION,
    DecisionRecord,
    PipelineVersion,
    RecordedStage,
    RecordOutline,
    StageOutline,
    UnreadableRecord,
    decode,
    encode,
    encode_named,
    named_text,
    read_outline,
)
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_layout import everything
from gatehouse.decisions.signal_rows import RowReader, row_of
from gatehouse.sentry.records.event import measured_in, past_event_in
from tests.decisions.samples import PACKED, SAMPLES

each = pytest.mark.parametrize("name", SAMPLES)


def sample(name: str, **changes: Any) -> str:
    return msgspec.json.encode({**msgspec.json.decode(SAMPLES[name]), **changes}).decode()


@each
def test_a_record_says_the_same_when_it_is_written_anew(name: str) -> None:
    record = decode(SAMPLES[name])
    again = decode(encode(record))
    assert again.version == VERSION
    assert encode_named(again) == encode_named(record)


@each
def test_other_programs_read_names_in_records_of_every_version(name: str) -> None:
    record, plain = decode(SAMPLES[name]), msgspec.json.decode(named_text(SAMPLES[name]))
    assert plain["stages"] == msgspec.json.decode(msgspec.json.encode(record.stages))
    assert plain.get("signals") == record.signals
    for event in (plain.get("event"), *(stage["result"].get("event") for stage in plain["stages"])):
        assert event is None or {"address", "user"} <= {kind for kind, _ in event["entities"]}
    if name not in PACKED:
        assert named_text(SAMPLES[name]) == SAMPLES[name]


def test_a_packed_record_shows_what_was_measured_and_noted() -> None:
    [stage] = decode(SAMPLES["sentry_packed"]).stages
    assert stage.result["signals"]["UA_OUTDATED"] == 62.0
    assert stage.result["signals"]["USERNAME_RANDOM"] == 0.0092
    assert all(type(value) is float for value in stage.result["signals"].values())
    assert ("discount", "SAVE9") in stage.result["event"]["entities"]
    signals = decode(SAMPLES["pipeline_packed"]).signals or {}
    assert (signals["order.amount"], signals["custom.level"]) == (59.9, "gold")
    assert signals["velocity.session"] == [3, 0, 0, 1, 1]


def test_what_only_a_newer_version_can_name_is_left_out() -> None:
    plain = msgspec.json.decode(SAMPLES["pipeline_packed"])
    plain["signals"] = [990, [4, 987, "custom.level"], [5, 6, "gold"]]
    plain["stages"][1]["result"]["signals"] = [990, [11, 987], [1, 2]]
    text = msgspec.json.encode(plain).decode()
    record = decode(text)
    assert record.signals == {"order.amount": 5, "custom.level": "gold"}
    assert record.stages[1].result["signals"] == {"IP_CONSUMER": 1.0}
    measured = measured_in(read_outline(text))
    assert measured is not None
    assert measured.values == {"IP_CONSUMER": 1.0}


@each
def test_a_record_is_read_field_by_field(name: str) -> None:
    record, plain = decode(SAMPLES[name]), msgspec.json.decode(SAMPLES[name])
    assert record.version == (VERSION if name in PACKED else 1)
    assert record.operation == plain["operation"] == name.partition("_")[0]
    assert record.client_reference_id == plain["clientReferenceId"]
    assert [stage.name for stage in record.stages] == [stage["name"] for stage in plain["stages"]]
    if name not in PACKED:
        assert [one.result for one in record.stages] == [one["result"] for one in plain["stages"]]
        assert record.signals == plain.get("signals")
    assert record.closed_micros == sum(one.fee_micros for one in record.stages if one.completed)
    assert (record.card is None) is (plain["card"] is None)


@each
def test_the_api_shows_a_record_of_every_version(name: str) -> None:
    record = decode(SAMPLES[name])
    shown = msgspec.json.decode(msgspec.json.encode(public_decision(record, "USD")))
    assert shown["pipelineStages"] == [stage.name for stage in record.stages]
    decided = {"decision", "signals"} if record.signals else set()
    named = {"pipeline"} if record.pipeline else set()
    assert {"decision", "pipeline", "signals"} & shown.keys() == decided | named


@each
def test_the_readers_of_parts_agree_with_the_whole(name: str) -> None:
    record, outline = decode(SAMPLES[name]), read_outline(SAMPLES[name])
    assert outline.event == record.event
    assert outline.decision == record.decision
    assert [(one.name, one.completed) for one in outline.stages] == [
        (one.name, one.completed) for one in record.stages
    ]
    if name not in PACKED:
        results = [msgspec.json.decode(one.result) for one in outline.stages]
        assert results == [one.result for one in record.stages]
    known = {n: v for n, v in (record.signals or {}).items() if n in everything().own}
    one_by_one = RowReader(everything())
    for row in (_in_the_end(SAMPLES[name]), one_by_one.seen(SAMPLES[name], None, in_the_end=True)):
        told = dict(zip(one_by_one.columns, row or (), strict=True))
        assert told["decided"] == record.decision
        own = {n: told[n] for n in everything().own if told[n] is not None}
        assert own == {n: v for n, v in known.items() if v is not None}


def _in_the_end(text: str) -> list[Any]:
    """The row of a record among columns."""
    found = ColumnReader(everything(), in_the_end=True).read([text])
    return [value for (value,) in found.columns]


@pytest.mark.parametrize(
    ("name", "counted", "declined"),
    [
        ("sentry_first", True, False),
        ("sentry_now", True, False),
        ("rules_first", True, False),
        ("pipeline_declined", True, True),
        ("pipeline_now", True, False),
        ("sentry_packed", True, False),
        ("pipeline_packed", True, False),
    ],
)
def test_the_event_is_found_where_each_version_put_it(
    name: str, counted: bool, declined: bool
) -> None:
    found = past_event_in("acct_1", SAMPLES[name])
    assert found is not None
    assert (found.counted, found.declined) == (counted, declined)
    assert len(found.event.entities) >= 8


@pytest.mark.parametrize("name", ["precheck_first", "idverify_first"])
def test_an_operation_without_sentry_has_no_event(name: str) -> None:
    assert past_event_in("acct_1", SAMPLES[name]) is None


@pytest.mark.parametrize(
    ("name", "signals"),
    [
        *(("sentry_first", 32), ("sentry_now", 6), ("pipeline_now", 13), ("rules_first", None)),
        *(("sentry_packed", 18), ("pipeline_packed", 27), ("rules_packed", None)),
    ],
)
def test_what_sentry_measured_is_found_in_every_version(name: str, signals: int | None) -> None:
    measured = measured_in(read_outline(SAMPLES[name]))
    assert (None if measured is None else len(measured.values)) == signals


def test_rules_see_a_record_with_fewer_measures_as_far_as_it_goes() -> None:
    whole = row_of(SAMPLES["pipeline_first"], None)
    row = row_of(SAMPLES["pipeline_fewer_measures"], None)
    assert row.items() <= whole.items()
    assert row["velocity.card.count_1h"] == 2
    assert "velocity.card.count_24h" in whole.keys() - row.keys()
    assert row["custom.level"] == "gold"


def test_a_decision_and_its_pipeline_are_typed() -> None:
    record = decode(SAMPLES["pipeline_declined"])
    assert record.decision is Outcome.DECLINE
    assert record.pipeline == PipelineVersion(1, 1)


def test_a_record_of_a_newer_version_is_read_as_far_as_it_can_be() -> None:
    text = sample("pipeline_now", version=VERSION + 1, device={"kind": "watch"})
    record = decode(text)
    assert record.version == VERSION + 1
    assert record.signals == decode(SAMPLES["pipeline_now"]).signals
    assert past_event_in("acct_1", text) == past_event_in("acct_1", SAMPLES["pipeline_now"])


def test_a_newer_record_that_cannot_be_read_is_said_to_be_newer() -> None:
    text = sample("pipeline_now", version=VERSION + 1, stages={"Sentry": {}}, signals=7)
    readers = (
        decode,
        read_outline,
        lambda one: RowReader(everything()).seen(one, None, in_the_end=True),
        lambda one: row_of(one, None),
    )
    for read in readers:
        with pytest.raises(UnreadableRecord, match=f"version {VERSION + 1}.* up to version"):
            read(text)
    assert past_event_in("acct_1", text) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '"text"', '{"stages": 7}'])
def test_what_is_not_a_record_is_refused_by_every_reader(text: str) -> None:
    readers = (
        decode,
        read_outline,
        lambda one: RowReader(everything()).seen(one, None, in_the_end=True),
        lambda one: row_of(one, None),
    )
    for read in readers:
        with pytest.raises(UnreadableRecord, match="this is not a decision record"):
            read(text)
    assert past_event_in("acct_1", text) is None


def test_the_version_is_written_into_the_text() -> None:
    record = decode(SAMPLES["precheck_first"])
    assert encode(record).endswith(f',"version":{VERSION}}}')
    later = msgspec.structs.replace(record, version=VERSION + 1)
    assert encode(later).endswith(f',"version":{VERSION + 1}}}')


@pytest.mark.parametrize(
    ("part", "whole"), [(RecordOutline, DecisionRecord), (StageOutline, RecordedStage)]
)
def test_the_fields_of_an_outline_are_those_of_the_record(
    part: type[msgspec.Struct], whole: type[msgspec.Struct]
) -> None:
    assert _names(fields(part)) <= _names(fields(whole))


def _names(found: tuple[FieldInfo, ...]) -> set[str]:
    return {field.encode_name for field in found}
