"""The queue of reviews: what waits, what it puts at risk, and what a day brings."""

from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import policies
from gatehouse.admin.decisions.pages.order_amounts import shown_order
from gatehouse.admin.decisions.use_cases.masking import masked_customer
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.lists.pages.listing_form import fitting_lists
from gatehouse.admin.reviews.pages.review import colleagues, order_of, undoable, unusual
from gatehouse.admin.reviews.types import LONGEST_NAME
from gatehouse.admin.reviews.use_cases import review_claims
from gatehouse.admin.reviews.use_cases.reviews import (
    NOBODY,
    ReviewSearch,
    ReviewState,
    ReviewView,
    list_reviews,
    open_ids,
)
from gatehouse.admin.workload.use_cases.queue import QueueCounts, count_queue, plan_day
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit

_ON_A_PAGE: Final = 50
_VIEWS: Final = ("open", "mine", "unassigned", "overdue", "resolved")
_LONGEST_CURRENCY: Final = 8


class QueueFilter(msgspec.Struct, frozen=True):
    """Which reviews the page shows, as its address says it."""

    view: str
    order: str
    person: str
    currency: str

    def query(self, **changed: object) -> dict[str, object]:
        """What the address says, with some of it changed; what is usual is left out."""
        return {
            "view": None if self.view == _VIEWS[0] else self.view,
            "order": unusual(self.order),
            "person": self.person,
            "currency": self.currency,
            **changed,
        }

    @property
    def of_one(self) -> dict[str, object]:
        """What the address of a review keeps of it."""
        return {"order": unusual(self.order)}


def show_queue(visit: Visit) -> Response:
    """The reviews that fit, the most valuable or the oldest first while they are open."""
    wanted = queue_filter(visit, visit.query)
    counts = count_queue(*visit.opened)
    found = _listed(visit, wanted, counts, visit.query.get("after") or None)
    older = found[-1].review.request_id if len(found) == _ON_A_PAGE else None
    may_review = visit.may(Permission.REVIEW)
    zone = visit.formats.zone
    return visit.render(
        "reviews/queue.html",
        wanted=wanted,
        views=[(each, _count(visit, counts, each)) for each in _VIEWS],
        counts=counts,
        plan=plan_day(*visit.opened, visit.visitor, zone) if may_review else None,
        people=colleagues(visit),
        reviews=found,
        older=older,
        fitting=_fitting(wanted, counts, len(found)),
        lists=fitting_lists(visit, tuple(EntityType)),
        claimed=review_claims.claims_of_others(*visit.opened, visit.visitor),
        undoable=undoable(visit),
        order=shown_order,
        customer=masked_customer,
        hours=policies.review_target(*visit.opened),
    )


def queue_filter(visit: Visit, given: Mapping[str, str]) -> QueueFilter:
    """What the address or the form asks for; what it says that cannot be is left out."""
    view = given.get("view", _VIEWS[0])
    return QueueFilter(
        view if view in _VIEWS else _VIEWS[0],
        order_of(visit),
        given.get("person", "")[:LONGEST_NAME],
        given.get("currency", "")[:_LONGEST_CURRENCY],
    )


def search_of(
    visit: Visit, wanted: QueueFilter, counts: QueueCounts, limit: int, after: str | None = None
) -> ReviewSearch:
    """The open reviews that a filter means."""
    assignees = {"mine": visit.visitor.login, "unassigned": NOBODY}
    return ReviewSearch(
        ReviewState.OPEN,
        after,
        limit,
        assignees.get(wanted.view, wanted.person or None),
        oldest_first=True,
        by_risk=wanted.order == "risk",
        opened_before_ms=counts.due_ms if wanted.view == "overdue" else None,
        currency=wanted.currency or None,
    )


def fitting_ids(visit: Visit, most: int) -> list[str]:
    """The open reviews that the filters of the form mean, for a change of all that fit."""
    wanted = queue_filter(visit, visit.form)
    counts = count_queue(*visit.opened)
    return open_ids(*visit.opened, search_of(visit, wanted, counts, most))


def _count(visit: Visit, counts: QueueCounts, view: str) -> int | None:
    known = {
        "open": counts.open,
        "mine": counts.of(visit.visitor.login),
        "unassigned": counts.of(None),
        "overdue": counts.overdue,
    }
    return known.get(view)


def _fitting(wanted: QueueFilter, counts: QueueCounts, shown: int) -> int | None:
    """How many fit, where that is known without counting again."""
    if shown < _ON_A_PAGE:
        return shown
    plain = wanted.view == _VIEWS[0] and not wanted.person and not wanted.currency
    return counts.open if plain else None


def _listed(
    visit: Visit, wanted: QueueFilter, counts: QueueCounts, after: str | None
) -> list[ReviewView]:
    if wanted.view != "resolved":
        search = search_of(visit, wanted, counts, _ON_A_PAGE, after)
        return list_reviews(*visit.opened, search)
    assignee = wanted.person or None
    currency = wanted.currency or None
    each = [
        ReviewSearch(state, after, _ON_A_PAGE, assignee, currency=currency)
        for state in (ReviewState.APPROVED, ReviewState.DECLINED)
    ]
    found = [one for search in each for one in list_reviews(*visit.opened, search)]
    found.sort(key=lambda one: one.review.request_id, reverse=True)
    return found[:_ON_A_PAGE]


PAGES: Final[Declarations] = (
    Page("/a/{account}/reviews", "reviews", show_queue, permission=Permission.SEE),
)
