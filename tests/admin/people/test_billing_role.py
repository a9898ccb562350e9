"""Who looks after the money of all accounts is made by operators, and reached by no one else."""

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import COMPOSABLE, PERMISSIONS, Permission, UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases.oidc import read_role
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Home, make_account

BEA = "bea@ops.example"


def test_an_administrator_of_an_account_neither_makes_nor_reaches_one(
    sqlite_session: AdminSession,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session, "Shop")
    may = PERMISSIONS[UserRole.ADMINISTRATOR]
    admin = session.acting_as(Actor.user("ada@shop.example", account, may=may))
    first = users.invite(session, account, BEA, UserRole.VIEWER)
    made = users.set_billing(session, BEA, billing=True)
    assert made.user.is_billing
    assert made.link is not None
    assert first.link is not None
    assert made.link.token != first.link.token
    for act in (users.reset, users.disable, users.delete):
        with pytest.raises(Conflict, match="other accounts too"):
            act(admin, account, BEA)
    with pytest.raises(NotFound):
        users.invite_billing(admin, "eve@shop.example")
    with pytest.raises(InvalidInput, match="no role of an account"):
        users.invite(admin, account, "eve@shop.example", UserRole.BILLING)
    with pytest.raises(Conflict, match="already"):
        users.invite_billing(session, BEA)
    assert Permission.BOOK not in COMPOSABLE
    users.set_billing(session, BEA, billing=False)
    users.disable(admin, account, BEA)


def test_a_command_makes_one_and_takes_the_role_away(sqlite_home: Home) -> None:
    made = sqlite_home.ok("users", "invite", BEA, "--billing", "--json").json
    assert (made["isBilling"], made["isOperator"], made["roles"]) == (True, False, {})
    assert "billing" in sqlite_home.ok("users", "list").out
    assert sqlite_home.ok("users", "role", BEA, "none").out.startswith(f"{BEA}: no role")
    both = sqlite_home.run("users", "invite", BEA, "--billing", "--operator")
    assert both.code == 2
    assert "--billing" in both.err


def test_a_group_of_the_provider_can_give_the_role() -> None:
    assert read_role("billing") == (UserRole.BILLING, None)
    with pytest.raises(SettingsError):
        read_role("billing@acct_1")
