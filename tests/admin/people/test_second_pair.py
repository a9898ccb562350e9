"""Nobody is both pairs of eyes: not by a second self, and not as a colleague who was taken over."""

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.people import User
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import (
    AdjustBalance,
    ChangeRole,
    EnablePerson,
    InvitePerson,
    ProposedChange,
    ResetPerson,
    SetApprovals,
)
from gatehouse.admin.people.queries import users as rows
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases.links import NewLink
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.core.errors import ApprovalNeeded, Conflict, NotFound
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.people.signing_in import HERE, PASSWORD, Entrance
from tests.harness import make_account

ADMINISTRATOR = UserRole.ADMINISTRATOR
GIFT = AdjustBalance(5, "gift")


class Office:
    """An account with two administrators, whom a terminal let in, under two pairs of eyes."""

    def __init__(self, at: Entrance, shop: str) -> None:
        self.at, self.shop = at, shop
        self.terminal = at.session.acting_as(Actor.operator("root"))
        self.ada, self.bob = self.person("ada"), self.person("bob")
        approvals.set_wanted(self.ada, shop, ["adjustments"])
        at.clock.move(seconds=1)

    def person(self, name: str, role: UserRole = ADMINISTRATOR) -> AdminSession:
        """Somebody whom a terminal let in, at work in the console."""
        login = f"{name}@shop.example"
        link = users.invite(self.terminal, self.shop, login, role).link
        self.let_in(link)
        return self.working(name)

    def working(self, name: str) -> AdminSession:
        return self.at.session.acting_as(
            Actor.user(f"{name}@shop.example", self.shop, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )

    def let_in(self, link: NewLink | None) -> None:
        assert link is not None
        assert isinstance(self.at.sign_in.by_link(link.token, HERE, PASSWORD), SignedIn)
        self.at.clock.move(seconds=1)

    def propose(self, by: AdminSession, content: ProposedChange) -> str:
        made = proposals.propose(by, self.shop, content)
        self.at.clock.move(seconds=1)
        return made.proposal_id

    def approve(self, by: AdminSession, proposal_id: str) -> NewLink | None:
        done = proposals.approve(by, self.shop, proposal_id)
        self.at.clock.move(seconds=1)
        return None if done.invited is None else done.invited.link

    def user(self, name: str) -> User:
        with self.at.session.reading() as connection:
            found = rows.find(connection, self.at.session.ring, f"{name}@shop.example")
        assert found is not None
        return found


@pytest.fixture
def office(at: Entrance, shop: str) -> Office:
    return Office(at, shop)


def test_nobody_brings_in_or_takes_over_an_approver_alone(office: Office) -> None:
    office.person("mia", UserRole.VIEWER)
    users.disable(office.ada, office.shop, office.user("bob").user_id)
    for attempt in (
        lambda: users.invite(office.ada, office.shop, "eve@shop.example", UserRole.MANAGER),
        lambda: users.invite(office.ada, office.shop, "eve@shop.example", UserRole.FINANCE),
        lambda: users.set_role(office.ada, office.shop, "mia@shop.example", ADMINISTRATOR),
        lambda: users.reset(office.ada, office.shop, "bob@shop.example", forget_factors=True),
        lambda: users.enable(office.ada, office.shop, "bob@shop.example"),
    ):
        with pytest.raises(ApprovalNeeded):
            attempt()
    with pytest.raises(NotFound):
        users.get(office.ada, office.shop, "eve@shop.example")
    # These approve nothing.
    assert users.invite(office.ada, office.shop, "eve@shop.example", UserRole.ANALYST).link
    assert users.reset(office.ada, office.shop, "mia@shop.example")
    users.set_role(office.ada, office.shop, "bob@shop.example", UserRole.VIEWER)


def test_without_two_pairs_of_eyes_people_are_brought_in_alone(at: Entrance, shop: str) -> None:
    ada = at.session.acting_as(
        Actor.user("ada@shop.example", shop, may=PERMISSIONS[UserRole.ADMINISTRATOR])
    )
    assert users.invite(ada, shop, "eve@shop.example", ADMINISTRATOR).link


def test_another_person_approves_who_is_brought_in_and_is_shown_the_link(office: Office) -> None:
    made = office.propose(office.ada, InvitePerson("eve@shop.example", UserRole.MANAGER, "Eve"))
    with pytest.raises(Conflict):
        office.approve(office.ada, made)
    office.let_in(office.approve(office.bob, made))
    assert office.user("eve").introduced_by == (
        "user:bob@shop.example approving user:ada@shop.example"
    )
    raised = ChangeRole(office.user("eve").user_id, "", ADMINISTRATOR)
    assert office.approve(office.bob, office.propose(office.ada, raised)) is None
    assert office.user("eve").roles == {office.shop: ADMINISTRATOR}
    reset = ResetPerson("eve@shop.example", "", forget_factors=True)
    assert office.approve(office.ada, office.propose(office.bob, reset)) is not None
    users.disable(office.ada, office.shop, "eve@shop.example")
    enabled = EnablePerson("eve@shop.example", "")
    assert office.approve(office.ada, office.propose(office.bob, enabled)) is None
    assert office.user("eve").disabled_at_ms is None


def test_a_card_number_in_what_a_proposer_says_is_masked(office: Office) -> None:
    made = office.propose(office.ada, AdjustBalance(5, "for 4242 4242 4242 4242, by mail"))
    content = proposals.get(office.bob, office.shop, made).content
    assert isinstance(content, AdjustBalance)
    assert "4242 4242" not in content.reason
    assert content.reason.endswith(", by mail")


def test_who_was_invited_or_reset_by_the_proposer_does_not_approve(office: Office) -> None:
    invited = InvitePerson("eve@shop.example", ADMINISTRATOR)
    office.let_in(office.approve(office.bob, office.propose(office.ada, invited)))
    eve = office.working("eve")
    for other in (office.ada, office.bob):
        made = office.propose(other, GIFT)
        with pytest.raises(Conflict, match="let you in"):
            office.approve(eve, made)
    made = office.propose(office.person("cy"), GIFT)
    office.let_in(users.reset(office.terminal, office.shop, "eve@shop.example"))
    with pytest.raises(Conflict, match="after this change was proposed"):
        office.approve(eve, made)
    # From now on Eve owes nothing to Ada.
    office.approve(eve, office.propose(office.ada, GIFT))


def test_a_reset_that_waits_does_not_hide_who_knows_the_password(office: Office) -> None:
    invited = InvitePerson("eve@shop.example", ADMINISTRATOR)
    office.let_in(office.approve(office.bob, office.propose(office.ada, invited)))
    users.reset(office.terminal, office.shop, "eve@shop.example")
    with pytest.raises(Conflict, match="let you in"):
        office.approve(office.working("eve"), office.propose(office.ada, GIFT))


@pytest.mark.parametrize("how", ["invited", "raised", "enabled"])
def test_who_came_after_the_proposal_does_not_approve_it(office: Office, how: str) -> None:
    if how == "raised":
        office.person("eve", UserRole.VIEWER)
    if how == "enabled":
        office.person("eve")
        users.disable(office.terminal, office.shop, "eve@shop.example")
    made = office.propose(office.ada, GIFT)
    if how == "invited":
        office.person("eve")
    elif how == "raised":
        users.set_role(office.terminal, office.shop, "eve@shop.example", ADMINISTRATOR)
    else:
        users.enable(office.terminal, office.shop, "eve@shop.example")
    with pytest.raises(Conflict, match="after this change was proposed"):
        office.approve(office.working("eve"), made)
    office.approve(office.working("eve"), office.propose(office.ada, GIFT))


def test_an_operator_makes_no_second_self_in_the_console(office: Office) -> None:
    """An operator approves in every account, and only a terminal makes one meanwhile."""
    root = office.at.operator("root@ops.example")
    session = office.at.session.acting_as(
        Actor.user("root@ops.example", None, may=PERMISSIONS[UserRole.OPERATOR])
    )
    for attempt in (
        lambda: users.invite_operator(session, "self@ops.example"),
        lambda: users.set_operator(session, "ada@shop.example", operator=True),
        lambda: users.reset(session, None, "bob@shop.example"),
        lambda: users.reset(session, None, root.user_id),
    ):
        with pytest.raises(ApprovalNeeded):
            attempt()
    assert users.invite_operator(office.terminal, "second@ops.example").link
    made = office.propose(office.ada, SetApprovals(()))
    office.approve(office.bob, made)
    assert users.invite_operator(session, "self@ops.example").link


class TestEntrusted:
    """The administrator of one account invited the address first, and holds its password."""

    @pytest.fixture
    def eve(self, at: Entrance, shop: str) -> SignedIn:
        session = at.session.acting_as(
            Actor.user("admin@shop.example", shop, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        link = users.invite(session, shop, "eve@big.example", UserRole.VIEWER).link
        assert link is not None
        done = at.sign_in.by_link(link.token, HERE, PASSWORD)
        assert isinstance(done, SignedIn)
        return done

    @pytest.mark.parametrize("how", ["invited", "raised"])
    def test_a_new_operator_has_new_ways_to_sign_in(
        self, at: Entrance, eve: SignedIn, how: str
    ) -> None:
        if how == "invited":
            made = users.invite_operator(at.session, "eve@big.example")
        else:
            made = users.set_operator(at.session, eve.user_id, operator=True)
        self._check_is_new(at, eve, made)
        found = at.visitor(at.password("eve@big.example", PASSWORD + " anew").token)
        assert found is not None
        assert found.is_operator

    @pytest.mark.parametrize("how", ["invited", "raised"])
    def test_so_has_who_gets_a_role_in_another_account(
        self, at: Entrance, eve: SignedIn, other: str, how: str
    ) -> None:
        if how == "invited":
            made = users.invite(at.session, other, "eve@big.example", ADMINISTRATOR)
        else:
            made = users.set_role(at.session, other, "eve@big.example", ADMINISTRATOR)
        self._check_is_new(at, eve, made)
        # An operator let her in this time, so that one more account changes nothing.
        more = make_account(at.session)
        assert users.invite(at.session, more, "eve@big.example", UserRole.VIEWER).link is None

    def test_an_open_link_works_no_more(self, at: Entrance, shop: str, other: str) -> None:
        at.person(shop, login="cy@big.example")
        session = at.session.acting_as(
            Actor.user("admin@shop.example", shop, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        kept = users.reset(session, shop, "cy@big.example")
        assert users.invite(at.session, other, "cy@big.example", ADMINISTRATOR).link is None
        with pytest.raises(Exception, match="does not work any more"):
            at.sign_in.by_link(kept.token, HERE, PASSWORD)

    def _check_is_new(self, at: Entrance, eve: SignedIn, made: users.Invited) -> None:
        assert at.visitor(eve.token) is None
        with pytest.raises(Exception, match="is wrong"):
            at.password("eve@big.example")
        assert made.link is not None
        done = at.sign_in.by_link(made.link.token, HERE, PASSWORD + " anew")
        assert isinstance(done, SignedIn)

    @pytest.fixture
    def other(self, at: Entrance) -> str:
        return make_account(at.session)
