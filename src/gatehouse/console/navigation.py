"""The navigation: which pages it leads to, for whom, and where the person is now."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.access.roles import Permission
from gatehouse.access.visitors import Visitor
from gatehouse.console.pages import Page

_ACCOUNT: Final = (
    ("watch", ("overview", "alerts", "decisions", "explore", "reviews", "entities", "rings")),
    ("decide", ("rules", "pipelines", "lists", "models", "playground")),
    (
        "account",
        ("money", "keys", "webhooks", "people", "proposals", "settings", "audit", "service"),
    ),
)
"""The pages of an account by group, in order; a page that there is not is left out."""
_INSTALLATION: Final = (
    (
        "installation",
        (
            "installation-accounts",
            "installation-money",
            "installation-connectors",
            "installation-people",
            "installation-audit",
        ),
    ),
)


class Onward(Protocol):
    """Where somebody is, and may go from there."""

    signed_in: Visitor | None

    @property
    def nearby(self) -> Account | None:
        """The account that the navigation leads to."""

    @property
    def path(self) -> str:
        """What was asked for."""

    def page(self, name: str) -> Page | None:
        """The page of that name, if there is one."""

    def pages_of_groups(self) -> Mapping[str, Sequence[str]]:
        """The names of pages that say in which group they stand."""

    def url(self, name: str, query: Mapping[str, object] | None = None, **places: str) -> str:
        """The address of a page."""

    def may(self, permission: Permission, account_id: str | None = None) -> bool:
        """Whether the person may do this."""


class NavigationLink(msgspec.Struct, frozen=True):
    """One page that the navigation leads to."""

    name: str
    """Also the name of its text below `nav` and of its icon."""
    url: str
    is_here: bool


class NavigationGroup(msgspec.Struct, frozen=True):
    """Pages that belong together."""

    name: str
    links: tuple[NavigationLink, ...]


def navigation(visit: Onward) -> tuple[NavigationGroup, ...]:
    """The pages that the person may open from here."""
    if visit.signed_in is None:
        return ()
    groups = _ACCOUNT if visit.nearby is not None else ()
    if visit.signed_in.may(Permission.BOOK, ""):
        groups = (*groups, *_INSTALLATION)
    more = visit.pages_of_groups()
    found = ((name, tuple(_links(visit, (*pages, *more.get(name, ()))))) for name, pages in groups)
    return tuple(NavigationGroup(name, links) for name, links in found if links)


def _links(visit: Onward, names: tuple[str, ...]) -> list[NavigationLink]:
    here = visit.path
    links = []
    for name in dict.fromkeys(names):
        page = visit.page(name)
        if page is None or not _may_open(visit, page):
            continue
        url = visit.url(name, account=_near(visit))
        below = here.startswith(f"{url}/") and not url.endswith("/")
        links.append(NavigationLink(name, url, here.rstrip("/") == url.rstrip("/") or below))
    return links


def _may_open(visit: Onward, page: Page) -> bool:
    if page.permission in (Permission.OPERATE, Permission.BOOK):
        return visit.signed_in is not None and visit.signed_in.may(page.permission, "")
    return visit.signed_in is not None and page.is_for(visit.signed_in.permissions_in(_near(visit)))


def _near(visit: Onward) -> str:
    return "" if visit.nearby is None else visit.nearby.account_id


def first_page(visit: Onward, account_id: str) -> str | None:
    """The page that a person sees first in an account; None when there is none for that role."""
    for _, names in _ACCOUNT:
        for name in names:
            page = visit.page(name)
            wanted = None if page is None else page.permission
            if wanted is not None and visit.may(wanted, account_id):
                return name
    return None
