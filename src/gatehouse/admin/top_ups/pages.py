"""Top-ups by card: the newest, and a form for another."""

from typing import Final

from starlette.responses import Response

from gatehouse.admin.top_ups import use_cases as top_ups
from gatehouse.admin.top_ups.types import TopUpWanted
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.gateway.payment import LARGEST_PAYMENT


def show_top_ups(visit: Visit) -> Response:
    """What was asked for, and what became of it."""
    assert visit.account is not None
    unit = top_ups.minor_micros(visit.account.currency)
    found = top_ups.list_top_ups(visit.session, visit.account_id).top_ups
    rows = [(each, each.amount_minor * unit, each.tax_minor * unit) for each in found]
    offered = top_ups.is_offered(visit.session, visit.account_id)
    return visit.render("top_ups/top_ups.html", rows=rows, offered=offered)


def create(visit: Visit) -> Response:
    """Ask for a page to pay on; its link is in the list."""
    assert visit.account is not None
    micros = visit.read_amount("amount", visit.form.get("amount", ""))
    minor, rest = divmod(micros, top_ups.minor_micros(visit.account.currency))
    if rest or not 1 <= minor <= LARGEST_PAYMENT:
        raise visit.refuse("amount", "top_ups.problems.amount")
    made = top_ups.create_top_up(visit.session, visit.account_id, TopUpWanted(minor))
    notice = "made" if made.url else "waiting"
    return visit.redirect("top-ups", notice=f"top_ups.notices.{notice}")


_ALL: Final = "/a/{account}/money/top-ups"

PAGES: Final[Declarations] = (
    Page(_ALL, "top-ups", show_top_ups, does=top_ups.list_top_ups),
    Action(
        f"{_ALL}/create", "top-up-create", create, does=top_ups.create_top_up, again=show_top_ups
    ),
)
