"""A memory that forgets a person is as one that never met them."""

from typing import Any

import pytest

from gatehouse.sentry.memory.entity_history import EntityHistory
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import DAY_S, EntityKind, MemoryEvent

NOW = 1_800_000_000.0
SHOP = "acct_shop"


def visit(user: str, card: str, minutes: int, *, address: str = "203.0.113.9") -> MemoryEvent:
    entities = (
        (EntityKind.ADDRESS, address),
        (EntityKind.DEVICE, "#device"),
        (EntityKind.PLACE, "#device 203.0.113.0/24"),
        (EntityKind.COUNTRY, "DE"),
        (EntityKind.USER, user),
        (EntityKind.CARD, card),
        (EntityKind.BIN, "42424242"),
        (EntityKind.EMAIL, f"#mail-{user}"),
        (EntityKind.TRANSACTION, f"tx-{minutes} {user}"),
    )
    return MemoryEvent(SHOP, NOW + 60.0 * minutes, entities, 10.0, "EUR", "DE")


JANE = [visit("jane", "card-1", minutes) for minutes in (1, 5, 30)]
OTHERS = [visit("joe", "card-2", 3), visit("ann", "card-3", 40), visit("joe", "card-2", 50)]


def remembered(memory: LocalMemory) -> dict[int, Any]:
    return {
        key: (one.events, one.timeline, one.links or None, _refused(one.refused))
        for shard in memory._shards
        for key, one in {**shard.known, **shard._once}.items()
    }


def _refused(one: EntityHistory | None) -> Any:
    return None if one is None else (one.timeline, one.links or None)


def with_events(*events: MemoryEvent) -> LocalMemory:
    memory = LocalMemory(limit=100_000)
    for event in sorted(events, key=lambda each: each.at_s):
        memory.note(event)
    return memory


def test_nothing_is_left_of_a_person_and_everything_of_the_others() -> None:
    memory = with_events(*JANE, *OTHERS)
    for event in JANE:
        assert memory.forget(event, counted=True, declined=False)
    never_met = with_events(*OTHERS)
    assert remembered(memory) == remembered(never_met)
    assert memory.state().events == never_met.state().events
    assert memory.note(JANE[0]).users == never_met.note(JANE[0]).users


def test_forgetting_twice_changes_nothing_more() -> None:
    memory = with_events(*JANE, *OTHERS)
    for event in (*JANE, *JANE):
        memory.forget(event, counted=True, declined=False)
    assert remembered(memory) == remembered(with_events(*OTHERS))


def test_an_event_that_was_never_noted_is_left_alone() -> None:
    memory = with_events(*OTHERS)
    assert not memory.forget(JANE[0], counted=True, declined=False)
    assert remembered(memory) == remembered(with_events(*OTHERS))


@pytest.mark.parametrize("counted", [True, False])
def test_refused_payments_are_forgotten_too(counted: bool) -> None:
    memory, never_met = with_events(*OTHERS), with_events(*OTHERS)
    for each in (memory, never_met):
        each.note_decline(OTHERS[0])
    if counted:
        memory.note(JANE[1])
    memory.note_decline(JANE[1])
    memory.forget(JANE[1], counted=counted, declined=True)
    assert remembered(memory) == remembered(never_met)


def test_a_card_that_somebody_else_uses_keeps_their_events() -> None:
    shared = visit("jane", "card-2", 7)
    memory = with_events(shared, *OTHERS)
    memory.forget(shared, counted=True, declined=False)
    assert remembered(memory) == remembered(with_events(*OTHERS))


def test_the_reputation_of_an_address_loses_the_persons_label() -> None:
    memory = with_events(*JANE, *OTHERS)
    memory.note_label(JANE[0], fraud=True)
    memory.forget(JANE[0], counted=True, declined=False)
    memory.note_label(JANE[0], fraud=None, previous=True)
    later = visit("new", "card-9", 2 * int(DAY_S / 60))
    assert memory.note(later).reputation() == {}
