"""Which numbers the store is asked about, and which it noted lately."""

from unittest import mock

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.pipeline import card_enumeration
from gatehouse.pipeline.card_enumeration import EnumerationLimit
from gatehouse.pipeline.settlement import NumbersLimit
from tests.harness import CARD, FINGERPRINTS

NOW_MS = 1_800_000_000_000
HOUR_MS = 3_600_000
ALIKE = "4242424200184242"
OTHER = "5555555555554444"


def ask(limit: EnumerationLimit, *numbers: str, account: str = "acct_1", at: int = NOW_MS) -> int:
    """How many numbers the store is asked about; it takes them all."""
    cards = [CardNumber.parse(each) for each in numbers]
    found = limit.check(account, [(card, FINGERPRINTS.inner(card)) for card in cards], at)
    if found is not None:
        limit.noted(found, at)
    return 0 if found is None else len(found.sent)


def check(account: str, *numbers: str) -> NumbersLimit:
    cards = [CardNumber.parse(each) for each in numbers]
    pairs = [(card, FINGERPRINTS.inner(card)) for card in cards]
    found = EnumerationLimit(FINGERPRINTS, 50).check(account, pairs, NOW_MS)
    assert found is not None
    return found


def test_numbers_that_share_bin_and_last_four_are_one_group() -> None:
    first, second, other = check("acct_1", CARD, ALIKE, OTHER).sent
    assert first.group == second.group != other.group
    assert len({first.number, second.number, other.number}) == 3


def test_the_marks_of_one_account_are_not_those_of_another() -> None:
    (mine,), (other,) = check("acct_1", CARD).sent, check("acct_2", CARD).sent
    assert mine.group != other.group
    assert mine.number != other.number


def test_a_number_that_was_noted_lately_is_not_asked_about_again() -> None:
    limit = EnumerationLimit(FINGERPRINTS, 50)
    assert [ask(limit, CARD), ask(limit, CARD), ask(limit, CARD, OTHER)] == [1, 0, 1]
    assert ask(limit, CARD, account="acct_2") == 1


def test_a_number_is_noted_again_before_it_stops_counting() -> None:
    limit = EnumerationLimit(FINGERPRINTS, 50)
    asked = [ask(limit, CARD, at=NOW_MS + hour * HOUR_MS) for hour in (0, 11, 12, 13, 24)]
    assert asked == [1, 0, 1, 0, 1]


def test_without_a_limit_the_store_is_never_asked() -> None:
    assert ask(EnumerationLimit(FINGERPRINTS, 0), CARD, ALIKE) == 0


def test_what_is_remembered_is_bounded() -> None:
    limit = EnumerationLimit(FINGERPRINTS, 50)
    with mock.patch.object(card_enumeration, "_MOST_REMEMBERED", 1):
        asked = [ask(limit, number) for number in (CARD, OTHER, OTHER, CARD)]
    assert asked == [1, 1, 0, 1]


def test_after_a_refusal_the_store_is_asked_about_every_number_of_the_group_for_a_day() -> None:
    limit = EnumerationLimit(FINGERPRINTS, 50)
    assert ask(limit, CARD, OTHER) == 2
    limit.refused(check("acct_1", ALIKE), NOW_MS)
    asked = [ask(limit, CARD, OTHER, at=NOW_MS + hour * HOUR_MS) for hour in (0, 1, 11)]
    assert asked == [1, 1, 1]
    limit.noted(check("acct_1", CARD, OTHER), NOW_MS + 24 * HOUR_MS)
    assert ask(limit, CARD, OTHER, at=NOW_MS + 24 * HOUR_MS) == 0
