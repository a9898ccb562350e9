"""Events with the types of what they say: a `review.resolved` is a `models.ReviewResolvedEvent`.

An event of a type that this version does not know stays a `models.PublicEvent`.
"""

from typing import TypeVar

import msgspec

from gatehouse_client.models import EVENTS, EventsResponse, PublicEvent

T = TypeVar("T")


def typed(found: T) -> T:
    """The same with each event in it as one of its own type."""
    if isinstance(found, PublicEvent):
        kind = EVENTS.get(found.type, PublicEvent)
        return kind(**msgspec.structs.asdict(found))  # type: ignore[return-value]  # a subclass
    if isinstance(found, EventsResponse):
        return msgspec.structs.replace(found, events=tuple(map(typed, found.events)))
    return found
