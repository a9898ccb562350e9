"""Explore in the console: groups whose figures lead to exactly their decisions."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.core.stages.outcomes import Outcome
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def kept(console: Console) -> list[str]:
    """Decisions from three countries, some of them declined."""
    shop = Recorder(console.session, console.account_id, days_ago=3)
    decline, accept = Outcome.DECLINE, Outcome.ACCEPT
    about = [("US", decline, "1.2.3.4"), ("US", accept, "1.2.3.4"), ("DE", accept, "5.6.7.8")]
    made = [
        shop.keep(
            decision=outcome,
            address=address,
            matched=["far"] if outcome is decline else [],
            signals={"card.country": country, "order.amount": 10.0 + number},
        )
        for number, (country, outcome, address) in enumerate([*about, *about])
    ]
    console.desk.columns.catch_up(console.account_id)
    return made


@pytest.fixture
def ana(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST)


def _links(page: str) -> list[str]:
    return [unescape(each) for each in re.findall(r'href="([^"]*/decisions\?[^"]*)"', page)]


def _decisions(browser: Browser, link: str) -> int:
    page = browser.get(link)
    assert page.status_code == 200
    return page.text.count("/decisions/req_")


def test_every_figure_leads_to_its_decisions(
    console: Console, ana: Browser, kept: list[str]
) -> None:
    path = f"/a/{console.account_id}/explore"
    page = ana.get(f"{path}?by=card.country").text
    table = page.partition("<tbody>")[2]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in table.split("</tr>")]
    assert [row[:3] for row in rows[:2]] == [["US", "4", "50.0%"], ["DE", "2", "0.0%"]]
    found = [_decisions(ana, link) for link in _links(table)]
    assert found == [4, 4, 2, 2, 2, 6]

    pairs = ana.get(f"{path}?by=decision&also=card.country").text.partition("<tbody>")[2]
    assert sorted(_decisions(ana, link) for link in _links(pairs)) == [2, 2, 2, 2]
    hits = ana.get(f"{path}?by=rule").text.partition("<tbody>")[2]
    assert parse_qs(urlsplit(_links(hits)[0]).query)["rule"] == ["far"]
    assert _decisions(ana, _links(hits)[0]) == 2


def test_filters_and_conditions_combine_and_stay_in_the_address(
    console: Console, ana: Browser, kept: list[str]
) -> None:
    path = f"/a/{console.account_id}/explore"
    query = "by=ip.address&decision=ACCEPT&least=11&currency=USD&span=7d"
    form = {"condition": "card.country = 'US'"}
    answer = ana.post(f"{path}/narrow?{query}", form)
    assert answer.status_code == 303
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["where"] == ["card.country = 'US'"]
    assert asked["span"] == ["7d"]
    page = ana.get(answer.headers["location"]).text
    table = page.partition("<tbody>")[2]
    [row, total, _] = table.split("</tr>")
    assert "1.2.3.4" not in page
    assert "1.2.3.4" not in "".join(map(unescape, _links(page)))
    assert [_decisions(ana, link) for link in _links(row)] == [2, 2]
    assert [_decisions(ana, link) for link in _links(total)] == [2]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("by=card.country&span=today", 200, "No decision fits"),
        ("by=nothing.known", 422, "cannot be grouped by nothing.known"),
        ("by=card.country&where=%2B", 422, "This condition cannot be used"),
        ("by=card.country&least=x&currency=USD", 422, "Write amounts"),
        ("by=card.country&also=card.country", 200, "Others"),
        ("by=sentry.reasons&also=order.amount&from=2020-01-01", 200, "share that was declined"),
    ],
)
def test_each_exploration_is_shown_or_says_what_is_wrong(
    console: Console, ana: Browser, kept: list[str], query: str, status: int, said: str
) -> None:
    page = ana.get(f"/a/{console.account_id}/explore?{query}")
    assert page.status_code == status
    if said != "Others":
        assert said in unescape(page.text)
