"""What servers find in custom inputs is kept once, and the account has the last word."""

import asyncio
from collections.abc import Iterator

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.types import FoundInputChoice, SentryPolicyBody
from gatehouse.admin.accounts.use_cases import found_inputs, policies
from gatehouse.admin.accounts.use_cases.found_inputs import (
    keep_findings,
    list_found_inputs,
    set_found_input,
)
from gatehouse.admin.accounts.worker import InputKeeper
from gatehouse.admin.models.use_cases.replays import for_account
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.sentry.found.found_inputs import MOST_KEPT, NOTHING_FOUND, InputFinding, InputKind
from gatehouse.sentry.policy import MOST_ENTITIES
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.training.replay.replay import ReplayOptions
from tests.harness import Home, make_account

IDENTIFIER, CATEGORY = InputKind.IDENTIFIER, InputKind.CATEGORY
PLAN = {"plan": InputFinding(CATEGORY)}


@pytest.fixture
def session(sqlite_home: Home) -> Iterator[AdminSession]:
    with sqlite_home.session(Actor.system("someone")) as opened:
        yield opened


@pytest.fixture
def account_id(session: AdminSession) -> str:
    return make_account(session)


def remembered(session: AdminSession, account_id: str) -> dict[str, InputKind | None]:
    found = list_found_inputs(session, account_id).inputs
    return {each.key: each.kind for each in found if each.remembered}


def say(session: AdminSession, account_id: str, key: str, *, yes: bool) -> None:
    set_found_input(session, account_id, FoundInputChoice(key, remembered=yes))


def lines(session: AdminSession) -> list[tuple[str, str]]:
    with session.reading() as connection:
        found = audit.read(connection, None, 100)
    return [(each.actor, each.action) for each in found if each.action == "account.policies"]


def visit(keeper: InputKeeper, account_id: str, requests: int = 200) -> None:
    """Requests of a server with a plan, a device, and an amount."""
    for number in range(requests):
        inputs = {
            "plan": ("basic", "plus", "pro")[number % 3],
            "device": f"d-{number % 90}",
            "total": 9.99 + number,
        }
        keeper.watch.note(account_id, inputs, number % 90, number * 7200.0)


def test_a_server_writes_what_it_finds_and_names_itself(
    session: AdminSession, account_id: str
) -> None:
    keeper = InputKeeper(session)
    visit(keeper, account_id)
    asyncio.run(keeper.look())
    assert remembered(session, account_id) == {"plan": CATEGORY, "device": IDENTIFIER}
    assert lines(session) == [("sentry", "account.policies")]


def test_two_servers_that_find_the_same_write_it_once(
    session: AdminSession, account_id: str
) -> None:
    for _ in range(2):
        keeper = InputKeeper(session)
        visit(keeper, account_id)
        asyncio.run(keeper.look())
        asyncio.run(keeper.look())
    assert len(lines(session)) == 1


def test_what_another_server_wrote_meanwhile_is_not_written_again(
    session: AdminSession, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keep_findings(session, account_id, PLAN)
    read, stale = found_inputs._kept, iter([((), NOTHING_FOUND)])
    monkeypatch.setattr(found_inputs, "_kept", lambda *given: next(stale, None) or read(*given))
    assert not keep_findings(session, account_id, PLAN)
    assert len(lines(session)) == 1


def test_what_cannot_be_written_waits_for_the_next_look(
    session: AdminSession, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = InputKeeper(session)
    visit(keeper, account_id)
    with monkeypatch.context() as patch:
        patch.setattr(audit, "append", _fails)
        with pytest.raises(OSError, match="no room"):
            asyncio.run(keeper.look())
    assert remembered(session, account_id) == {}
    asyncio.run(keeper.look())
    assert "plan" in remembered(session, account_id)


def _fails(*_: object) -> None:
    raise OSError("no room for the audit log")


def test_accounts_that_are_not_there_do_not_keep_others_from_being_written(
    session: AdminSession, account_id: str
) -> None:
    keeper = InputKeeper(session)
    visit(keeper, "acct_nobody")
    visit(keeper, account_id)
    asyncio.run(keeper.look())
    assert "plan" in remembered(session, account_id)


def test_a_no_stays_until_it_is_a_yes_again(session: AdminSession, account_id: str) -> None:
    keep_findings(session, account_id, PLAN)
    say(session, account_id, "plan", yes=False)
    assert not keep_findings(session, account_id, {"plan": InputFinding(IDENTIFIER, sure=True)})
    assert remembered(session, account_id) == {}
    say(session, account_id, "plan", yes=True)
    assert remembered(session, account_id) == {"plan": CATEGORY}


def test_a_no_can_be_said_before_the_key_is_found(session: AdminSession, account_id: str) -> None:
    say(session, account_id, "nationality", yes=False)
    assert not keep_findings(session, account_id, {"nationality": InputFinding(CATEGORY)})
    say(session, account_id, "nationality", yes=True)
    assert list_found_inputs(session, account_id).inputs == []
    assert keep_findings(session, account_id, {"nationality": InputFinding(CATEGORY)})


def test_a_yes_to_what_was_never_found_says_what_to_do(
    session: AdminSession, account_id: str
) -> None:
    with pytest.raises(NotFound, match="to have it remembered, declare it"):
        say(session, account_id, "loyalty", yes=True)
    with pytest.raises(InvalidInput, match="is a name of 1 to 64"):
        say(session, account_id, "ada@example.com", yes=False)


def test_there_is_room_for_so_many_and_no_more(session: AdminSession, account_id: str) -> None:
    names = [f"k{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MOST_KEPT + 1)]
    keep_findings(session, account_id, PLAN)
    say(session, account_id, "plan", yes=False)
    keep_findings(session, account_id, dict.fromkeys(names, InputFinding(CATEGORY)))
    assert len(remembered(session, account_id)) == MOST_ENTITIES
    with pytest.raises(Conflict, match="refuse another first"):
        say(session, account_id, "plan", yes=True)
    for name in names[MOST_ENTITIES : MOST_KEPT - 1]:
        say(session, account_id, name, yes=False)
    with pytest.raises(Conflict, match="can be refused or found"):
        say(session, account_id, names[-1], yes=False)


def test_declared_keys_are_not_found_as_well(session: AdminSession, account_id: str) -> None:
    policies.set_sentry_policy(session, account_id, SentryPolicyBody(["plan"]))
    assert not keep_findings(session, account_id, PLAN)
    # Servers of earlier versions read this policy and know no other field.
    kept = for_account(session, account_id, None, ReplayOptions(0))
    assert (kept.policy.entities, kept.found.inputs) == (("plan",), ())


def test_a_replay_for_the_account_begins_with_what_was_found(
    session: AdminSession, account_id: str
) -> None:
    keep_findings(session, account_id, {"device": InputFinding(IDENTIFIER)})
    options = for_account(session, account_id, None, ReplayOptions(0))
    assert options.found.identifiers == ("device",)
