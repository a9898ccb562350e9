"""Which requests are paid, and what a review can still undo."""

from collections.abc import Mapping
from typing import Any

import pytest

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.pipeline.settlement import IntentEnd
from tests.operations.playing import FAILS, play

STAGES = """
  - {{stage: Rules, rule_set: mine}}
  - {{stage: Sentry, on_failure: REVIEW}}
  - {{stage: Gateway{options}}}
"""
PAID: Mapping[str, Any] = {"status": "APPROVED"}
MINE = {"mine": ["look REVIEW: order.amount > 100"]}


def stages(options: str = "") -> str:
    return STAGES.format(options=options)


def test_a_request_for_review_is_paid_and_its_payment_kept() -> None:
    played = play(stages(), MINE, {"Gateway": PAID}, order__amount=200)
    assert played.stages[-1] == "Gateway"
    assert played.decision is Outcome.REVIEW
    assert played.intent is IntentEnd.REVIEWED


def test_a_payment_that_a_review_must_not_touch_is_settled_at_once() -> None:
    leaving = stages(", on_declined_review: leave")
    played = play(leaving, MINE, {"Gateway": PAID}, order__amount=200)
    assert played.decision is Outcome.REVIEW
    assert played.intent is IntentEnd.SETTLED


def test_an_accepted_payment_is_not_kept() -> None:
    played = play(stages(), MINE, {"Gateway": PAID}, order__amount=20)
    assert played.decision is Outcome.ACCEPT
    assert played.intent is IntentEnd.SETTLED


@pytest.mark.parametrize(
    ("amount", "sentry"), [(200, {}), (20, FAILS)], ids=["a rule wants it", "a stage failed"]
)
def test_nothing_is_paid_before_the_review_where_only_what_is_accepted_is(
    amount: int, sentry: Mapping[str, Any]
) -> None:
    found = {"Sentry": sentry, "Gateway": PAID}
    played = play(stages(", pay: accepted"), MINE, found, order__amount=amount)
    assert played.stages == ["Rules", "Sentry"]
    assert played.decision is Outcome.REVIEW
    assert played.intent is IntentEnd.SETTLED


def test_what_is_accepted_is_paid_either_way() -> None:
    played = play(stages(", pay: accepted"), MINE, {"Gateway": PAID}, order__amount=20)
    assert played.stages[-1] == "Gateway"
    assert played.decision is Outcome.ACCEPT


def test_a_rule_after_the_payment_can_still_ask_for_a_review_of_it() -> None:
    mine = {"mine": ["odd REVIEW: gateway.responseCode = ''08''"]}
    found = {"Gateway": {**PAID, "responseCode": "08"}}
    played = play(stages(", pay: accepted"), mine, found)
    assert played.decision is Outcome.REVIEW
    assert played.intent is IntentEnd.REVIEWED


@pytest.mark.parametrize(
    ("amount", "paid", "captured_by"),
    [
        (20, PAID, "pipeline:1"),
        (200, PAID, None),
        (20, {"status": "DECLINED"}, None),
    ],
    ids=["accepted", "for review", "declined by the gateway"],
)
def test_only_what_is_accepted_and_paid_is_captured_at_once(
    amount: int, paid: Mapping[str, Any], captured_by: str | None
) -> None:
    found = {"Gateway": paid}
    played = play(stages(", capture: accepted"), MINE, found, order__amount=amount)
    assert played.captured_by == captured_by
    assert play(stages(), MINE, found, order__amount=amount).captured_by is None
