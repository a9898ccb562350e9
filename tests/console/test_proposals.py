"""Two pairs of eyes in the console: proposed by one person, approved by another."""

import re

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import (
    AdjustBalance,
    ApplyRules,
    DropList,
    SetApprovals,
    SetPrices,
    TakeOffList,
)
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.rules.list_entries import ListKind
from tests.console.harness import Console
from tests.harness import make_account

RULES = "rule_set: mine\nrules:\n  - {name: a, condition: order.amount > 3, outcome: REVIEW}\n"


@pytest.fixture
def account_id(console: Console) -> str:
    """An account that wants another person for corrections of its balance."""
    made = make_account(console.session, micros=50_000_000)
    approvals.set_wanted(console.session, made, ["adjustments"])
    return made


def _open(console: Console, account_id: str) -> str:
    """The path of a correction that an operator proposed."""
    operator = console.as_role(UserRole.OPERATOR)
    sent = {"amount": "-5", "reason": "a wrong top-up"}
    answer = operator.post(f"/a/{account_id}/money/adjust", sent)
    assert answer.headers["location"] == f"/a/{account_id}/proposals"
    [made] = proposals.listing(console.session, account_id)
    own = operator.post(f"/a/{account_id}/proposals/{made.proposal_id}/approve")
    assert own.status_code == 409
    return f"/a/{account_id}/proposals/{made.proposal_id}"


def _balance(console: Console, account_id: str) -> int:
    return accounts.get(console.session, account_id).state.balance


def test_a_correction_waits_for_another_person(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    assert _balance(console, account_id) == 50_000_000
    finance = console.as_role(UserRole.FINANCE, account_id)
    assert "a wrong top-up" in finance.get(f"/a/{account_id}/proposals").text
    assert finance.post(f"{path}/approve").status_code == 303
    assert _balance(console, account_id) == 45_000_000


def test_a_manager_does_not_decide_about_money(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    manager = console.as_role(UserRole.MANAGER, account_id)
    assert "Approve<" not in manager.get(f"/a/{account_id}/proposals").text
    assert manager.post(f"{path}/approve").status_code == 403
    assert _balance(console, account_id) == 50_000_000


def _shown_to(console: Console, account_id: str, role: UserRole) -> str:
    answer = console.as_role(role, account_id).get(f"/a/{account_id}/proposals")
    assert answer.status_code == 200
    return answer.text


@pytest.mark.parametrize(
    ("role", "sees"),
    [
        (UserRole.MANAGER, False),
        (UserRole.FINANCE, True),
        (UserRole.ADMINISTRATOR, True),
        (UserRole.OPERATOR, True),
    ],
)
def test_proposals_about_money_are_for_who_may_see_money(
    console: Console, account_id: str, role: UserRole, sees: bool
) -> None:
    approvals.set_wanted(console.session, account_id, ["adjustments", "prices", "rules"])
    operator = console.as_role(UserRole.OPERATOR)
    operator.post(f"/a/{account_id}/money/adjust", {"amount": "-5", "reason": "a wrong top-up"})
    operator.post(f"/a/{account_id}/money/prices", {"PRECHECK": "0.0425"})
    proposals.propose(console.session, account_id, ApplyRules(RULES))
    proposals.propose(console.session, account_id, SetApprovals(()))
    page = _shown_to(console, account_id, role)
    for part in ("-$5.00", "a wrong top-up", "PreCheck $0.0425"):
        assert (part in page) is sees, part
    assert ("about money, lists and people are shown to those" in page) is not sees
    assert "Change a rule set" in page
    assert "Require two pairs of eyes for fewer changes" in page
    assert "Nothing is proposed" not in page


def test_a_person_sees_what_it_proposed_itself(console: Console, account_id: str) -> None:
    manager = console.as_role(UserRole.MANAGER, account_id)
    assert manager.visitor is not None
    acting = console.session.acting_as(manager.visitor.actor(account_id))
    proposals.propose(acting, account_id, AdjustBalance(-5_000_000, "a wrong top-up"))
    assert "a wrong top-up" in manager.get(f"/a/{account_id}/proposals").text


def test_a_refused_proposal_changes_nothing_and_says_why(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    finance = console.as_role(UserRole.FINANCE, account_id)
    assert finance.post(f"{path}/refuse", {"reason": ""}).status_code == 422
    finance.post(f"{path}/refuse", {"reason": "the top-up was right"})
    assert "the top-up was right" in finance.get(f"/a/{account_id}/proposals").text
    assert finance.post(f"{path}/approve").status_code == 409
    assert _balance(console, account_id) == 50_000_000


def test_what_is_proposed_is_shown_in_words(console: Console, account_id: str) -> None:
    approvals.set_wanted(console.session, account_id, ["adjustments", "rules"])
    fees = {"SENTRY": "0.01", "ID_VERIFY": "list"}
    for change in (SetPrices(fees), SetApprovals(()), SetApprovals(("rules",))):
        proposals.propose(console.session, account_id, change)
    admin = console.as_role(UserRole.ADMINISTRATOR, account_id, locale="de")
    page = admin.get(f"/a/{account_id}/proposals").text
    facts = re.findall(r"<dd><bdi>(.*?)</bdi></dd>", page.replace("\N{NO-BREAK SPACE}", " "))
    assert sorted(facts) == [
        "Regeln",
        "Sentry 0,01 $, ID Verify wie in der Preisliste",
        "nichts mehr",
    ]


def test_lists_pipelines_and_top_ups_wait_for_another_person(
    console: Console, account_id: str
) -> None:
    operator, session = console.as_role(UserRole.OPERATOR), console.session
    words = GivenEntries(["spam"])
    lists.add(session, account_id, "bad-words", words, NewEntries(ListKind.WORDS))
    approvals.set_wanted(session, account_id, ["adjustments", "lists", "pipelines", "top-ups"])
    start = f"/a/{account_id}"
    pipeline = configurations.listing(session, account_id, PIPELINES)[0].document
    draft = {"document": pipeline + "# changed\n", "pipeline": "1", "base": "1", "note": "why"}
    sent = [
        (f"{start}/lists/bad-words/add", {"values": "scam", "reason": "a gang", "days": "3650"}),
        (f"{start}/lists/bad-words/remove", {"value": "spam"}),
        (f"{start}/lists/bad-words/drop", {}),
        (f"{start}/pipelines/apply", draft),
        (f"{start}/money/top-up", {"amount": "5", "reference": "invoice 1"}),
    ]
    for path, form in sent:
        answer = operator.post(path, form)
        assert answer.headers.get("location") == f"{start}/proposals", (path, answer.text)
    assert len(proposals.listing(session, account_id)) == len(sent)
    assert lists.get(session, account_id, "bad-words").answer.entries == 1
    other = console.as_role(UserRole.ADMINISTRATOR, account_id)
    page = other.get(f"{start}/proposals").text
    assert re.search(r"scam · a gang · expires \w+ \d+, 20\d\d", page)
    for part in ("Take entries off a list", "Change a pipeline", "invoice 1"):
        assert part in page
    for made in proposals.listing(session, account_id):
        if not isinstance(made.content, TakeOffList | DropList):
            done = other.post(f"{start}/proposals/{made.proposal_id}/approve")
            assert done.status_code == 303
    assert lists.get(session, account_id, "bad-words").answer.entries == 2
    assert _balance(console, account_id) == 55_000_000


def test_an_approver_is_brought_in_by_two_people(console: Console, account_id: str) -> None:
    ada = console.as_role(UserRole.ADMINISTRATOR, account_id)
    form = {"login": "eve@shop.example", "name": "Eve", "role": "manager"}
    answer = ada.post(f"/a/{account_id}/people", form)
    assert answer.headers["location"] == f"/a/{account_id}/proposals"
    assert "/link/" not in answer.text
    assert ada.post(f"/a/{account_id}/people", form).status_code == 303
    [made] = proposals.listing(console.session, account_id)
    path = f"/a/{account_id}/proposals"
    manager = console.as_role(UserRole.MANAGER, account_id)
    assert "eve@shop.example" not in manager.get(path).text
    assert manager.post(f"{path}/{made.proposal_id}/approve").status_code == 403
    bob = console.as_role(UserRole.ADMINISTRATOR, account_id)
    assert "eve@shop.example" in bob.get(path).text
    shown = bob.post(f"{path}/{made.proposal_id}/approve").text
    assert "/link/" in shown
    assert "/link/" not in bob.get(path).text
    eve = users.get(console.session, account_id, "eve@shop.example").user_id
    for action, sent in (("reset", {}), ("role", {"role": "administrator"})):
        answer = ada.post(f"/a/{account_id}/people/{eve}/{action}", sent)
        assert answer.headers["location"] == path
    assert users.get(console.session, account_id, eve).roles == {account_id: UserRole.MANAGER}


def test_to_want_less_of_it_is_proposed_as_well(console: Console, account_id: str) -> None:
    admin = console.as_role(UserRole.ADMINISTRATOR, account_id)
    admin.post(f"/a/{account_id}/proposals/choose", {"kinds": ["adjustments", "rules"]})
    assert len(approvals.wanted(console.session, account_id)) == 2
    admin.post(f"/a/{account_id}/proposals/choose", {"kinds": ["rules"]})
    assert len(approvals.wanted(console.session, account_id)) == 2
    [made] = proposals.listing(console.session, account_id)
    other = console.as_role(UserRole.ADMINISTRATOR, account_id)
    other.post(f"/a/{account_id}/proposals/{made.proposal_id}/approve")
    assert approvals.wanted(console.session, account_id) == ("rules",)


def test_an_analyst_proposes_rules_and_entries_and_changes_nothing(
    console: Console, account_id: str
) -> None:
    """The account wants no second person for these: it is the role that only proposes."""
    here = f"/a/{account_id}"
    session = console.session
    lists.create(session, account_id, NewList("odd", ListKind.WORDS))
    lists.add(session, account_id, "odd", GivenEntries(["kept"]), NewEntries())
    analyst = console.as_role(UserRole.ANALYST, account_id)
    before = [
        configurations.get(session, account_id, RULE_SETS, "starter").version,
        lists.get(session, account_id, "odd").answer.entries,
    ]
    rules = {"document": RULES, "note": "for large ones"}
    shown = analyst.post(f"{here}/rules/preview", rules).text
    assert ">Propose<" in re.sub(r"<svg.*?</svg>", "", shown)
    sent = [
        (f"{here}/rules/apply", rules),
        (f"{here}/rules/starter/rule/{_first_rule(console, account_id)}/state", {"state": "off"}),
        (f"{here}/lists/odd/add", {"values": "new"}),
        (f"{here}/lists/odd/remove", {"value": "kept"}),
    ]
    for path, form in sent:
        assert analyst.post(path, form).headers["location"] == f"{here}/proposals", path
    file = {"file": ("more.txt", b"from a file\n")}
    done = analyst.post(f"{here}/lists/odd/import", files=file)
    assert done.headers["location"] == f"{here}/proposals"
    assert "Propose entries" in analyst.get(f"{here}/lists/odd").text
    made = proposals.listing(session, account_id)
    assert len(made) == len(sent) + 1
    for path in ("lists/new", "lists/odd/drop", "pipelines/apply", "proposals/choose"):
        assert analyst.post(f"{here}/{path}").status_code == 403, path
    assert before == [
        configurations.get(session, account_id, RULE_SETS, "starter").version,
        lists.get(session, account_id, "odd").answer.entries,
    ]
    paths = [f"{here}/proposals/{each.proposal_id}" for each in made]
    assert {analyst.post(f"{path}/approve").status_code for path in paths} == {403}
    assert (
        console.as_role(UserRole.FINANCE, account_id).post(f"{paths[0]}/approve").status_code == 403
    )
    assert (
        console.as_role(UserRole.VIEWER, account_id).post(f"{here}/rules/apply", rules).status_code
        == 403
    )
    assert analyst.post(f"{paths[0]}/withdraw").status_code == 303
    manager = console.as_role(UserRole.MANAGER, account_id)
    assert {manager.post(f"{path}/approve").status_code for path in paths[1:]} == {303}
    assert {each.state for each in proposals.listing(session, account_id)} == {
        "approved",
        "withdrawn",
    }
    assert configurations.get(session, account_id, RULE_SETS, "mine").version == 1


def _first_rule(console: Console, account_id: str) -> str:
    found = configurations.get(console.session, account_id, RULE_SETS, "starter")
    return next(each.name for each in found.definition.rules if each.state == "live")
