"""Top-ups by card: the newest, a form for another, and when they are made by themselves."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import SetAutoTopUp, SetTopUpLimit, StoreCard
from gatehouse.admin.top_ups.types import AutoTopUpWanted, TopUpLimit, TopUpState, TopUpWanted
from gatehouse.admin.top_ups.use_cases import auto_top_ups, limits, top_ups
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.gateway.payment import LARGEST_PAYMENT


def show_top_ups(visit: Visit) -> Response:
    """What was asked for, and what became of it."""
    assert visit.account is not None
    unit = limits.minor_micros(visit.account.currency)
    found = top_ups.list_top_ups(*visit.opened).top_ups
    rows = [(each, each.amount_minor * unit, each.tax_minor * unit) for each in found]
    offered = top_ups.offered(*visit.opened)
    auto = auto_top_ups.get_auto_top_up(*visit.opened)
    limit = limits.get_top_up_limit(*visit.opened)
    set_to = {
        name: "" if minor is None else visit.amount_to_type(minor * unit)
        for name, minor in (
            ("floor_minor", auto.floor_minor),
            ("amount_minor", auto.amount_minor),
            ("monthly_limit_minor", auto.monthly_limit_minor),
            ("day_limit_minor", limit.day_limit_minor),
        )
    }
    return visit.render(
        "top_ups/top_ups.html",
        rows=rows,
        offered=offered,
        auto=auto,
        set_to=set_to,
        this_month=auto.this_month_minor * unit,
        left=limit.left_minor and limit.left_minor * unit,
        is_waiting=any(each.state is TopUpState.WAITING for each, *_ in rows),
    )


def create(visit: Visit) -> Response:
    """Ask for a page to pay on; its link is in the list."""
    minor, stores = _minor(visit, "amount"), bool(visit.form.get("store_card"))
    try:
        top_ups.ask(*visit.opened, TopUpWanted(minor, stores))
    except ApprovalNeeded:
        return propose(visit, StoreCard(minor))
    return visit.redirect("top-ups", notice="top_ups.notices.waiting")


def set_auto(visit: Visit) -> Response:
    """Say when the stored card is charged, and how far."""
    typed = {
        "floor_minor": _minor(visit, "floor_minor", least=0),
        "amount_minor": _minor(visit, "amount_minor"),
        "monthly_limit_minor": _minor(visit, "monthly_limit_minor"),
    }
    given = visit.given(AutoTopUpWanted, **typed)
    try:
        auto_top_ups.set_auto_top_up(*visit.opened, given)
    except ApprovalNeeded:
        return propose(visit, SetAutoTopUp(given))
    return visit.redirect("top-ups", notice="top_ups.notices.set")


def set_limit(visit: Visit) -> Response:
    """Say how much cards are charged in a day at most."""
    minor = _minor(visit, "day_limit_minor", least=0)
    try:
        limits.set_top_up_limit(*visit.opened, TopUpLimit(minor))
    except ApprovalNeeded:
        return propose(visit, SetTopUpLimit(minor))
    return visit.redirect("top-ups", notice="top_ups.notices.limit")


def delete_card(visit: Visit) -> Response:
    """Delete the stored card."""
    auto_top_ups.delete_stored_card(*visit.opened)
    return visit.redirect("top-ups", notice="top_ups.notices.card_deleted")


def _minor(visit: Visit, field: str, least: int = 1) -> int:
    """The amount of a field in the smallest unit of the account's currency."""
    assert visit.account is not None
    micros = visit.read_amount(field, visit.form[field])
    minor, rest = divmod(micros, limits.minor_micros(visit.account.currency))
    if rest or not least <= minor <= LARGEST_PAYMENT:
        raise visit.refuse(field, "top_ups.problems.amount")
    return minor


_MOVING: Final[dict[str, Any]] = {"besides": Permission.SEE_MONEY, "again": show_top_ups}
_ALL: Final = "/a/{account}/money/top-ups"

PAGES: Final[Declarations] = (
    Page(_ALL, "top-ups", show_top_ups, does=top_ups.list_top_ups),
    Action(
        f"{_ALL}/create", "top-up-create", create, does=top_ups.create_top_up, again=show_top_ups
    ),
    Action(
        f"{_ALL}/automatic",
        "auto-top-up",
        set_auto,
        does=auto_top_ups.set_auto_top_up,
        **_MOVING,
    ),
    Action(
        f"{_ALL}/limit",
        "top-up-limit",
        set_limit,
        does=limits.set_top_up_limit,
        **_MOVING,
    ),
    Action(
        f"{_ALL}/card/delete",
        "stored-card-delete",
        delete_card,
        does=auto_top_ups.delete_stored_card,
        **_MOVING,
    ),
)
