"""Decisions narrowed by conditions over signals, and tables with columns that somebody chose."""

import re
from html import unescape
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.core.stages.outcomes import Outcome
from tests.admin.recorded import CARD, OTHER_CARD, Recorder
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def kept(console: Console) -> dict[str, str]:
    """Three decisions by the country of their address."""
    shop = Recorder(console.session, console.account_id)
    us = {"ip.country": "US", "ip.asn": 64500, "custom.plan": "gold"}
    made = {
        "US": shop.keep(signals=us, matched=["far"], decision=Outcome.REVIEW),
        "DE": shop.keep(signals={"ip.country": "DE", "ip.asn": 64501}, card=OTHER_CARD),
        "FR": shop.keep(signals={"ip.country": "FR"}, shadow=["far"], address="198.51.100.9"),
    }
    console.desk.columns.catch_up(console.account_id)
    return made


@pytest.fixture
def ana(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST)


def _path(console: Console, query: dict[str, object] | None = None, rest: str = "") -> str:
    more = f"?{urlencode(query, doseq=True)}" if query else ""
    return f"/a/{console.account_id}/decisions{rest}{more}"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"where": "ip.asn = 64500"}, ["US"]),
        ({"where": "ip.asn IS NULL"}, ["FR"]),
        ({"where": ["ip.country <> 'FR'", "sentry.requestConfidence >= 0.2"]}, ["US", "DE"]),
        ({"where": "ip.country <> 'FR'", "decision": "REVIEW"}, ["US"]),
        ({"where": "ip.country IN ('DE', 'FR')", "shadowRule": "far"}, ["FR"]),
        ({"lastFour": OTHER_CARD[-4:]}, ["DE"]),
        ({"lastFour": CARD[-4:], "where": "email.domain = 'example.com'"}, ["US", "FR"]),
        ({"where": "email.domain = 'elsewhere.example'"}, []),
    ],
)
def test_conditions_combine_with_other_filters(
    console: Console, ana: Browser, kept: dict[str, str], query: dict[str, object], found: list[str]
) -> None:
    page = ana.get(_path(console, query))
    assert page.status_code == 200
    assert [name for name, request_id in kept.items() if request_id in page.text] == found


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"where": "ip.asn ="}, "This condition cannot be used"),
        ({"where": "nothing.known = 1"}, "nothing.known"),
        ({"where": "ip.address IN LIST('bad')"}, "cannot look into lists"),
        ({"where": "user.id = '4242424242424242'"}, "must not hold a card number"),
        ({"where": "~abc"}, "cannot be read"),
        ({"where": [f"ip.asn = {each}" for each in range(9)]}, "at most 8 conditions"),
        ({"lastFour": "42"}, "last four digits"),
    ],
)
def test_what_cannot_be_used_is_said_and_finds_nothing(
    console: Console, ana: Browser, kept: dict[str, str], query: dict[str, object], said: str
) -> None:
    page = ana.get(_path(console, query))
    assert page.status_code == 422
    assert said in unescape(page.text)
    assert not any(request_id in page.text for request_id in kept.values())


def test_a_condition_is_added_by_a_form_and_about_people_the_address_has_it_sealed(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    def added(**form: str) -> str:
        answer = ana.post(_path(console, rest="/narrow"), {"query": "decision=ACCEPT", **form})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    plain = added(signal="ip.asn", operator="equal", value="64501")
    assert parse_qs(urlsplit(plain).query)["where"] == ["ip.asn = 64501"]
    assert kept["DE"] in ana.get(plain).text
    sealed = added(condition="ip.address = '198.51.100.9'")
    assert "198.51" not in sealed
    page = ana.get(sealed).text
    assert kept["FR"] in page
    assert kept["DE"] not in page
    query = urlsplit(sealed).query
    assert ana.post(_path(console, rest="/save"), {"query": query, "name": "x"}).status_code == 422
    viewer = console.as_role(UserRole.VIEWER).get(sealed).text
    assert "198.51.100.9" not in viewer
    for form in ({"signal": "ip.asn", "operator": "begins", "value": "1"}, {"condition": "1 +"}):
        answer = ana.post(_path(console, rest="/narrow"), {"query": "", **form})
        assert answer.status_code == 422
        assert "aria-invalid" in answer.text


def test_columns_are_chosen_in_the_address(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    wanted = ["when", "ip.asn", "sentry.requestConfidence", "ip.address", "nothing"]
    page = ana.get(_path(console, {"columns": wanted})).text
    table = page.partition("<table>")[2]
    heads = re.findall(r'<th scope="col">([^<]*)</th>', table)
    assert heads == ["Order", "When", "ip.asn", "sentry.requestConfidence", "ip.address"]
    assert "64500" in table
    assert "0.6" in table
    assert "198.51.100.9" not in table
    assert "nothing" not in table
