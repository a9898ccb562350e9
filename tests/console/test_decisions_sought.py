"""Who or what is looked for, beside the filters: both hold, and both are in the address."""

import re
from urllib.parse import parse_qsl, urlencode

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.search.use_cases.sought import SoughtTokens
from gatehouse.core.stages.outcomes import Outcome
from tests.admin.recorded import CARD, OTHER_CARD, Recorder
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def kept(console: Console) -> dict[str, str]:
    """Two decisions by their outcome."""
    shop = Recorder(console.session, console.account_id)
    return {
        "ACCEPT": shop.keep(amount=20.0, card=OTHER_CARD),
        "DECLINE": shop.keep(amount=250.0, decision=Outcome.DECLINE, matched=["large"]),
    }


@pytest.fixture
def ana(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST)


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/decisions{rest}"


def _find(browser: Browser, console: Console, **form: str) -> str:
    """The address that looking for somebody or something leads to."""
    answer = browser.post(_path(console, "/find"), form)
    assert answer.status_code == 303
    return answer.headers["location"]


def test_people_are_looked_for_without_their_names_in_an_address_or_on_the_page(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    address = _find(ana, console, who="userId", value="nobody-here")
    page = ana.get(address)
    assert "No decision fits" in page.text
    assert "nobody-here" not in address + page.text
    assert "no…re" in page.text
    assert ana.post(_path(console, "/find"), {"who": "userId", "value": ""}).status_code == 422
    wrong = ana.post(_path(console, "/find"), {"who": "cardNumber", "value": "1234"})
    assert wrong.status_code in (400, 422)
    assert 'value="1234"' not in wrong.text.split('name="value"')[0]


def test_what_is_looked_for_and_what_is_filtered_hold_together(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    shop = Recorder(console.session, console.account_id, days_ago=20)
    theirs = shop.keep("u-both", decision=Outcome.DECLINE, matched=["large"])
    other = shop.keep("u-both", decision=Outcome.ACCEPT)
    found = ana.get(_find(ana, console, who="userId", value="u-both")).text
    assert (theirs in found, other in found, kept["DECLINE"] in found) == (True, True, False)
    # The filters keep who was found, as the form of a browser sends it.
    form = found.split('role="search"')[1].partition("</form>")[0]
    token = re.search(r'type="hidden" name="sought" value="([^"]+)"', form)
    assert token is not None
    both = _path(console, "?" + urlencode({"sought": token[1], "decision": "DECLINE"}))
    filtered = ana.get(both).text
    assert (theirs in filtered, other in filtered, kept["DECLINE"] in filtered) == (
        True,
        False,
        False,
    )
    # And looking for somebody keeps the filters.
    again = _find(ana, console, who="userId", value="u-both", decision="DECLINE")
    assert dict(parse_qsl(again.partition("?")[2])) == dict(parse_qsl(both.partition("?")[2]))
    sheet = ana.post(_path(console, "/export"), {"format": "csv", "sought": token[1]}).text
    assert (theirs in sheet, kept["DECLINE"] in sheet) == (True, False)


def test_a_card_that_is_looked_for_stands_in_no_address_even_sealed(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    address = _find(ana, console, who="cardNumber", value=CARD)
    page = ana.get(address).text
    assert kept["DECLINE"] in page
    assert CARD not in address + page
    token = dict(parse_qsl(address.partition("?")[2]))["sought"]
    sought = SoughtTokens(console.session, console.account_id).opened(token)
    assert sought is not None
    assert sought.name == "cardFingerprint"
    assert all(each.startswith("card1_") for each in sought.values)


def test_what_was_looked_for_in_another_account_is_not_read(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    address = _find(ana, console, who="userId", value="u-4711")
    query = address.partition("?")[2]
    stranger = console.as_role(UserRole.ANALYST, console.other_id)
    for wanted in (query, "sought=nonsense", f"sought={'A' * 5000}"):
        answer = stranger.get(f"/a/{console.other_id}/decisions?{wanted}")
        assert answer.status_code == 422
        assert "cannot be read. Look for it again." in answer.text


def test_nobody_who_was_looked_for_is_part_of_a_saved_search(
    console: Console, ana: Browser
) -> None:
    address = _find(ana, console, who="userId", value="u-4711")
    sent = {"name": "them", "query": address.partition("?")[2]}
    assert ana.post(_path(console, "/save"), sent).status_code == 422


def test_decisions_are_found_by_rules_that_matched_in_shadow(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    shop = Recorder(console.session, console.account_id, days_ago=19)
    watched = shop.keep(shadow=["prepaid"])
    counted = shop.keep(matched=["prepaid"])
    page = ana.get(_path(console, "?shadowRule=prepaid")).text
    assert (watched in page, counted in page) == (True, False)
    assert "<code>prepaid</code> shadow" in page
    assert watched not in ana.get(_path(console, "?rule=prepaid")).text


@pytest.mark.parametrize("query", ["least=10", "typed_least=10", "least=10&currency=usd"])
def test_amounts_without_a_currency_say_which_one_they_mean(
    console: Console, ana: Browser, kept: dict[str, str], query: str
) -> None:
    answer = ana.get(_path(console, f"?{query}"))
    page = ana.get(answer.headers["location"]).text if answer.is_redirect else answer.text
    assert "Only orders in USD. Amounts in other currencies are not converted" in page
    assert re.search(r'name="currency" type="text" value="(USD|usd)"', page)
    assert kept["DECLINE"] in page


def test_a_currency_alone_finds_the_orders_in_it(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    shop = Recorder(console.session, console.account_id, days_ago=18)
    euros = shop.keep(signals={"order.currency": "EUR"})
    page = ana.get(_path(console, "?currency=EUR")).text
    assert (euros in page, kept["ACCEPT"] in page) == (True, False)
