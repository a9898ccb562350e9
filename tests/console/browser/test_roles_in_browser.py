"""Every page as every role in a real browser: what a role may not do is neither shown nor possible.

Links, forms and buttons of each page are compared with the declared pages and permissions; then all
that the role lacks is asked for with the session of that very browser. What administrators and
operators are shown is looked at where they open every page (`test_every_page.py`). Scripts meet
pages with everything there and with next to nothing here, so that the roles between, whose pages
have the same elements, need not have them drawn.
"""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.console.pages import Action
from tests.console.browser.offered import CLOSED, check_offers, may, pages_of
from tests.console.browser.past import path_to
from tests.console.browser.site import Site, Visitor, needs_chromium

pytestmark = needs_chromium


@pytest.mark.parametrize(
    "role", [UserRole.VIEWER, UserRole.ANALYST, UserRole.MANAGER, UserRole.FINANCE]
)
def test_a_role_is_shown_what_it_may_do_and_nothing_else(
    site: Site, known: dict[str, str], role: UserRole
) -> None:
    found = []
    with site.visit(site.token(role)) as visitor:
        visitor.open("/me")
        for each in pages_of(role):
            path = path_to(each.path, known)
            try:
                if role is UserRole.VIEWER:
                    check_offers(visitor.open(path), role)
                else:
                    answer = visitor.page.context.request.get(path)
                    assert answer.status == 200, f"{path}: {answer.status}"
                    check_offers(visitor.page, role, answer)
            except AssertionError as problem:
                found.append(str(problem))
        found += _possible(visitor, role, known)
    assert found == [], "\n".join(found)


def test_an_administrator_cannot_do_what_operators_do(site: Site, known: dict[str, str]) -> None:
    with site.visit(site.token(UserRole.ADMINISTRATOR)) as visitor:
        visitor.open("/me")
        assert _possible(visitor, UserRole.ADMINISTRATOR, known) == []


def _possible(visitor: Visitor, role: UserRole, known: dict[str, str]) -> list[str]:
    """Ask for all that the role lacks; what was not refused."""
    found = []
    for each in CLOSED:
        if may(role, each):
            continue
        path = path_to(each.path, known)
        answer = visitor.send(path) if isinstance(each, Action) else visitor.ask(path)
        if answer.status != 403:
            found.append(f"{each.name}: {answer.status}")
    return found
