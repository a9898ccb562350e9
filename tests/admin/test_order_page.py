"""The page of an order in the shop: only https, only known places, values encoded; and the map."""

import pytest

from gatehouse.admin.accounts.use_cases.order_page import order_address, order_page, set_order_page
from gatehouse.admin.decisions.pages.case_map import map_of
from gatehouse.admin.decisions.use_cases.request_subject import (
    RequestSubject,
    ReviewedCustomer,
    ReviewedOrder,
    ReviewedOrigin,
)
from gatehouse.core.errors import InvalidInput
from tests.harness import Home, make_account
from tests.harness.rows import each

PAGE = "https://shop.example/admin?order={clientReferenceId}"


@each(
    [
        (PAGE, "a/b&c=d", "https://shop.example/admin?order=a%2Fb%26c%3Dd"),
        ("https://shop.example/{requestId}", None, "https://shop.example/req_1"),
        (PAGE, None, None),
        ("", "a", None),
    ]
)
def test_an_address_gets_the_names_of_the_order(
    page: str, reference: str | None, wanted: str | None
) -> None:
    assert order_address(page, reference, "req_1") == wanted


def test_only_a_safe_address_is_kept(home: Home) -> None:
    with home.session() as session:
        account = make_account(session)
        set_order_page(session, account, PAGE)
        assert order_page(session, account) == PAGE
        for bad in BAD:
            with pytest.raises(InvalidInput, match="begins with https"):
                set_order_page(session, account, bad)
        set_order_page(session, account, "")
        assert order_page(session, account) == ""


BAD = (
    "http://shop.example/{requestId}",
    "javascript:alert({requestId})",
    "https://{requestId}.shop.example/",
    "https://a:b@shop.example/{requestId}",
    "https://shop.example/{email}",
    "https://shop.example/orders",
    'https://shop.example/"{requestId}',
    "https://shop.example/" + "x" * 300 + "{requestId}",
)


def test_a_map_tells_distances_from_the_billing_address() -> None:
    found = map_of(
        RequestSubject(
            ReviewedCustomer(None, None, None, "GB", "FR"),
            ReviewedOrder(None, None, [], None),
            None,
            ReviewedOrigin(None, "US", None, [], None, None),
        )
    )
    assert [(one.country, one.roles) for one in found.places] == [
        ("GB", ["billing"]),
        ("FR", ["shipping"]),
        ("US", ["address"]),
    ]
    assert found.places[0].km == 0
    far = found.places[2].km
    assert far is not None
    assert 3000 < far < 8000
    assert all(0 <= one.x <= 360 and 0 <= one.y <= 150 for one in found.places)
    assert found.world.startswith("M")
