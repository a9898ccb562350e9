"""Sentry as a stage: it notes a request once, whoever asked for that first."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from gatehouse.core.case import Case, StageResult
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.entities import Keeper
from gatehouse.sentry.memory import Entity, Kind, Past, Sighting
from gatehouse.sentry.rings import Rings
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage, Visit
from tests.sentry.visits import CARD, NOW, READER, Book, visit

REQUEST = READER.read(json.dumps(visit()).encode())
EMAIL: Entity = (Kind.EMAIL, "#mailbox")


class Silent(Rings):
    """A memory that does not answer."""

    async def witness(self, sighting: Sighting) -> Any:
        raise ConnectorFailed("the memory is away")


def stage(memory: Rings) -> SentryStage:
    return SentryStage(Book(), memory, load_scorecard(), Keeper(b"k" * 32), time_limit_ms=1000)


def case() -> Case:
    made = Case("req_1", "acct_1", int(NOW * 1000), {"Sentry": REQUEST}, {}, {})
    made.card = CARD
    return made


def gather(sentry: SentryStage, of: Case, more: Sequence[Entity] = ()) -> Visit:
    found = asyncio.run(sentry.gather(of, REQUEST, more=more))
    of.gathered["Sentry"] = found
    return found


def run(sentry: SentryStage, of: Case) -> StageResult:
    return asyncio.run(sentry.run(of))


def test_alone_it_notes_the_request_and_tells_its_event() -> None:
    memory, of = Rings(limit=1000), case()
    result = run(stage(memory), of)
    assert memory.state().events == 1
    assert result.completed
    assert result.facts["event"]["counted"] is True


def test_what_was_gathered_before_is_neither_noted_nor_told_again() -> None:
    memory, of = Rings(limit=1000), case()
    found = gather(stage(memory), of, [EMAIL])
    assert found.counted
    result = run(stage(memory), of)
    assert memory.state().events == 1
    assert result.completed
    assert "event" not in result.facts
    assert EMAIL in found.sighting.entities


def test_the_score_is_the_same_whoever_gathered() -> None:
    alone, before = case(), case()
    gather(stage(Rings(limit=1000)), before)
    first = run(stage(Rings(limit=1000)), alone)
    second = run(stage(Rings(limit=1000)), before)
    assert first.response == second.response
    assert first.inside == second.inside


@pytest.mark.parametrize("gathers", [True, False])
def test_what_another_party_failed_to_answer_is_taken_back(gathers: bool) -> None:
    memory, of = Rings(limit=1000), case()
    if gathers:
        gather(stage(memory), of)
    run(stage(memory), of)
    for tell in of.afterwards:
        tell(False)
    assert (memory.state().events, memory.state().entities) == (0, 0)


def test_a_past_that_was_gathered_can_be_asked_by_rules() -> None:
    found = gather(stage(Rings(limit=1000)), case(), [EMAIL])
    assert found.past is not None
    groups = {"card", "bin", "ip", "device", "user", "email"}
    assert set(found.past.velocity()) == {f"velocity.{group}" for group in groups}


def test_a_memory_that_does_not_answer_leaves_a_glance_that_is_free() -> None:
    sentry, of = stage(Silent(limit=1000)), case()
    with pytest.raises(ConnectorFailed):
        gather(sentry, of)
    of.gathered["Sentry"] = glance = sentry.glance(of, REQUEST, more=[EMAIL])
    past: Past | None = glance.past
    assert past is None
    assert not glance.counted
    result = run(sentry, of)
    assert not result.completed
    assert result.response == sentry.unavailable(case()).response
    assert sentry.unavailable(of).response == result.response
    assert "event" not in sentry.unavailable(of).facts
    assert sentry.unavailable(case()).facts["event"]["counted"] is False
