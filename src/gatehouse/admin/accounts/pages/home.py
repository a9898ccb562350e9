"""The first page: leads to the person's account, or lets the person choose one."""

from typing import Final

from starlette.responses import Response

from gatehouse.access.accounts import Account
from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.console.navigation import first_page
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit

_MOST: Final = 100


def show_home(visit: Visit) -> Response:
    """Lead a person with a role in one account to it, and everybody else to the choice."""
    roles = visit.visitor.roles
    if len(roles) == 1:
        [account_id] = roles
        page = first_page(visit, account_id)
        if page is not None:
            return visit.redirect(page, account=account_id)
    return visit.redirect("accounts")


def show_accounts(visit: Visit) -> Response:
    """The accounts in which the person may work; operators search among all."""
    wanted = visit.query["q"].strip()[:200]
    known = _accounts(visit)
    found = [each for each in known if _fits(each, wanted)]
    return visit.render(
        "accounts/choose.html",
        wanted=wanted,
        has_any=bool(known),
        shown=[(each, first_page(visit, each.account_id)) for each in found[:_MOST]],
        left_off=len(found) > _MOST,
        most=_MOST,
    )


def _accounts(visit: Visit) -> list[Account]:
    visitor, session = visit.visitor, visit.desk.session
    if visitor.may(Permission.BOOK, ""):
        return [each.account for each in accounts.listing(session.acting_as(visitor.actor(None)))]
    return [
        accounts.get(session.acting_as(visitor.actor(account_id)), account_id).account
        for account_id in visitor.roles
    ]


def _fits(account: Account, wanted: str) -> bool:
    return wanted.casefold() in account.name.casefold() or wanted == account.account_id


PAGES: Final[Declarations] = (
    Page("/", "home", show_home),
    Page("/accounts", "accounts", show_accounts),
)
