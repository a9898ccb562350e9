"""The one box on every page: it suggests, and opens what is picked, without naming it anywhere."""

import re
from html import unescape

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.store.admin import audit
from tests.admin.recorded import CARD, Recorder
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def kept(console: Console) -> str:
    """A decision."""
    return Recorder(console.session, console.account_id).keep(user="u-77", reference="order-77")


@pytest.fixture
def ana(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST)


def _path(console: Console) -> str:
    return f"/a/{console.account_id}/find"


def _suggested(page: str) -> list[str]:
    found = re.findall(r'name="pick" value="\d">(.*?)</button>', page)
    return [unescape(re.sub("<[^>]+>", "", each)) for each in found]


def test_suggestions_come_as_a_part_and_what_is_picked_opens(
    console: Console, ana: Browser, kept: str
) -> None:
    typed = f"{_path(console)}/typed"
    assert 'id="finder"' in ana.get(f"/a/{console.account_id}/decisions").text
    answer = ana.post(typed, {"value": "u-77"}, fragment=True)
    assert "<html" not in answer.text
    assert "Decisions of this user" in _suggested(answer.text)
    pick = _suggested(answer.text).index("Decisions of this user")
    opened = ana.post(typed, {"value": "u-77", "pick": pick})
    assert opened.status_code == 303
    assert "u-77" not in opened.headers["location"]
    assert kept in ana.get(opened.headers["location"]).text
    for value, leads in ((kept, f"/decisions/{kept}"), ("AS64500", "where=ip.asn")):
        at = ana.post(typed, {"value": value, "pick": 0}).headers["location"]
        assert leads in at


def test_without_scripts_the_page_suggests_the_same(
    console: Console, ana: Browser, kept: str
) -> None:
    page = ana.post(f"{_path(console)}/typed", {"value": "order-77"})
    assert page.status_code == 200
    assert len(_suggested(page.text)) == 4
    assert "four digits" in ana.get(_path(console)).text
    nothing = ana.post(f"{_path(console)}/typed", {"value": "no such thing"})
    assert "Nothing can be looked for" in nothing.text


def test_a_card_number_stays_out_of_addresses_and_pages_and_is_counted(
    console: Console, ana: Browser, kept: str
) -> None:
    typed = f"{_path(console)}/typed"
    answer = ana.post(typed, {"value": CARD}, fragment=True)
    assert _suggested(answer.text) in ([], ["Decisions with this card"])
    assert CARD not in answer.text
    boss = console.as_role(UserRole.ADMINISTRATOR)
    before = _lookups(console)
    opened = boss.post(typed, {"value": f"{CARD[:4]} {CARD[4:]}"})
    assert opened.status_code == 303
    assert CARD not in opened.headers["location"]
    assert _lookups(console) == before + 1
    viewer = console.as_role(UserRole.VIEWER).post(typed, {"value": CARD})
    assert CARD not in viewer.text
    assert _suggested(viewer.text) == []


def _lookups(console: Console) -> int:
    with console.session.reading() as connection:
        lines = audit.read(connection, None, 100)
    assert all(CARD not in str(line.details) for line in lines)
    return sum(line.action == "cards.lookup" for line in lines)
