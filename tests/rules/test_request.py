"""What a Rules request may hold."""

import msgspec
import pytest

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.rules.request import RulesCall, RulesRequest

READER = RequestReader(RulesCall)


def test_everything_can_be_left_out() -> None:
    assert READER.read(b"{}") == RulesCall()
    full = READER.read(
        b'{"customerIp":"203.0.113.1","cardNumber":"4242424242424242","amount":59.9,'
        b'"currency":"USD","email":"a@example.com","phone":"+14155550132","userId":7,'
        b'"billingCountry":"US","shippingCountry":"US","customInputs":{"a":[1],"b":true},'
        b'"ruleSet":"starter","clientReferenceId":"o-1","unknown":1}'
    )
    assert full.card_number is not None
    assert full.card_number.reveal() == "4242424242424242"
    assert (full.user_id, full.amount, full.rule_set) == (7, 59.9, "starter")
    assert full.custom_inputs == {"a": [1], "b": True}


def test_it_does_not_print_what_it_holds() -> None:
    request = msgspec.convert({"email": "a@example.com"}, RulesRequest)
    assert "example" not in repr(request)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"cardNumber":"4242424242424241"}', "cardNumber"),
        (b'{"customInputs":{"a":null}}', "customInputs.a"),
        (b'{"amount":"59.9"}', "amount"),
        (b'{"customerIp":1}', "customerIp"),
        (b'{"email":["a"]}', "email"),
    ],
)
def test_wrong_types_are_refused_by_name(body: bytes, field: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        READER.read(body)
    assert list(refused.value.fields) == [field]
