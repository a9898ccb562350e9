"""Features of the lines of the cart."""

from typing import Any

import pytest

from gatehouse.sentry.carts import MOST_LINES, resale
from tests.sentry.visits import MINUTE, NOW, PHONE, Merchant, cart, measure, visit

SHOES = {"itemId": "a", "category": "Shoes", "price": 40.0, "quantity": 1}
SOCKS = {"itemId": "b", "category": "Socks", "price": 5.0, "quantity": 4}
GIFT_CARD = {"itemId": "c", "category": "gift_cards", "price": 60.0, "quantity": 1}
NEW_PHONE = {"itemId": "d", "category": "Smartphones", "price": 60.0, "quantity": 1}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"shoppingCart": {"items": []}}, 1),
        ({"shoppingCart": {}}, 1),
        (cart(SHOES), 0),
    ],
)
def test_a_cart_without_a_line(body: dict[str, Any], expected: float) -> None:
    assert measure("CART_EMPTY", body) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, 0),
        ({"price": 0}, 0),
        ({"price": None}, 0),
        ({"quantity": None}, 0),
        ({"quantity": 0.5}, 0),
        ({"price": -1}, 0),
        ({"price": -50}, 1),
        ({"price": 1e13}, 1),
        ({"price": -1e13}, 1),
        ({"quantity": -1}, 1),
        ({"quantity": 1e9}, 1),
    ],
)
def test_lines_that_no_shop_has(change: dict[str, Any], expected: float) -> None:
    assert measure("CART_INVALID", cart(SHOES, SOCKS | change)) == expected
    assert measure("CART_INVALID", {"shoppingCart": {}}) == 0


DISCOUNT = {"itemId": "discount", "price": -15.0, "quantity": 1}


@pytest.mark.parametrize(("amount", "expected"), [(45.0, 0), (50.0, 0), (1.0, 1), (500.0, 1)])
def test_a_line_below_nothing_is_a_discount_when_the_cart_fits_the_amount(
    amount: float, expected: float
) -> None:
    assert measure("CART_INVALID", cart(SHOES, SOCKS, DISCOUNT, amount=amount)) == expected


def test_discounts_are_taken_off_the_cart() -> None:
    assert measure("CART_ADDS_UP", cart(SHOES, SOCKS, DISCOUNT, amount=45.0)) == 1
    assert measure("CART_ADDS_UP", cart(GIFT_CARD, DISCOUNT, amount=61.0)) == 0


def test_discounts_do_not_change_what_the_cart_is_made_of() -> None:
    assert measure("CART_HIGH_RISK_ITEM", cart(GIFT_CARD, DISCOUNT)) == 1


def test_where_a_price_is_missing_nothing_explains_a_line_below_nothing() -> None:
    assert measure("CART_INVALID", cart(SHOES, {"itemId": "x"}, DISCOUNT)) == 1


@pytest.mark.parametrize(
    ("amount", "mismatch", "adds_up"),
    [
        (60.0, False, 1),
        (69.9, False, 1),
        (50.0, False, 1),
        (110.0, False, 0),
        (25.0, True, 0),
        (1_000.0, True, 0),
        (1.0, True, 0),
    ],
)
def test_a_cart_comes_to_its_amount_give_or_take(
    amount: float, mismatch: bool, adds_up: float
) -> None:
    body = cart(SHOES, SOCKS, amount=amount)
    found = measure("CART_TOTAL_MISMATCH", body)
    assert 0 <= found < 1
    assert (found > 0) is mismatch
    assert measure("CART_ADDS_UP", body) == adds_up


def test_codes_explain_a_low_amount_and_nothing_explains_a_tiny_one() -> None:
    codes = ["HALF"]
    assert measure("CART_TOTAL_MISMATCH", cart(SHOES, SOCKS, amount=20.0)) != 0
    assert measure("CART_TOTAL_MISMATCH", cart(SHOES, SOCKS, amount=20.0, discountCodes=codes)) == 0
    assert measure("CART_TOTAL_MISMATCH", cart(SHOES, SOCKS, amount=0.1, discountCodes=codes)) != 0


def test_prices_of_lines_are_understood_too() -> None:
    many = {"itemId": "b", "price": 20.0, "quantity": 40}
    assert measure("CART_TOTAL_MISMATCH", cart(SHOES, many, amount=60.0)) == 0


def test_shipping_is_counted_in_the_currency() -> None:
    yen = {"itemId": "a", "price": 1_000, "quantity": 1}
    assert measure("CART_TOTAL_MISMATCH", cart(yen, amount=2_000, currency="JPY")) == 0


@pytest.mark.parametrize("code", ["CART_TOTAL_MISMATCH", "CART_ADDS_UP"])
@pytest.mark.parametrize(
    "body",
    [
        cart(SHOES),
        cart(SHOES, {"itemId": "x"}, amount=60.0),
        cart(SHOES, SOCKS | {"price": -50}, amount=60.0),
        cart(amount=60.0),
        cart(*[SHOES] * (MOST_LINES + 1), amount=60.0),
    ],
)
def test_what_cannot_be_added_up_says_nothing(code: str, body: dict[str, Any]) -> None:
    assert measure(code, body) == 0


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([SHOES], 0),
        ([GIFT_CARD], 1),
        ([NEW_PHONE], 0.5),
        ([GIFT_CARD, SHOES | {"price": 20.0}], 0.75),
        ([{"category": "gift card"}, {"category": "socks"}], 0.5),
        ([{"itemId": "x"}], 0),
    ],
)
def test_the_share_of_what_sells_again(items: list[dict[str, Any]], expected: float) -> None:
    assert measure("CART_HIGH_RISK_ITEM", cart(*items)) == expected


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("Gift Cards", 1),
        ("e-gift", 1),
        ("GIFTCARD", 1),
        ("Prepaid/Top-up", 1),
        ("cryptocurrency", 1),
        ("Mobile phones", 0.5),
        ("Phone cases", 0),
        ("Jewelry > Watches", 0.5),
        ("jewellery", 0.5),
        ("Microphones", 0),
        ("gifts", 0),
        ("greeting cards", 0),
        ("Geschenkkarten", 1),
        ("Gutscheine & Guthaben", 1),
        ("Cartes cadeaux", 1),
        ("Chèques-cadeaux", 1),
        ("Tarjetas de regalo", 1),
        ("Cartões presente", 1),
        ("carte regalo", 1),
        ("Cadeaukaarten", 1),
        ("Kryptowährung", 1),
        ("Handys", 0.5),
        ("Handyzubehör / Handys, Zubehör", 0),
        ("Bijoux", 0.5),
        ("Electrónica", 0.5),
        ("Schuhe", 0),
        ("handy helpers", 0),
        ("\ud800\x00", 0),
    ],
)
def test_categories_are_told_by_their_words(category: str, expected: float) -> None:
    assert resale(category) == expected


def test_the_largest_quantity_is_found() -> None:
    assert measure("CART_QUANTITY_HIGH", cart(SHOES, SOCKS | {"quantity": 40})) == 40
    assert measure("CART_QUANTITY_HIGH", {"shoppingCart": {}}) == 0


def _same_cart(users: int, *items: dict[str, Any], ip: str = "24.{}.1.1") -> float:
    merchant, found = Merchant(), 0.0
    for number in range(users):
        body = visit(f"user-{number}", ip.format(number)) | cart(*items, amount=60.0)
        found = merchant.measure("CART_DUPLICATE", body, NOW + number * MINUTE)
    return found


def test_the_same_mixture_from_several_users_is_noticed() -> None:
    assert _same_cart(1, SHOES, SOCKS) == 0
    two, three = _same_cart(2, SHOES, SOCKS), _same_cart(3, SHOES, SOCKS)
    assert two < 1.5 < three


def test_one_hand_sits_in_one_network_and_an_advertisement_reaches_many() -> None:
    together, apart = "24.1.1.{}", "24.{}.1.1"
    for items in ((SHOES,), (SHOES, SOCKS)):
        assert (_same_cart(30, *items, ip=together) or 0) >= 4
        assert 0 < (_same_cart(30, *items, ip=apart) or 0) < 4
        assert 0 < (_same_cart(20, *items, SHOES, ip=PHONE) or 0) < 4


def test_one_article_may_be_in_many_carts() -> None:
    assert _same_cart(5, SHOES) == 0
    assert measure("CART_DUPLICATE", cart(SHOES)) == 0
