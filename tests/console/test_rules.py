"""Rules in the console: figures, drafts with their preview, versions, proposals, clicked rules."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.store.feedback.statements import FeedbackStatement
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console, open_console
from tests.figures.shops import Shop
from tests.harness import Home, until
from tests.store.deciding import label

RULES = """\
rule_set: {name}
rules:
  - name: much
    description: A large order.
    condition: order.amount > {amount}
    outcome: REVIEW
"""
NASTY = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u202eabc", "w" * 400]


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console with a shop in it that has decisions."""
    folder = tmp_path_factory.mktemp("rules")
    home = Home(folder / "home").migrated()
    with open_console(home) as opened:
        shop = Shop(opened.session, folder / "copies")
        opened.account_id = shop.account_id
        for number in range(6):
            about = {"order.amount": 10.0 * number, "order.currency": "USD"}
            shop.keep(shop.now_ms - 3_600_000 * (number + 1), signals=about, decision="ACCEPT")
        # The test's own copy, followed by hand, in place of the thread of a server.
        opened.desk.__dict__["columns"] = shop.copies
        shop.copies.catch_up(shop.account_id)
        yield opened


@pytest.fixture
def mo(console: Console) -> Browser:
    return console.as_role(UserRole.MANAGER, login="mo@shop.test")


def _apply(console: Console, name: str, amount: int = 30) -> str:
    """Put a rule set in force; the path of its pages."""
    text = RULES.format(name=name, amount=amount).encode()
    rule_sets.apply(console.session, console.account_id, NewVersion(text, note="made"))
    return f"/a/{console.account_id}/rules/{name}"


def _rules(console: Console) -> str:
    return f"/a/{console.account_id}/rules"


def _version(console: Console, name: str) -> int:
    return rule_sets.get(console.session, console.account_id, name).version


def test_the_rules_are_shown_with_their_figures(console: Console, mo: Browser) -> None:
    _apply(console, "shown")
    page = mo.get(f"{_rules(console)}?set=shown").text
    assert "order.amount &gt; 30" in page
    assert "A large order." in page
    assert "/rules/shown/edit" in page


def test_a_draft_says_what_it_would_have_done(console: Console, mo: Browser) -> None:
    _apply(console, "tried")
    draft = {"set": "tried", "document": RULES.format(name="tried", amount=15), "days": "7"}
    part = mo.post(f"{_rules(console)}/preview", draft, fragment=True)
    assert part.status_code == 200
    assert "<html" not in part.text
    assert "order.amount &gt; 30 -&gt; order.amount &gt; 15" in part.text
    assert "6 requests judged" in part.text
    assert "4 requests" in part.text
    assert re.search(r'href="/a/[^"]+/decisions/req_', part.text)
    whole = mo.post(f"{_rules(console)}/preview", draft)
    assert "6 requests judged" in whole.text
    assert "order.amount &gt; 15" in whole.text


def test_mistakes_are_named_with_their_lines(console: Console, mo: Browser) -> None:
    wrong = RULES.format(name="wrong", amount="'x'")
    answer = mo.post(f"{_rules(console)}/preview", {"document": wrong}, fragment=True)
    assert answer.status_code == 200
    assert 'data-line="5"' in answer.text
    missing = RULES.format(name="wrong", amount="1 AND user.id IN LIST('nobody')")
    answer = mo.post(f"{_rules(console)}/preview", {"document": missing}, fragment=True)
    assert "there is no list nobody" in answer.text


def test_a_draft_is_applied_with_a_comment(console: Console, mo: Browser) -> None:
    path = _apply(console, "applied")
    sent = {"set": "applied", "base": "1", "document": RULES.format(name="applied", amount=9)}
    refused = mo.post(f"{_rules(console)}/apply", sent)
    assert refused.status_code == 422
    assert "Say in a few words" in refused.text
    done = mo.post(f"{_rules(console)}/apply", {**sent, "note": "less risk"})
    assert done.status_code == 303
    assert _version(console, "applied") == 2
    page = mo.get(f"{path}/history").text
    assert "less risk" in page
    assert "user:mo@shop.test" in page
    assert "order.amount &gt; 30 -&gt; order.amount &gt; 9" in mo.get(f"{path}/versions/2").text


def test_a_newer_version_is_never_overwritten_unseen(console: Console, mo: Browser) -> None:
    _apply(console, "busy", 30)
    _apply(console, "busy", 40)
    sent = {"set": "busy", "document": RULES.format(name="busy", amount=50), "note": "mine"}
    refused = mo.post(f"{_rules(console)}/apply", {**sent, "base": "1"})
    assert refused.status_code == 409
    assert "Meanwhile, version 2 was put in force." in refused.text
    assert "order.amount &gt; 30 -&gt; order.amount &gt; 40" in refused.text
    assert "order.amount &gt; 50" in refused.text
    assert mo.post(f"{_rules(console)}/apply", {**sent, "base": ["1", "2"]}).status_code == 303
    assert _version(console, "busy") == 3


def test_a_draft_does_not_become_another_rule_set_by_a_slip(console: Console, mo: Browser) -> None:
    _apply(console, "kept")
    sent = {"set": "kept", "base": "1", "document": RULES.format(name="kapt", amount=5)}
    refused = mo.post(f"{_rules(console)}/apply", {**sent, "note": "x"})
    assert refused.status_code == 422
    assert "The document is called kapt" in refused.text
    assert (
        mo.post(
            f"{_rules(console)}/apply", {**sent, "set": "", "base": "", "note": "x"}
        ).status_code
        == 303
    )


def test_an_earlier_version_comes_back(console: Console, mo: Browser) -> None:
    path = _apply(console, "back", 30)
    _apply(console, "back", 40)
    assert mo.post(f"{path}/rollback", {"to": "1", "base": "2"}).status_code == 303
    assert _version(console, "back") == 1
    stale = mo.post(f"{path}/rollback", {"to": "2", "base": "2"})
    assert stale.status_code == 409
    assert mo.post(f"{path}/rollback", {"to": "nine", "base": "1"}).status_code == 422


def test_two_pairs_of_eyes(console: Console, mo: Browser) -> None:
    _apply(console, "eyes")
    session, account_id = console.session, console.account_id
    approvals.set_wanted(session, account_id, ["rules"])
    try:
        sent = {"set": "eyes", "base": "1", "document": RULES.format(name="eyes", amount=77)}
        mo.post(f"{_rules(console)}/apply", {**sent, "note": "watch <b>"})
        assert _version(console, "eyes") == 1
        assert "A change waits for another person." in mo.get(_rules(console)).text
        page = f"/a/{account_id}/proposals"
        [proposal] = re.findall(r"proposals/(prop_\w+)/withdraw", mo.get(page).text)
        assert mo.post(f"{page}/{proposal}/approve").status_code == 409
        lee = console.as_role(UserRole.MANAGER, login="lee@shop.test")
        seen = lee.get(page).text
        assert "watch &lt;b&gt;" in seen
        assert "What would change" in seen
        assert lee.post(f"{page}/{proposal}/approve").status_code == 303
        assert _version(console, "eyes") == 2
        back = mo.post(f"{_rules(console)}/eyes/rollback", {"to": "1", "base": "2"})
        assert back.headers["location"] == page
        [again] = re.findall(r"proposals/(prop_\w+)/approve", lee.get(page).text)
        assert lee.post(f"{page}/{again}/refuse", {"reason": "no"}).status_code == 303
        assert _version(console, "eyes") == 2
    finally:
        with session.change() as change:
            from gatehouse.store.accounts import accounts

            accounts.set_policy(change, account_id, "approvals", [])


def test_a_rule_is_clicked_together(console: Console, mo: Browser) -> None:
    path = _apply(console, "clicked")
    page = mo.get(f"{path}/build")
    assert "is one of" in page.text
    kept = re.search(r'name="document" value="([^"]*)"', page.text)
    assert kept is not None
    questions = {
        "document": RULES.format(name="clicked", amount=30),
        "set": "clicked",
        "base": "1",
        "signal0.0": "ip.country",
        "operator0.0": "none_of",
        "value0.0": "GB, IE",
        "group0": "all",
        "signal0.1": "ip.tor",
        "operator0.1": "yes",
    }
    more = mo.post(f"{path}/build/form", {**questions, "do": "question-0"}).text
    assert "ip.country NOT IN (&#39;GB&#39;, &#39;IE&#39;) AND ip.tor" in more
    many = mo.post(f"{path}/build/form", {**questions, "value0.0": "GB," * 400 + "IE"}).text
    assert "&#39;GB&#39;, &#39;IE&#39;) AND ip.tor" in many
    assert 'name="signal0.2"' in more
    rule = {"name": "abroad", "outcome": "DECLINE", "shadow": "yes", "description": "It's: far"}
    change = mo.post(f"{path}/build/add", {**questions, **rule}).text
    assert "- name: abroad" in change
    assert "There is no such rule yet." in change
    assert "Decline if country of the address is none of" in change
    assert "+</span>" in change
    odd = mo.post(f"{path}/build/form", {**questions, "do": "question-²"})
    assert odd.status_code == 200
    wrong = mo.post(f"{path}/build/form", {**questions, "operator0.0": "more"}).text
    assert "this cannot be asked of the signal" in wrong
    assert mo.post(f"{path}/build/add", {"signal0.0": "", "set": "clicked"}).status_code == 422


@pytest.mark.parametrize("words", NASTY)
def test_words_of_others_stay_words(console: Console, mo: Browser, words: str) -> None:
    quoted = words.replace("\\", "\\\\").replace('"', '\\"')
    text = RULES.format(name="nasty", amount=30).replace("A large order.", f'"{quoted}"')
    sent = {"set": "", "document": text, "note": words[:150]}
    answers = [
        mo.post(f"{_rules(console)}/preview", {"document": text}).text,
        mo.post(f"{_rules(console)}/preview", {"document": f"{words}: x"}, fragment=True).text,
        mo.post(f"{_rules(console)}/apply", {**sent, "base": words}).text,
        mo.get(f"{_rules(console)}?set=nasty&span={words}").text,
        mo.post(
            f"{_rules(console)}/nasty/build/form", {"signal0.0": words, "value0.0": words}
        ).text,
    ]
    found = configurations.listing(console.session, console.account_id, RULE_SETS)
    if "nasty" in {each.definition.name for each in found}:
        answers += [mo.get(f"{_rules(console)}/nasty/{page}").text for page in ("history", "edit")]
        answers.append(mo.get(f"{_rules(console)}/nasty/versions/1").text)
    for page in answers:
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_viewers_see_rules_and_change_none(console: Console) -> None:
    path = _apply(console, "closed")
    viewer = console.as_role(UserRole.VIEWER)
    page = viewer.get(f"{_rules(console)}?set=closed").text
    assert "order.amount" in page
    assert "/edit" not in page
    assert "/build" not in page
    assert viewer.get(f"{path}/edit").status_code == 403
    assert viewer.post(f"{path}/rollback", {"to": "1", "base": "1"}).status_code == 403
    assert "Roll back" not in viewer.get(f"{path}/history").text


def test_the_editor_is_told_what_it_completes(console: Console, mo: Browser) -> None:
    found = mo.get(f"{_rules(console)}/words").json()
    amount = next(each for each in found["signals"] if each["name"] == "order.amount")
    assert amount["type"] == "number"
    assert {each["name"] for each in found["functions"]} >= {"STARTS_WITH", "HAS"}


ALLOWING = """\
rule_set: trusting
rules:
  - {name: known, condition: order.amount > 0, outcome: ACCEPT}
  - {name: large, condition: order.amount > 1000, outcome: DECLINE}
  - {name: watched, condition: order.amount > 500, outcome: REVIEW, shadow: true}
"""


def _cells(page: str, rule: str) -> list[str]:
    """The cells of a rule's row as they are read."""
    found = re.search(rf'class="rule-name"[^>]*>{rule}<(.*?)</tr>', page, re.DOTALL)
    row = found[1] if found else ""
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", each).split()) for each in cells]


def test_a_rule_that_accepts_is_right_about_legitimate_orders(
    console: Console, mo: Browser
) -> None:
    session, account_id = console.session, console.account_id
    rule_sets.apply(session, account_id, NewVersion(ALLOWING.encode(), note="made"))
    shop = Recorder(session, account_id, days_ago=2)
    hit: dict[str, Any] = {
        "rule_set": "trusting",
        "matched": ["known", "large"],
        "shadow": ["watched"],
    }
    unlabelled, *labelled = [shop.keep(**hit) for _ in range(4)]
    kinds = (Label.LEGITIMATE, Label.FRAUD, Label.LEGITIMATE)
    for each, kind in zip(labelled, kinds, strict=True):
        label(session, account_id, [each], FeedbackStatement(kind), shop.at_ms)
    console.desk.columns.catch_up(account_id)
    page = mo.get(f"{_rules(console)}?set=trusting&span=7d").text
    assert "66.7% legitimate" in _cells(page, "known")
    assert "33.3%" in _cells(page, "large")
    # The hits lead to the decisions, also those in shadow.
    assert "4 shadow" in _cells(page, "watched")
    link = re.search(r'href="([^"]*shadowRule=watched[^"]*)"', page)
    assert link is not None
    assert unlabelled in mo.get(unescape(link[1])).text
    draft = {"set": "trusting", "document": ALLOWING.replace("1000", "30"), "days": "7"}
    tried = mo.post(f"{_rules(console)}/preview", draft, fragment=True).text
    assert _cells(tried, "known")[2:] == ["66.7% legitimate", "–", "–", "–"]


HABITS = """\
rule_set: habits
rules:
  - name: large
    # Kept by every change.
    condition: order.amount > 30
    outcome: REVIEW
  - {name: flow, condition: order.amount > 99999, outcome: REVIEW}
  - name: sum
    condition: order.amount + 1 > 5
    outcome: DECLINE
    shadow: true
"""


def _counted(browser: Browser, path: str) -> str:
    """The findings, once they are counted."""
    seen: list[str] = []

    def are_there() -> bool:
        seen.append(browser.get(path, fragment=True).text)
        return 'hx-trigger="every' not in seen[-1]

    until(are_there)
    return seen[-1]


def test_a_rule_has_a_page_with_its_switch_and_what_could_be_better(
    console: Console, mo: Browser
) -> None:
    session, account_id = console.session, console.account_id
    rule_sets.apply(session, account_id, NewVersion(HABITS.encode(), note="made"))
    shop = Recorder(session, account_id, days_ago=1)
    caught = shop.keep(
        rule_set="habits", matched=["large"], shadow=["sum"], decision=Outcome.REVIEW
    )
    label(session, account_id, [caught], FeedbackStatement(Label.FRAUD), shop.at_ms)
    console.desk.columns.catch_up(account_id)
    path = f"{_rules(console)}/habits/rule/large"
    page = mo.get(path).text
    assert "Review if the amount is more than 30." in page
    assert 'value="live" class="button" aria-pressed="true"' in page
    assert caught in page
    assert "habits/rule/sum" in page
    german = console.as_role(UserRole.MANAGER, login="de@shop.test", locale="de")
    assert "Prüfen, wenn gilt: der Betrag ist größer als 30." in german.get(path).text
    assert mo.get(f"{_rules(console)}/habits/rule/none").status_code == 404
    found = _counted(mo, f"{_rules(console)}/habits/findings")
    assert "<html" not in found
    assert "habits/rule/flow" in found
    # What was counted is kept with its time, until somebody asks for newer findings.
    shop.keep(rule_set="habits", matched=["flow"], decision=Outcome.REVIEW, amount=100_000)
    console.desk.columns.catch_up(account_id)
    assert "habits/rule/flow" in _counted(mo, f"{_rules(console)}/habits/findings")
    again = re.search(r'hx-get="([^"]*newer=[0-9]+)"', found)
    assert again is not None
    assert "habits/rule/flow" not in _counted(mo, unescape(again[1]))
    # The switch makes a version; one that somebody else has changed meanwhile is not overwritten.
    assert mo.post(f"{path}/state", {"state": "shadow", "base": "1"}).status_code == 303
    now = rule_sets.get(session, account_id, "habits")
    assert (now.version, now.definition.rules[0].state) == (2, "shadow")
    assert "# Kept by every change." in now.document
    assert "large: Shadow" in mo.get(path).text
    assert mo.post(f"{path}/state", {"state": "off", "base": "1"}).status_code == 409
    assert mo.post(f"{path}/state", {"state": "nonsense", "base": "2"}).status_code == 422
    by_hand = mo.post(f"{_rules(console)}/habits/rule/flow/state", {"state": "off", "base": "2"})
    assert by_hand.status_code == 422
    assert "change it in the text" in by_hand.text
    viewer = console.as_role(UserRole.VIEWER)
    assert "habits/rule/large/state" not in viewer.get(path).text
    assert viewer.post(f"{path}/state", {"state": "live", "base": "2"}).status_code == 403
    hidden = mo.get(f"{_rules(console)}?set=habits&state=live&group=outcome&sort=hits").text
    assert "rule/flow" in hidden
    assert "rule/large" not in hidden


def test_an_existing_rule_is_opened_by_clicking_and_ends_in_itself(
    console: Console, mo: Browser
) -> None:
    session, account_id = console.session, console.account_id
    text = HABITS.replace("habits", "opened")
    rule_sets.apply(session, account_id, NewVersion(text.encode(), note="made"))
    path = f"{_rules(console)}/opened"
    more = "signal=order.amount&operator=%3E&number=40"
    form = mo.get(f"{path}/build?rule=large&{more}").text
    assert "Change large" in form
    assert 'name="value0.0" value="40"' in form
    closed = mo.get(f"{path}/build?rule=sum")
    assert closed.headers["location"] == f"{path}/edit"
    asked = {"set": "opened", "base": "1", "document": text, "rule": "large", "name": "large"}
    asked |= {"signal0.0": "order.amount", "operator0.0": "more", "value0.0": "40"}
    asked |= {"outcome": "DECLINE", "description": "4111111111111111"}
    numbered = mo.post(f"{path}/build/add", asked)
    assert numbered.status_code == 422
    assert "looks like a card number" in numbered.text
    asked["description"] = "less noise"
    change = mo.post(f"{path}/build/add", asked).text
    assert "Review if the amount is more than 30." in change
    assert "Decline if the amount is more than 40." in change
    assert "requests judged" in change
    [document] = re.findall(r'name="document" value="([^"]*)"', change)[:1]
    sent = {"set": "opened", "base": "1", "rule": "large", "document": unescape(document)}
    refused = mo.post(f"{_rules(console)}/apply", sent)
    assert refused.status_code == 422
    assert "As it would be" in refused.text
    done = mo.post(f"{_rules(console)}/apply", {**sent, "note": "higher"})
    assert done.headers["location"] == f"{path}/rule/large"
    page = mo.get(f"{path}/rule/large").text
    assert "order.amount &gt; 30 -&gt; order.amount &gt; 40" in page
