"""`make eval-sentry`: attacks on a made-up shop, which Sentry has to find."""

import json
from functools import partial

import pytest
from scripts.eval_sentry import __main__ as command
from scripts.eval_sentry.attacking import (
    USES,
    AttackResult,
    Cashier,
    Judged,
    Scale,
    UseResult,
    decline_threshold,
    evaluate,
    judge_attack,
)
from scripts.eval_sentry.card_testing import ATTACKS, tries
from scripts.eval_sentry.origins import BINS, CAMPUS, CARRIERS, HOMES
from scripts.eval_sentry.outcomes import learn_outcome_scores
from scripts.eval_sentry.reporting import attacks_as_text
from scripts.eval_sentry.shop import BEGIN_S, DAY_S, Shop

from gatehouse.intel.addresses import read_address
from gatehouse.intel.bins import load_bins
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import AddressFacts, load_networks
from gatehouse.operations.installation import system_clock
from gatehouse.training.model_fitting import FitOptions

BY_NAME = {attack.name: attack for attack in ATTACKS}
DAYS = 14


def _facts(address: str) -> AddressFacts:
    found = read_address(address)
    assert found is not None
    return BOOK.look(found, int(BEGIN_S // DAY_S))


BOOK = Feeds(load_networks(), None, system_clock)
BOOK.refresh()


def test_a_seed_makes_the_same_requests_again_and_another_seed_makes_others() -> None:
    def made(seed: int) -> object:
        shop = Shop(seed, 50)
        return shop.honest(0, BEGIN_S + 3 * DAY_S), tries(ATTACKS[0], shop, BEGIN_S)

    assert made(5) == made(5)
    assert made(5) != made(6)


def test_addresses_and_cards_are_what_they_are_taken_for() -> None:
    for country, networks in HOMES.items():
        for network in networks:
            facts = _facts(f"{network}.7.9")
            assert (facts.country, facts.mobile, facts.hosting) == (country, False, 0)
    assert all(_facts(f"{network}.9").mobile for network in CARRIERS["US"])
    rented = BY_NAME["rented-fast"].addresses(Shop(5, 1))
    assert all(_facts(address).hosting for address in rented)
    assert not _facts(CAMPUS).mobile, "nobody told that it is shared"
    table = load_bins()
    for country, bins in BINS.items():
        assert {getattr(table.facts(each), "country", None) for each in bins} == {country}


def test_the_threshold_is_that_of_the_starter_rules() -> None:
    assert decline_threshold() == 0.15


def test_tries_are_found_and_honest_customers_spared() -> None:
    shop, cashier = Shop(5, 600), Cashier(USES[0], load_bins())
    past = shop.honest(0, BEGIN_S + DAYS * DAY_S)
    assert all(confidence >= cashier.threshold for _, confidence in cashier.judge(past))
    few = BY_NAME["pool-fast"].addresses(shop)[:6]
    attack = BY_NAME["pool-fast"]._replace(attempts=320, addresses=lambda _: few)
    judged = judge_attack(attack, shop, cashier, DAYS)
    assert judged.tries == 300
    assert judged.found >= 0.97 * judged.tries
    assert judged.honest > 50
    assert judged.harmed <= 0.01 * judged.honest


def test_every_attack_meets_the_same_past_and_all_are_added_up() -> None:
    attack = BY_NAME["host-fast"]._replace(attempts=60)
    result = evaluate(5, Scale(30, 2), (attack, attack), USES[2:])
    [used] = result.uses
    one, other = used.attacks
    assert one == other
    assert (used.together.tries, one.tries) == (80, 40)
    assert used.before.honest > 0


def test_bars_that_are_not_met_are_told() -> None:
    good, bad = Judged("a", "easy", 100, 97, 100, 1), Judged("b", "hard", 100, 96, 100, 2)
    quiet = Judged("c", "no attack", honest=10)
    used = UseResult("alone", "Sentry alone", quiet, [good, bad], good)
    lines = attacks_as_text(AttackResult(5, 30, 2, 0.15, [used])).splitlines()
    assert (
        "a                      100    97.00%       met       100     1.00%       met" in lines[5]
    )
    assert lines[6].count("NOT MET") == 2
    assert "-         -         -        10     0.00%       met" in lines[8]


def test_without_data_the_attacks_are_measured_and_the_rest_is_said_to_be_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = AttackResult(11, 30, 2, 0.15, [])
    monkeypatch.setattr(command, "evaluate_attacks", lambda *_: nothing)
    monkeypatch.setattr(command, "STREAMS", ())
    few = partial(learn_outcome_scores, days=40, fit=FitOptions(method="logistic"))
    monkeypatch.setattr(command, "learn_outcome_scores", few)
    assert command.main([]) == 0
    printed = capsys.readouterr()
    assert "make eval-sentry DATA=DIR; there is none, so what is made up is measured" in printed.err
    assert "\nCard testing, made up (seed 11): a shop of 30 customers" in printed.out
    assert command.main(["--only", "attacks", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "dataSets": [],
        "attacks": {"seed": 11, "customers": 30, "days": 2, "threshold": 0.15, "uses": []},
    }
    assert "DATA" not in printed.err
