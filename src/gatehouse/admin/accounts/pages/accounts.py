"""The accounts of the installation: operators list, create, rename, close and reopen them."""

import re
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit

_LONGEST_NAME: Final = 128
_CURRENCY: Final = re.compile("[A-Z]{3}")
_MOST: Final = 200


def show_all(visit: Visit) -> Response:
    """All accounts with their balances; newest first."""
    wanted = visit.query["q"].strip()[:200].casefold()
    found = [
        each
        for each in reversed(accounts.listing(visit.session))
        if wanted in each.account.name.casefold() or wanted == each.account.account_id
    ]
    return visit.render(
        "accounts/accounts.html",
        accounts=found[:_MOST],
        wanted=visit.query["q"],
        left_off=max(0, len(found) - _MOST),
        most=_MOST,
        longest_name=_LONGEST_NAME,
    )


def create(visit: Visit) -> Response:
    """Create an account, perhaps with money in it, and the starter rules."""
    name = _name(visit)
    currency = visit.entered("currency").upper()
    if not _CURRENCY.fullmatch(currency):
        raise visit.refuse("currency", "accounts.problems.currency")
    opening = visit.read_amount("opening", visit.entered("opening") or "0", currency)
    made = accounts.create(visit.session, name, currency, opening)
    accounts.seed_defaults(visit.session, made.account.account_id)
    return visit.redirect("installation-accounts", notice="accounts.notices.created")


def rename(visit: Visit) -> Response:
    """Give an account another name."""
    accounts.rename(visit.session, visit.place("one"), _name(visit))
    return visit.redirect("installation-accounts", notice="accounts.notices.renamed")


def close(visit: Visit) -> Response:
    """Close an account: its keys no longer work, everything else stays."""
    accounts.close(visit.session, visit.place("one"), _reason(visit))
    return visit.redirect("installation-accounts", notice="accounts.notices.closed")


def reopen(visit: Visit) -> Response:
    """Open a closed account again."""
    accounts.reopen(visit.session, visit.place("one"), _reason(visit))
    return visit.redirect("installation-accounts", notice="accounts.notices.reopened")


def _name(visit: Visit) -> str:
    name = visit.entered("name")
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise visit.refuse("name", "accounts.problems.name", most=_LONGEST_NAME)
    return name


def _reason(visit: Visit) -> str:
    reason = visit.entered("reason")
    if not reason:
        raise visit.refuse("reason", "accounts.problems.reason")
    return reason


_ALL: Final = "/installation/accounts"
_MAY: Final[dict[str, Any]] = {"permission": Permission.OPERATE, "again": show_all}

PAGES: Final[Declarations] = (
    Page(_ALL, "installation-accounts", show_all, permission=Permission.OPERATE),
    Action(f"{_ALL}/new", "account-create", create, **_MAY),
    Action(f"{_ALL}/{{one}}/rename", "account-rename", rename, **_MAY),
    Action(f"{_ALL}/{{one}}/close", "account-close", close, **_MAY),
    Action(f"{_ALL}/{{one}}/reopen", "account-reopen", reopen, **_MAY),
)
