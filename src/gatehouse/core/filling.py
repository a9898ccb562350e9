"""Makes a struct out of another thing that has most of its fields."""

from typing import Any, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


def filled(kind: type[S], source: object, /, **others: Any) -> S:
    """A struct with the values that a thing has under the same names, and some others."""
    taken = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in others}
    return kind(**taken, **others)
