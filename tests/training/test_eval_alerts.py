"""`make eval-alerts`: attacks are raised before their 40th order, feasts and outages are not."""

import pytest
from scripts.eval_alerts.__main__ import MOST_ORDERS, as_text, month, opened, raid
from scripts.eval_alerts.thieves import RAIDS
from scripts.eval_sentry.attacking import USES, Scale

SMALL, LARGER = Scale(700, 9), Scale(2200, 8)
PIPELINE, SEED = USES[0], 3


@pytest.mark.parametrize("name", ["host-slow", "pool-fast", "sale-pool", "takeover"])
def test_an_attack_is_raised_before_its_fortieth_order(name: str) -> None:
    found = raid(opened(SEED, SMALL, PIPELINE, ()), name)
    assert found.raised_after is not None
    assert found.raised_after < MOST_ORDERS
    assert "attack" in found.told_as
    assert f"{name:14}" in as_text([found], [])


def test_an_offer_that_brings_many_small_orders_is_a_feast() -> None:
    found = raid(opened(SEED, LARGER, PIPELINE, ()), "offer")
    assert found.raised_after is None
    assert set(found.told_as) == {"feast"}


def test_honest_days_with_an_outage_raise_no_attack() -> None:
    found = month(opened(SEED, LARGER, PIPELINE), days=11)
    assert found.false_alerts == 0
    assert found.requests > 500
    assert {"outage", "feast"} <= {kind for kind, _ in found.raised}
    assert "0 false alerts" in as_text([], [found])


def test_every_attack_of_the_other_evaluation_is_tried() -> None:
    assert {"host-fast", "carriers", "offer", "spree"} <= RAIDS.keys()
