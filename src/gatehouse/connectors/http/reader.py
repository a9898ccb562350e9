"""How one value is read of what the party says: where it stands, and what it means."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.connectors.http.mapping_parts import MappingPart, Table, Text
from gatehouse.core.reading.validation import Checked


class Reader(Checked, MappingPart, frozen=True):
    """Where a value stands in an answer, and what it means."""

    path: Text | Annotated[tuple[Text, ...], Meta(min_length=1, max_length=10)] = ()
    """One or more places; the first that holds something counts."""
    join: bool = False
    """The words of all places, with blanks between them, are one word for the table; a place that
    holds nothing is `-`."""
    value: Text | None = None
    """Always this, whatever the answer says."""
    format: Text | None = None
    table: Text | Table | None = None
    brands: Annotated[dict[Text, Text | Table], Meta(max_length=30)] = msgspec.field(
        default_factory=dict
    )
    """A table for a brand, instead of `table`."""
    missing: Text | None = None
    """What it means when no place holds anything."""
    unknown: Text | None = None
    """What a word means that no table has; or `keep`, `skip` or `fail`."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """A value is read from a place or is always the same."""
        if (self.path == ()) == (self.value is None):
            yield "", "needs either path or value"
        if self.join and isinstance(self.path, str | None):
            yield "join", "is for several places: path must be a list"
        if self.join and self.table is None and not self.brands:
            yield "join", "needs a table for the words together"


Reading = Text | Reader | Annotated[tuple[Text | Reader, ...], Meta(min_length=1, max_length=10)]
"""A path, a reader, or several of them of which the first that gives something counts."""
