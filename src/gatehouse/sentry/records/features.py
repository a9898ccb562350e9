"""What Sentry measured, in the form in which decision records keep it."""

from collections.abc import Iterable, Mapping
from typing import Final

from gatehouse.decisions.packed_values import FEATURES, PackedValues

_PARTS: Final = 10_000
"""Values are kept with four digits after the point."""


def rounded_features(values: Mapping[str, float]) -> dict[str, float]:
    """The values of features, as exact as records keep them."""
    return dict(zip(values, _rounded(values.values()), strict=True))


def recorded_features(values: Mapping[str, float]) -> PackedValues:
    """The same for a record."""
    return PackedValues(FEATURES.version, FEATURES.places(values), _rounded(values.values()))


def rounded_feature(value: float) -> float:
    """One value, as exact as records keep it."""
    return round(value * _PARTS) / _PARTS if value % 1 else value


def _rounded(values: Iterable[float]) -> list[float]:
    # Most values are 1 or whole. For the others this takes a third of the time of round(value, 4).
    return [
        1 if value == 1 else round(value * _PARTS) / _PARTS if value % 1 else value
        for value in values
    ]
