"""The fingerprints of cards: one for the inside, another for each account."""

import pytest

from gatehouse.core.cards.fingerprints import INNER, OF_ACCOUNT, Fingerprints
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, KeyRing
from tests.harness import CARD, FINGERPRINTS

NUMBER = CardNumber.parse(CARD)
INSIDE = FINGERPRINTS.inner(NUMBER)
RENEWED = Fingerprints(
    KeyRing({(CARD_FINGERPRINTS, 1): b"f" * 32, (CARD_FINGERPRINTS, 2): b"g" * 32})
)


def test_a_card_has_another_fingerprint_in_each_account() -> None:
    mine, other = (FINGERPRINTS.of_account(name, INSIDE) for name in ("acct_1", "acct_2"))
    assert len({mine, other, INSIDE}) == 3
    assert mine == FINGERPRINTS.of_account("acct_1", INSIDE)


def test_the_two_kinds_cannot_be_taken_for_each_other() -> None:
    mine = FINGERPRINTS.of_account("acct_1", INSIDE)
    assert OF_ACCOUNT.fullmatch(mine)
    assert not OF_ACCOUNT.fullmatch(INSIDE)
    assert INNER.fullmatch(INSIDE)
    assert not INNER.fullmatch(mine)


def test_only_the_fingerprint_of_the_account_itself_is_opened() -> None:
    mine = FINGERPRINTS.of_account("acct_1", INSIDE)
    assert FINGERPRINTS.opened("acct_1", mine) == INSIDE
    assert FINGERPRINTS.opened("acct_2", mine) is None
    changed = mine[:-1] + ("A" if mine[-1] != "A" else "B")
    assert FINGERPRINTS.opened("acct_1", changed) is None


@pytest.mark.parametrize("text", ["", "card1_short", "card0_" + "a" * 48, "card9_" + "a" * 48])
def test_what_is_no_fingerprint_of_an_account_is_not_opened(text: str) -> None:
    assert FINGERPRINTS.opened("acct_1", text) is None


@pytest.mark.parametrize("text", ["", "card-1", "fp1_abc", "fp7_" + "a" * 40])
def test_what_is_no_inner_fingerprint_stays_as_it_is(text: str) -> None:
    assert FINGERPRINTS.of_account("acct_1", text) == text


def test_a_new_key_changes_both_and_still_opens_what_is_older() -> None:
    older = FINGERPRINTS.of_account("acct_1", INSIDE)
    newer = RENEWED.of_account("acct_1", RENEWED.inner(NUMBER))
    assert (older[:6], newer[:6]) == ("card1_", "card2_")
    assert RENEWED.opened("acct_1", older) == INSIDE
    assert RENEWED.inner_of_every_key(NUMBER) == [INSIDE, RENEWED.inner(NUMBER)]


def test_guesses_are_counted_under_marks_that_stand_nowhere_else() -> None:
    mark = FINGERPRINTS.guess_mark(INSIDE)
    assert mark == FINGERPRINTS.guess_mark(INSIDE)
    assert mark != FINGERPRINTS.guess_mark("req_1")
    assert mark not in INSIDE + FINGERPRINTS.of_account("acct_1", INSIDE)


def test_a_request_gets_both_at_once() -> None:
    for each in (FINGERPRINTS, RENEWED):
        inner = each.inner(NUMBER)
        assert each.inner_and_shown("acct_1", NUMBER) == (inner, each.of_account("acct_1", inner))
