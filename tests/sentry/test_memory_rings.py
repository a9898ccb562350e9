"""Rings in the memory of one process: who joins, who does not, and how people leave."""

import msgspec
import pytest

from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import Entity, EntityKind, MemoryEvent
from gatehouse.sentry.memory.rings import Ring

NOW = 1_800_000_000.0
ANN: Entity = (EntityKind.USER, "ann")
BOB: Entity = (EntityKind.USER, "bob")
CARD: Entity = (EntityKind.CARD, "card1_a")
OTHER_CARD: Entity = (EntityKind.CARD, "card1_b")
DEVICE: Entity = (EntityKind.DEVICE_ID, "d-1")
ADDRESS: Entity = (EntityKind.ADDRESS, "203.0.113.9")


def event(
    *entities: Entity, at_s: float = NOW, account: str = "shop", country: str | None = None
) -> MemoryEvent:
    return MemoryEvent(account, at_s, entities, 10.0, "EUR", country, f"req_{at_s}")


@pytest.fixture
def memory() -> LocalMemory:
    return LocalMemory(limit=10_000)


def people(memory: LocalMemory, noted: MemoryEvent) -> int:
    found = memory.note(noted).ring
    return 0 if found is None else found.people


def ring(memory: LocalMemory, noted: MemoryEvent) -> Ring:
    found = memory.note(noted).ring
    assert found is not None
    return found


def test_a_device_links_two_people(memory: LocalMemory) -> None:
    assert people(memory, event(ANN, CARD, DEVICE)) == 0
    assert people(memory, event(BOB, OTHER_CARD, DEVICE, at_s=NOW + 60)) == 1
    # And what only one of them used leads to the other as well.
    assert people(memory, event(ANN, CARD, at_s=NOW + 120)) == 1


def test_a_ring_has_the_same_name_when_its_first_event_comes_from_a_record(
    memory: LocalMemory,
) -> None:
    for part in (0.2176, 0.2175, 0.0006, 0.9999, 0.218):
        first, then = event(ANN, DEVICE, at_s=NOW + part), event(BOB, DEVICE, at_s=NOW + 60)
        rebuilt = LocalMemory(limit=1000)
        rebuilt.note(msgspec.structs.replace(first, at_s=round(first.at_s, 3)))
        memory.note(first)
        assert ring(memory, then).id == ring(rebuilt, then).id
        memory = LocalMemory(limit=1000)


def test_a_number_of_their_own_links_two_people_and_a_category_does_not(
    memory: LocalMemory,
) -> None:
    number, plan = (EntityKind.CUSTOM, "loyalty=7"), (EntityKind.CUSTOM, "~plan=free")
    memory.note(event(ANN, CARD, number, plan))
    assert people(memory, event(BOB, OTHER_CARD, plan, at_s=NOW + 60)) == 0
    assert people(memory, event((EntityKind.USER, "eve"), plan, number, at_s=NOW + 120)) == 1
    assert memory.note(event((EntityKind.USER, "dan"), plan)).ring is None


def test_a_request_with_one_such_entity_has_no_ring(memory: LocalMemory) -> None:
    memory.note(event(ANN, DEVICE))
    memory.note(event(BOB, DEVICE))
    assert memory.note(event(DEVICE, (EntityKind.COUNTRY, "DE"))).ring is None


def test_the_same_values_with_two_accounts_are_never_linked(memory: LocalMemory) -> None:
    memory.note(event(ANN, DEVICE, account="bakery"))
    assert people(memory, event(BOB, DEVICE)) == 0
    assert people(memory, event(ANN, DEVICE, account="bakery")) == 0


def test_an_address_links_at_home_and_not_behind_a_carrier(memory: LocalMemory) -> None:
    memory.note(event(ANN, CARD, ADDRESS))
    assert people(memory, event(BOB, OTHER_CARD, ADDRESS)) == 0
    memory.note(event(ANN, CARD, ADDRESS, country="DE"))
    assert people(memory, event(BOB, OTHER_CARD, ADDRESS, country="DE")) == 1


def test_a_repeated_transaction_links_nothing_new(memory: LocalMemory) -> None:
    transaction = (EntityKind.TRANSACTION, "t-1")
    memory.note(event(ANN, CARD, transaction))
    memory.note(event(BOB, CARD, transaction))
    assert people(memory, event(ANN, CARD)) == 0


def test_labels_of_others_count_until_they_are_withdrawn(memory: LocalMemory) -> None:
    theirs = event(BOB, OTHER_CARD, DEVICE)
    memory.note(theirs)
    mine = event(ANN, CARD, DEVICE, at_s=NOW + 60)
    memory.note_label(theirs, fraud=True)
    found = ring(memory, mine)
    assert (found.frauds, found.near) == (2, 2)
    memory.note_label(theirs, fraud=None, previous=True)
    assert ring(memory, mine).frauds == 0


def test_a_label_that_comes_before_the_event_is_read_back_counts(memory: LocalMemory) -> None:
    theirs = event(BOB, OTHER_CARD, DEVICE)
    memory.note_label(theirs, fraud=True)
    memory.note(theirs)
    assert ring(memory, event(ANN, CARD, DEVICE)).frauds == 2


def test_an_erased_person_is_in_no_ring(memory: LocalMemory) -> None:
    theirs = event(BOB, OTHER_CARD, DEVICE)
    memory.note(theirs)
    mine = event(ANN, CARD, DEVICE, at_s=NOW + 60)
    assert people(memory, mine) == 1
    memory.forget(theirs, counted=True, declined=False)
    assert memory.note(event(ANN, CARD, DEVICE, at_s=NOW + 120)).ring is None


def test_what_comes_twice_at_once_is_linked_once(memory: LocalMemory) -> None:
    both = [event(ANN, CARD, DEVICE), event(ANN, CARD, DEVICE)]
    assert [people(memory, each) for each in both] == [0, 0]
    assert ring(memory, event(BOB, DEVICE)).entities == 2


def test_a_ring_has_the_same_name_in_every_process() -> None:
    names = set()
    for _ in range(2):
        memory = LocalMemory(limit=1000)
        memory.note(event(ANN, DEVICE))
        names.add(ring(memory, event(BOB, DEVICE, at_s=NOW + 60)).id)
    assert len(names) == 1
