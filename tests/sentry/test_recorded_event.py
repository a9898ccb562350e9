"""What the memory took from a request is in its record, and can be read from there."""

import msgspec
import pytest

from gatehouse.decisions.recorded_event import KIND_WORDS
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.records.event import PastEvent, past_event_in, recorded_event

EVENT = MemoryEvent(
    "acct_1",
    1_800_000_000.125,
    [
        (EntityKind.ADDRESS, "203.0.113.9"),
        (EntityKind.USER, "u1"),
        (EntityKind.CUSTOM, "tier=gold"),
    ],
    59.9,
    "EUR",
    request_id="req_1",
)


def record(*stages: object) -> str:
    return msgspec.json.encode({"requestId": "req_1", "stages": stages}).decode()


def stage(name: str = "Sentry", *, completed: bool = True, counted: bool = True) -> object:
    facts = {"event": recorded_event(EVENT, counted=counted), "requestConfidence": 0.7}
    return {"name": name, "completed": completed, "result": facts, "feeMicros": 20_000}


def counts(text: str) -> bool:
    found = past_event_in("acct_1", text)
    return found is not None and found.counted


def test_an_event_is_read_back_as_it_was_noted() -> None:
    found = past_event_in("acct_1", record(stage()))
    assert found == PastEvent(EVENT, counted=True, declined=False)


def test_an_event_is_found_among_other_stages() -> None:
    other = {"name": "PreCheck", "completed": True, "result": {"advice": "ACCEPT"}}
    found = past_event_in("acct_1", record(other, stage()))
    assert found == PastEvent(EVENT, counted=True, declined=False)


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
    assert not counts(text)


def test_a_kind_that_this_version_does_not_know_is_left_out() -> None:
    known = ",".join(str(kind.value) for kind, _ in EVENT.entities)
    newer = known.replace(str(EntityKind.USER.value), "99")
    named = {"at": 1.0, "counted": True, "amount": None, "currency": None, "whereabouts": None}
    words = [("address", "192.0.2.1"), ("horoscope", "leo"), ("custom", "plan=free")]
    first = record({"name": "Sentry", "result": {"event": {**named, "entities": words}}})
    for text in (record(stage()).replace(known, newer), first):
        found = past_event_in("acct_1", text)
        assert found is not None
        kinds = [kind for kind, _ in found.event.entities]
        assert kinds == [EntityKind.ADDRESS, EntityKind.CUSTOM]


def test_the_numbers_of_kinds_are_those_that_records_hold() -> None:
    # A ring is named beside them, and is nothing that the memory remembers.
    assert {kind.value: kind.name.lower() for kind in EntityKind} | {30: "ring"} == KIND_WORDS
    assert 30 not in [kind.value for kind in EntityKind]


def with_event(*stages: object, declined: bool = False, counted: bool = True) -> str:
    event = recorded_event(EVENT, counted=counted, declined=declined)
    told = {"requestId": "req_1", "stages": stages, "event": event}
    return msgspec.json.encode(told).decode()


def test_an_event_is_read_from_the_record_itself_where_it_stands_there() -> None:
    other = {"name": "Rules", "completed": True, "result": {"matched": []}}
    found = past_event_in("acct_1", with_event(other))
    assert found == PastEvent(EVENT, counted=True, declined=False)
    assert not counts(with_event(counted=False))
    failed = {"name": "PreCheck", "completed": False, "result": {}}
    assert not counts(with_event(failed))


def test_a_refusal_is_told_only_where_there_was_one() -> None:
    assert b"declined" not in msgspec.json.encode(recorded_event(EVENT, counted=True))
    for text in (with_event(), record(stage())):
        found = past_event_in("acct_1", text)
        assert found is not None
        assert not found.declined
    assert past_event_in("acct_1", "not json") is None


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("completed", [True, False])
def test_a_refusal_was_real_even_where_the_event_does_not_count(
    counted: bool, completed: bool
) -> None:
    stages = ({"name": "IdVerify", "completed": completed, "result": {}},)
    text = with_event(*stages, declined=True, counted=counted)
    assert past_event_in("acct_1", text) == PastEvent(
        EVENT, counted and completed, declined=True, retracted=counted and not completed
    )


def missed(*others: object, declined: bool = False) -> PastEvent | None:
    event = recorded_event(EVENT, counted=None, declined=declined)
    sentry = {"name": "Sentry", "completed": False, "result": {"event": event}}
    return past_event_in("acct_1", record(*others, sentry))


def test_an_event_that_the_memory_missed_counts_when_it_is_told_later() -> None:
    other = {"name": "PreCheck", "completed": True, "result": {"advice": "ACCEPT"}}
    assert missed(other) == PastEvent(EVENT, counted=True, declined=False, missed=True)


def test_a_missed_event_keeps_its_refusal_and_does_not_count_if_another_party_failed() -> None:
    failed = {"name": "PreCheck", "completed": False, "result": {}}
    assert missed(failed, declined=True) == PastEvent(
        EVENT, counted=False, declined=True, missed=True
    )


def test_records_of_earlier_versions_tell_of_no_missed_event() -> None:
    text = record(stage())
    assert "missed" not in text
    found = past_event_in("acct_1", text)
    assert found is not None
    assert not found.missed
