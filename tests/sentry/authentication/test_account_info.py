"""Data for a 3-D Secure server out of the memory: code values, and nothing that is not known."""

import datetime
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.case import StageResult
from gatehouse.sentry.authentication.account_info import AcctInfo
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.response import SentryResponse
from tests.sentry.authentication.shop import DAY, GERMAN_CARD, PROVEN, TERMS, AdvisedShop
from tests.sentry.visits import NOW, visit

ASKING = msgspec.structs.replace(TERMS, three_ds_data=True, ship_address_input="shipTo")
CODES = {
    "chAccAgeInd": ("01", "02", "03", "04", "05"),
    "chAccChangeInd": ("01", "02", "03", "04"),
    "chAccPwChangeInd": ("01", "02", "03", "04", "05"),
    "paymentAccInd": ("01", "02", "03", "04", "05"),
    "shipAddressUsageInd": ("01", "02", "03", "04"),
    "shipNameIndicator": ("01", "02"),
    "suspiciousAccActivity": ("01", "02"),
}
"""The code values of EMV 3-D Secure."""
LONGEST = {
    "nbPurchaseAccount": 4,
    "provisionAttemptsDay": 3,
    "txnActivityDay": 3,
    "txnActivityYear": 3,
}
PUBLISHED = Path(os.environ.get("ADYEN_INTERFACE", "adyen-checkout.yaml"))


def asking() -> AdvisedShop:
    shop = AdvisedShop(ASKING)
    shop.policy = SentryPolicy(entities=("shipTo",))
    return shop


def told(result: StageResult) -> dict[str, Any]:
    assert isinstance(result.response, SentryResponse)
    answer = msgspec.json.decode(msgspec.json.encode(result.response))
    found: dict[str, Any] = answer["threeDSecureData"]
    return found


def moment(days_before: float) -> str:
    at = datetime.datetime.fromtimestamp(NOW - days_before * DAY, datetime.UTC)
    return at.isoformat().replace("+00:00", "Z")


def test_a_stranger_is_told_as_one() -> None:
    found = told(asking().pay(customInputs={"shipTo": "Main Street 1"}))
    assert found["acctInfo"] == {
        "paymentAccInd": "02",
        "shipAddressUsageInd": "01",
        "suspiciousAccActivity": "01",
        "nbPurchaseAccount": "0",
        "provisionAttemptsDay": "1",
        "txnActivityDay": "1",
        "txnActivityYear": "1",
    }
    assert "threeDSRequestorPriorAuthenticationInfo" not in found
    assert "merchantRiskIndicator" not in found


@pytest.mark.parametrize(
    ("days", "account", "address"),
    [(1, "03", "02"), (29.9, "03", "02"), (30, "04", "03"), (60, "04", "03"), (61, "05", "04")],
)
def test_ages_of_a_known_buyer(days: float, account: str, address: str) -> None:
    shop = asking()
    here: dict[str, Any] = {"customInputs": {"shipTo": "Main Street 1"}}
    shop.pay(at_s=NOW - days * DAY, **here)
    found = told(shop.pay(**here))["acctInfo"]
    assert found["chAccAgeInd"] == account
    assert found["paymentAccInd"] == account
    assert found["shipAddressUsageInd"] == address
    assert found["nbPurchaseAccount"] == "1"
    assert found["txnActivityDay"] == ("2" if days < 1 else "1")
    assert found["txnActivityYear"] == "2"
    assert "chAccChangeInd" not in found


def test_a_new_card_is_a_change_of_the_account() -> None:
    shop = asking()
    shop.pay(at_s=NOW - 40 * DAY)
    other = msgspec.structs.replace(GERMAN_CARD, fingerprint="card-2")
    found = told(shop.pay(card=other))["acctInfo"]
    assert (found["chAccChangeInd"], found["paymentAccInd"]) == ("01", "02")


def test_a_card_of_two_buyers_has_no_certain_age() -> None:
    shop = asking()
    shop.pay(at_s=NOW - 40 * DAY)
    shop.pay(at_s=NOW - 20 * DAY, account={"userId": "user-2"})
    found = told(shop.pay(account={"userId": "user-2"}))["acctInfo"]
    assert "paymentAccInd" not in found


def test_known_fraud_is_told() -> None:
    shop = asking()
    case = shop.case(NOW - DAY, None, GERMAN_CARD, visit(amount=10.0))
    noted = shop.stage.observe_now(case, case.input(SentryRequest))
    assert noted is not None
    shop.memory.note_label(noted.event, fraud=True)
    assert told(shop.pay())["acctInfo"]["suspiciousAccActivity"] == "02"


def test_a_repeated_cart_is_a_reorder() -> None:
    shop = asking()
    cart: dict[str, Any] = {
        "shoppingCart": {"items": [{"itemId": "sku-7", "price": 10, "quantity": 1}]}
    }
    assert told(shop.pay(at_s=NOW - DAY, **cart))["merchantRiskIndicator"] == {
        "reorderItemsInd": "01"
    }
    assert told(shop.pay(**cart))["merchantRiskIndicator"] == {"reorderItemsInd": "02"}


def test_an_earlier_authentication_is_told_with_its_time() -> None:
    shop = asking()
    shop.pay(at_s=NOW - DAY, proof=PROVEN)
    found = told(shop.pay())["threeDSRequestorPriorAuthenticationInfo"]
    assert found == {"threeDSReqPriorAuthTimestamp": "202611141200"}
    # The one that is going on is no earlier one.
    assert "threeDSRequestorPriorAuthenticationInfo" not in told(asking().pay(proof=PROVEN))


def test_what_the_request_says_comes_first() -> None:
    said = {
        "accountCreatedAt": moment(400),
        "accountChangedAt": moment(45),
        "passwordChangedAt": moment(3),
        "shipsToAccountName": False,
        "shipIndicator": "03",
        "deliveryTimeframe": "02",
        "preOrderAt": "2026-12-24T00:00:00Z",
        "giftCards": 2,
        "giftCardAmount": 120.4,
    }
    found = told(asking().pay(authentication=said))
    info = found["acctInfo"]
    assert (info["chAccAgeInd"], info["chAccChangeInd"]) == ("05", "03")
    assert (info["chAccPwChangeInd"], info["shipNameIndicator"]) == ("03", "02")
    assert found["merchantRiskIndicator"] == {
        "shipIndicator": "03",
        "deliveryTimeframe": "02",
        "preOrderPurchaseInd": "02",
        "preOrderDate": "20261224",
        "giftCardCount": "02",
        "giftCardAmount": "120",
    }


def test_what_a_busy_buyer_did_in_half_a_year_is_left_out_once_it_is_not_kept() -> None:
    shop = asking()
    for number in range(90):
        shop.pay(at_s=NOW - (100 - number) * DAY)
    found = told(shop.pay())["acctInfo"]
    assert "nbPurchaseAccount" not in found
    assert "txnActivityYear" not in found
    assert found["txnActivityDay"] == "1"


def test_nobody_gets_it_who_did_not_ask() -> None:
    answer = msgspec.json.decode(msgspec.json.encode(AdvisedShop().pay().response))
    assert "threeDSecureData" not in answer
    assert "scaAdvice" in answer


def test_code_values() -> None:
    """Whatever the shop has seen, only the network's values are told."""
    shop = asking()
    for number in range(12):
        found = told(shop.pay(at_s=NOW + number * 17 * DAY, proof=PROVEN if number % 3 else None))
        for name, value in found["acctInfo"].items():
            if name in CODES:
                assert value in CODES[name]
            else:
                assert re.fullmatch(rf"[0-9]{{1,{LONGEST[name]}}}", value)
    assert {*AcctInfo.__struct_fields__} == {*CODES, *LONGEST}


@pytest.mark.skipif(
    not PUBLISHED.exists(),
    reason="ADYEN'S INTERFACE IS MISSING: name its OpenAPI file in ADYEN_INTERFACE",
)
def test_names_and_codes_are_those_of_a_published_interface() -> None:
    """Read from a provider's description, of which nothing is kept here."""
    yaml = pytest.importorskip("yaml")
    schemas = yaml.safe_load(PUBLISHED.read_text())["components"]["schemas"]
    theirs = schemas["AcctInfo"]["properties"]
    for name, codes in CODES.items():
        assert theirs[name]["enum"] == [*codes]
    for name in LONGEST:
        assert theirs[name]["type"] == "string"
    earlier = schemas["ThreeDSRequestorPriorAuthenticationInfo"]["properties"]
    assert earlier["threeDSReqPriorAuthTimestamp"]["maxLength"] == 12
    request = schemas["ThreeDS2RequestData"]["properties"]
    assert "threeDSRequestorPriorAuthenticationInfo" in request
    assert "acctInfo" in request
    risk = schemas["MerchantRiskIndicator"]["properties"]
    named = {"shipIndicator", "reorderItemsInd", "preOrderPurchaseInd", "preOrderDate"}
    assert named | {"deliveryTimeframe", "giftCardCount", "giftCardAmount"} <= {*risk}
