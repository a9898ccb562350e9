"""Features of the ring that an order belongs to."""

from gatehouse.sentry.features.catalogue import BY_CODE, measure_features
from gatehouse.sentry.features.ring import RING
from gatehouse.sentry.memory.rings import Ring
from gatehouse.sentry.scorecard import load_scorecard
from tests.sentry.visits import CARD, DAY, NOW, Merchant, visit

CODES = {feature.code for feature in RING.features}


def found(ring: Ring | None) -> dict[str, float]:
    view = Merchant().view(visit(), NOW, CARD)
    assert view.history is not None
    view.history.ring = ring
    return {code: value for code, value in measure_features(view).items() if code in CODES}


def ring(**given: float) -> Ring:
    born = int((NOW - 2 * DAY) * 1000) << 20
    usual: dict[str, float] = {"entities": 8, "people": 2, "frauds": 0, "grown": 0.0, "near": 0}
    return Ring(born, **usual | given)  # type: ignore[arg-type]


def test_who_is_linked_with_nobody_has_no_ring() -> None:
    assert found(None) == {}


def test_size_and_age_are_always_told() -> None:
    assert found(ring()) == {"RING_SIZE": 2, "RING_AGE": 2}


def test_frauds_growth_and_neighbours_are_told_where_there_are_any() -> None:
    values = found(ring(frauds=8, grown=4.0, near=3))
    assert values["RING_FRAUD_SHARE"] == 40
    assert (values["RING_GROWTH"], values["RING_FRAUD_NEAR"]) == (4, 3)


def test_every_number_has_an_end() -> None:
    values = found(ring(people=900, entities=999, frauds=999, grown=999.0, near=64))
    assert values["RING_SIZE"] == 50
    assert values["RING_GROWTH"] == 100
    assert values["RING_FRAUD_NEAR"] == 20
    assert values["RING_FRAUD_SHARE"] < 100


def test_one_fraudulent_flatmate_costs_nothing_as_shipped() -> None:
    """A flatmate has a user, a card, a mailbox, a phone and a device, all with the fraud."""
    values = found(ring(people=1, entities=5, frauds=5))
    assert load_scorecard().score(values).effects == []


def test_a_ring_of_thieves_costs_something_once() -> None:
    values = found(ring(people=12, entities=48, frauds=44, grown=40.0))
    [(code, effect)] = load_scorecard().score(values).effects
    assert code == "RING_FRAUD_SHARE"
    assert effect == -1.2


def test_the_sentences_read_as_people_speak() -> None:
    assert BY_CODE["RING_SIZE"].sentence(3.0) == (
        "Shared cards, contacts, devices or addresses link the order with 3 other people."
    )
