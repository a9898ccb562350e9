"""A decision names the ring of its request, and is found by it."""

import asyncio
import json

from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.decisions.record import DecisionRecord, encode
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.decisions.search_terms import RING, TermMaker, is_of_a_person, ring_in
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.records.event import past_event_in
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from tests.sentry.visits import NOW, READER, Book, visit

AT_MS = int(NOW * 1000)


def recorded(stage: SentryStage, user: str, number: int) -> DecisionRecord:
    body = visit(device_id="d-1") | {"account": {"userId": user}}
    request = READER.read(json.dumps(body).encode())
    assert isinstance(request, SentryRequest)
    case = Case(f"req_{number}", "acct_1", AT_MS + number, ValuesByType.of(request))
    event = asyncio.run(stage.run(case)).facts["event"]
    assert isinstance(event, RecordedEvent)
    return DecisionRecord(f"req_{number}", "sentry", "", None, None, [], 0, 0, event=event)


def test_only_a_request_that_others_are_linked_with_names_a_ring() -> None:
    stage = SentryStage(
        Book(), LocalMemory(1000), load_scorecard(), EntityHasher(b"k" * 32), time_limit_ms=1000
    )
    alone, linked = (recorded(stage, user, at) for at, user in enumerate(("ann", "bob")))
    assert ring_in(alone) is None
    name = ring_in(linked)
    assert name is not None
    maker = TermMaker(b"k" * 32)
    terms = [each.term for each in maker.entries("acct_1", linked)]
    assert maker.term("acct_1", RING, name) in terms
    assert maker.term("acct_2", RING, name) not in terms
    # Erasing a person takes the decision out of the ring.
    assert is_of_a_person(maker.term("acct_1", RING, name))
    assert linked.event is not None
    assert ("ring", name) in linked.event.entities
    # A memory that is rebuilt finds out by itself what is linked.
    past = past_event_in("acct_1", encode(linked))
    assert past is not None
    assert name not in [value for _, value in past.event.entities]
