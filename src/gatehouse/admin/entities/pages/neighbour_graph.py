"""The drawing of an entity's neighbours: what it used in the middle, who else used it beside."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from gatehouse.admin.entities.types import Entity
from gatehouse.admin.entities.use_cases.profile import EntityProfile
from gatehouse.admin.entities.use_cases.showing import ShownEntity

WIDTH: Final = 900
_COLUMNS: Final = (20, 380, 680)
_LINE: Final = 30
_TOP: Final = 24
_LONGEST: Final = 28
_BEND: Final = 70

Label = Callable[[ShownEntity], str]


class GraphNode(msgspec.Struct, frozen=True):
    """One entity at its place."""

    shown: ShownEntity
    x: int
    y: int
    text: str
    frauds: int
    is_self: bool = False


class GraphEdge(msgspec.Struct, frozen=True):
    """A curve between two entities."""

    path: str
    weight: str
    """How often they acted together: thin, normal or thick."""


class NeighbourGraph(msgspec.Struct, frozen=True):
    """The drawing, in a box of the width 900."""

    height: int
    nodes: list[GraphNode]
    edges: list[GraphEdge]


def draw_neighbours(found: EntityProfile, label: Label) -> NeighbourGraph | None:
    """The drawing; None for an entity that has no neighbours."""
    around = found.neighbours
    if not around.near:
        return None
    lines = max(len(around.near), len(around.others), 1)
    height = 2 * _TOP + (lines - 1) * _LINE
    columns: Sequence[Sequence[ShownEntity]] = ([found.shown], around.near, around.others)
    nodes: dict[Entity, GraphNode] = {}
    for x, entities in zip(_COLUMNS, columns, strict=True):
        first = (height - (len(entities) - 1) * _LINE) // 2
        for place, shown in enumerate(entities):
            nodes.setdefault(
                shown.entity,
                GraphNode(
                    shown=shown,
                    x=x,
                    y=first + place * _LINE,
                    text=_short(label(shown)),
                    frauds=around.frauds.get(shown.entity, 0),
                    is_self=shown.entity == found.shown.entity,
                ),
            )
    me = found.shown.entity
    edges = [
        _edge(nodes, (me, link.near) if link.other is None else (link.near, link.other), times)
        for link in around.links
        for times in [link.requests]
    ]
    return NeighbourGraph(height, list(nodes.values()), edges)


def _edge(nodes: Mapping[Entity, GraphNode], ends: tuple[Entity, Entity], times: int) -> GraphEdge:
    start, end = nodes[ends[0]], nodes[ends[1]]
    # From behind the text of the first to the dot of the second.
    from_x = start.x + 14 + round(7.2 * len(start.text))
    curve = f"{from_x + _BEND} {start.y} {end.x - _BEND} {end.y} {end.x - 8} {end.y}"
    path = f"M{from_x} {start.y}C{curve}"
    return GraphEdge(path, "thin" if times == 1 else "normal" if times < 5 else "thick")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
