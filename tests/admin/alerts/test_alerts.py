"""Alerts by every face: listed, shown, answered, blocked, and by nobody else."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.alerts import use_cases
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import ValueKind
from gatehouse.admin.alerts.types.shown import AlertAnswer, AlertBlocking, AlertSearch
from gatehouse.admin.alerts.worker.watch import AlertWatch
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.entities.types import masked_address
from gatehouse.admin.lists.types import EntrySearch, EntryShown
from gatehouse.admin.lists.use_cases.entries import search_entries
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.search.use_cases.sought import SoughtTokens
from gatehouse.core.errors import ApprovalNeeded, InvalidInput, NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.adding import NewRule, with_rule
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.alerts.shop import attack, insert, learn
from tests.console.harness import Console, open_console
from tests.harness import Home, make_account

HOSTILE = '"><script>alert(1)</script>.example'
DAY_MS = 86_400_000


def attacked(session: AdminSession, account_id: str) -> str:
    """The id of an alert about cards that are tried out, with a hostile mail domain."""
    learn(session, account_id)
    insert(session, account_id, attack(session.clock()), **{"email.domain": HOSTILE})
    AlertWatch(session).look()
    [alert] = use_cases.list_alerts(session, account_id, AlertSearch()).alerts
    assert alert.kind is AlertKind.ATTACK
    return alert.id


def _blocked(session: AdminSession, account_id: str) -> list[EntryShown]:
    """The networks that the starter rules decline."""
    return search_entries(session, account_id, "blocked-networks", EntrySearch()).entries


def test_what_stands_out_is_blocked_for_a_day(session: AdminSession) -> None:
    account = make_account(session)
    alert = attacked(session, account)
    planned = use_cases.block(session, account, alert, AlertBlocking(), dry_run=True)
    assert [(each.list, each.added) for each in planned.lists] == [("blocked-networks", 1)]
    assert _blocked(session, account) == []
    use_cases.block(session, account, alert, AlertBlocking(reason="card testing"))
    again = use_cases.block(session, account, alert, AlertBlocking(reason="card testing"))
    assert again.lists[0].added == 0
    [entry] = _blocked(session, account)
    assert (entry.value, entry.reason) == ("203.0.113.7", "card testing")
    assert entry.expires_at is not None
    assert abs(entry.expires_at - session.clock() - DAY_MS) < DAY_MS / 10


def test_issuers_are_blocked_when_somebody_asks_for_it(sqlite_session: AdminSession) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    alert = attacked(session, account)
    given = AlertBlocking([ValueKind.BIN], hours=2)
    assert [each.list for each in use_cases.block(session, account, alert, given).lists] == [
        "blocked-bins"
    ]
    with pytest.raises(InvalidInput):
        use_cases.block(session, account, alert, AlertBlocking([ValueKind.DEVICE]))


def test_lists_under_two_pairs_of_eyes_stay_so(sqlite_session: AdminSession) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    alert = attacked(session, account)
    approvals.set_wanted(session, account, ["lists"])
    with pytest.raises(ApprovalNeeded):
        use_cases.block(session, account, alert, AlertBlocking())
    assert _blocked(session, account) == []


def test_another_account_sees_answers_and_blocks_nothing(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    account, other = make_account(session), make_account(session)
    alert = attacked(session, account)
    theirs = session.acting_as(Actor.key("key_1", other))
    for act in (
        lambda: use_cases.get(theirs, other, alert),
        lambda: use_cases.acknowledge(theirs, other, alert, AlertAnswer()),
        lambda: use_cases.block(theirs, other, alert, AlertBlocking()),
        lambda: use_cases.get(theirs, account, alert),
    ):
        with pytest.raises(NotFound):
            act()
    assert use_cases.get(session, account, alert).acknowledged_by is None


@pytest.mark.parametrize("name", ["", "alr_", "x" * 3000, "'; DROP TABLE alerts"])
def test_what_is_no_alert_is_not_found(sqlite_session: AdminSession, name: str) -> None:
    account = make_account(sqlite_session)
    with pytest.raises(NotFound):
        use_cases.get(sqlite_session, account, name)


def test_two_who_end_an_alert_at_once_end_it_once(session: AdminSession) -> None:
    account = make_account(session)
    alert = attacked(session, account)
    answer = AlertAnswer("mine", end=True)
    with ThreadPoolExecutor(2) as pool:
        both = [
            pool.submit(use_cases.acknowledge, session, account, alert, answer) for _ in range(2)
        ]
        assert all(each.result().ended_at for each in both)
    AlertWatch(session).look()
    assert use_cases.list_alerts(session, account, AlertSearch()).alerts == []


def test_a_command_lists_shows_answers_and_blocks(home: Home) -> None:
    with home.migrated().session() as session:
        account = make_account(session)
        alert = attacked(session, account)
    of = ("--account", account)
    assert "an attack" in home.run("alerts", "list", *of).out
    assert "203.0.113.7" in home.run("alerts", "show", alert, *of).out
    assert home.run("alerts", "acknowledge", alert, "--note", "looking", *of).code == 0
    assert "blocked-networks" in home.run("alerts", "block", alert, *of).out


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    """The console of a home of its own."""
    with open_console(Home(tmp_path / "home").migrated()) as opened:
        yield opened


def test_the_overview_and_pages_tell_of_an_attack_and_offer_what_to_do(console: Console) -> None:
    account = console.account_id
    alert = attacked(console.session, account)
    console.desk.columns.catch_up(account)
    viewer, analyst = console.as_role(UserRole.VIEWER), console.as_role(UserRole.ANALYST)
    assert f"/alerts/{alert}" in viewer.get(f"/a/{account}/").text
    assert f"/alerts/{alert}" in viewer.get(f"/a/{account}/alerts").text
    path = f"/a/{account}/alerts/{alert}"
    page = viewer.get(path).text
    assert masked_address("203.0.113.7") in page
    assert "203.0.113.7" not in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    [search] = set(re.findall(r'<a class="button primary" href="([^"]+)"', page))
    assert search.startswith(f"/a/{account}/decisions?from=")
    sought = SoughtTokens(console.session, account).opened(search.rpartition("sought=")[2])
    assert sought is not None
    assert (sought.name, sought.values) == ("ipAddress", ["203.0.113.7"])
    assert viewer.post(f"{path}/acknowledge").status_code == 403
    assert viewer.post(f"{path}/block").status_code == 403
    assert analyst.post(f"{path}/block").status_code == 422
    assert analyst.post(f"{path}/acknowledge", {"note": "x" * 201}).status_code == 422
    assert analyst.post(f"{path}/acknowledge", {"note": "looking"}).status_code == 303
    assert "looking" in analyst.get(path).text
    assert f"/alerts/{alert}" not in viewer.get(f"/a/{account}/").text


def test_a_manager_writes_the_proposed_rule_and_blocks_or_proposes_to(console: Console) -> None:
    account = console.account_id
    alert = attacked(console.session, account)
    manager, path = console.as_role(UserRole.MANAGER), f"/a/{account}/alerts/{alert}"
    page = manager.get(path).text
    [form] = re.findall(r'<form method="post" action="[^"]+/build/form".*?</form>', page, re.S)
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
    target = re.findall(r'formaction="([^"]+)"', form)[0]
    fields.pop("csrf")
    built = manager.post(target, fields).text
    assert "ip.address = &#39;203.0.113.7&#39;" in built
    assert 'name="base" value="1"' in built
    name = fields["name"]
    assert f'name="name" value="{name}"' in built
    [found] = [
        each
        for each in configurations.listing(console.session, account, RULE_SETS)
        if target.startswith(f"/a/{account}/rules/{each.definition.name}/")
    ]
    rule = NewRule(name, "order.amount > 1", Outcome.REVIEW)
    document = with_rule(found.document, rule).encode()
    rule_sets.apply(console.session, account, NewVersion(document, found.version))
    assert f'value="{name}-2"' in manager.post(target, fields).text
    assert manager.post(f"{path}/block", {"kinds": "address", "hours": "0"}).status_code == 422
    approvals.set_wanted(console.session, account, ["lists"])
    done = manager.post(f"{path}/block", {"kinds": "address", "hours": "24"})
    assert done.headers["location"] == f"/a/{account}/proposals"
    assert len(proposals.listing(console.session, account)) == 1
