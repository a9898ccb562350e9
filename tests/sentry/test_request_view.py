"""The first view at a request."""

import json

from gatehouse.intel.addresses import Address
from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry.memory.memory import DAY_S
from gatehouse.sentry.request_view import view_request
from tests.sentry.visits import NOW, READER


def test_feeds_are_asked_for_the_day_on_which_the_request_came() -> None:
    """What they say grows old from now on, and a book that had to turn pages would be slow."""
    asked: list[int] = []

    class Book:
        def look(self, address: Address, day: int) -> AddressFacts:
            asked.append(day)
            return AddressFacts()

    body = {"device": {"ipAddress": "8.8.8.8"}, "event": {"timestamp": "2026-11-12T12:00:00Z"}}
    view = view_request(READER.read(json.dumps(body).encode()), NOW, Book(), None)
    assert asked == [int(NOW // DAY_S)]
    assert view.day == asked[0] - 3
