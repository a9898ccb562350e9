"""How often the entities of a request were seen before, and no more than matters."""

import pytest

from gatehouse.sentry.features.feature import LEAST
from gatehouse.sentry.features.sightings import MOST
from gatehouse.sentry.scorecard import load_scorecard
from tests.sentry.visits import CARD, DAY, NOW, OTHER_HOME, Merchant, visit


def test_never_is_a_measurement_and_ten_times_are_as_good_as_a_hundred() -> None:
    merchant = Merchant()
    found = [merchant.measure("ACCOUNT_SEEN", visit(), NOW + turn * DAY) for turn in range(14)]
    assert found == [LEAST, *map(float, range(1, MOST)), *[float(MOST)] * 4]


@pytest.mark.parametrize(
    ("code", "again"),
    [
        ("IP_SEEN", visit(user="other", device_id="d-2")),
        ("DEVICE_ID_SEEN", visit(user="other", ip=OTHER_HOME, device_id="d-1")),
        ("ACCOUNT_SEEN", visit(ip=OTHER_HOME, device_id="d-2")),
        ("CARD_SEEN", visit(user="other", ip=OTHER_HOME, device_id="d-2")),
    ],
)
def test_each_entity_is_counted_by_itself(code: str, again: dict[str, object]) -> None:
    merchant = Merchant()
    assert merchant.measure(code, visit(device_id="d-1"), NOW - DAY, CARD) == LEAST
    assert merchant.measure(code, again, NOW, CARD) == 1
    assert Merchant().measure(code, {"event": {"type": "PURCHASE"}}) == 0


def test_of_custom_inputs_the_least_and_the_best_known_count() -> None:
    merchant = Merchant("till", "clerk")
    for turn, clerk in enumerate(("ann", "ben", "cleo")):
        body = visit(customInputs={"till": "t-1", "clerk": clerk})
        merchant.view(body, NOW - (5 - turn) * DAY)
    body = visit(customInputs={"till": "t-1", "clerk": "ben"})
    assert merchant.measure("CUSTOM_SEEN_MOST", body) == 3
    assert merchant.measure("CUSTOM_SEEN_LEAST", body) == 2
    assert merchant.measure("CUSTOM_SEEN_LEAST", visit(customInputs={"till": "t-2"})) == LEAST


def test_the_shipped_scorecard_leaves_them_to_models() -> None:
    card = load_scorecard()
    codes = [term.code for term in card.sheet.terms if "_SEEN" in term.code]
    assert len(codes) == 9
    assert card.score({code: float(MOST) for code in codes}).effects == []
