"""What searches answer with."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from gatehouse.admin.decisions.use_cases.public_decisions import PublicDecision
from gatehouse.admin.reviews.types import Review
from gatehouse.core.api_values import CamelStruct, doc

_NextCursor = Annotated[
    str | None, doc("Send it as `cursor` for what follows; null when there is nothing more.")
]
_StillIndexing = Annotated[
    bool | UnsetType,
    doc(
        "Only there, and true, while decisions of an earlier version are being "
        "indexed after an upgrade: some of them may be missing."
    ),
]


class DecisionMatches(CamelStruct):
    """A page of decisions that were searched for, newest first."""

    decisions: list[PublicDecision]
    next_cursor: _NextCursor
    still_indexing: _StillIndexing = UNSET


class ReviewMatches(CamelStruct):
    """A page of reviews that were searched for, oldest first."""

    reviews: list[Review]
    next_cursor: _NextCursor
    still_indexing: _StillIndexing = UNSET
