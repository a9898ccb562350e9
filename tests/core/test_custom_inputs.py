"""Custom inputs are the merchant's own, but for security codes and PINs."""

from typing import Any

import pytest

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.custom_inputs import MOST_KEYS, custom_problems, take_codes
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.rules.request import RulesCall, RulesRequest
from gatehouse.sentry.request import SentryRequest

CODES = (
    "cvv CVV cvv2 CVV2 cvc cvc2 cvc_2 cid CID csc ccv cvn cvd pin PIN pinCode pin_block card-pin "
    "securityCode security_code SECURITY-CODE cardSecurityCode cardCvv2Value card.cvv.value "
    "cardVerificationValue card_verification_code creditCardCvv debit_card_pin my-cvv cvvNumber "
    "cvvCode ｃｖｖ c_v_v customerPin"
)
OTHERS = (
    "cvvResult cvvMatched hasCvv avsResult pinned pinColour spin shippingMethod coupon cidr acid "
    "securityCodeSent promoCode verificationCode discountCode postalCode plan timezone pineapple"
)


@pytest.mark.parametrize("key", CODES.split())
def test_a_key_that_is_named_like_a_code_is_a_problem(key: str) -> None:
    [(path, message)] = custom_problems({"plan": "gold", key: "123"})
    assert path == f"customInputs.{key}"
    assert "cardCvv2Value" in message


@pytest.mark.parametrize("key", OTHERS.split())
def test_other_keys_are_not(key: str) -> None:
    assert list(custom_problems({key: "123"})) == []


def test_keys_deeper_inside_are_found_by_their_paths() -> None:
    inputs = {"cards": [{"name": "x"}, {"more": {"CVC": "123"}}], "pin": {"cvv": 1}}
    paths = {path for path, _ in custom_problems(inputs)}
    assert paths == {
        "customInputs.cards[1].more.CVC",
        "customInputs.pin",
        "customInputs.pin.cvv",
    }


def test_what_is_nested_very_deeply_is_a_problem_of_its_path() -> None:
    inputs: Any = {"cvv": 1}
    for _ in range(40):
        inputs = {"a": [inputs]}
    [(path, message)] = custom_problems(inputs)
    assert path.startswith("customInputs.a[0].a[0]")
    assert "32 levels" in message


@pytest.mark.parametrize("value", ["123", "0123", " 123 ", "1-2-3", "１２３", 123, 12, 7.0, 9999])
def test_a_value_that_may_be_a_code_is_a_problem(value: Any) -> None:
    assert [path for path, _ in custom_problems({"cid": value})] == ["customInputs.cid"]


@pytest.mark.parametrize(
    "value", ["560001", "C-2081", "12", "", "yes", 560001, 1e9, True, [], {"plan": "gold"}]
)
def test_a_value_that_cannot_be_a_code_stays_whatever_its_key(value: Any) -> None:
    inputs = {"pinCode": value, "cid": value}
    assert list(custom_problems(inputs)) == []
    assert take_codes(inputs) == {}
    assert inputs == {"pinCode": value, "cid": value}


@pytest.mark.parametrize("kind", [SentryRequest, RulesRequest, RulesCall])
@pytest.mark.parametrize(
    ("inputs", "path", "left"),
    [
        (b'{"cvv": "123", "plan": "gold"}', "customInputs.cvv", {"plan": "gold"}),
        (
            b'{"4242424242424242": [{"pin": 1}]}',
            "customInputs.################[0].pin",
            {"4242424242424242": [{}]},
        ),
        (b'{"cvc": ["1", "2", "3"]}', "customInputs.cvc", {}),
    ],
)
def test_every_request_with_custom_inputs_is_read_without_codes(
    kind: Any, inputs: bytes, path: str, left: dict[str, Any]
) -> None:
    dropped: dict[str, str] = {}
    read = RequestReader(kind).read(b'{"customInputs": %s}' % inputs, dropped)
    assert read.custom_inputs == left
    assert list(dropped) == [path]
    assert "4242" not in str(dropped)


def test_codes_do_not_hide_other_problems() -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(SentryRequest).read(b'{"customInputs": {"a": null, "cvv": 1}}')
    assert list(caught.value.fields) == ["customInputs.a"]


@pytest.mark.parametrize("kind", [SentryRequest, RulesRequest, RulesCall])
def test_the_number_of_keys_has_a_limit(kind: Any) -> None:
    pairs = b",".join(b'"k%d": 1' % number for number in range(MOST_KEYS + 1))
    with pytest.raises(RequestRefused) as caught:
        RequestReader(kind).read(b'{"customInputs": {%s}}' % pairs)
    assert list(caught.value.fields) == ["customInputs"]
    fewer = pairs.rpartition(b",")[0]
    assert len(RequestReader(kind).read(b'{"customInputs": {%s}}' % fewer).custom_inputs) == 500
