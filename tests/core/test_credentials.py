"""The reference of an account: well-formed, never printed, and no card's fingerprint."""

import pytest

from gatehouse.core.cards.numbers import CardNumber, CardOfRequest
from gatehouse.core.secrets.credentials import AccountReference
from tests.harness import FINGERPRINTS

PAR = "V0010013018036776997406844829"


@pytest.mark.parametrize(
    "text", ["", PAR[:-1], f"{PAR}0", PAR.lower(), f"{PAR[:-1]}-", f"{PAR[:-1]}\n", "Ä" + PAR[1:]]
)
def test_a_reference_is_29_capitals_and_digits(text: str) -> None:
    with pytest.raises(ValueError, match="29 capital letters and digits"):
        AccountReference.parse(text)


def test_a_reference_is_not_printed() -> None:
    reference = AccountReference.parse(PAR)
    assert PAR not in f"{reference} {reference!r}"
    assert reference.reveal() == PAR


def test_a_reference_of_digits_has_another_fingerprint_than_any_number() -> None:
    reference = AccountReference.parse("4242424242424242".rjust(29, "0"))
    number = CardNumber.parse("4242424242424242")
    assert FINGERPRINTS.inner(reference) != FINGERPRINTS.inner(number)
    assert FINGERPRINTS.inner(reference) in FINGERPRINTS.inner_of_every_key(reference)


def test_two_numbers_pay_from_one_account_if_they_have_its_reference() -> None:
    def card(number: str, par: str | None = None) -> CardOfRequest:
        reference = None if par is None else AccountReference.parse(par)
        return CardOfRequest(CardNumber.parse(number), None, False, reference)

    one, other = "4242424242424242", "5555555555554444"
    assert card(one, PAR).is_same_account(card(other, PAR))
    assert card(one).is_same_account(card(one, PAR))
    assert not card(one).is_same_account(card(other))
    assert not card(one, PAR).is_same_account(card(other, PAR[:-1] + "0"))
