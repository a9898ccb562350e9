"""Rings of entities: what a plain search through a graph finds, bounded, and forgotten in time."""

import os
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.core.ids import id_time_ms, is_id
from gatehouse.sentry import kinds
from gatehouse.sentry.memory import ring_generation
from gatehouse.sentry.memory.memory import DAY_S, EntityKind
from gatehouse.sentry.memory.ring_generation import (
    LARGEST,
    MOMENT_SHIFT,
    MOST_JOINS,
    WEAK,
    RingGeneration,
)
from gatehouse.sentry.memory.rings import PERIOD_S, Ring, Rings

NOW = PERIOD_S * 450
KINDS = (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.PHONE, kinds.DEVICE_ID, kinds.CUSTOM)
ORDER = (*KINDS, kinds.ADDRESS)


def key(kind: EntityKind, number: int) -> int:
    return hash((number, kind.name)) & 0x7FFF_FFFF_FFFF_FFE0 | kind


def born(at_s: float, order: int = 0) -> int:
    return int(at_s * 1000) << MOMENT_SHIFT | order


def event(*entities: tuple[EntityKind, int]) -> list[int]:
    return [key(*each) for each in sorted(entities, key=lambda one: ORDER.index(one[0]))]


class PlainGraph:
    """The same rules on sets of neighbours, with a search for every question."""

    def __init__(self) -> None:
        self.neighbours: dict[int, set[int]] = {}
        self.joins: dict[int, int] = {}

    def ring(self, entity: int) -> set[int]:
        found, open_ = {entity}, [entity]
        while open_:
            for each in self.neighbours[open_.pop()] - found:
                found.add(each)
                open_.append(each)
        return found

    def see(self, keys: Sequence[int]) -> None:
        known = [each for each in keys if each in self.neighbours]
        for each in keys:
            self.neighbours.setdefault(each, set())
            self.joins.setdefault(each, 0)
        joined: list[int] = []
        grew = False
        for each in keys:
            if self.joins[each] >= MOST_JOINS[EntityKind(each & 31)]:
                continue
            if joined and joined[0] not in self.ring(each):
                most = ring_generation.LARGEST
                if each & 31 in WEAK:
                    most = ring_generation.LARGEST_BY_WEAK
                if len(self.ring(each)) + len(self.ring(joined[0])) > most:
                    continue
                self.neighbours[each].add(joined[0])
                self.neighbours[joined[0]].add(each)
                grew = True
            joined.append(each)
        for each in joined if grew else ():
            self.joins[each] += each in known


ENTITIES = st.tuples(st.sampled_from(ORDER), st.integers(0, 5))
EVENTS = st.lists(st.lists(ENTITIES, min_size=2, max_size=6, unique=True), max_size=60)


@settings(deadline=None, max_examples=200)
@given(EVENTS)
def test_rings_are_what_a_search_through_a_graph_finds(
    events: list[list[tuple[EntityKind, int]]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # Small enough that a few events reach both.
        patch.setattr(ring_generation, "LARGEST_BY_WEAK", 8)
        patch.setattr(ring_generation, "LARGEST", 16)
        plain, rings = PlainGraph(), Rings(10_000)
        for entities in events:
            plain.see(event(*entities))
            rings.join(event(*entities), born(NOW))
        for each in plain.neighbours:
            assert set(rings.members(each)) == plain.ring(each)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.lists(ENTITIES, min_size=2, max_size=4, unique=True)),
        max_size=40,
    )
)
def test_links_are_those_of_this_period_and_the_one_before(
    told: list[tuple[int, list[tuple[EntityKind, int]]]],
) -> None:
    told.sort(key=lambda each: each[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ring_generation, "_LIMITS", bytes([255] * 32))
        patch.setattr(ring_generation, "LARGEST_BY_WEAK", 1000)
        rings = Rings(10_000)
        for period, entities in told:
            rings.join(event(*entities), born(NOW + period * PERIOD_S))
        last = told[-1][0] if told else 0
        linked: dict[int, set[int]] = {}
        for period, entities in told:
            if period >= last - 1:
                for one, other in pairwise(event(*entities)):
                    linked.setdefault(one, set()).add(other)
                    linked.setdefault(other, set()).add(one)
        plain = PlainGraph()
        plain.neighbours = linked
        everything = {each for _, entities in told for each in event(*entities)}
        for each in everything:
            expected = plain.ring(each) if each in linked else set()
            assert set(rings.members(each)) == expected


@settings(deadline=None, max_examples=100)
@given(EVENTS, st.randoms(use_true_random=False))
def test_without_limits_the_order_of_events_does_not_matter(
    events: list[list[tuple[EntityKind, int]]], chance: random.Random
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ring_generation, "_LIMITS", bytes([255] * 32))
        patch.setattr(ring_generation, "LARGEST_BY_WEAK", 1000)
        told = [(event(*each), born(NOW + place, place)) for place, each in enumerate(events)]
        shuffled = chance.sample(told, len(told))
        # And all of them once more: what is told twice changes nothing.
        one, other = filled(told), filled([*shuffled, *told])
        for keys, _ in told:
            assert facts(one, keys) == facts(other, keys)


def filled(told: list[tuple[list[int], int]]) -> Rings:
    rings = Rings(10_000)
    for keys, at in told:
        rings.join(keys, at, lambda each: each % 3 == 0)
    return rings


def facts(rings: Rings, keys: list[int]) -> tuple[object, ...] | None:
    found = rings.ring_of(keys, NOW + 60)
    return None if found is None else (found.born, found.entities, found.people, found.frauds)


def test_a_ring_tells_of_others_and_not_of_the_request_itself() -> None:
    rings = Rings(1000)
    mine = event((kinds.USER, 1), (kinds.CARD, 1), (kinds.EMAIL, 1))
    rings.join(mine, born(NOW))
    assert rings.ring_of(mine, NOW) is None
    rings.join(event((kinds.USER, 2), (kinds.CARD, 1)), born(NOW + 1))
    found = rings.ring_of(mine, NOW + 1)
    assert found is not None
    assert (found.people, found.entities) == (1, 1)
    theirs = rings.ring_of(event((kinds.USER, 2), (kinds.CARD, 1)), NOW + 1)
    assert theirs is not None
    assert (theirs.people, theirs.entities) == (1, 2)


def ring_of(rings: Rings, keys: list[int], at_s: float = NOW) -> Ring:
    found = rings.ring_of(keys, at_s)
    assert found is not None
    return found


def test_frauds_of_others_count_and_can_be_taken_back() -> None:
    rings = Rings(1000)
    mine = event((kinds.USER, 1), (kinds.CARD, 1))
    theirs = event((kinds.USER, 2), (kinds.CARD, 1))
    rings.join(mine, born(NOW))
    rings.join(theirs, born(NOW))
    rings.mark(theirs, lambda _: True)
    # The card is the request's own.
    assert (ring_of(rings, mine).frauds, ring_of(rings, theirs).frauds) == (1, 0)
    rings.mark(theirs, lambda _: False)
    assert ring_of(rings, mine).frauds == 0


def test_a_fraud_that_was_known_before_its_entity_came_counts() -> None:
    rings = Rings(1000)
    bad = key(kinds.USER, 2)
    for keys in (event((kinds.USER, 2), (kinds.CARD, 1)), event((kinds.USER, 1), (kinds.CARD, 1))):
        rings.join(keys, born(NOW), lambda each: each == bad)
    assert ring_of(rings, keys).frauds == 1


def test_frauds_near_are_those_of_partners() -> None:
    rings = Rings(1000)
    mine = event((kinds.USER, 1), (kinds.CARD, 1))
    for keys in (mine, event((kinds.USER, 2), (kinds.CARD, 1))):
        rings.join(keys, born(NOW), lambda _: True)
    partners = [key(kinds.USER, 2), key(kinds.CARD, 1), key(kinds.USER, 99)]
    found = rings.ring_of(mine, NOW, lambda: partners)
    assert found is not None
    assert found.near == 1


def test_what_was_not_seen_for_two_periods_is_forgotten() -> None:
    rings = Rings(1000)
    pair = event((kinds.USER, 1), (kinds.CARD, 1))
    rings.join(pair, born(NOW))
    other = event((kinds.USER, 2), (kinds.CARD, 2))
    rings.join(other, born(NOW + PERIOD_S))
    assert set(rings.members(pair[0])) == set(pair)
    rings.join(other, born(NOW + 2 * PERIOD_S))
    assert rings.members(pair[0]) == []
    assert set(rings.members(other[0])) == set(other)


def test_a_ring_keeps_its_name_as_long_as_it_is_seen() -> None:
    rings = Rings(1000)
    one, other = event((kinds.USER, 1), (kinds.CARD, 1)), event((kinds.USER, 2), (kinds.CARD, 1))
    for period in range(6):
        for keys in (one, other):
            rings.join(keys, born(NOW + period * PERIOD_S, period))
    found = ring_of(rings, one, NOW + 5 * PERIOD_S)
    assert found.born == born(NOW, 0)
    assert is_id(found.id, "ring")
    assert id_time_ms(found.id) == int(NOW * 1000)


def test_a_late_event_does_not_bring_back_a_period_that_is_over() -> None:
    rings = Rings(1000)
    rings.join(event((kinds.USER, 1), (kinds.CARD, 1)), born(NOW + 3 * PERIOD_S))
    late = event((kinds.USER, 2), (kinds.CARD, 2))
    assert not rings.join(late, born(NOW))
    rings.join(late, born(NOW + 2 * PERIOD_S))
    rings.join(event((kinds.USER, 1), (kinds.CARD, 1)), born(NOW + 4 * PERIOD_S))
    assert rings.members(late[0]) == []


def test_growth_is_that_of_the_last_24_hours() -> None:
    rings = Rings(1000)
    hub = (kinds.DEVICE_ID, 1)
    for number in range(8):
        rings.join(event((kinds.USER, number), (kinds.CARD, number), hub), born(NOW + number))
    last = event((kinds.USER, 7), (kinds.CARD, 7), hub)
    assert ring_of(rings, last, NOW + 10).grown == pytest.approx(17 - 3, abs=0.1)
    assert ring_of(rings, last, NOW + 1.5 * DAY_S).grown == pytest.approx(8.5 - 3, abs=0.1)
    assert ring_of(rings, last, NOW + 2 * DAY_S).grown == 0


def test_a_thousand_cards_with_one_mailbox_are_no_ring_of_a_thousand() -> None:
    rings = Rings(100_000)
    for number in range(1000):
        rings.join(event((kinds.CARD, number), (kinds.EMAIL, 1)), born(NOW + number))
    most = MOST_JOINS[kinds.EMAIL]
    assert len(rings.members(key(kinds.EMAIL, 1))) == most + 2
    # A mailbox that so many share says nothing of the others any more.
    assert rings.ring_of(event((kinds.CARD, 999), (kinds.EMAIL, 1)), NOW) is None


def test_people_of_one_office_are_not_linked_by_its_address() -> None:
    rings = Rings(100_000)
    office = (kinds.ADDRESS, 1)
    for number in range(50):
        rings.join(event((kinds.USER, number), (kinds.CARD, number), office), born(NOW))
    for number in range(10, 50):
        mine = event((kinds.USER, number), (kinds.CARD, number), office)
        assert rings.ring_of(mine, NOW) is None


def test_a_chain_does_not_grow_without_end() -> None:
    rings = Rings(100_000)
    for number in range(3000):
        rings.join(event((kinds.USER, number), (kinds.CARD, number)), born(NOW))
        rings.join(event((kinds.USER, number + 1), (kinds.CARD, number)), born(NOW))
    assert max(len(rings.members(key(kinds.USER, at))) for at in range(0, 3000, 100)) <= LARGEST


def test_a_removed_entity_is_in_no_ring_and_begins_anew() -> None:
    rings = Rings(1000)
    one, other = event((kinds.USER, 1), (kinds.CARD, 1)), event((kinds.USER, 2), (kinds.CARD, 1))
    for keys in (one, other):
        rings.join(keys, born(NOW), lambda each: each == one[0])
    assert rings.remove(one[0])
    assert not rings.remove(one[0])
    assert set(rings.members(one[1])) == {one[1], other[0]}
    assert rings.ring_of(other, NOW) is None
    rings.join(event((kinds.USER, 1), (kinds.PHONE, 9)), born(NOW))
    assert set(rings.members(one[0])) == {one[0], key(kinds.PHONE, 9)}


@pytest.mark.parametrize("room", [64, 1000])
def test_there_is_never_more_than_room_for(room: int) -> None:
    rings = Rings(room)
    for number in range(5 * room):
        rings.join(event((kinds.USER, number), (kinds.CARD, number)), born(NOW + number))
        assert len(rings) <= 2 * (room + 3)
    newest = key(kinds.USER, 5 * room - 1)
    assert len(rings.members(newest)) == 2
    assert rings.members(key(kinds.USER, 0)) == []


def test_an_entity_that_is_named_twice_is_one() -> None:
    generation = RingGeneration(100)
    card = key(kinds.CARD, 1)
    keys = [card, card, key(kinds.USER, 1)]
    generation.join(keys, born(NOW))
    assert len(generation.members(card)) == 2


def test_a_forked_process_has_rings_of_its_own() -> None:
    generation, keys = RingGeneration(100), [key(kinds.CARD, 1), key(kinds.USER, 1)]
    child = os.fork()
    if child == 0:
        generation.join(keys, born(NOW))
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)
    assert generation.places(keys) == [-1, -1]
