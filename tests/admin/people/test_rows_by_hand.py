"""Rows that somebody wrote into the database by hand make nobody more than he is."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.backup.use_cases.data_proof import prove_data
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import links
from gatehouse.core.errors import ConfigurationRefused, Conflict, NotFound, SignInRefused
from gatehouse.store.people.tables import ONE_TIME_TOKENS, USER_ACCOUNTS, USER_SESSIONS, USERS
from gatehouse.store.tables import STATE
from tests.admin.people.signing_in import ADA, HERE, PASSWORD, Entrance
from tests.harness import make_account

ROOT = "root@ops.example"


def _write(at: Entrance, work: Callable[[sa.Connection], Any]) -> Any:
    with at.session.database.writing() as connection:
        return work(connection)


def _row(at: Entrance, user_id: str) -> dict[str, Any]:
    with at.session.reading() as connection:
        row = connection.execute(sa.select(USERS).where(USERS.c.id == user_id)).one()
        return {str(name): value for name, value in row._mapping.items()}


def _put(at: Entrance, user_id: str, values: dict[str, Any]) -> None:
    this = USERS.c.id == user_id
    _write(at, lambda connection: connection.execute(USERS.update().where(this).values(values)))


def test_the_seal_of_an_operator_on_ones_own_row_opens_nothing(at: Entrance, shop: str) -> None:
    root, ada = at.operator(), at.person(shop)
    seal = {name: _row(at, root.user_id)[name] for name in ("sealed", "key_version", "changes")}
    _put(at, ada.user_id, seal)
    with pytest.raises(ConfigurationRefused, match="not by Gatehouse"):
        at.visitor(ada.token)
    with pytest.raises(ConfigurationRefused):
        at.password()
    with pytest.raises(Conflict, match="not by Gatehouse"):
        prove_data(at.session)


def test_ones_own_session_under_the_name_of_an_operator_is_nobodys(at: Entrance, shop: str) -> None:
    root, ada = at.operator(), at.person(shop)
    this = USER_SESSIONS.c.id == ada.session_id
    change = USER_SESSIONS.update().where(this).values(user_id=root.user_id)
    _write(at, lambda connection: connection.execute(change))
    assert at.visitor(ada.token) is None


def test_a_session_that_was_prolonged_by_hand_is_over(at: Entrance, shop: str) -> None:
    ada = at.person(shop)
    longer = USER_SESSIONS.update().values(expires_at_ms=2**52)
    _write(at, lambda connection: connection.execute(longer))
    assert at.visitor(ada.token) is None


def test_ones_own_link_under_the_name_of_an_operator_works_no_more(at: Entrance, shop: str) -> None:
    root = at.operator()
    link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
    assert link is not None
    other = ONE_TIME_TOKENS.update().values(user_id=root.user_id)
    _write(at, lambda connection: connection.execute(other))
    with pytest.raises(ConfigurationRefused):
        links.look(at.session, link.token)
    with pytest.raises(ConfigurationRefused):
        at.sign_in.by_link(link.token, HERE, PASSWORD)


def test_who_was_an_operator_once_cannot_put_that_row_back(at: Entrance) -> None:
    root = at.operator()
    before = _row(at, root.user_id)
    users.set_operator(at.session, ROOT, operator=False)
    _put(at, root.user_id, before)
    with pytest.raises(ConfigurationRefused, match="put back"):
        at.password(ROOT)
    with pytest.raises(ConfigurationRefused, match="put back"):
        users.invite_operator(at.session, "eve@ops.example")


def test_a_session_made_after_the_change_does_not_accept_the_row_from_before(
    at: Entrance,
) -> None:
    root = at.operator()
    before = _row(at, root.user_id)
    users.set_operator(at.session, ROOT, operator=False)
    lower = at.password(ROOT)
    _put(at, root.user_id, before)
    assert at.visitor(lower.token) is None


def test_a_row_that_was_deleted_cannot_be_put_back(at: Entrance) -> None:
    root = at.operator()
    row = _row(at, root.user_id)
    users.delete(at.session, None, ROOT)
    _write(at, lambda connection: connection.execute(USERS.insert(), row))
    with pytest.raises(ConfigurationRefused, match="added"):
        at.password(ROOT)


def test_without_the_signature_of_all_nobody_is_let_in(at: Entrance) -> None:
    at.operator()
    gone = STATE.delete().where(STATE.c.name == "people")
    _write(at, lambda connection: connection.execute(gone))
    with pytest.raises(ConfigurationRefused):
        at.password(ROOT)


def test_a_member_by_hand_is_not_listed_and_has_no_rights(at: Entrance, shop: str) -> None:
    ada = at.person(shop)
    other = make_account(at.session)
    row = {"account_id": other, "user_id": ada.user_id}
    _write(at, lambda connection: connection.execute(USER_ACCOUNTS.insert(), row))
    assert users.listing(at.session, other) == []
    with pytest.raises(Conflict, match="not those of its roles"):
        prove_data(at.session)


def test_a_repair_removes_what_cannot_be_opened_and_keeps_the_rest(at: Entrance, shop: str) -> None:
    at.operator()
    ada = at.person(shop)
    _put(at, ada.user_id, {"sealed": b"x" * 80})
    with pytest.raises(ConfigurationRefused):
        at.password(ADA)
    with pytest.raises(ConfigurationRefused):
        users.listing(at.session)
    assert users.repair(at.session) == (1, 1)
    assert at.visitor(at.password(ROOT).token)
    with pytest.raises(SignInRefused):
        at.password(ADA)
    prove_data(at.session)


class TestReach:
    def test_an_administrator_reaches_nobody_elsewhere(self, at: Entrance, shop: str) -> None:
        other = make_account(at.session)
        at.person(shop)
        eve = at.session.acting_as(
            Actor.user("eve@other.example", other, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        for attempt in (
            lambda: users.reset(eve, other, ADA),
            lambda: users.reset(eve, shop, ADA),
            lambda: users.reset(eve, None, ADA),
            lambda: users.set_role(eve, other, ADA, UserRole.VIEWER),
            lambda: users.invite_operator(eve, "eve@other.example"),
            lambda: users.listing(eve),
        ):
            with pytest.raises(NotFound):
                attempt()

    def test_who_is_invited_again_gets_rid_of_who_used_the_first_invitation(
        self, at: Entrance, shop: str
    ) -> None:
        other = make_account(at.session)
        squatter = at.person(shop)
        users.set_role(at.session, shop, ADA, None)
        eve = at.session.acting_as(
            Actor.user("eve@other.example", other, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        link = users.invite(eve, other, ADA, UserRole.ADMINISTRATOR).link
        assert link is not None
        assert at.visitor(squatter.token) is None
        with pytest.raises(SignInRefused):
            at.password(ADA)
        assert at.sign_in.by_link(link.token, HERE, "another words 99")

    def test_an_invitation_of_somebody_known_hands_no_link_over(
        self, at: Entrance, shop: str
    ) -> None:
        other = make_account(at.session)
        at.person(shop)
        eve = at.session.acting_as(
            Actor.user("eve@other.example", other, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        with pytest.raises(Conflict, match="an operator of the installation can give"):
            users.invite(eve, other, ADA, UserRole.VIEWER)
        assert users.invite(at.session, other, ADA, UserRole.VIEWER).link is None
        with pytest.raises(Conflict, match="roles in other accounts"):
            users.reset(at.session, other, ADA)
        with pytest.raises(Conflict, match="roles in other accounts"):
            users.disable(at.session, other, ADA)
        assert users.get(at.session, other, ADA).roles == {other: UserRole.VIEWER}
        assert users.reset(at.session, None, ADA)
