"""One decision is shown with its rules as they were, what is normal for its user, and masked."""

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.inspecting import inspect_decision
from gatehouse.admin.decisions.use_cases.masking import RecordMask, masked_reference
from gatehouse.admin.decisions.use_cases.matched import SinceThen
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.errors import NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import decode, encode_named
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.recorded import OTHER_CARD, Recorder
from tests.decisions.samples import SAMPLES
from tests.harness import make_account

RULES = b"""
rule_set: shop
rules:
  - name: large
    description: Orders above 100.
    condition: order.amount > 100
    outcome: REVIEW
  - name: known-user
    condition: user.id = 'u-4711'
    outcome: REVIEW
    shadow: true
"""


@pytest.fixture
def shop(session: AdminSession) -> Recorder:
    """An account with a rule set and a user who ordered before."""
    recorder = Recorder(session, make_account(session))
    rule_sets.apply(session, recorder.account_id, NewVersion(RULES))
    for amount in (20.0, 30.0, 40.0):
        recorder.keep(
            amount=amount,
            reasons={"ORDER_PLAUSIBLE": 0.1, "SESSION_TOO_YOUNG": -0.5},
            measured={"ORDER_PLAUSIBLE": 1.0, "SESSION_TOO_YOUNG": amount},
        )
    return recorder


def review(shop: Recorder) -> str:
    """A decision that a rule sent to review."""
    return shop.keep(
        amount=250.0,
        card=OTHER_CARD,
        decision=Outcome.REVIEW,
        matched=["large"],
        shadow=["known-user"],
        pipeline=None,
        reasons={"SESSION_TOO_YOUNG": -2.0, "ORDER_PLAUSIBLE": 0.1},
        measured={"SESSION_TOO_YOUNG": 3.0, "ORDER_PLAUSIBLE": 1.0},
    )


def test_rules_have_the_text_of_that_time_and_say_what_became_of_them(shop: Recorder) -> None:
    request_id = review(shop)
    found = inspect_decision(shop.session, shop.account_id, request_id).rules
    assert [(each.name, each.shadow) for each in found] == [("large", False), ("known-user", True)]
    large = found[0]
    assert (large.condition, large.version, large.decisive) == ("order.amount > 100", 1, True)
    assert large.since is SinceThen.SAME
    changed = RULES.replace(b"> 100", b"> 500").replace(b"known-user", b"renamed")
    rule_sets.apply(shop.session, shop.account_id, NewVersion(changed))
    found = inspect_decision(shop.session, shop.account_id, request_id).rules
    assert found[0].condition == "order.amount > 100"
    assert [each.since for each in found] == [SinceThen.CHANGED, SinceThen.GONE]


def test_a_version_that_is_not_kept_leaves_the_names_of_its_rules(shop: Recorder) -> None:
    request_id = shop.keep(decision=Outcome.REVIEW, matched=["large"], version=9)
    [rule] = inspect_decision(shop.session, shop.account_id, request_id).rules
    assert (rule.name, rule.condition, rule.since) == ("large", None, None)


def test_reasons_stand_beside_what_is_normal_for_the_user(shop: Recorder) -> None:
    shop.keep("u-2", amount=9000.0, reasons={"SESSION_TOO_YOUNG": -9.0})
    habits = inspect_decision(shop.session, shop.account_id, review(shop)).habits
    shop.keep(amount=1.0)
    young, plausible = habits.effects
    assert (young.code, young.effect, young.value) == ("SESSION_TOO_YOUNG", -2.0, 3.0)
    assert (young.usual_effect, young.usual_value, young.seen) == (-0.5, 30.0, 3)
    assert plausible.usual_effect == pytest.approx(0.1)
    assert habits.earlier == 3
    assert habits.amount is not None
    amounts = (habits.amount.median, habits.amount.least, habits.amount.most)
    assert amounts == (30.0, 20.0, 40.0)
    seen = {each.entity.kind.value: each.times for each in habits.seen}
    assert seen == {"card": 0, "email": 3, "address": 3, "device": 3}


def test_a_new_user_has_no_habits(shop: Recorder) -> None:
    habits = inspect_decision(shop.session, shop.account_id, shop.keep("u-new")).habits
    assert (habits.earlier, habits.seen, habits.amount) == (0, [], None)
    assert [each.usual_effect for each in habits.effects] == [None]


def test_stages_that_did_not_run_are_named(shop: Recorder) -> None:
    found = inspect_decision(shop.session, shop.account_id, shop.keep())
    assert found.not_run == ["PreCheck", "Gateway"]
    assert found.currency == "USD"
    assert found.review is None


def test_records_of_every_version_are_shown(session: AdminSession) -> None:
    for record in map(decode, SAMPLES.values()):
        recorder = Recorder(session, make_account(session))
        recorder.insert(record)
        found = inspect_decision(session, recorder.account_id, record.request_id)
        assert [each.name for each in found.record.stages] == [each.name for each in record.stages]


def test_nothing_about_the_person_is_left_in_what_is_masked(shop: Recorder) -> None:
    signals = {"custom.note": "Ada Lovelace", "ip.network": "203.0.113.0/24"}
    request_id = review(shop)
    record = inspect_decision(shop.session, shop.account_id, request_id).record
    record = msgspec.structs.replace(
        record, signals={**(record.signals or {}), **signals}, client_reference_id="ada@a.test"
    )
    mask = RecordMask(record)
    text = mask.text(encode_named(record))
    for personal in ("4711", "203.0.113.7", "203.0.113.0", "dev-1", "Lovelace", "ada@a.test"):
        assert personal not in text
    assert "t-900" not in text
    assert mask.text("user.id was 'u-4711', not 'u-47110'.") == "user.id was 'u…11', not 'u-47110'."
    assert mask.value({"a": ["u-4711", 3, None]}) == {"a": ["u…11", 3, None]}


def test_short_names_and_numbers_are_masked_where_they_stand_alone(shop: Recorder) -> None:
    record = shop.record("req_x", "7", reference=14155550132)
    mask = RecordMask(record)
    masked = mask.value({"user": "7", "reference": 14155550132, "amount": 7, "weekday": True})
    assert masked == {"user": "…", "reference": "14…32", "amount": 7, "weekday": True}
    assert mask.text("7 of 77") == "7 of 77"


def test_a_reference_is_hidden_when_it_could_name_somebody() -> None:
    assert masked_reference("order-1001") == "order-1001"
    assert masked_reference(7) == "7"
    assert masked_reference("ada@example.com") == "ad…om"
    assert masked_reference(None) is None


def test_another_accounts_decision_does_not_exist(shop: Recorder) -> None:
    request_id = shop.keep()
    stranger = shop.session.acting_as(Actor.key("key_1", make_account(shop.session)))
    with pytest.raises(NotFound):
        inspect_decision(stranger, shop.account_id, request_id)
    with pytest.raises(NotFound):
        inspect_decision(stranger, str(stranger.actor.account_id), request_id)
