"""What a use case asks of people is what its pages ask of them."""

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, cast

import pytest

from gatehouse.access.roles import PERMISSIONS, Permission, UserRole
from gatehouse.console.pages import Action, Declared, Page
from gatehouse.core.subject import load, subjects
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.admin.use_case import UseCase, use_case

_GUARDED: Final = {"overview", "disputes"}
"""Pages that ask whether the person may see a part before they read it."""


def _pages() -> list[Declared]:
    return [each for one in subjects() for place in one.pages for each in load(one.whole(place))]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _called(function: object, known: set[object]) -> Iterator[UseCase[..., Any]]:
    """The use cases that a function names, also by way of others of its module."""
    if not isinstance(function, FunctionType) or function in known:
        return
    known.add(function)
    for code in _codes(function.__code__):
        for name in code.co_names:
            one = function.__globals__.get(name)
            inside = [one]
            if isinstance(one, ModuleType):
                inside = [getattr(one, each, None) for each in code.co_names]
            yield from (each for each in inside if isinstance(each, UseCase))
            if getattr(one, "__module__", "") == function.__module__:
                yield from _called(one, known)


def _wrong(declared: Declared) -> list[str]:
    """Use cases of a page that ask for more than it does, or change with another permission."""
    endpoint = declared.post if isinstance(declared, Action) else declared.get
    wrong = []
    for case in _called(endpoint, set()):
        asked = case.terms.permission
        if asked is None or declared.name in _GUARDED:
            continue
        fits = asked is declared.permission
        if case.method == "GET" or case.terms.reads:
            fits = all(_may(role, asked) for role in UserRole if _may(role, declared.permission))
        if not fits:
            wrong.append(f"{declared.name} needs {declared.permission}, {case.__name__} {asked}")
    return wrong


def _may(role: UserRole, permission: Permission | None) -> bool:
    return permission in PERMISSIONS[role]


@pytest.mark.parametrize("declared", _pages(), ids=lambda each: each.name)
def test_a_page_asks_what_its_use_cases_ask(declared: Declared) -> None:
    assert _wrong(declared) == []


def test_a_page_that_asks_for_less_would_be_noticed() -> None:
    @use_case("POST /x", scope="manage:x", permission=Permission.ACCESS, operation="x", answers="x")
    def change_it(change: Change, account_id: str) -> None:
        """Change it."""

    scope = {"change_it": change_it}
    exec("def act(visit): change_it(visit.session, visit.account_id)", scope)
    path, act = "/a/{account}/x", cast("Any", scope["act"])
    assert _wrong(Action(path, "x", act, permission=Permission.SEE)) != []
    assert _wrong(Action(path, "x", act, does=change_it)) == []
    assert Page(path, "x", act, does=change_it).permission is Permission.ACCESS


def test_most_pages_of_declared_use_cases_name_them() -> None:
    assert sum(each.does is not None for each in _pages()) > 35
