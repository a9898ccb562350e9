"""Where countries lie on a map: a city of each, out of the table of time zones."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import resources
from statistics import median_low
from typing import Final, NamedTuple

from gatehouse.intel.places import country_code

_ROW: Final = re.compile(r"^([A-Z]{2})\t([+-]\d{4,6})([+-]\d{5,7})\t", re.MULTILINE)


class MapPoint(NamedTuple):
    """Degrees to the north and to the east."""

    latitude: float
    longitude: float


def country_point(country: str) -> MapPoint | None:
    """Some city in the middle of a country's; None when it is unknown."""
    found = known_points()
    return found.get(country) or found.get(country_code(country))


@cache
def known_points() -> Mapping[str, MapPoint]:
    """A point of every country."""
    table = (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    cities: dict[str, list[MapPoint]] = defaultdict(list)
    for country, latitude, longitude in _ROW.findall(table):
        cities[country].append(MapPoint(_degrees(latitude, 2), _degrees(longitude, 3)))
    return {country: _middle(points) for country, points in cities.items()}


def _middle(points: list[MapPoint]) -> MapPoint:
    longitude = median_low([each.longitude for each in points])
    return next(each for each in points if each.longitude == longitude)


def _degrees(text: str, digits: int) -> float:
    whole, rest = text[1 : 1 + digits], text[1 + digits : 3 + digits]
    return (-1 if text[0] == "-" else 1) * (int(whole) + int(rest) / 60)
