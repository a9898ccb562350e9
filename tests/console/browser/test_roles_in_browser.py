"""Every page as every role in a real browser: what a role may not do is not shown.

Links, forms and buttons of each page are compared with the declared pages and permissions; that all
else is refused, `test_every_route.py` asks. What administrators and operators are shown is looked
at where they open every page (`test_every_page.py`). Scripts meet pages with everything there and
with next to nothing here, so that the roles between, whose pages have the same elements, need not
have them drawn.
"""

import pytest

from gatehouse.access.roles import UserRole
from tests.console.browser.offered import check_offers, pages_of
from tests.console.browser.past import path_to
from tests.console.browser.site import Site, needs_chromium

pytestmark = needs_chromium


@pytest.mark.parametrize(
    "role",
    [UserRole.VIEWER, UserRole.ANALYST, UserRole.MANAGER, UserRole.FINANCE, UserRole.BILLING],
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
    assert found == [], "\n".join(found)
