"""Fields that nothing reads: found at every depth, named safely, with what may have been meant."""

from typing import Any

import msgspec
import pytest

from gatehouse.admin.feedback.types import FeedbackRequest
from gatehouse.admin.reviews.types import ReviewResolution
from gatehouse.core.reading import unread_fields
from gatehouse.core.reading.unread_fields import UnreadFields
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.operations.pipeline_messages import pipeline_messages
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.sentry.request import SentryRequest
from tests.harness.samples import AMELIA, BODY, CARD, PURCHASE, VISIT

PIPELINE = pipeline_messages().request


def _found(kind: type[msgspec.Struct], body: Any, **ignored: str) -> dict[str, str]:
    warnings = UnreadFields(kind).find(msgspec.json.encode(body), ignored)
    return {warning.path: warning.message for warning in warnings}


def _meant(kind: type[msgspec.Struct], body: Any) -> dict[str, str]:
    """What each unknown field is taken for."""
    found = _found(kind, body)
    return {path: text.partition("did you mean ")[2].rstrip("?") for path, text in found.items()}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (PreCheckRequest, BODY),
        (PreCheckRequest, {**BODY, "cardAddress": None}),
        (IdVerifyRequest, AMELIA),
        (SentryRequest, VISIT),
        (SentryRequest, {"customInputs": {"cvvv": {"zip": [{"any": 1}]}}, "shoppingCart": None}),
        (PIPELINE, {**PURCHASE, "idVerifyRequest": AMELIA}),
    ],
)
def test_a_body_of_known_fields_has_no_warnings(kind: type[msgspec.Struct], body: Any) -> None:
    assert not _found(kind, body)


def test_an_ordinary_body_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing names is enough, and what every request pays."""
    monkeypatch.setattr(unread_fields, "read_json", None)
    for kind, body in ((PreCheckRequest, BODY), (SentryRequest, VISIT), (PIPELINE, PURCHASE)):
        assert UnreadFields(kind).find(msgspec.json.encode(body)) == ()


def test_an_unknown_field_is_named_with_the_one_that_was_meant() -> None:
    assert _found(PreCheckRequest, {**BODY, "cardCvv": "123", "frobnicate": 1}) == {
        "cardCvv": "is not a known field; did you mean cardCvv2Value?",
        "frobnicate": "is not a known field",
    }


@pytest.mark.parametrize(
    ("kind", "given", "meant"),
    [
        (PreCheckRequest, "cvv", "cardCvv2Value"),
        (PreCheckRequest, "card_number", "cardNumber"),
        (PreCheckRequest, "CardNumber", "cardNumber"),
        (PreCheckRequest, "cardNumbre", "cardNumber"),
        (PreCheckRequest, "expirationDate", "cardExpiryDate"),
        (PreCheckRequest, "zip", "cardAddress.postalCode"),
        (PreCheckRequest, "street", "cardAddress.street"),
        (IdVerifyRequest, "email", "cardHolderEmailAddress"),
        (IdVerifyRequest, "surname", "cardHolderName.lastName"),
        (SentryRequest, "ip", "device.ipAddress"),
        (SentryRequest, "sku", "shoppingCart.items[].itemId"),
        (PIPELINE, "precheck", "preCheckRequest"),
        (PIPELINE, "cvv", "preCheckRequest.cardCvv2Value"),
        (FeedbackRequest, "outcome", "label"),
        (ReviewResolution, "comment", "reason"),
    ],
)
def test_usual_mistakes_are_understood(kind: type[msgspec.Struct], given: str, meant: str) -> None:
    assert _meant(kind, {given: "1"}) == {given: meant}


def test_a_field_of_several_places_is_suggested_with_all_of_them() -> None:
    assert _meant(PIPELINE, {"amount": 1}) == {
        "amount": "rulesRequest.amount or sentryRequest.order.amount or gatewayRequest.amount"
    }


def test_unknown_fields_are_found_at_every_depth() -> None:
    body = {
        "preCheckRequest": {**BODY, "cardAddress": {"zip": "94105"}},
        "sentryRequest": {"shoppingCart": {"items": [{"price": 1}, {"qty": 2}]}, "devise": {}},
    }
    assert _meant(PIPELINE, body) == {
        "preCheckRequest.cardAddress.zip": "postalCode",
        "sentryRequest.shoppingCart.items[1].qty": "quantity",
        "sentryRequest.devise": "device",
    }


def test_an_ignored_part_is_named_once_and_not_looked_into() -> None:
    body = {**PURCHASE, "idVerifyRequest": {"junk": 1}, "zipp": 1}
    assert _found(PIPELINE, body, idVerifyRequest="is not read") == {
        "idVerifyRequest": "is not read",
        "zipp": "is not a known field",
    }


def test_values_in_the_place_of_names_are_never_repeated() -> None:
    keys = (CARD, "4242 4242-4242 4242", "123", "AB1234567", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢")
    shown = msgspec.json.encode(list(_found(PreCheckRequest, dict.fromkeys(keys, 1)))).decode()
    assert not any(char.isdecimal() for char in shown)


def test_the_number_and_the_length_of_warnings_are_bounded() -> None:
    found = UnreadFields(PreCheckRequest).find(
        msgspec.json.encode({f"{'x' * index}y": 1 for index in range(80, 110)})
    )
    assert len(found) == 21
    assert max(len(one.path) for one in found) <= 65
    assert (found[-1].path, found[-1].message) == ("", "10 more fields are not read")


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", b'{"x": NaN}', b"[" * 5000, b"\xff"])
def test_a_body_that_is_no_object_has_no_warnings(body: bytes) -> None:
    assert UnreadFields(PreCheckRequest).find(body) == ()


def test_what_does_not_fit_its_type_hides_no_other_mistake() -> None:
    body = {"cardAddress": ["street"], "cardHolderName": 1, "cvv": "123", "zip": None}
    assert set(_found(PreCheckRequest, body)) == {"cardHolderName", "cvv", "zip"}
    cart = {"shoppingCart": {"items": [1, {"sku": "a"}, None]}, "device": {"ip": 1}}
    assert set(_found(SentryRequest, cart)) == {"shoppingCart.items[1].sku", "device.ip"}


def test_names_that_are_errors_already_are_not_warned_of() -> None:
    assert not _found(IdVerifyRequest, {"cardHolderIds": {"SSN": "1"}})
