"""Sentry as a stage: it notes a request once, whoever asked for that first."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.decisions.packed_values import features_in
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.explaining import said_reason
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.found.found_inputs import InputFinding, InputKind
from gatehouse.sentry.found.input_watch import InputWatch
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import Entity, EntityKind, MemoryEvent
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.response import Reason, SentryResponse
from gatehouse.sentry.scorecard import Scorecard, load_scorecard, load_sheet
from gatehouse.sentry.stage import ObservedRequest, SentryStage, told_reason
from tests.sentry.visits import CARD, NOW, READER, Book, visit

REQUEST = READER.read(json.dumps(visit()).encode())
EMAIL: Entity = (EntityKind.EMAIL, "#mailbox")


class Silent(LocalMemory):
    """A memory that does not answer."""

    recall_now = None

    async def record_and_recall(self, event: MemoryEvent) -> Any:
        raise ConnectorFailed("the memory is away")


def stage(memory: LocalMemory) -> SentryStage:
    return SentryStage(
        Book(), memory, load_scorecard(), EntityHasher(b"k" * 32), time_limit_ms=1000
    )


def case() -> Case:
    made = Case("req_1", "acct_1", int(NOW * 1000), ValuesByType.of(REQUEST))
    made.card = MaskedCard(CARD, "inner")
    return made


def observe(sentry: SentryStage, of: Case, more: Sequence[Entity] = ()) -> ObservedRequest:
    found = asyncio.run(sentry.observe(of, REQUEST, more=more))
    of.observation = found
    return found


def run(sentry: SentryStage, of: Case) -> StageResult:
    return asyncio.run(sentry.run(of))


def test_alone_it_notes_the_request_and_tells_its_event() -> None:
    memory, of = LocalMemory(limit=1000), case()
    result = run(stage(memory), of)
    assert memory.state().events == 1
    assert result.completed
    assert result.facts["event"].counted is True


def test_what_was_gathered_before_is_neither_noted_nor_told_again() -> None:
    memory, of = LocalMemory(limit=1000), case()
    found = observe(stage(memory), of, [EMAIL])
    assert found.counted
    result = run(stage(memory), of)
    assert memory.state().events == 1
    assert result.completed
    assert "event" not in result.facts
    assert EMAIL in found.event.entities


def test_the_score_is_the_same_whoever_gathered() -> None:
    alone, before = case(), case()
    observe(stage(LocalMemory(limit=1000)), before)
    first = run(stage(LocalMemory(limit=1000)), alone)
    second = run(stage(LocalMemory(limit=1000)), before)
    assert first.response == second.response
    assert first.inside == second.inside


@pytest.mark.parametrize("gathers", [True, False])
def test_what_another_party_failed_to_answer_is_taken_back(gathers: bool) -> None:
    memory, of = LocalMemory(limit=1000), case()
    if gathers:
        observe(stage(memory), of)
    run(stage(memory), of)
    for tell in of.on_settled:
        tell(False)
    assert (memory.state().events, memory.state().entities) == (0, 0)


def test_a_past_that_was_gathered_can_be_asked_by_rules() -> None:
    found = observe(stage(LocalMemory(limit=1000)), case(), [EMAIL])
    assert found.history is not None
    groups = {"card", "bin", "ip", "device", "user", "email"}
    assert set(found.history.velocity()) == {f"velocity.{group}" for group in groups}


def test_a_memory_that_does_not_answer_leaves_a_view_that_is_free() -> None:
    sentry, of = stage(Silent(limit=1000)), case()
    with pytest.raises(ConnectorFailed):
        observe(sentry, of)
    of.observation = viewed = sentry.view(of, REQUEST, more=[EMAIL])
    history: History | None = viewed.history
    assert history is None
    assert not viewed.counted
    result = run(sentry, of)
    assert not result.completed
    assert result.response == sentry.unavailable(case()).response
    assert sentry.unavailable(of).response == result.response
    assert "event" not in sentry.unavailable(of).facts
    assert sentry.unavailable(case()).facts["event"].counted is False


def test_a_memory_that_does_not_answer_is_told_later_and_the_answer_says_so() -> None:
    sentry, of = stage(Silent(limit=1000)), case()
    with pytest.raises(ConnectorFailed):
        run(sentry, of)
    result = sentry.unavailable(of)

    assert of.memory_missed
    assert result.facts["event"].missed is True
    assert result.facts["reasons"]["MEMORY_UNAVAILABLE"] == 0
    response = result.response
    assert isinstance(response, SentryResponse)
    assert response.reasons[-1].code == "MEMORY_UNAVAILABLE"
    assert "MEMORY_UNAVAILABLE" not in result.tags


def test_the_reason_does_not_move_the_score() -> None:
    sentry = stage(Silent(limit=1000))
    missed, weighed = sentry.unavailable(case()).facts, load_scorecard()
    assert missed["requestConfidence"] == round(
        weighed.score(features_in(missed["signals"])).confidence, 4
    )


def test_a_memory_that_answers_has_nothing_to_be_told_later() -> None:
    of = case()
    result = run(stage(LocalMemory(limit=1000)), of)
    assert not of.memory_missed
    assert result.facts["event"].missed is False
    assert "MEMORY_UNAVAILABLE" not in result.facts["reasons"]


# ---- What reasons say --------------------------------------------------------------------------


def _sent(user: str) -> dict[str, Any]:
    body = visit(user=user)
    body["order"]["affiliateId"] = "partner"
    return body


def judged(
    sentry: SentryStage, memory: LocalMemory, *fates: bool, user: str = "user-1"
) -> dict[str, Reason]:
    """The reasons for an order of somebody whose earlier ones had these fates."""
    request = READER.read(json.dumps(_sent(user)).encode())
    for fate in fates:
        _, event = asyncio.run(sentry.judge(case(), request))
        memory.note_label(event, fraud=fate)
    result, _ = asyncio.run(sentry.judge(case(), request))
    assert isinstance(result.response, SentryResponse)
    return {reason.code: reason for reason in result.response.reasons}


def learned(code: str, *effects: float, cuts: tuple[float, ...] = ()) -> Scorecard:
    """The shipped scorecard with another term for one signal."""
    sheet = load_sheet()
    terms = [
        msgspec.structs.replace(term, cuts=cuts, effects=effects, family=None)
        if term.code == code
        else term
        for term in sheet.terms
    ]
    return Scorecard(msgspec.structs.replace(sheet, terms=tuple(terms)), BY_CODE.keys())


def test_a_bad_name_and_a_good_one_are_told_in_their_own_words() -> None:
    memory = LocalMemory(limit=1000)
    bad = judged(stage(memory), memory, True)["ACCOUNT_REPUTATION"]
    assert bad.effect < -1
    assert bad.text == "Earlier orders of this user turned out to be fraud."
    memory = LocalMemory(limit=1000)
    good = judged(stage(memory), memory, *[False] * 20)["ACCOUNT_REPUTATION"]
    assert good.effect > 0
    assert good.text == "Earlier orders of this user turned out well."


def test_no_reason_that_raises_speaks_of_fraud_and_none_that_lowers_of_good_ends() -> None:
    for fates in ([True], [False] * 20, [True] + [False] * 40, [True, False]):
        memory = LocalMemory(limit=1000)
        for reason in judged(stage(memory), memory, *fates).values():
            if "REPUTATION" in reason.code:
                assert ("turned out well" in reason.text) is (reason.effect > 0)


def test_what_a_model_has_learned_the_other_way_round_is_told_as_such() -> None:
    memory = LocalMemory(limit=1000)
    contrary = stage(memory).with_scorecard(learned("ACCOUNT_REPUTATION", 0.7))
    reason = judged(contrary, memory, True)["ACCOUNT_REPUTATION"]
    assert reason.effect == 0.7
    assert reason.text.startswith("Orders for which this was ")
    assert reason.text.endswith(" were more often legitimate here than others.")


def test_what_counts_for_a_model_alone_is_told_as_learned() -> None:
    """The shipped scorecard takes no notice of so little, so its sentence would not be true."""
    memory = LocalMemory(limit=1000)
    strict = stage(memory).with_scorecard(learned("SESSION_TOO_YOUNG", -0.6))
    reason = judged(strict, memory)["SESSION_TOO_YOUNG"]
    told = "Orders for which this was 340 were more often fraudulent here than others."
    assert reason.text == told
    many = told_reason("SESSION_TOO_YOUNG", -0.6, 1184.4, shipped=False)
    assert many.text == told.replace("340", "1,184")
    assert said_reason("SESSION_TOO_YOUNG", -0.6, 1184.4) == many.text


def test_what_a_model_has_learned_to_weigh_otherwise_keeps_its_sentence() -> None:
    memory = LocalMemory(limit=1000)
    stricter = stage(memory).with_scorecard(learned("ACCOUNT_REPUTATION", -1.234))
    reason = judged(stricter, memory, True)["ACCOUNT_REPUTATION"]
    assert reason.effect == -1.234
    assert reason.text == "Earlier orders of this user turned out to be fraud."


@pytest.mark.parametrize("effect", [0.5, -0.5])
def test_a_plain_measure_says_what_was_measured_whatever_it_is_worth(effect: float) -> None:
    memory = LocalMemory(limit=1000)
    sentry = stage(memory).with_scorecard(learned("ORDER_AMOUNT", effect))
    reason = judged(sentry, memory)["ORDER_AMOUNT"]
    assert (reason.effect, reason.text) == (effect, "The amount is about 60 dollars.")


@pytest.mark.parametrize("effect", [0.5, -0.5])
def test_nobody_is_called_a_fraud_for_a_weight_that_was_learned(effect: float) -> None:
    memory = LocalMemory(limit=1000)
    sentry = stage(memory).with_scorecard(learned("AFFILIATE_LATEST_OUTCOMES", effect))
    reason = judged(sentry, memory, False, False)["AFFILIATE_LATEST_OUTCOMES"]
    assert reason.text == "Of the last known orders of this affiliate, 0 % were fraud."


def test_a_scorecard_of_its_own_shares_the_memory() -> None:
    memory = LocalMemory(limit=1000)
    sentry = stage(memory)
    own = sentry.with_scorecard(learned("ORDER_AMOUNT", -0.5))
    assert own.time_limit_ms == sentry.time_limit_ms
    run(sentry, case())
    run(own, case())
    assert memory.state().events == 2


def test_judging_tells_what_was_noted() -> None:
    memory, of = LocalMemory(limit=1000), case()
    result, event = asyncio.run(stage(memory).judge(of, REQUEST))
    assert result.facts["event"].at == event.at_s
    assert (EntityKind.USER, "user-1") in event.entities
    assert memory.state().events == 1


class Elsewhere(LocalMemory):
    """A memory that has to be waited for."""

    recall_now = None


def watching(memory: LocalMemory, requests: int, **inputs: str) -> InputWatch:
    """What was watched of requests, each of an order of its own unless they name one."""
    watch = InputWatch()
    sentry = stage(memory).with_watch(watch)
    for number in range(requests):
        event = {"transactionId": inputs.get("order", f"t-{number}")}
        body = {"event": event, "customInputs": {"plan": f"p-{number % 3}"}}
        request = READER.read(json.dumps(body).encode())
        asyncio.run(sentry.observe(Case("", "acct_1", number * 60_000, ValuesByType()), request))
    return watch


@pytest.mark.parametrize("memory", [LocalMemory(1000), Elsewhere(1000)])
def test_custom_inputs_are_watched_wherever_the_memory_is(memory: LocalMemory) -> None:
    found = watching(memory, 100).take_news()
    assert found == {"acct_1": {"plan": InputFinding(InputKind.CATEGORY)}}


def test_an_attempt_that_is_repeated_is_not_watched_again() -> None:
    assert watching(LocalMemory(1000), 100, order="t-1").take_news() == {}
