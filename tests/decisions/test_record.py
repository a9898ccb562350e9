"""Every record that was ever written can be read, and is written the same way today."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import FieldInfo, fields

from gatehouse.core.outcomes import Outcome
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
    read_outline,
)
from gatehouse.decisions.signal_layout import everything
from gatehouse.decisions.signal_rows import RowReader, row_of
from gatehouse.sentry.recorded_event import measured_in, past_event_in
from gatehouse.web.records import public_decision
from tests.decisions.samples import SAMPLES

each = pytest.mark.parametrize("name", SAMPLES)


def sample(name: str, **changes: Any) -> str:
    return msgspec.json.encode({**msgspec.json.decode(SAMPLES[name]), **changes}).decode()


@each
def test_the_text_of_a_record_stays_what_it_was(name: str) -> None:
    assert encode(decode(SAMPLES[name])) == SAMPLES[name]


@each
def test_a_record_is_read_field_by_field(name: str) -> None:
    record, plain = decode(SAMPLES[name]), msgspec.json.decode(SAMPLES[name])
    assert record.version == VERSION
    assert record.operation == plain["operation"] == name.partition("_")[0]
    assert record.client_reference_id == plain["clientReferenceId"]
    assert [stage.name for stage in record.stages] == [stage["name"] for stage in plain["stages"]]
    assert [stage.result for stage in record.stages] == [one["result"] for one in plain["stages"]]
    assert record.closed_micros == sum(one.fee_micros for one in record.stages if one.completed)
    assert (record.card is None) is (plain["card"] is None)
    assert record.signals == plain.get("signals")


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
    assert [msgspec.json.decode(one.result) for one in outline.stages] == [
        one.result for one in record.stages
    ]
    exported = RowReader(everything()).exported(SAMPLES[name])
    assert exported.decided == record.decision
    own = msgspec.to_builtins(exported.own)
    known = {n: v for n, v in (record.signals or {}).items() if n in everything().own}
    assert own == known


@pytest.mark.parametrize(
    ("name", "counted", "declined"),
    [
        ("sentry_first", True, False),
        ("sentry_now", True, False),
        ("rules_first", True, False),
        ("pipeline_declined", True, True),
        ("pipeline_now", True, False),
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
    [("sentry_first", 32), ("sentry_now", 6), ("pipeline_now", 13), ("rules_first", None)],
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
        RowReader(everything()).exported,
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
        RowReader(everything()).exported,
        lambda one: row_of(one, None),
    )
    for read in readers:
        with pytest.raises(UnreadableRecord, match="this is not a decision record"):
            read(text)
    assert past_event_in("acct_1", text) is None


def test_a_later_version_is_written_into_the_text() -> None:
    record = decode(SAMPLES["precheck_first"])
    assert '"version"' not in encode(record)
    assert encode(msgspec.structs.replace(record, version=2)).endswith(',"version":2}')


@pytest.mark.parametrize(
    ("part", "whole"), [(RecordOutline, DecisionRecord), (StageOutline, RecordedStage)]
)
def test_the_fields_of_an_outline_are_those_of_the_record(
    part: type[msgspec.Struct], whole: type[msgspec.Struct]
) -> None:
    assert _names(fields(part)) <= _names(fields(whole))


def _names(found: tuple[FieldInfo, ...]) -> set[tuple[str, str]]:
    return {(field.name, field.encode_name) for field in found}
