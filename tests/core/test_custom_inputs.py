"""Custom inputs are the merchant's own, but for security codes and PINs."""

from typing import Any

import pytest

from gatehouse.core.custom_inputs import MOST_KEYS, custom_problems
from gatehouse.core.errors import RequestRefused
from gatehouse.core.request_reader import RequestReader
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


@pytest.mark.parametrize("kind", [SentryRequest, RulesRequest, RulesCall])
@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        (b'{"cvv": "123"}', "customInputs.cvv"),
        (b'{"4242424242424242": [{"pin": 1}]}', "customInputs.################[0].pin"),
        (b'{"a": null, "cvv": 1}', "customInputs.a"),
    ],
)
def test_every_request_with_custom_inputs_refuses_them(kind: Any, inputs: bytes, path: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        RequestReader(kind).read(b'{"customInputs": %s}' % inputs)
    assert path in caught.value.fields
    assert "4242" not in str(caught.value.fields)


@pytest.mark.parametrize("kind", [SentryRequest, RulesRequest, RulesCall])
def test_the_number_of_keys_has_a_limit(kind: Any) -> None:
    pairs = b",".join(b'"k%d": 1' % number for number in range(MOST_KEYS + 1))
    with pytest.raises(RequestRefused) as caught:
        RequestReader(kind).read(b'{"customInputs": {%s}}' % pairs)
    assert list(caught.value.fields) == ["customInputs"]
    fewer = pairs.rpartition(b",")[0]
    assert len(RequestReader(kind).read(b'{"customInputs": {%s}}' % fewer).custom_inputs) == 500
