"""What the memory took from a request is in its record, and can be read from there."""

import msgspec
import pytest

from gatehouse.sentry.memory import EntityKind, MemoryEvent
from gatehouse.sentry.recorded_event import counted_event_in, declined_event_in, event_facts

SIGHTING = MemoryEvent(
    "acct_1",
    1_800_000_000.125,
    [
        (EntityKind.ADDRESS, "203.0.113.9"),
        (EntityKind.USER, "u1"),
        (EntityKind.CUSTOM, "tier=gold"),
    ],
    59.9,
    "EUR",
)


def record(*stages: object) -> str:
    return msgspec.json.encode({"requestId": "req_1", "stages": stages}).decode()


def stage(name: str = "Sentry", *, completed: bool = True, counted: bool = True) -> object:
    facts = {"event": event_facts(SIGHTING, counted=counted), "requestConfidence": 0.7}
    return {"name": name, "completed": completed, "result": facts, "feeMicros": 20_000}


def test_an_event_is_read_back_as_it_was_noted() -> None:
    assert counted_event_in("acct_1", record(stage())) == SIGHTING


def test_an_event_is_found_among_other_stages() -> None:
    other = {"name": "PreCheck", "completed": True, "result": {"advice": "ACCEPT"}}
    assert counted_event_in("acct_1", record(other, stage())) == SIGHTING


@pytest.mark.parametrize(
    "text",
    [
        record(stage(counted=False)),
        record(stage("Rules")),
        record(stage(), {"name": "PreCheck", "completed": False, "result": {}}),
        record(),
        "{}",
        "not json",
    ],
    ids=["repeated", "other-stage", "issuer-failed", "no-stages", "no-record", "damaged"],
)
def test_what_did_not_count_then_does_not_count_now(text: str) -> None:
    assert counted_event_in("acct_1", text) is None


def test_a_kind_that_this_version_does_not_know_is_left_out() -> None:
    text = record(stage()).replace('"user"', '"horoscope"')
    found = counted_event_in("acct_1", text)
    assert found is not None
    assert [kind for kind, _ in found.entities] == [EntityKind.ADDRESS, EntityKind.CUSTOM]


def with_event(*stages: object, declined: bool = False, counted: bool = True) -> str:
    event = event_facts(SIGHTING, counted=counted, declined=declined)
    return msgspec.json.encode({"stages": stages, "event": event}).decode()


def test_an_event_is_read_from_the_record_itself_where_it_stands_there() -> None:
    other = {"name": "Rules", "completed": True, "result": {"matched": []}}
    assert counted_event_in("acct_1", with_event(other)) == SIGHTING
    assert counted_event_in("acct_1", with_event(counted=False)) is None
    failed = {"name": "PreCheck", "completed": False, "result": {}}
    assert counted_event_in("acct_1", with_event(failed)) is None


def test_a_refusal_is_told_only_where_there_was_one() -> None:
    assert "declined" not in event_facts(SIGHTING, counted=True)
    assert declined_event_in("acct_1", with_event()) is None
    assert declined_event_in("acct_1", record(stage())) is None
    assert declined_event_in("acct_1", "not json") is None


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("completed", [True, False])
def test_a_refusal_was_real_even_where_the_event_does_not_count(
    counted: bool, completed: bool
) -> None:
    stages = ({"name": "IdVerify", "completed": completed, "result": {}},)
    text = with_event(*stages, declined=True, counted=counted)
    assert declined_event_in("acct_1", text) == SIGHTING
    assert (counted_event_in("acct_1", text) == SIGHTING) is (counted and completed)
