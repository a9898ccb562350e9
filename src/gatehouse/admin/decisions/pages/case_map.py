"""A small map of where a request comes from and where it goes, and the distances in words."""

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from gatehouse.admin.decisions.use_cases.request_subject import RequestSubject
from gatehouse.intel.country_points import MapPoint, country_point, known_points
from gatehouse.intel.places import distance_km

WIDTH: Final = 360
HEIGHT: Final = 150
_NORTH: Final = 84.0
_FROM: Final = ("billing", "card", "phone", "shipping", "address")
"""The first of these that is known is where the others are measured from."""


class MapPlace(msgspec.Struct, frozen=True):
    """A country with all that the request has there, at its place in the drawing."""

    country: str
    roles: list[str]
    x: float
    y: float
    km: int | None
    """The least distance to the first place; 0 for the same country and for neighbours."""


class CaseMap(msgspec.Struct, frozen=True):
    """What is drawn: the first place, and a line from it to each other."""

    places: list[MapPlace]
    unknown: dict[str, str]
    """Roles whose country has no place on the map."""

    @property
    def world(self) -> str:
        """A dot in every country, as one path."""
        return _world()


def map_of(subject: RequestSubject) -> CaseMap:
    """The countries of a request."""
    roles: Mapping[str, str | None] = {
        "billing": subject.customer.billing_country,
        "card": None if subject.card is None else subject.card.country,
        "phone": subject.customer.phone_country,
        "shipping": subject.customer.shipping_country,
        "address": subject.origin.country,
    }
    found: dict[str, list[str]] = {}
    for role in _FROM:
        country = roles[role]
        if country is not None:
            found.setdefault(country, []).append(role)
    points = {country: country_point(country) for country in found}
    first = next((country for country, point in points.items() if point is not None), "")
    places = [
        MapPlace(country, found[country], *_drawn(point), _km(first, country))
        for country, point in points.items()
        if point is not None
    ]
    unknown = {
        role: country for country, point in points.items() if not point for role in found[country]
    }
    return CaseMap(places, unknown)


def _km(first: str, country: str) -> int | None:
    distance = 0.0 if first == country else distance_km(first, country)
    return None if distance is None else round(distance)


def _drawn(point: MapPoint) -> tuple[float, float]:
    return round(point.longitude + 180, 1), round(_NORTH - point.latitude, 1)


@cache
def _world() -> str:
    return "".join(
        f"M{x} {y}h0" for x, y in sorted(map(_drawn, known_points().values())) if y < HEIGHT
    )
