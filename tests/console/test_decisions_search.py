"""Decisions in the console: found, saved, watched and taken along."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl, urlencode

import msgspec
import pytest
from starlette.responses import StreamingResponse

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import saved_searches, users
from gatehouse.admin.search.pages.search_form import SOUGHT, WHO
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn
from gatehouse.console.downloads import sent_by_lines
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin import audit
from gatehouse.store.feedback.statements import FeedbackStatement
from gatehouse.store.tables import DECISIONS, REVIEWS
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console
from tests.harness import make_account
from tests.store.deciding import label

OF_PAGES = {"limit", "cursor"}
"""What a search takes that is no filter."""
PARTS = {"amount": {"typed_least", "typed_most", "currency"}, "at": {"from", "to"}}
"""Filters that have several fields in the form."""


@pytest.fixture(scope="module")
def kept(console: Console) -> dict[str, str]:
    """Three decisions by their outcome."""
    shop = Recorder(console.session, console.account_id)
    return {
        "ACCEPT": shop.keep(amount=20.0, decision=Outcome.ACCEPT),
        "DECLINE": shop.keep(amount=250.0, decision=Outcome.DECLINE, matched=["large"]),
        "REVIEW": shop.keep(amount=90.0, decision=Outcome.REVIEW, matched=["far"]),
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


def _filters() -> dict[str, msgspec.inspect.Type]:
    """The filters that search knows, by their names in the API."""
    known = msgspec.inspect.type_info(DecisionSearchRequest)
    assert isinstance(known, msgspec.inspect.StructType)
    return {
        each.encode_name: each.type for each in known.fields if each.encode_name not in OF_PAGES
    }


def _fields(form: str) -> set[str]:
    return set(re.findall(r'name="(\w+)"', form))


def test_the_page_offers_every_filter_that_search_knows(console: Console, ana: Browser) -> None:
    page = ana.get(_path(console)).text
    _, filters, finder = page.split('role="search"')
    options = re.search(r'<select id="who".*?</select>', finder, re.DOTALL)
    assert options is not None
    offered = _fields(filters.partition("</form>")[0]) - {SOUGHT, "lastFour"}
    for name, parts in PARTS.items():
        assert parts <= offered
        offered = offered - parts | {name}
    offered |= set(re.findall(r'<option value="(\w+)"', options[0]))
    assert offered == set(_filters())


def _takes_several(kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.Metadata):
        return _takes_several(kind.type)
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(map(_takes_several, kind.types))
    return isinstance(kind, msgspec.inspect.ListType)


SEVERAL = {name for name, kind in _filters().items() if _takes_several(kind)} - set(WHO)
SOME = {
    "decision": ("ACCEPT", "REVIEW"),
    "label": ("FRAUD", "CHARGEBACK"),
    "operation": ("sentry", "pipeline"),
    "reason": ("RULES", "GATEWAY_ERROR"),
}


def test_some_filters_take_several_values() -> None:
    assert {"decision", "rule", "label"} <= SEVERAL


@pytest.mark.parametrize("name", sorted(SEVERAL))
def test_several_values_of_a_filter_are_chosen_and_stay_chosen(
    console: Console, ana: Browser, name: str
) -> None:
    first, second = SOME.get(name, ("one", "two"))
    for query in (f"{name}={first}&{name}={second}", f"{name}={first}%2C+{second}"):
        page = ana.get(_path(console, f"?{query}"))
        assert page.status_code == 200
        _, filters, finder = page.text.split('role="search"')
        boxes = re.findall(rf'name="{name}" value="(\w+)" checked', filters)
        typed = re.findall(rf'name="{name}" type="text" value="([^"]*)"', filters)
        assert boxes == [first, second] or typed == [f"{first}, {second}"]
        finder = finder.partition("</form>")[0]
        sent = re.findall(rf'type="hidden" name="{name}" value="(\w+)"', finder)
        assert sent == [first, second]
        assert f"?{name}={first}&amp;{name}={second}&amp;live=yes" in page.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("decision=ACCEPT&decision=REVIEW", {"ACCEPT", "REVIEW"}),
        ("rule=large, far", {"DECLINE", "REVIEW"}),
        ("rule=large&rule=far&decision=REVIEW", {"REVIEW"}),
        ("rule=large", {"DECLINE"}),
        ("reason=RULES", {"DECLINE", "REVIEW"}),
        ("reason=GATEWAY_ERROR&reason=INPUT", set()),
        ("decision=", {"ACCEPT", "DECLINE", "REVIEW"}),
    ],
)
def test_one_of_several_values_must_hold(
    console: Console, ana: Browser, kept: dict[str, str], query: str, found: set[str]
) -> None:
    page = ana.get(_path(console, f"?{query}")).text
    assert {outcome for outcome, request_id in kept.items() if request_id in page} == found


@pytest.mark.parametrize("saved", ["rule=large", "decision=DECLINE&rule=large&rule=far"])
def test_a_saved_search_leads_to_what_was_saved(
    console: Console, kept: dict[str, str], saved: str
) -> None:
    link = users.invite(
        console.session, console.account_id, f"{len(saved)}@shop.test", UserRole.ANALYST
    ).link
    assert link is not None
    done = console.sign_in.by_link(link.token, SessionOrigin(address="198.51.100.9"), PASSWORD)
    assert isinstance(done, SignedIn)
    person = console.with_token(done.token)
    path = _path(console, f"?{saved}")
    query = re.search(r'name="query" value="([^"]+)"', person.get(path).text)
    assert query is not None
    sent = {"name": "large ones", "query": unescape(query[1])}
    assert person.post(_path(console, "/save"), sent).headers["location"] == path
    page = person.get(_path(console)).text
    address = re.search(r'class="badge info" href="([^"]+)">large ones<', page)
    assert address is not None
    again = person.get(unescape(address[1])).text
    assert kept["DECLINE"] in again
    assert kept["ACCEPT"] not in again


def test_an_account_behind_cards_is_looked_for_by_its_reference(
    console: Console, ana: Browser
) -> None:
    form = {"who": "paymentAccountReference", "value": "V" * 29}
    found = ana.get(ana.post(_path(console, "/find"), form).headers["location"])
    assert found.status_code == 200
    assert "No decision fits" in found.text
    wrong = ana.post(_path(console, "/find"), form | {"value": "V"})
    assert wrong.status_code == 422
    assert "Must be 29 capital letters and digits" in wrong.text


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


def _seen(page: str) -> dict[str, str]:
    """What a live page asks with: what it shows."""
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)" data-seen', page))


def test_a_live_page_asks_for_its_rows_alone(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    page = ana.get(_path(console, "?live=yes")).text
    assert 'data-hx-trigger="every 3s"' in page
    assert "aria-live" not in page.partition("</main>")[0]
    rows = ana.get(_path(console, "?live=yes"), fragment=True).text
    assert kept["ACCEPT"] in rows
    assert "<html" not in rows
    assert _seen(rows) == _seen(page)
    assert "data-seen" not in ana.get(_path(console)).text


@pytest.mark.parametrize("filters", ["", "&rule=new", "&rule=nobody"])
def test_a_live_page_is_answered_when_its_rows_have_changed(
    console: Console, ana: Browser, kept: dict[str, str], filters: str
) -> None:
    address = _path(console, f"?live=yes{filters}")
    seen = _seen(ana.get(address).text)
    again = ana.get(f"{address}&{urlencode(seen)}", fragment=True)
    assert (again.status_code, again.text) == (204, "")
    shop = Recorder(console.session, console.account_id, days_ago=1)
    new = [shop.keep(matched=["new"]), shop.keep(matched=["new"])]
    answer = ana.get(f"{address}&{urlencode(seen)}", fragment=True)
    if "nobody" in filters:
        assert answer.status_code == 204
        return
    assert all(each in answer.text for each in new)
    assert 'data-news="2 new decisions"' in answer.text
    assert _seen(answer.text)["newest"] == new[-1]
    with console.session.database.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id.in_(new)))
    gone = ana.get(f"{address}&{urlencode(_seen(answer.text))}", fragment=True)
    assert gone.status_code == 200
    assert "data-news" not in gone.text


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("least=much", "least", "Write amounts in an address with a point"),
        ("least=nan", "least", "Write amounts in an address with a point"),
        ("most=-5", "most", "Must be at least 0"),
        ("least=9&most=8", "most", "Must not be less than from"),
        ("least=1&currency=%E2%82%AC", "currency", "Must be a currency code such as USD"),
        ("from=soon", "from", "Write days as"),
        ("to=9999-12-31", "to", "Write days as"),
        ("from=2026-11-16&to=2026-11-01", "to", "Must be later than from"),
        ("operation=magic", "operation", "Must be one of"),
        ("decision=magic", "decision", "Must be one of"),
        ("rule=" + "x" * 150, "rule", "Must have at most 128 characters"),
    ],
)
def test_a_filter_that_cannot_be_used_is_shown_with_what_is_wrong(
    console: Console, ana: Browser, kept: dict[str, str], query: str, field: str, said: str
) -> None:
    answer = ana.get(_path(console, f"?{query}"))
    assert answer.status_code == 422
    problem = re.search(rf'<p class="field-problem" id="{field}-problem">([^<]+)</p>', answer.text)
    assert problem is not None
    assert problem[1].startswith(said)
    assert answer.text.count('class="field-problem"') == 1
    typed = dict(parse_qsl(query))[field]
    shown = re.search(
        rf'name="(?:typed_)?{field}"[^>]* aria-describedby="{field}-problem">', answer.text
    )
    assert shown is not None
    assert f'value="{typed}"' in shown[0]
    assert "No decision fits" not in answer.text
    assert kept["ACCEPT"] not in answer.text


def _amount_fields(page: str) -> tuple[str, ...]:
    return tuple(re.findall(r'id="(?:least|most)" name="typed_[a-z]+" value="([^"]*)"', page))


def test_amounts_are_typed_in_the_language_and_stand_in_addresses_with_a_point(
    console: Console, kept: dict[str, str]
) -> None:
    german = console.as_role(UserRole.ANALYST, locale="de")
    sent = german.get(_path(console, "?decision=DECLINE&typed_least=249,50&typed_most=1.000"))
    found = sent.headers["location"]
    assert dict(parse_qsl(found.partition("?")[2])) == {
        **{"decision": "DECLINE", "least": "249.5", "most": "1000", "currency": "USD"}
    }
    for locale, shown in (("de", ("249,50", "1000")), ("en", ("249.50", "1000"))):
        page = console.as_role(UserRole.ANALYST, locale=locale).get(found).text
        assert kept["DECLINE"] in page
        assert _amount_fields(page) == shown


def test_a_typed_amount_that_could_be_another_is_not_searched_for(
    console: Console, kept: dict[str, str]
) -> None:
    german = console.as_role(UserRole.ANALYST, locale="de")
    answer = german.get(_path(console, "?typed_least=12.50&tag=gold"))
    assert answer.status_code == 422
    assert "Schreiben Sie 12,50: " in answer.text
    assert _amount_fields(answer.text) == ("12.50", "")
    assert kept["DECLINE"] not in answer.text
    # The other forms of the page carry the same filters, and are refused as well.
    typed = {"typed_least": "12.50"}
    assert german.post(_path(console, "/export"), typed).status_code == 422
    sent = {"name": "much", "query": urlencode(typed)}
    assert german.post(_path(console, "/save"), sent).status_code == 422


def test_a_saved_search_means_the_same_in_every_language(
    console: Console, kept: dict[str, str]
) -> None:
    link = users.invite(console.session, console.account_id, "ada@x.test", UserRole.ANALYST).link
    assert link is not None
    signed_in = console.sign_in.by_link(link.token, HERE, PASSWORD)
    assert isinstance(signed_in, SignedIn)
    ada = console.with_token(signed_in.token)
    person = {"name": "Ada", "time_zone": "UTC"}
    ada.post("/me", {**person, "locale": "de"})
    sent = {"name": "teuer", "query": urlencode({"typed_least": "249,50"})}
    assert ada.post(_path(console, "/save"), sent).status_code == 303
    ada.post("/me", {**person, "locale": "en"})
    saved = re.search(r'href="([^"]+)">teuer<', ada.get(_path(console)).text)
    assert saved is not None
    assert saved[1].endswith("?currency=USD&amp;least=249.5")
    page = ada.get(unescape(saved[1])).text
    assert kept["DECLINE"] in page
    assert kept["ACCEPT"] not in page


def test_a_page_that_there_is_not_is_said_above_the_filters(console: Console, ana: Browser) -> None:
    answer = ana.get(_path(console, "?cursor=%00&tag=gold&live=yes"))
    assert answer.status_code == 422
    assert "This search cannot be made: must be the nextCursor of the page before." in answer.text
    assert 'value="gold"' in answer.text
    assert "data-hx-trigger" not in answer.text.partition("</main>")[0]


def test_more_new_decisions_than_a_page_shows_are_not_counted(
    console: Console, ana: Browser
) -> None:
    shop = Recorder(console.session, console.account_id, days_ago=0.5)
    for _ in range(51):
        shop.keep(matched=["flood"])
    rows = ana.get(_path(console, "?live=yes&rule=flood&newest=&shown="), fragment=True).text
    assert 'data-news="At least 50 new decisions"' in rows


def test_what_was_found_is_taken_along_with_an_audit_line(
    console: Console, ana: Browser, kept: dict[str, str]
) -> None:
    lines = ana.post(_path(console, "/export"), {"format": "jsonl", "decision": "DECLINE"})
    assert [json.loads(each)["requestId"] for each in lines.text.splitlines()] == [kept["DECLINE"]]
    assert json.loads(lines.text)["label"] is None
    found = FeedbackStatement(Label.CHARGEBACK)
    label(console.session, console.account_id, [kept["ACCEPT"]], found, console.session.clock())
    review = {"account_id": console.account_id, "request_id": kept["ACCEPT"], "at_ms": 5}
    review |= {"state": "DECLINED", "resolved_at_ms": 7, "actor": "user:ana", "reason": "=1+1"}
    with console.session.database.writing() as connection:
        connection.execute(REVIEWS.insert(), review)
    sheet = ana.post(_path(console, "/export"), {"format": "csv"}).text
    [accepted] = [r for r in csv.DictReader(io.StringIO(sheet)) if r["requestId"] == kept["ACCEPT"]]
    told = [accepted[name] for name in ("label", "review", "reviewedBy", "reviewReason")]
    assert told == ["CHARGEBACK", "DECLINED", "user:ana", "'=1+1"]
    with console.session.reading() as connection:
        last = audit.read(connection, console.account_id, 1)[-1]
    assert last.action == "decisions.export"
    viewer = console.as_role(UserRole.VIEWER)
    assert viewer.post(_path(console, "/export"), {"format": "csv"}).status_code == 403


class _Parts:
    """Downloads what a search found as a person does who presses every button that is offered."""

    def __init__(self, browser: Browser, path: str) -> None:
        self._browser = browser
        self._path = path
        self.pages: list[str] = []
        self.files: list[list[str]] = []
        self.names: list[str] = []

    def take(self, form: dict[str, str]) -> None:
        """Send a form; take the file that is answered, or what the page offers."""
        answer = self._browser.post(self._path, form)
        assert answer.status_code == 200
        if "content-disposition" in answer.headers:
            self.names.append(answer.headers["content-disposition"])
            self.files.append(
                [row["requestId"] for row in csv.DictReader(io.StringIO(answer.text))]
            )
            return
        self.pages.append(answer.text)
        for offered in re.findall(rf'action="{self._path}".*?</form>', answer.text, re.DOTALL):
            self.take(dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', offered)))


@pytest.fixture
def many(console: Console) -> tuple[Recorder, list[str]]:
    """A shop of its own with five declined decisions, newest first, among others."""
    shop = Recorder(console.session, make_account(console.session))
    made = []
    for _ in range(5):
        shop.keep(decision=Outcome.ACCEPT)
        made.append(shop.keep(decision=Outcome.DECLINE))
    return shop, made[::-1]


def test_more_than_a_file_holds_is_offered_in_parts(
    console: Console, many: tuple[Recorder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.admin.search.use_cases.exporting.MOST_EXPORTED", 2)
    shop, made = many
    path = f"/a/{shop.account_id}/decisions"
    browser = console.as_role(UserRole.ANALYST, shop.account_id)
    assert "At most 2 in a file" in browser.get(path).text
    parts = _Parts(browser, f"{path}/export")
    parts.take({"format": "csv", "decision": "DECLINE"})
    assert parts.files == [made[:2], made[2:4], made[4:]]
    assert [name.rpartition("-")[2] for name in parts.names] == ['1.csv"', '2.csv"', '3.csv"']
    assert "more than the 2 decisions that one file holds" in parts.pages[0]
    assert ["This is the last part." in page for page in parts.pages] == [False, False, True]
    assert "This file holds 1 decision." in parts.pages[2]


def test_decisions_that_come_in_meanwhile_push_none_out_of_a_part(
    console: Console, many: tuple[Recorder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.admin.search.use_cases.exporting.MOST_EXPORTED", 2)
    shop, made = many
    path = f"/a/{shop.account_id}/decisions/export"
    browser = console.as_role(UserRole.ANALYST, shop.account_id)
    asked = {"format": "jsonl", "decision": "DECLINE"}
    oldest = re.search(r'name="oldest" value="([^"]+)"', browser.post(path, asked).text)
    assert oldest is not None
    newer = shop.keep(decision=Outcome.DECLINE)
    lines = browser.post(path, {**asked, "part": "1", "oldest": oldest[1]}).text.splitlines()
    assert [json.loads(each)["requestId"] for each in lines] == [newer, *made[:2]]


def test_what_one_file_holds_is_downloaded_at_once(
    console: Console, many: tuple[Recorder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.admin.search.use_cases.exporting.MOST_EXPORTED", 5)
    shop, made = many
    parts = _Parts(
        console.as_role(UserRole.ANALYST, shop.account_id), f"/a/{shop.account_id}/decisions/export"
    )
    parts.take({"format": "csv", "decision": "DECLINE"})
    assert (parts.pages, parts.files) == ([], [made])
    parts.take({"format": "csv", "decision": "REVIEW"})
    assert parts.files[1:] == [[]]


def test_a_part_ends_with_a_request(console: Console, ana: Browser) -> None:
    answer = ana.post(_path(console, "/export"), {"format": "csv", "oldest": "nonsense"})
    assert answer.status_code in (400, 422)


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
