"""Explanations are read by people: these are their sentences, also of the oldest records."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, decode
from gatehouse.explanations.explain import MOST_REASONS, explain
from gatehouse.explanations.explanation import Explanation
from gatehouse.explanations.in_force import InForce
from gatehouse.pipeline import definition
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import decode_program
from gatehouse.rules.starter import starter_program
from gatehouse.sentry.scorecard import (
    earlier_scorecards,
    encode_sheet,
    load_scorecard,
    load_sheet,
)
from tests.decisions.samples import SAMPLES
from tests.rules.written import NO_LISTS, Listed, compiled, rules

STARTER = CompiledRuleSet(decode_program(starter_program()), 1)
PIPELINES = {
    int(number): definition.decode_program(text) for number, _, text in starter_pipelines()
}


def explained(record: DecisionRecord, **in_force: Any) -> Explanation:
    pipeline = None if record.pipeline is None else PIPELINES[record.pipeline.id]
    known = {"pipeline": pipeline, "rule_sets": {"starter": STARTER}, "lists": NO_LISTS}
    return explain(record, InForce(**{**known, **in_force}))


def sample(name: str, **results: Any) -> DecisionRecord:
    """A recorded sample with other results of stages."""
    record = decode(SAMPLES[name])
    stages = [
        msgspec.structs.replace(each, result={**each.result, **results.get(each.name, {})})
        for each in record.stages
    ]
    return msgspec.structs.replace(record, stages=stages)


def ruled(*lines: str, matched: tuple[str, ...], status: str, **signals: Any) -> Explanation:
    """The explanation of a request to Rules alone."""
    result = {"ruleSet": "mine", "version": 7, "status": status, "matched": list(matched)}
    record = sample("rules_first", Rules={**result, "matchedLate": []})
    record = msgspec.structs.replace(record, decision=Outcome(status), signals=signals)
    return explained(record, rule_sets={"mine": compiled(*lines)})


@pytest.mark.parametrize("name", SAMPLES)
def test_records_of_every_version_are_explained(name: str) -> None:
    found = explained(decode(SAMPLES[name]))
    assert found.summary.endswith(".")
    assert found.reasons
    assert not any("cannot be told" in note for note in found.notes)


def test_a_rule_is_told_as_it_stood_with_what_it_saw_and_what_would_have_stopped_it() -> None:
    found = ruled(
        "cards-per-device DECLINE: velocity.device.distinct_cards_24h >= 4",
        matched=("cards-per-device",),
        status="DECLINE",
        **{"velocity.device": [1, 1, 1, 0, 0, 0, 7, 1]},
    )
    assert found.summary == (
        "Declined: the rule cards-per-device of rule set mine, version 7, matched."
    )
    assert found.reasons[0].text == (
        "The rule cards-per-device of rule set mine, version 7, matched. It asks: "
        "velocity.device.distinct_cards_24h >= 4. Then velocity.device.distinct_cards_24h was 7."
    )
    assert found.reasons[0].decisive
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if velocity.device.distinct_cards_24h had been at most 3 "
        "(it was 7)."
    ]


def test_a_bound_is_not_told_where_numbers_beyond_it_lead_elsewhere() -> None:
    found = ruled(
        "large DECLINE: order.amount >= 100",
        "tiny REVIEW: order.amount < 1",
        matched=("large",),
        status="DECLINE",
        **{"order.amount": 250.0},
    )
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if order.amount had been just under 100 (it was 250)."
    ]


def test_an_accepted_request_is_told_what_came_closest() -> None:
    found = ruled(
        "many REVIEW: velocity.card.count_1h > 5",
        "large DECLINE: order.amount > 1000",
        matched=(),
        status="ACCEPT",
        **{"order.amount": 20.0, "velocity.card": [1, 5, 5, 5, 5, 20.0, 1, 0, 0, 0, 1, 1, 0]},
    )
    assert found.summary == "Accepted: no stage decided against it (Rules)."
    assert [each.text for each in found.changes] == [
        "It would have been REVIEW if velocity.card.count_1h had been at least 6 (it was 5); the "
        "rule many would have matched.",
        "It would have been DECLINE if order.amount had been more than 1000 (it was 20); the rule "
        "large would have matched.",
    ]


def test_a_rule_that_decided_alone_is_told_so() -> None:
    lines = ("vip ACCEPT final: user.id = ''u-1''", "large DECLINE: order.amount > 10")
    result = {"ruleSet": "mine", "version": 7, "status": "ACCEPT", "finalBy": "vip"}
    record = sample("rules_first", Rules={**result, "matched": ["vip", "large"], "matchedLate": []})
    signals = {"user.id": "u-1", "order.amount": 20}
    record = msgspec.structs.replace(record, decision=Outcome.ACCEPT, signals=signals)
    found = explained(record, rule_sets={"mine": compiled(*lines)})
    assert found.summary == (
        "Accepted: the rule vip of rule set mine, version 7, matched and decided alone."
    )
    assert [each.code for each in found.reasons] == ["vip", "large"]


def test_two_reasons_need_two_changes() -> None:
    record = sample("pipeline_now")
    found = explained(record)
    assert found.summary == "Sent to review: the rules sentry-low and addresses-differ matched."
    texts = [each.text for each in found.changes]
    assert (
        "It would have been ACCEPT if Sentry had not counted IP_TOR_EXIT and request.ips_differ "
        "had been false (it was true): the confidence would have been 0.6694 (it was 0.1687)."
    ) in texts


def test_sentry_says_what_was_measured_and_what_is_normal() -> None:
    found = explained(sample("sentry_now"))
    assert found.summary == (
        "Sentry's confidence that the request is legitimate was 0.2151 of 1 (scorecard prior-3)."
    )
    assert found.reasons[1].text == (
        "The address is a Tor exit. It moved the score by -2.3: 1 was measured, below 0.05 is "
        "normal."
    )
    assert found.reasons[1].effect == -2.3
    assert [each.text for each in found.changes] == [
        "The confidence would have been 0.7321 (it was 0.2151) if Sentry had not counted "
        "IP_TOR_EXIT."
    ]


def test_a_model_of_the_account_explains_its_own_score() -> None:
    sheet = msgspec.structs.replace(load_sheet(), version="learned-3")
    record = sample("sentry_now", Sentry={"model": "learned-3"})
    with_model = explained(record, models={3: encode_sheet(sheet)})
    assert "learned-3)" in with_model.summary
    assert len(with_model.changes) == 1
    without = explained(record)
    assert "that scorecard is not here" in without.summary
    assert without.changes == []


def test_a_raised_version_of_the_scorecard_explains_what_it_scores_alike() -> None:
    older = explained(sample("sentry_now", Sentry={"model": "prior-2"}))
    assert "(scorecard prior-2)" in older.summary
    now = explained(sample("sentry_now"))
    assert older.reasons[1:] == now.reasons[1:]
    assert older.changes == now.changes != []


def test_a_decision_of_an_earlier_scorecard_is_explained_by_its_own_terms() -> None:
    """Since prior-4 what is known of a user and of a mailbox adds up."""
    measured = {"ACCOUNT_REPUTATION": 2.0, "EMAIL_REPUTATION": 3.0, "DEVICE_ID_REPUTATION": 1.2}
    earlier = earlier_scorecards()["prior-3"]
    scored = earlier.score(measured)
    assert dict(scored.effects) == {"EMAIL_REPUTATION": -2.6, "DEVICE_ID_REPUTATION": -1.1}
    assert len(load_scorecard().score(measured).effects) == 3
    result = {"model": "prior-3", "requestConfidence": round(scored.confidence, 4)}
    reasons = dict(scored.effects)
    changed = {**result, "ipScore": 0.6, "signals": measured, "reasons": reasons}
    found = explained(sample("sentry_now", Sentry=changed))
    assert "(scorecard prior-3)" in found.summary
    # Without the mailbox, the user would have counted.
    without = earlier.score({**measured, "EMAIL_REPUTATION": 0.0}).confidence
    assert found.changes[0].signals["sentry.requestConfidence"] == round(without, 4)


def test_a_score_of_other_weights_is_explained_from_what_was_recorded() -> None:
    result = {"model": "prior-1", "requestConfidence": 0.4013, "ipScore": 0.3318}
    reasons = {"IP_TOR_EXIT": -1.1, "OF_LONG_AGO": -0.4, "UA_CURRENT": 0.2}
    found = explained(sample("sentry_now", Sentry={**result, "reasons": reasons}))
    assert "(scorecard prior-1)" in found.summary
    assert [each.code for each in found.reasons[1:]] == ["IP_TOR_EXIT", "OF_LONG_AGO", "UA_CURRENT"]
    # Of a reason that this version does not know, nobody can tell what it stood in for.
    assert [each.text for each in found.changes] == [
        "The confidence would have been 0.6682 (it was 0.4013) if Sentry had not counted "
        "IP_TOR_EXIT."
    ]
    assert found.changes[0].signals["sentry.ipScore"] == 0.5987


def test_a_reason_that_hides_another_of_its_family_is_not_left_out() -> None:
    measured = {"IP_TOR_EXIT": 1.0, "IP_VPN": 1.0}
    result = {"model": "prior-1", "requestConfidence": 0.4013, "signals": measured}
    found = explained(sample("sentry_now", Sentry={**result, "reasons": {"IP_TOR_EXIT": -1.1}}))
    assert found.changes == []


def test_a_security_code_that_did_not_match_is_what_would_have_changed_it() -> None:
    found = explained(sample("precheck_mismatch"))
    assert found.summary == "PreCheck advised DECLINE: the security code did not match."
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if the security code had matched."
    ]


def test_a_gateway_that_refused_is_named() -> None:
    found = explained(sample("pipeline_declined"))
    assert found.summary == "Declined: the gateway refused the payment (response code 05)."
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if the gateway had approved the payment."
    ]


def test_stages_that_did_not_run_are_not_spoken_for() -> None:
    record = sample("pipeline_now", PreCheck={"advice": "FRAUD", "reasons": ["stolen_card"]})
    stages = [each for each in record.stages if each.name in ("Sentry", "Rules", "PreCheck")]
    record = msgspec.structs.replace(record, stages=stages, decision=Outcome.DECLINE)
    found = explained(record)
    assert found.summary == "Declined: PreCheck advised FRAUD: the card was reported stolen."
    [first, *_] = found.changes
    assert first.unless == ["IdVerify", "Gateway"]
    assert first.text == (
        "It would have been REVIEW if the issuer had approved the card, unless IdVerify or "
        "Gateway, which did not run, had found something against it."
    )


def test_a_list_is_told_by_its_name() -> None:
    record = sample("rules_first", Rules={"status": "DECLINE", "matched": ["blocked-network"]})
    signals = {"ip.address": "198.51.100.1", "ip.blocked": False}
    record = msgspec.structs.replace(record, decision=Outcome.DECLINE, signals=signals)
    lists = Listed({"blocked-networks": {"198.51.100.1"}})
    found = explained(record, lists=lists)
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if ip.address had not been on the list blocked-networks."
    ]


@pytest.mark.parametrize(
    ("in_force", "note"),
    [
        ({"missing": ("This installation does not have it any more.",)}, "does not have it"),
        ({"lists": Listed({"allowed-users": {"u-1"}})}, "comes out differently"),
        ({"pipeline": None}, "does not say which pipeline"),
        ({"pipeline": PIPELINES[1]}, "not those of the pipeline"),
    ],
)
def test_what_cannot_be_judged_again_is_not_guessed(in_force: Any, note: str) -> None:
    record = sample("pipeline_now")
    assert record.signals is not None
    record = msgspec.structs.replace(record, signals={**record.signals, "user.id": "u-1"})
    found = explained(record, **in_force)
    assert found.changes == []
    assert note in found.notes[0]
    assert "cannot be told" in found.notes[0]
    assert found.summary == "Sent to review: the rules sentry-low and addresses-differ matched."


def test_very_many_reasons_are_cut() -> None:
    names = [f"r{number}" for number in range(80)]
    result = {"ruleSet": "mine", "version": 7, "status": "REVIEW", "matched": names}
    record = sample("rules_first", Rules={**result, "matchedLate": []})
    one = rules("r REVIEW: ip.hosting").rules[0]
    many = tuple(msgspec.structs.replace(one, name=name) for name in names)
    whole = msgspec.structs.replace(rules("r REVIEW: ip.hosting"), rules=many)
    found = explained(record, rule_sets={"mine": CompiledRuleSet(whole, 7)})
    assert found.summary == "Sent to review: the rules r0, r1, r2 and 77 more matched."
    assert len(found.reasons) == MOST_REASONS
    assert found.notes == ["Only the first 50 of 80 reasons are listed."]
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if ip.hosting had been false (it was true)."
    ]
