"""What people may do in the console, by their roles."""

import pytest

from gatehouse.access.roles import PERMISSIONS, Permission, UserRole
from gatehouse.access.visitors import Visitor
from gatehouse.core.errors import NotFound


def person(*, operator: bool = False, **roles: UserRole) -> Visitor:
    return Visitor(
        user_id="usr_1",
        login="ada@shop.example",
        name="Ada",
        session_id="ses_1",
        csrf_token="token",
        roles=roles,
        is_operator=operator,
    )


def test_a_role_counts_in_its_account_alone() -> None:
    ada = person(acc_1=UserRole.MANAGER, acc_2=UserRole.VIEWER)
    assert ada.may(Permission.CONFIGURE, "acc_1")
    assert not ada.may(Permission.CONFIGURE, "acc_2")
    assert not ada.may(Permission.SEE, "acc_3")


def test_an_operator_may_do_everything_in_every_account() -> None:
    assert all(person(operator=True).may(each, "acc_9") for each in Permission)


def test_nobody_else_may_operate_the_installation() -> None:
    may = [role for role, granted in PERMISSIONS.items() if Permission.OPERATE in granted]
    assert may == [UserRole.OPERATOR]


def test_a_person_speaks_for_the_account_that_is_open() -> None:
    actor = person(acc_1=UserRole.VIEWER).actor("acc_1")
    assert str(actor) == "user:ada@shop.example"
    with pytest.raises(NotFound):
        actor.check_account("acc_2")
    with pytest.raises(NotFound):
        actor.check_installation()
