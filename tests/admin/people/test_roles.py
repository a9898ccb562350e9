"""Roles of permissions: nobody gives what it has not, a change counts at once, somebody is left."""

import json

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.roles import COMPOSABLE, PERMISSIONS, Permission, UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import ComposeRole, InvitePerson
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.explore.types import ExplorationRequest
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import ExploreOrder, JobKind
from gatehouse.admin.jobs.worker.running import run_job
from gatehouse.admin.people.types import MOST_ROLES, RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.core.errors import ApprovalNeeded, Conflict, InvalidInput, NotFound
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import Precondition
from gatehouse.store.tables import ACCOUNTS
from tests.admin.people.signing_in import ADA, Entrance
from tests.harness import make_account

ADMINISTRATOR = UserRole.ADMINISTRATOR
NIGHT = RoleContent("Night shift", [Permission.REVIEW])


def _as(
    at: Entrance, shop: str, *permissions: Permission, login: str = "eve@x.example"
) -> AdminSession:
    may = frozenset(permissions) or PERMISSIONS[ADMINISTRATOR]
    return at.session.acting_as(Actor.user(login, shop, may=may))


def _made(at: Entrance, shop: str, given: RoleContent = NIGHT) -> str:
    return roles.make_role(at.session, shop, given).answer.role_id


def test_a_change_of_a_role_counts_at_once_for_who_is_signed_in(at: Entrance, shop: str) -> None:
    role = _made(at, shop)
    ada = at.person(shop)
    users.set_role(at.session, shop, ADA, role)
    token = at.visitor(ada.token)
    assert token is not None
    assert token.permissions_in(shop) == {Permission.SEE, Permission.REVIEW}
    roles.change_role(at.session, shop, role, RoleContent("Days", [Permission.CONFIGURE]))
    later = at.visitor(ada.token)
    assert later is not None
    assert later.permissions_in(shop) == {Permission.SEE, Permission.PROPOSE, Permission.CONFIGURE}
    assert not later.may(Permission.REVIEW, shop)
    assert not later.may(Permission.SEE, make_account(at.session))
    assert later.actor(shop).reveals is False


def test_a_job_reaches_what_the_person_who_ordered_it_may_when_it_runs(
    at: Entrance, shop: str
) -> None:
    ada = at.person(shop)
    visitor = at.visitor(ada.token)
    assert visitor is not None
    acting = at.session.acting_as(visitor.actor(shop))
    now_ms = at.session.clock()
    order = ExploreOrder(ExplorationRequest(by="decision"), now_ms - 1000, now_ms)

    def ended() -> str:
        job = queue.start_job(acting, shop, JobKind.EXPLORATION, order)
        with at.session.database.writing() as connection:
            assert jobs.claim(connection, "srv_1", at.session.clock()) is not None
        run_job(at.session, job.id, "srv_1")
        return str(queue.get_job(at.session, shop, job.id).error)

    assert "permission" not in ended()
    users.disable(at.session, None, ADA)
    assert "the permission see" in ended()


def test_a_role_that_was_written_into_the_database_allows_nothing(at: Entrance, shop: str) -> None:
    role = _made(at, shop)
    ada = at.person(shop)
    users.set_role(at.session, shop, ADA, role)
    with at.session.database.writing() as connection:
        row = connection.scalar(sa.select(ACCOUNTS.c.policies).where(ACCOUNTS.c.id == shop))
        policies = json.loads(row or "")
        policies["roles"][0]["permissions"] = [*COMPOSABLE]
        written = ACCOUNTS.update().where(ACCOUNTS.c.id == shop)
        connection.execute(written.values(policies=json.dumps(policies)))
    visitor = at.visitor(ada.token)
    assert visitor is not None
    assert visitor.permissions_in(shop) == frozenset()


def test_nobody_gives_or_takes_what_it_does_not_have(at: Entrance, shop: str) -> None:
    at.person(shop, ADMINISTRATOR)
    eve = _as(at, shop, Permission.SEE, Permission.PEOPLE, Permission.REVIEW)
    reveals = RoleContent("Reveals", [Permission.REVEAL])
    role, strong = _made(at, shop), _made(at, shop, reveals)
    for attempt in (
        lambda: roles.make_role(eve, shop, RoleContent("Mine", [Permission.SEE_MONEY])),
        lambda: roles.change_role(eve, shop, role, RoleContent("Mine", [Permission.ACCESS])),
        lambda: roles.change_role(eve, shop, strong, NIGHT),
        lambda: roles.delete_role(eve, shop, strong),
        lambda: users.invite(eve, shop, "own@x.example", strong),
        lambda: users.invite(eve, shop, "own@x.example", ADMINISTRATOR),
        lambda: users.set_role(eve, shop, ADA, role),
        lambda: users.set_role(eve, shop, ADA, None),
        lambda: users.reset(eve, shop, ADA),
        lambda: users.disable(eve, shop, ADA),
        lambda: users.delete(eve, shop, ADA),
    ):
        with pytest.raises(Conflict, match="permissions that you do not have"):
            attempt()
    assert users.invite(eve, shop, "own@x.example", role).link
    key = at.session.acting_as(Actor.key("key_1", shop))
    assert roles.make_role(key, shop, RoleContent("K", [Permission.CONFIGURE])).answer.people == 0
    for each in (Permission.REVEAL, Permission.PEOPLE, Permission.APPROVE, Permission.ACCESS):
        with pytest.raises(Conflict, match="do not have"):
            roles.make_role(key, shop, RoleContent("More", [each]))


def test_the_last_administrator_stays(at: Entrance, shop: str) -> None:
    """Two who demote each other at once both hold what the other has, and one comes second."""
    whole = _made(at, shop, RoleContent("Owner", [*COMPOSABLE]))
    at.person(shop, ADMINISTRATOR, "bob@shop.example")
    at.person(shop, ADMINISTRATOR)
    users.set_role(at.session, shop, ADA, whole)
    ada, bob = _as(at, shop, login=ADA), _as(at, shop, login="bob@shop.example")
    users.set_role(ada, shop, "bob@shop.example", UserRole.VIEWER)
    for attempt in (
        lambda: users.set_role(bob, shop, ADA, UserRole.VIEWER),
        lambda: users.disable(bob, shop, ADA),
        lambda: users.delete(bob, shop, ADA),
        lambda: roles.change_role(ada, shop, whole, NIGHT),
    ):
        with pytest.raises(Conflict, match="nobody would be left"):
            attempt()
    assert users.get(ada, shop, ADA).disabled_at_ms is None
    users.disable(at.session, shop, ADA)


def test_a_role_that_somebody_has_is_not_deleted(at: Entrance, shop: str) -> None:
    role = _made(at, shop)
    at.person(shop)
    users.set_role(at.session, shop, ADA, role)
    with pytest.raises(Conflict, match="1 people have this role"):
        roles.delete_role(at.session, shop, role)
    users.set_role(at.session, shop, ADA, None)
    roles.delete_role(at.session, shop, role)
    with pytest.raises(NotFound, match="no role"):
        users.invite(at.session, shop, "late@x.example", role)
    for built_in in (UserRole.VIEWER, UserRole.OPERATOR):
        with pytest.raises(Conflict, match="of every account"):
            roles.delete_role(at.session, shop, built_in)


def test_of_two_changes_at_once_the_second_is_refused(at: Entrance, shop: str) -> None:
    role = _made(at, shop)
    seen = Precondition(roles.get_role(at.session, shop, role).version)
    roles.change_role(at.session, shop, role, RoleContent("A", []), seen)
    with pytest.raises(Conflict, match="version 2"):
        roles.change_role(at.session, shop, role, RoleContent("B", []), seen)
    with pytest.raises(Conflict, match="version 2"):
        roles.delete_role(at.session, shop, role, seen)
    with pytest.raises(Conflict, match="nothing would change"):
        roles.change_role(at.session, shop, role, RoleContent("A", []))


@pytest.mark.parametrize("name", ["", "  ", "Administrator", "night  SHIFT", "a\u202eb", "x" * 61])
def test_a_name_is_refused(at: Entrance, shop: str, name: str) -> None:
    _made(at, shop)
    with pytest.raises((InvalidInput, Conflict)):
        _made(at, shop, RoleContent(name, []))


def test_roles_are_bounded_audited_and_keep_no_card_number(at: Entrance, shop: str) -> None:
    card = RoleContent("4111 1111 1111 1111", [Permission.REVEAL])
    assert "411111" not in roles.make_role(at.session, shop, card).answer.name
    with pytest.raises(InvalidInput, match="concern all accounts"):
        _made(at, shop, RoleContent("Root", [Permission.OPERATE]))
    for number in range(MOST_ROLES - 1):
        _made(at, shop, RoleContent(f"r{number}", []))
    with pytest.raises(Conflict, match=f"there are {MOST_ROLES} roles"):
        _made(at, shop)
    line = next(
        each for each in audit_log.lines(at.session, shop, 500) if each.action == "role.make"
    )
    assert line.details["permissions"] == ["see", "reveal"]
    other = make_account(at.session)
    made = roles.list_roles(at.session, shop).roles[-1]
    with pytest.raises(NotFound):
        roles.get_role(at.session, other, made.role_id)
    with pytest.raises(NotFound):
        users.invite(at.session, other, "x@x.example", made.role_id)


def test_a_role_that_approves_needs_two_where_two_are_wanted(at: Entrance, shop: str) -> None:
    at.person(shop, ADMINISTRATOR, "bob@shop.example")
    at.clock.move(seconds=1)
    approvals.set_wanted(at.session, shop, ["rules"])
    ada, bob = _as(at, shop, login=ADA), _as(at, shop, login="bob@shop.example")
    lead = RoleContent("Lead", [Permission.APPROVE, Permission.CONFIGURE])
    with pytest.raises(ApprovalNeeded):
        roles.make_role(ada, shop, lead)
    made = proposals.propose(ada, shop, ComposeRole(lead.name, tuple(lead.permissions)))
    proposals.approve(bob, shop, made.proposal_id)
    role = roles.list_roles(ada, shop).roles[-1]
    assert role.name == "Lead"
    invite = proposals.propose(ada, shop, InvitePerson("new@x.example", role.role_id))
    at.clock.move(seconds=1)
    assert proposals.approve(bob, shop, invite.proposal_id).invited is not None
    change = ComposeRole(
        "Lead", tuple(Permission(each) for each in ("approve", "see_money")), role.role_id, 1
    )
    with pytest.raises(ApprovalNeeded):
        roles.change_role(bob, shop, role.role_id, RoleContent("Lead", [*change.permissions]))
    weak = _as(at, shop, Permission.PEOPLE, Permission.APPROVE, login="weak@x.example")
    waiting = proposals.propose(ada, shop, change)
    with pytest.raises(Conflict, match="do not have"):
        proposals.approve(weak, shop, waiting.proposal_id)
    proposals.approve(bob, shop, waiting.proposal_id)
    assert roles.get_role(ada, shop, role.role_id).version == 2
