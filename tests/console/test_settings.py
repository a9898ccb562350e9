"""What an account decides for itself in the console."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.types import CostsBody
from gatehouse.admin.accounts.use_cases import found_inputs, policies
from gatehouse.admin.events.use_cases.event_settings import get_event_settings
from gatehouse.precheck.response import AvsResult
from gatehouse.sentry.costs import CostPreset
from gatehouse.sentry.found.found_inputs import InputFinding, InputKind
from tests.console.harness import Browser, Console
from tests.console.wrong_numbers import WRONG_NUMBERS


@pytest.fixture
def ada(console: Console) -> Browser:
    return console.as_role(UserRole.ADMINISTRATOR)


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/settings{rest}"


def test_an_account_chooses_what_it_is_told(console: Console, ada: Browser) -> None:
    ada.post(_path(console, "/threshold"), {"threshold": "50"})
    sent = {"told": ["pipeline", "sentry"], "outcomes.pipeline": ["REVIEW", "DECLINE"]}
    assert ada.post(_path(console, "/told"), sent).status_code == 303
    wishes = get_event_settings(console.session, console.account_id)
    assert wishes.low_balance is not None
    assert wishes.low_balance.micros == 50_000_000
    assert wishes.decisions == ["pipeline:REVIEW,DECLINE", "sentry"]
    page = ada.get(_path(console)).text
    assert 'value="50"' in page
    for told in ('name="told" value="sentry"', 'name="outcomes.pipeline" value="REVIEW"'):
        assert f"{told} checked" in page
    assert 'name="outcomes.sentry" value="REVIEW" checked' not in page


def test_a_decision_that_no_operation_makes_cannot_be_told(console: Console, ada: Browser) -> None:
    sent = {"told": ["sentry"], "outcomes.sentry": ["REVIEW"]}
    answer = ada.post(_path(console, "/told"), sent)
    assert answer.status_code == 422
    assert "has no outcome" in answer.text


def test_what_a_mismatch_becomes_can_be_chosen(console: Console, ada: Browser) -> None:
    before = policies.get_policies(console.session, console.account_id).precheck
    result = next(iter(before.cvv2))
    ada.post(_path(console, "/policy"), {f"cvv2.{result}": "DECLINE"})
    after = policies.get_policies(console.session, console.account_id).precheck
    assert after.cvv2[result] == "DECLINE"
    assert after.avs == before.avs
    assert ada.post(_path(console, "/policy"), {f"cvv2.{result}": "MAYBE"}).status_code == 422


def test_results_of_the_address_can_be_chosen_though_none_has_been_before(
    console: Console, ada: Browser
) -> None:
    assert 'name="avs.NO_MATCH"' in ada.get(_path(console)).text
    ada.post(_path(console, "/policy"), {"avs.NO_MATCH": "FRAUD"})
    kept = policies.get_policies(console.session, console.account_id).precheck
    assert kept.avs == {AvsResult.NO_MATCH: "FRAUD"}


def test_sentry_remembers_what_the_account_names(console: Console, ada: Browser) -> None:
    ada.post(_path(console, "/entities"), {"entities": "loyalty\r\n\r\nmember"})
    kept = policies.get_policies(console.session, console.account_id).sentry.entities
    assert kept == ["loyalty", "member"]
    card = ada.post(_path(console, "/entities"), {"entities": "4242424242424242"})
    assert card.status_code == 422
    assert policies.get_policies(console.session, console.account_id).sentry.entities == kept


def test_what_sentry_found_is_shown_and_can_be_refused(console: Console, ada: Browser) -> None:
    found_inputs.keep_findings(
        console.session, console.account_id, {"merchant": InputFinding(InputKind.CATEGORY)}
    )
    page = ada.get(_path(console)).text
    assert "<code>merchant</code>" in page
    assert "Looks like a category" in page
    assert "Remembered since" in page
    ada.post(_path(console, "/found"), {"key": "merchant", "remembered": "no"})
    [kept] = found_inputs.list_found_inputs(console.session, console.account_id).inputs
    assert not kept.remembered
    assert "Remember again" in ada.get(_path(console)).text
    ada.post(_path(console, "/found"), {"key": "merchant", "remembered": "yes"})
    [kept] = found_inputs.list_found_inputs(console.session, console.account_id).inputs
    assert kept.remembered
    assert ada.post(_path(console, "/found"), {"key": "x", "remembered": "yes"}).status_code == 404


def test_costs_are_set_shown_and_forgotten(console: Console, ada: Browser) -> None:
    assert '<option value="off" selected>' in ada.get(_path(console)).text
    sent = {
        "preset": "protect",
        "currency": "usd",
        "margin": "25",
        "chargeback_fee": "20",
        "fee_share": "2.9",
        "review_cost": "3.50",
        "review_finds": "80",
    }
    assert ada.post(_path(console, "/costs"), sent).status_code == 303
    kept = policies.get_policies(console.session, console.account_id).costs
    assert kept == CostsBody("USD", 0.25, CostPreset.PROTECT, 20.0, 0.029, 3.5, 0.8)
    page = ada.get(_path(console)).text
    assert '<option value="protect" selected>' in page
    assert 'value="2.90"' in page
    for wrong in ({"margin": "101"}, {"currency": "QQQ"}, {"preset": "all"}, {"review_cost": "x"}):
        assert ada.post(_path(console, "/costs"), sent | wrong).status_code == 422
    assert policies.get_policies(console.session, console.account_id).costs == kept
    assert ada.post(_path(console, "/costs"), {"preset": "off"}).status_code == 303
    assert policies.get_policies(console.session, console.account_id).costs is None


def test_a_threshold_that_is_no_amount_is_refused_beside_its_field(
    console: Console, ada: Browser
) -> None:
    answer = ada.post(_path(console, "/threshold"), {"threshold": "a lot"})
    assert answer.status_code == 422
    assert "threshold-problem" in answer.text
    assert 'value="a lot"' in answer.text


def test_a_threshold_is_typed_and_shown_in_the_language_of_the_person(console: Console) -> None:
    german = console.as_role(UserRole.ADMINISTRATOR, locale="de")
    german.post(_path(console, "/threshold"), {"threshold": "1.250,50"})
    wishes = get_event_settings(console.session, console.account_id)
    assert wishes.low_balance is not None
    assert wishes.low_balance.micros == 1_250_500_000
    assert 'value="1250,50"' in german.get(_path(console)).text
    english = console.as_role(UserRole.ADMINISTRATOR)
    assert 'value="1250.50"' in english.get(_path(console)).text


def test_the_target_of_reviews_is_whole_hours(console: Console, ada: Browser) -> None:
    ada.post(_path(console, "/target"), {"hours": "4"})
    assert policies.review_target(console.session, console.account_id) == 4
    for wrong in ("0", *WRONG_NUMBERS):
        answer = ada.post(_path(console, "/target"), {"hours": wrong})
        assert answer.status_code == 422
        assert "hours-problem" in answer.text
    assert policies.review_target(console.session, console.account_id) == 4


def test_managers_do_not_change_settings(console: Console) -> None:
    manager = console.as_role(UserRole.MANAGER)
    assert manager.get(_path(console)).status_code == 403
    assert manager.post(_path(console, "/name"), {"name": "Mine"}).status_code == 403
