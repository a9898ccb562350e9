"""The rings of an account: the largest and worst, one of them, and all of its members blocked."""

from functools import partial
from typing import Final

from starlette.responses import Response

from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.decisions.pages.order_amounts import shown_amount
from gatehouse.admin.entities.types import Entity, EntityTokens
from gatehouse.admin.entities.use_cases.showing import shown
from gatehouse.admin.rings import use_cases
from gatehouse.admin.rings.types import (
    LONGEST_REASON,
    RingBlocking,
    RingMember,
    RingMoney,
    RingOrder,
    RingSearch,
)
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded

_ALL: Final = "/a/{account}/rings"
_SHOWN: Final = 50


def show_rings(visit: Visit) -> Response:
    """All rings of the newest decisions."""
    asked = visit.query["order"]
    order = RingOrder(asked) if asked in tuple(RingOrder) else RingOrder.PEOPLE
    found = use_cases.list_rings(*visit.opened, RingSearch(order.value, _SHOWN))
    return visit.render(
        "rings/rings.html",
        found=found,
        order=order,
        orders=tuple(RingOrder),
        paid=partial(_paid, visit),
    )


def show_ring(visit: Visit) -> Response:
    """One ring, its members masked."""
    found = use_cases.get(*visit.opened, visit.place("ring"))
    tokens = EntityTokens(*visit.opened)

    def entity(member: RingMember) -> object:
        return shown(Entity(member.kind, member.value), tokens, {})

    return visit.render(
        "rings/ring.html",
        found=found,
        entity=entity,
        paid=partial(_paid, visit),
        longest_reason=LONGEST_REASON,
    )


def _paid(visit: Visit, money: RingMoney | None) -> str:
    return "–" if money is None else shown_amount(visit, money.amount, money.currency)


def block(visit: Visit) -> Response:
    """Put all members on lists, or propose it where two pairs of eyes are wanted."""
    ring_id, given = visit.place("ring"), visit.given(RingBlocking)
    try:
        use_cases.block(*visit.opened, ring_id, given)
    except ApprovalNeeded:
        wanted = use_cases.proposed_blocking(*visit.opened, ring_id, given)
        return [propose(visit, each) for each in wanted][-1]
    return visit.redirect("ring", ring=ring_id, notice="rings.notices.blocked")


PAGES: Final[Declarations] = (
    Page(_ALL, "rings", show_rings, group="watch", does=use_cases.list_rings),
    Page(_ALL + "/{ring}", "ring", show_ring, does=use_cases.get),
    Action(_ALL + "/{ring}/block", "ring-block", block, again=show_ring, does=use_cases.block),
)
