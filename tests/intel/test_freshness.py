"""How far data is believed as it grows old."""

import re
from pathlib import Path

import pytest

from gatehouse.intel.feeds.freshness import AGEING, age_days, day_of, does_age, trust

OWN = {"blocked", "allowed", "blocked-countries"}
AGES = [0, 1, 2, 3, 7, 14, 30, 60, 90, 180, 365, 730, 3650, 36_500, 10**7]


@pytest.mark.parametrize("kind", AGEING)
def test_what_is_of_today_is_believed_in_full(kind: str) -> None:
    assert trust(0, kind) == 1.0


@pytest.mark.parametrize("kind", AGEING)
def test_trust_only_ever_falls_and_never_to_nothing(kind: str) -> None:
    over_time = [trust(age, kind) for age in AGES]
    assert over_time == sorted(over_time, reverse=True)
    assert all(0.05 <= one <= 1.0 for one in over_time)


@pytest.mark.parametrize("kind", sorted(set(AGEING) - OWN))
def test_what_others_found_out_is_doubted_after_years(kind: str) -> None:
    assert trust(3650, kind) < 0.6


@pytest.mark.parametrize("kind", sorted(OWN))
def test_what_an_operator_decided_holds(kind: str) -> None:
    assert trust(36_500, kind) == trust(None, kind) == 1.0


def test_tor_grows_old_in_days_a_vpn_in_weeks_hosting_in_years() -> None:
    assert trust(30, "tor") < 0.4
    assert 0.6 < trust(30, "vpn") < 1.0
    assert trust(30, "hosting") == 1.0
    assert trust(120, "tor") < trust(120, "vpn") < trust(120, "hosting")
    assert 0.5 < trust(730, "hosting") < 1.0


def test_what_does_not_say_its_age_gets_the_least_its_kind_can_have() -> None:
    assert trust(None, "tor") == pytest.approx(trust(10**6, "tor"))


def test_what_tells_several_things_is_as_old_as_the_one_that_ages_fastest() -> None:
    assert trust(90, "country+asn+anonymity") == trust(90, "anonymity")
    assert does_age("country+asn")
    assert not does_age("country+bins")


def test_a_date_that_is_a_little_ahead_is_of_today_and_one_far_ahead_is_a_mistake() -> None:
    assert day_of("1970-01-02") == 1
    assert age_days("1970-01-11", 40) == 30
    assert [age_days(f"1970-01-1{day}", 10) for day in (1, 2, 3, 4)] == [0, 0, 0, None]
    assert age_days("2199-01-01", 40) is None
    assert age_days(None, 40) is None


def test_the_page_for_operators_has_the_same_numbers() -> None:
    page = (Path(__file__).parents[2] / "docs" / "feeds.md").read_text()
    row = re.compile(r"^\| `([a-z]+)` \| (\d+) days \| (\d+) days \| ([0-9.]+) \|$", re.MULTILINE)
    written = {
        kind: (int(fresh), int(half_life), float(floor))
        for kind, fresh, half_life, floor in row.findall(page)
    }
    ageing = {
        kind: (one.fresh_days, one.half_life_days, one.floor)
        for kind, one in AGEING.items()
        if kind not in OWN
    }
    assert written == ageing
