"""Decisions in the console: found, saved, watched and taken along."""

import asyncio
import json
from collections.abc import Iterator

import pytest
from starlette.responses import StreamingResponse

from gatehouse.access.roles import UserRole
from gatehouse.admin.people import saved_searches
from gatehouse.console.downloads import sent_by_lines
from gatehouse.core.outcomes import Outcome
from gatehouse.store.admin import audit
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def kept(console: Console) -> dict[str, str]:
    """Two decisions by their outcome."""
    shop = Recorder(console.session, console.account_id)
    return {
        "ACCEPT": shop.keep(amount=20.0, decision=Outcome.ACCEPT),
        "DECLINE": shop.keep(amount=250.0, decision=Outcome.DECLINE, matched=["large"]),
    }


@pytest.fixture
def ana(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST)


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/decisions{rest}"


def test_filters_of_the_address_find_decisions(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    page = ana.get(_path(console)).text
    assert kept["ACCEPT"] in page
    assert kept["DECLINE"] in page
    declined = ana.get(_path(console, "?decision=DECLINE&least=100")).text
    assert kept["ACCEPT"] not in declined
    assert kept["DECLINE"] in declined
    assert "No decision fits" in ana.get(_path(console, "?to=2020-01-01")).text


def test_the_table_names_nobody_in_full(console: Console, kept: dict[str, str]) -> None:
    for role in (UserRole.VIEWER, UserRole.ADMINISTRATOR):
        page = console.as_role(role).get(_path(console)).text
        assert kept["ACCEPT"] in page
        assert "u…11" in page
        assert "u-4711" not in page


def test_the_id_of_a_request_leads_to_its_page(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    sent = {"who": "userId", "value": f" {kept['DECLINE']} "}
    answer = ana.post(_path(console, "/find"), sent)
    assert answer.headers["location"] == _path(console, f"/{kept['DECLINE']}")


def test_a_live_page_asks_for_its_rows_alone(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    assert 'data-hx-trigger="every 3s"' in ana.get(_path(console, "?live=yes")).text
    rows = ana.get(_path(console, "?live=yes"), fragment=True).text
    assert kept["ACCEPT"] in rows
    assert "<html" not in rows


@pytest.mark.parametrize(
    "query", ["?least=much", "?from=soon", "?cursor=%00", "?rule=" + "x" * 500]
)
def test_a_search_that_cannot_be_made_is_said(console: Console, ana: Browser, query: str) -> None:
    assert ana.get(_path(console, query)).status_code in (200, 400, 422)


def test_people_are_looked_for_without_their_names_in_an_address(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    answer = ana.post(_path(console, "/find"), {"who": "userId", "value": "nobody-here"})
    assert answer.status_code == 200
    assert "No decision fits" in answer.text
    assert ana.post(_path(console, "/find"), {"who": "userId", "value": ""}).status_code == 422
    wrong = ana.post(_path(console, "/find"), {"who": "cardNumber", "value": "1234"})
    assert wrong.status_code in (400, 422)
    assert 'value="1234"' not in wrong.text.split('name="value"')[0]


def test_what_was_found_is_taken_along_with_an_audit_line(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    lines = ana.post(_path(console, "/export"), {"format": "jsonl", "decision": "DECLINE"})
    assert [json.loads(each)["requestId"] for each in lines.text.splitlines()] == [kept["DECLINE"]]
    sheet = ana.post(_path(console, "/export"), {"format": "csv"}).text
    assert kept["ACCEPT"] in sheet
    with console.session.reading() as connection:
        last = audit.read(connection, console.account_id, 1)[-1]
    assert last.action == "decisions.export"
    viewer = console.as_role(UserRole.VIEWER)
    assert viewer.post(_path(console, "/export"), {"format": "csv"}).status_code == 403


def test_a_large_export_is_sent_while_it_is_made() -> None:
    made: list[int] = []

    def lines() -> Iterator[bytes]:
        for number in range(1000):
            made.append(number)
            yield b"line %d\n" % number

    answer = sent_by_lines(lines(), "all.csv", "text/csv")
    assert isinstance(answer, StreamingResponse)
    assert 0 < len(made) < 1000

    async def parts() -> list[bytes]:
        return [bytes(each) async for each in answer.body_iterator]  # type: ignore[arg-type]  # ours are bytes

    whole = b"".join(asyncio.run(parts()))
    assert whole.splitlines() == [b"line %d" % number for number in range(1000)]


def test_an_export_that_cannot_begin_is_a_page(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    answer = ana.post(_path(console, "/export"), {"format": "csv", "cursor": "nonsense"})
    assert answer.status_code in (400, 422)


def test_nothing_is_saved_without_filters(console: Console, ana: Browser) -> None:
    sent = {"name": "everything", "query": "userId=u-1"}
    assert ana.post(_path(console, "/save"), sent).status_code in (400, 422)
    person = ana.visitor
    assert person is not None
    assert saved_searches.listing(console.session, console.account_id, person.user_id) == []
