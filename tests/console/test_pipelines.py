"""Pipelines in the console: stages, drafts with a dry run, versions."""

from collections.abc import Iterator

import pytest

from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.rule_sets.use_cases import rule_sets
from tests.console.harness import Browser, Console, open_console
from tests.figures.shops import Shop
from tests.harness import Home

RULES = b"rule_set: mine\nrules:\n  - {name: much, condition: order.amount > 30, outcome: REVIEW}\n"
PIPELINE = """\
pipeline: {number}
name: Quick
stages:
  - stage: Rules
    rule_set: mine
  - stage: Sentry
    skip_when: {skip}
"""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("pipelines")
    home = Home(folder / "home").migrated()
    with open_console(home) as opened:
        rule_sets.apply(opened.session, opened.account_id, NewVersion(RULES))
        yield opened


@pytest.fixture(scope="module")
def request_id(console: Console, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A request of the account that was accepted."""
    shop = Shop(console.session, tmp_path_factory.mktemp("copies"))
    shop.account_id = console.account_id
    shop.copies.close()
    return shop.keep(
        shop.now_ms - 1000,
        signals={"order.amount": 50.0, "order.currency": "USD"},
        decision="ACCEPT",
    )


@pytest.fixture
def mo(console: Console) -> Browser:
    return console.as_role(UserRole.MANAGER, login="mo@shop.test")


def _document(number: int = 7, skip: str = "order.amount < 5") -> str:
    return PIPELINE.format(number=number, skip=skip)


def _apply(console: Console, number: int, skip: str = "order.amount < 5") -> str:
    new = NewVersion(_document(number, skip).encode())
    pipelines.apply(console.session, console.account_id, new)
    return f"/a/{console.account_id}/pipelines/{number}"


def _all(console: Console) -> str:
    return f"/a/{console.account_id}/pipelines"


def test_stages_are_shown_in_order_with_what_stops_and_skips(console: Console, mo: Browser) -> None:
    path = _apply(console, 11)
    page = mo.get(path).text
    assert page.index("<h2>Rules") < page.index("<h2>Sentry")
    assert "order.amount &lt; 5" in page
    assert "rules.status = &#39;DECLINE&#39;" in page
    assert "11 · <bdi>Quick</bdi>" in mo.get(_all(console)).text


@pytest.mark.parametrize("role", [role for role in UserRole if role is not UserRole.BILLING])
def test_the_price_of_a_stage_is_for_who_may_see_money(console: Console, role: UserRole) -> None:
    browser = console.as_role(role)
    assert browser.visitor is not None
    page = browser.get(_apply(console, 10)).text
    assert "<h2>Sentry" in page
    assert ("$" in page) is browser.visitor.may(Permission.SEE_MONEY, console.account_id)


def test_a_draft_is_checked_and_tried_on_a_request(
    console: Console, mo: Browser, request_id: str
) -> None:
    _apply(console, 12)
    sent = {"pipeline": "12", "document": _document(12, "order.amount > 5"), "request": request_id}
    part = mo.post(f"{_all(console)}/check", sent, fragment=True).text
    assert "<html" not in part
    assert "skip_when: order.amount &lt; 5 -&gt; order.amount &gt; 5" in part
    assert "did not run" in part
    assert "much" in part
    assert "Review" in part
    gone = mo.post(f"{_all(console)}/check", {**sent, "request": "req_none"}).text
    assert "req_none" in gone
    wrong = mo.post(f"{_all(console)}/check", {**sent, "document": "pipeline: x"}, fragment=True)
    assert 'data-line="1"' in wrong.text


def test_a_draft_is_tried_on_a_request_that_a_person_writes(
    console: Console, mo: Browser, request_id: str
) -> None:
    path = _apply(console, 17)
    page = mo.get(f"{path}/edit").text
    assert "&#34;sentryRequest&#34;" in page
    sent = {"pipeline": "17", "document": _document(17), "request": request_id}
    start = mo.post(f"{_all(console)}/check", {**sent, "start": "yes"}).text
    assert "&#34;amount&#34;: 50.0" in start
    [line] = audit_log.lines(console.session, console.account_id, 1)
    assert (line.action, line.details["requestId"]) == ("data.reveal", request_id)
    body = '{"pipelineId": 17, "sentryRequest": {"order": {"amount": 40, "currency": "USD"}}}'
    written = {**sent, "mode": "written", "written": body}
    assert "Dry run of your request" in mo.post(f"{_all(console)}/check", written).text
    wrong = {**written, "written": '{"pipelineId": 17, "sentryRequest": 5}'}
    part = mo.post(f"{_all(console)}/check", wrong, fragment=True).text
    assert "<code>sentryRequest</code> <bdi>must be an object</bdi>" in part


def test_a_draft_is_applied_and_rolled_back(console: Console, mo: Browser) -> None:
    path = _apply(console, 13)
    sent = {"pipeline": "13", "base": "1", "document": _document(13, "order.amount < 9")}
    assert mo.post(f"{_all(console)}/apply", sent).status_code == 422
    assert mo.post(f"{_all(console)}/apply", {**sent, "note": "faster"}).status_code == 303
    assert "faster" in mo.get(f"{path}/history").text
    assert "order.amount &lt; 5 -&gt; order.amount &lt; 9" in mo.get(f"{path}/versions/2").text
    stale = mo.post(f"{_all(console)}/apply", {**sent, "document": _document(13), "note": "x"})
    assert stale.status_code == 409
    assert "Meanwhile, version 2" in stale.text
    assert mo.post(f"{path}/rollback", {"to": "1", "base": "2"}).status_code == 303
    assert pipelines.get(console.session, console.account_id, 13).stored.version == 1
    other = {"pipeline": "13", "base": "1", "document": _document(14), "note": "x"}
    refused = mo.post(f"{_all(console)}/apply", other)
    assert "The document is pipeline 14" in refused.text


def test_a_new_pipeline_begins_with_a_free_number(console: Console, mo: Browser) -> None:
    _apply(console, 1)
    page = mo.get(f"{_all(console)}/new").text
    assert "pipeline: 2" in page or "pipeline: 3" in page


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>"])
def test_words_of_others_stay_words(console: Console, mo: Browser, words: str) -> None:
    sent = {"document": f"{_document(15)}{words}", "request": words, "note": words}
    for action in ("check", "apply"):
        page = mo.post(f"{_all(console)}/{action}", sent).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_analysts_see_pipelines_and_change_none(console: Console) -> None:
    path = _apply(console, 16)
    analyst = console.as_role(UserRole.ANALYST)
    assert "/edit" not in analyst.get(path).text
    assert analyst.get(f"{path}/edit").status_code == 403
    assert analyst.get(f"{_all(console)}/nothing").status_code == 404
