"""Values by name in few bytes: each name as a number, then the values in the same order.

The numbers are places in a table that only ever grows at its end, so a number means the same for
ever. A name that the table does not have yet is kept as it is. `make docs` adds new names.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import msgspec

Place = int | str
"""The number of a name, or the name itself."""

_SHAPES_AT_ONCE: Final = 1024


class PackedValues(msgspec.Struct, frozen=True, array_like=True):
    """Values of a record, as its text holds them."""

    version: int
    """How many names the table had; what came later was not looked for."""
    places: Sequence[Place]
    values: Sequence[Any]


class PackedFeatures(msgspec.Struct, frozen=True, array_like=True):
    """The same of what Sentry measured."""

    version: int
    places: list[Place]
    values: list[float]


class _Places(dict[str, Place]):
    """The places of names; a name without one stands for itself."""

    def __missing__(self, name: str) -> str:
        return name


class NameTable:
    """The names that values of records have, each at a place of its own."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Final = tuple(names)
        self._places: Final = _Places({name: place for place, name in enumerate(self.names)})
        # The same names come again and again, in the same order.
        self._usual_places = lru_cache(_SHAPES_AT_ONCE)(self.places)
        self._usual_names = lru_cache(_SHAPES_AT_ONCE)(self.named)

    @property
    def version(self) -> int:
        """How many names the table has."""
        return len(self.names)

    def places(self, names: Collection[str]) -> tuple[Place, ...]:
        """The place of each name."""
        return tuple(map(self._places.__getitem__, names))

    def pack(self, values: Mapping[str, Any]) -> PackedValues:
        """The values for a record, of which many have the same names."""
        return PackedValues(
            len(self.names), self._usual_places(tuple(values)), list(values.values())
        )

    def named(self, places: Iterable[Place]) -> tuple[str, ...]:
        """The names at these places; empty where only a newer version knows it."""
        names = self.names
        return tuple(
            place if isinstance(place, str) else names[place] if place < len(names) else ""
            for place in places
        )

    def unpack(self, packed: PackedValues) -> dict[str, Any]:
        """The values by name, as they were packed."""
        named = dict(zip(self._usual_names(tuple(packed.places)), packed.values, strict=False))
        named.pop("", None)
        return named


def read_names(file: str) -> list[str]:
    """The names that a file of this room lists, one in each line."""
    return resources.files("gatehouse.decisions").joinpath(file).read_text("utf-8").split()


FEATURES_FILE: Final = "features.txt"
SIGNALS_FILE: Final = "signals.txt"
FEATURES: Final = NameTable(read_names(FEATURES_FILE))
"""What Sentry measures, by code."""
SIGNALS: Final = NameTable(read_names(SIGNALS_FILE))
"""What rules know of a request before any stage has run; velocity by its groups."""


def features_in(packed: PackedFeatures) -> dict[str, float]:
    """What Sentry measured, by code; hardly two requests have the same features."""
    codes: Any = FEATURES.names
    try:
        found = zip(packed.places, packed.values, strict=False)
        return {codes[place]: value for place, value in found}
    except (TypeError, IndexError):
        # Some are kept by name, or known to a newer version only.
        named = dict(zip(FEATURES.named(packed.places), packed.values, strict=False))
        named.pop("", None)
        return named
