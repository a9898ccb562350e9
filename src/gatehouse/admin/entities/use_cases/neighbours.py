"""With whom an entity shares what: what it used, and who else used the same.

Only the newest decisions are looked at, so the work does not grow with an entity's past.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType, entities_of
from gatehouse.admin.entities.use_cases.index import EntityIndex
from gatehouse.admin.entities.use_cases.showing import (
    BROWSER,
    EntityLabel,
    ShownEntity,
    labels_in,
    shown,
)
from gatehouse.decisions.record import DecisionRecord

MOST_NEIGHBOURS: Final = 30
"""How many entities are shown beside one, of both rings together."""
_MOST_NEAR: Final = 16
_MOST_OF_A_KIND: Final = 4
_MOST_LOOKED_AT: Final = 30
"""So many of the newest decisions of each near entity tell who else used it."""

KnownLabels = dict[Entity, EntityLabel]


class SharedLink(msgspec.Struct, frozen=True):
    """Two entities that acted together."""

    near: Entity
    """What the entity of the page used."""
    other: Entity | None
    """Somebody else of the same kind who used it; None for the entity of the page."""
    requests: int
    """In how many of the decisions that were looked at."""


class Neighbourhood(msgspec.Struct, frozen=True):
    """An entity's neighbours and what they share."""

    near: list[ShownEntity]
    others: list[ShownEntity]
    links: list[SharedLink]
    left_out: int
    """Neighbours that are not shown."""
    frauds: dict[Entity, int]
    """How many of the decisions that were looked at turned out to be fraud, if any."""


def neighbourhood(
    index: EntityIndex, entity: Entity, records: Sequence[DecisionRecord]
) -> Neighbourhood:
    """The neighbours of an entity, from its newest records."""
    labels: KnownLabels = {}
    beside = _beside(entity, records, labels)
    near = _nearest(beside)
    # Strangers have the same browser by chance.
    used = [
        each for each in near if each.kind is not entity.kind and labels[each].called != BROWSER
    ]
    found = {each: index.newest(each, _MOST_LOOKED_AT) for each in used}
    known = {record.request_id for record in records}
    wanted = sorted({each for some in found.values() for each in some} - known)
    theirs = index.records(wanted)
    shared = _shared(entity, found, theirs, labels)
    others = [each for each, _ in _ranked(_sums(shared))][: MOST_NEIGHBOURS - len(near)]
    links = [SharedLink(each, None, beside[each]) for each in near]
    links += [
        SharedLink(at, other, times) for (at, other), times in shared.items() if other in others
    ]
    tokens = EntityTokens(index.session, index.account_id)
    everybody = len(beside) + len(_sums(shared))
    return Neighbourhood(
        near=[shown(each, tokens, labels) for each in near],
        others=[shown(each, tokens, labels) for each in others],
        links=links,
        left_out=everybody - len(near) - len(others),
        frauds=_frauds(index, [*records, *theirs]),
    )


def _frauds(index: EntityIndex, records: Sequence[DecisionRecord]) -> dict[Entity, int]:
    bad = index.frauds([record.request_id for record in records])
    known = [record for record in records if record.request_id in bad]
    return dict(Counter(each for record in known for each in entities_of(record)))


def _beside(
    entity: Entity, records: Iterable[DecisionRecord], labels: KnownLabels
) -> "Counter[Entity]":
    """Who acted together with an entity, and how often."""
    found: Counter[Entity] = Counter()
    for record in records:
        here = labels_in(record)
        labels |= here
        found.update(each for each in here if each != entity)
    return found


def _nearest(beside: "Counter[Entity]") -> list[Entity]:
    """The most frequent neighbours, some of every kind."""
    near: list[Entity] = []
    of_kind: Counter[EntityType] = Counter()
    for each, _ in _ranked(beside):
        if of_kind[each.kind] < _MOST_OF_A_KIND and len(near) < _MOST_NEAR:
            of_kind[each.kind] += 1
            near.append(each)
    return sorted(near, key=_place)


def _shared(
    entity: Entity,
    found: Mapping[Entity, Sequence[str]],
    records: Sequence[DecisionRecord],
    labels: KnownLabels,
) -> dict[tuple[Entity, Entity], int]:
    """How often each near entity was used by another one of the same kind as the first."""
    who: dict[str, list[Entity]] = {}
    for record in records:
        here = labels_in(record)
        labels |= {key: label for key, label in here.items() if key not in labels}
        named = [key for key, label in here.items() if label.called != BROWSER and key != entity]
        who[record.request_id] = [each for each in named if each.kind is entity.kind]
    shared: Counter[tuple[Entity, Entity]] = Counter()
    for near, request_ids in found.items():
        shared.update(
            (near, other) for request_id in request_ids for other in who.get(request_id, ())
        )
    return shared


def _sums(shared: Mapping[tuple[Entity, Entity], int]) -> "Counter[Entity]":
    sums: Counter[Entity] = Counter()
    for (_, other), times in shared.items():
        sums[other] += times
    return sums


def _ranked(counts: "Counter[Entity]") -> list[tuple[Entity, int]]:
    """The most frequent first; equal ones always in the same order."""
    return sorted(counts.items(), key=lambda each: (-each[1], _place(each[0]), each[0].value))


def _place(entity: Entity) -> int:
    """Where its kind stands: people before what they use."""
    return list(EntityType).index(entity.kind)
