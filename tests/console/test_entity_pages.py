"""The pages of entities: found by a form, named by a token, everything they did and share."""

import re
from typing import Any

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.entities.use_cases.profile import EntityProfile, show_entity
from gatehouse.core.stages.outcomes import Outcome
from tests.admin.recorded import OTHER_CARD, Recorder
from tests.console.harness import Console
from tests.console.test_decision import ANALYST, HOSTILE, MANAGER, VIEWER, last_line


@pytest.fixture(scope="module")
def shop(console: Console) -> Recorder:
    """Two users who share a device, and thirty orders of one of them."""
    recorder = Recorder(console.session, console.account_id)
    for number in range(30):
        recorder.keep("u-4711", amount=10.0 + number)
    recorder.keep("u-2002", card=OTHER_CARD, decision=Outcome.DECLINE)
    return recorder


def find(console: Console, kind: str, value: str) -> str:
    """The address of an entity's page."""
    form = {"kind": kind, "value": value}
    answer = console.as_role(ANALYST).post(f"/a/{console.account_id}/entities", form)
    assert answer.status_code == 303
    where: str = answer.headers["location"]
    return where


def test_an_entity_is_found_by_what_it_is_known_by(console: Console, shop: Recorder) -> None:
    assert "Look up" in console.as_role(VIEWER).get(f"/a/{console.account_id}/entities").text
    for kind, value, decisions in (
        ("user", "u-4711", 30),
        ("card", "4242 4242 4242 4242", 30),
        ("address", "203.0.113.7", 31),
        ("device", "dev-1", 31),
    ):
        where = find(console, kind, value)
        assert value not in where
        shown = console.as_role(VIEWER).get(where).text
        [number] = re.findall(r'Decisions</p>\s*<p class="figure-value">(\d+)<', shown)
        assert int(number) == decisions


def test_what_cannot_be_found_says_what_is_expected(console: Console) -> None:
    where = f"/a/{console.account_id}/entities"
    wrong = console.as_role(VIEWER).post(where, {"kind": "address", "value": HOSTILE[0]})
    assert wrong.status_code == 422
    assert "ust be an internet address" in wrong.text
    assert "<script>alert" not in wrong.text
    assert console.as_role(VIEWER).post(where, {"kind": "x", "value": "y"}).status_code == 422
    nobody = console.as_role(VIEWER).get(find(console, "user", "u-nobody"))
    assert nobody.status_code == 200
    assert "No decision about it" in nobody.text


def test_everything_it_did_is_paged(console: Console, shop: Recorder) -> None:
    browser, where = console.as_role(VIEWER), find(console, "user", "u-4711")
    first = browser.get(where).text
    [older] = re.findall(r'href="([^"]+before=[^"]+)" rel="next"', first)
    second = browser.get(older).text
    decisions = re.compile(r"/decisions/(req_\w+)")
    assert len({*decisions.findall(first)}) == 25
    assert len({*decisions.findall(first), *decisions.findall(second)}) == 30
    assert browser.get(f"{where}?before=nonsense").status_code == 422


def test_who_shares_what_is_drawn_and_told_in_a_table(console: Console, shop: Recorder) -> None:
    shown = console.as_role(VIEWER).get(find(console, "user", "u-4711")).text
    assert '<svg class="graph"' in shown
    assert "u…02" in shown
    assert "MASTERCARD" not in shown
    table = shown.partition("Show as a table")[2]
    assert "u…02" in table
    assert 'style="' not in shown


def test_the_value_is_masked_until_somebody_reveals_it(console: Console, shop: Recorder) -> None:
    where = find(console, "user", "u-4711")
    assert "u-4711" not in console.as_role(ANALYST).get(where).text
    assert console.as_role(VIEWER).post(f"{where}/reveal").status_code == 403
    answer = console.as_role(ANALYST).post(f"{where}/reveal")
    assert "u-4711" in answer.text
    line = last_line(console)
    assert line.actor.startswith("user:person")
    assert "4711" not in str(line.details)


def test_it_is_put_on_a_list_by_those_who_may(console: Console, shop: Recorder) -> None:
    where = find(console, "user", "u-2002")
    form = {"list": "blocked-users", "reason": HOSTILE[1]}
    assert console.as_role(VIEWER).post(f"{where}/list", form).status_code == 403
    # An analyst blocks for a time, and lets nobody through.
    analyst = console.as_role(ANALYST)
    for refused in ({}, {"days": "31"}, {"days": "9", "list": "allowed-users"}):
        assert analyst.post(f"{where}/list", form | refused).status_code == 422, refused
    assert 'value="allowed-users"' not in analyst.get(where).text
    assert analyst.post(f"{where}/list", form | {"days": "30"}).status_code == 303
    manager = console.as_role(MANAGER)
    assert manager.post(f"{where}/list", form).status_code == 303
    after = manager.get(where).text
    assert "Listed" in after
    assert "<img src=x" not in after


def test_tokens_are_of_one_account_and_kind(console: Console, shop: Recorder) -> None:
    where = find(console, "user", "u-4711")
    operator = console.as_role(UserRole.OPERATOR)
    assert operator.get(where).status_code == 200
    for other in (
        where.replace(console.account_id, console.other_id),
        where.replace("/user/", "/device/"),
        where.replace("/user/", "/person/"),
        where[:-2],
    ):
        assert operator.get(other).status_code == 404


@pytest.mark.parametrize("text", HOSTILE)
def test_names_that_customers_choose_are_only_text(
    console: Console, shop: Recorder, text: str
) -> None:
    shop.keep(text[:100], device="dev-hostile", reference=text)
    browser = console.as_role(ANALYST)
    where = find(console, "device", "dev-hostile")
    for answer in (browser.get(where), browser.post(f"{where}/reveal")):
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1.04, "Fraud is as likely as usual."),
        (3.456, "Fraud is 3.5 times as likely as usual."),
        (41.2, "Fraud is 41 times as likely as usual."),
        (0.5, "Fraud is 2 times less likely than usual."),
    ],
)
def test_how_likely_fraud_is_stands_in_words(
    console: Console, shop: Recorder, monkeypatch: pytest.MonkeyPatch, times: float, said: str
) -> None:
    def found(*wanted: Any) -> EntityProfile:
        entity = show_entity(*wanted)
        changed = msgspec.structs.replace(entity.reputation, times_usual=times)
        return msgspec.structs.replace(entity, reputation=changed)

    monkeypatch.setattr("gatehouse.admin.entities.pages.entities.show_entity", found)
    assert said in console.as_role(VIEWER).get(find(console, "user", "u-4711")).text


def test_a_table_of_decisions_masks_users_as_their_pages_do(
    console: Console, shop: Recorder
) -> None:
    page = console.as_role(ANALYST).get(f"/a/{console.account_id}/decisions").text
    assert "u…11" in page
    assert "u-4711" not in page


def test_what_is_refused_is_said_in_the_language_of_the_person(console: Console) -> None:
    where = f"/a/{console.account_id}/entities"
    german = console.as_role(VIEWER, locale="de")
    known = german.post(where, {"kind": "address", "value": "here"}).text
    assert "Schreiben Sie eine Internetadresse wie 203.0.113.7." in known
    by_another_room = german.post(where, {"kind": "card", "value": "here"}).text
    assert "Muss eine ganze Kartennummer" in by_another_room
    assert "Diese Angabe" not in console.as_role(VIEWER).post(where, {"kind": "card"}).text
