"""Measures how far countries are from each other: along the outlines that Natural Earth draws, and
from the cities that name time zones. Needs numpy.
"""

import math
import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from gatehouse.intel.places import UNKNOWN_DISTANCE

# Parts of a state that have their own country code while the atlas draws them with the state.
PARTS: Final = {
    "AU": ["CC", "CX"],
    "FR": ["GF", "GP", "MQ", "RE", "YT"],
    "NL": ["BQ"],
    "NO": ["BV", "SJ"],
    "NZ": ["TK"],
    "US": ["UM"],
}
UNNUMBERED: Final = {"Indian Ocean Ter.": "AU", "Kosovo": "XK", "N. Cyprus": "CY",
                     "Somaliland": "SO"}  # fmt: skip
# Places without a time zone of their own, and the north of Norway, which would otherwise be
# nearer to Svalbard's city than to its own. In degrees north and east.
MORE_POINTS: Final = {"BV": (-54.43, 3.38), "HM": (-53.1, 73.5), "NO": (69.65, 18.96)}
EARTH_KM: Final = 6371.0
STEP_DEGREES: Final = 0.25
BLOCK: Final = 1_000

Point = tuple[float, float]


def cities_of(rows: Iterable[list[str]]) -> dict[str, list[Point]]:
    """The main city of each time zone of a country, in degrees north and east."""
    cities: defaultdict[str, list[Point]] = defaultdict(list)
    for country, coordinates, *_ in rows:
        north, east = re.findall(r"[+-]\d+", coordinates)
        cities[country].append((degrees(north, 2), degrees(east, 3)))
    for country, point in MORE_POINTS.items():
        cities[country].append(point)
    return dict(cities)


def degrees(text: str, whole: int) -> float:
    """Reads ±DDMM, ±DDMMSS and their like; ``whole`` says how many digits are degrees."""
    sign, digits = text[0], text[1:].ljust(whole + 4, "0")
    parts = (digits[:whole], digits[whole : whole + 2], digits[whole + 2 :])
    value = sum(float(part) / 60.0**place for place, part in enumerate(parts))
    return -value if sign == "-" else value


def points_of(
    atlas: Mapping[str, Any],
    numbers: Mapping[str, list[str]],
    cities: Mapping[str, list[Point]],
) -> dict[str, list[Point]]:
    """Points along the outline of each country, and its cities."""
    arcs = [list(decoded(arc, atlas["transform"])) for arc in atlas["arcs"]]
    points: defaultdict[str, list[Point]] = defaultdict(list)
    for geometry in atlas["objects"]["countries"]["geometries"]:
        country = UNNUMBERED.get(geometry["properties"]["name"])
        if "id" in geometry:
            country = numbers[geometry["id"]][0]
        if country is None:
            continue
        several = geometry["type"] == "MultiPolygon"
        for polygon in geometry["arcs"] if several else [geometry["arcs"]]:
            outline = [
                point
                for ring in polygon
                for number in ring
                for point in arcs[number if number >= 0 else ~number]
            ]
            points[owner(country, outline[0], cities)] += outline
    for country, places in cities.items():
        points[country] += places
    return dict(points)


def decoded(arc: list[list[int]], transform: Mapping[str, list[float]]) -> Iterator[Point]:
    """The points of an arc of the atlas, with more of them where they are far apart."""
    (scale_x, scale_y), (move_x, move_y) = transform["scale"], transform["translate"]
    x = y = 0
    before: Point | None = None
    for step_x, step_y in arc:
        x, y = x + step_x, y + step_y
        point = (y * scale_y + move_y, x * scale_x + move_x)
        # Where the map is cut at the date line, a step may lead around the whole earth.
        if before is not None and abs(point[1] - before[1]) < 180:
            parts = math.ceil(math.dist(before, point) / STEP_DEGREES)
            for part in range(1, parts):
                share = part / parts
                yield (
                    before[0] + (point[0] - before[0]) * share,
                    before[1] + (point[1] - before[1]) * share,
                )
        yield point
        before = point


def owner(country: str, point: Point, cities: Mapping[str, list[Point]]) -> str:
    """Which part of a state a piece of its land is: the one whose city is nearest."""
    candidates = [country, *PARTS.get(country, [])]
    if len(candidates) == 1:
        return country
    here = vector(point)
    return min(
        candidates, key=lambda one: min(math.dist(here, vector(city)) for city in cities[one])
    )


def vector(point: Point) -> tuple[float, float, float]:
    """The point on a ball of radius one."""
    north, east = math.radians(point[0]), math.radians(point[1])
    return (
        math.cos(north) * math.cos(east),
        math.cos(north) * math.sin(east),
        math.sin(north),
    )


def measure(countries: list[str], points: Mapping[str, list[Point]]) -> bytes:
    """The least distance of each pair of countries, packed as gatehouse.intel.places reads it."""
    import numpy

    vectors = {
        country: numpy.array(sorted({vector(point) for point in points[country]}))
        for country in countries
        if country in points
    }
    found: dict[tuple[str, str], int] = {}
    for a, b in combinations(vectors, 2):
        cosine = max(
            float((vectors[a][start : start + BLOCK] @ vectors[b].T).max())
            for start in range(0, len(vectors[a]), BLOCK)
        )
        found[a, b] = round(EARTH_KM * math.acos(min(1.0, cosine)))
    table: array[int] = array("H")
    for place, a in enumerate(countries):
        table.append(0)
        table.extend(found.get((a, b), UNKNOWN_DISTANCE) for b in countries[place + 1 :])
    if sys.byteorder == "big":
        table.byteswap()
    return table.tobytes()
