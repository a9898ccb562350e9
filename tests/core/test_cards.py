"""Card numbers, codes and dates: what is accepted, and what can never be seen."""

import copy
import json
import logging
import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.cards.brands import BRANDS, brand_of, passes_luhn
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.clock import parse_time


def luhn_complete(stem: str) -> str:
    return next(stem + d for d in "0123456789" if passes_luhn(stem + d))


@pytest.mark.parametrize(
    ("number", "brand"),
    [
        ("4242424242424242", "VISA"),
        ("4222222222222", "VISA"),
        ("5555555555554444", "MASTERCARD"),
        ("2223003122003222", "MASTERCARD"),
        ("5105105105105100", "MASTERCARD"),
        ("378282246310005", "AMEX"),
        ("371449635398431", "AMEX"),
        ("6011111111111117", "DISCOVER"),
        ("3056930009020004", "DINERS"),
        ("36227206271667", "DINERS"),
        ("3566002020360505", "JCB"),
        ("6200000000000005", "UNIONPAY"),
        ("6205500000000000004", "UNIONPAY"),
        ("2200000000000004", "MIR"),
        ("6759649826438453", "MAESTRO"),
        ("5066991111111118", "ELO"),
        ("6062826786276634", "HIPERCARD"),
        ("9792030000000000", "TROY"),
        (luhn_complete("506104000000000011"), "VERVE"),
        ("5895620000000002", "NARANJA"),
        (luhn_complete("652150000000000"), "RUPAY"),
    ],
)
def test_published_numbers_belong_to_their_brand(number: str, brand: str) -> None:
    parsed = CardNumber.parse(number)
    assert parsed.brand is not None
    assert parsed.brand.name == brand


@given(st.sampled_from(BRANDS), st.data())
def test_every_range_of_every_brand_is_accepted_at_its_lengths(
    brand: object, data: st.DataObject
) -> None:
    assert isinstance(brand, type(BRANDS[0]))
    low, _, high = data.draw(st.sampled_from(brand.prefixes.split())).partition("-")
    start = str(data.draw(st.integers(int(low), int(high or low))))
    length = data.draw(st.sampled_from(sorted(brand.lengths)))
    rest = data.draw(st.text("0123456789", min_size=length - 1 - len(start),
                             max_size=length - 1 - len(start)))  # fmt: skip
    number = luhn_complete(start + rest)
    owner = brand_of(number)
    assert owner is not None
    if owner is brand:
        assert CardNumber.parse(number).reveal() == number


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("", "12 to 19 digits"),
        ("4242 4242 4242 4242", "without spaces"),
        ("4242-4242-4242-4242", "without spaces"),
        ("42424242424", "12 to 19 digits"),
        ("42424242424242424242", "12 to 19 digits"),
        ("424242424242424x", "12 to 19 digits"),
        ("٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "12 to 19 digits"),
        ("4242424242424241", "check digit"),
        ("42424242424242", "13, 16, 18 or 19 digits for VISA"),
        ("37828224631000", "15 digits for AMEX"),
    ],
)
def test_a_wrong_number_is_told_what_is_expected_and_never_repeated(
    number: str, expected: str
) -> None:
    with pytest.raises(ValueError, match=expected) as caught:
        CardNumber.parse(number)
    assert number == "" or number not in str(caught.value)


def test_unionpay_numbers_need_no_check_digit() -> None:
    assert CardNumber.parse("6200000000000000").brand is not None


def test_a_number_of_no_known_brand_still_needs_its_check_digit() -> None:
    assert CardNumber.parse(luhn_complete("99000000000000")).brand is None
    with pytest.raises(ValueError, match="check digit"):
        CardNumber.parse("990000000000001" if passes_luhn("990000000000002") else "990000000000002")


@pytest.mark.parametrize(
    ("number", "bin_digits", "last_four"),
    [
        ("4242424242424242", "42424242", "4242"),
        ("378282246310005", "378282", "0005"),
        ("36227206271667", "362272", "1667"),
        ("4222222222222", "422222", None),
    ],
)
def test_only_what_may_be_kept_is_shown(number: str, bin_digits: str, last_four: str) -> None:
    parsed = CardNumber.parse(number)
    assert (parsed.bin, parsed.last_four) == (bin_digits, last_four)


SECRETS = [CardNumber.parse("4242424242424242"), SecurityCode.parse("7391")]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_cannot_be_printed_copied_or_serialised(
    secret: CardNumber | SecurityCode, caplog: pytest.LogCaptureFixture
) -> None:
    bare = secret.reveal()
    logging.getLogger("test").warning("%s %r", secret, secret)
    shown = [str(secret), repr(secret), f"{secret}", f"{secret:>40}", caplog.text]
    assert all(bare not in text for text in shown)
    for leak in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps, msgspec.json.encode):
        with pytest.raises(TypeError):
            leak(secret)
    with pytest.raises(AttributeError):
        secret._value = "x"
    assert not hasattr(secret, "__dict__")


def test_a_struct_that_holds_secrets_prints_without_them() -> None:
    class Holder(msgspec.Struct):
        number: CardNumber
        code: SecurityCode

    text = repr(Holder(CardNumber.parse("4242424242424242"), SecurityCode.parse("7391")))
    assert "4242424242424242" not in text
    assert "7391" not in text


@pytest.mark.parametrize(
    "text", ["2030-13", "2030-00", "30-12", "2030/12", "2030-1", "", "12-2030"]
)
def test_an_expiry_is_a_year_and_a_month(text: str) -> None:
    with pytest.raises(ValueError, match="YYYY-MM"):
        ExpiryDate.parse(text)


def test_a_card_is_good_through_its_last_month() -> None:
    expiry = ExpiryDate.parse("2026-11")
    assert not expiry.is_past((2026, 11))
    assert expiry.is_past((2026, 12))


@pytest.mark.parametrize(
    ("moment", "passed"),
    [
        ("2026-11-30T23:59:59.999", False),
        ("2026-12-01T11:59:59.999", False),
        ("2026-12-01T12:00:00.000", True),
        ("2025-01-01T00:00:00.000", False),
    ],
)
def test_a_card_is_good_until_its_month_has_ended_everywhere(moment: str, passed: bool) -> None:
    assert ExpiryDate.parse("2026-11").has_passed(parse_time(moment)) is passed


@pytest.mark.parametrize("text", ["12", "12345", "12a", "", "١٢٣"])
def test_a_security_code_is_three_or_four_digits(text: str) -> None:
    with pytest.raises(ValueError, match="3 or 4 digits"):
        SecurityCode.parse(text)
