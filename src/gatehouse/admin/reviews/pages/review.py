"""One review after the other, by keyboard or by hand, each with one person."""

from contextlib import suppress
from functools import partial
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import policies
from gatehouse.admin.decisions.pages.case_view import CaseView
from gatehouse.admin.decisions.pages.decision_view import DecisionSheet
from gatehouse.admin.decisions.pages.revealing import is_revealed, note_look, remember_look
from gatehouse.admin.decisions.use_cases.inspecting import inspect_decision
from gatehouse.admin.feedback.use_cases.record import label_that_counts
from gatehouse.admin.people.use_cases import roles
from gatehouse.admin.reviews.types import LONGEST_NOTE
from gatehouse.admin.reviews.use_cases import review_claims
from gatehouse.admin.reviews.use_cases.review_claims import AlreadyClaimed
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, add_note, assign_review
from gatehouse.admin.reviews.use_cases.review_undo import can_undo, reopen_review
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, correct_review, get_review
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.errors import NotFound

_LONGEST_PAGE: Final = 40
"""Characters of the name that a page that is open gives itself."""
_HOUR_MS: Final = 3_600_000
_OFFERED: Final = ("known_customer", "spoke_to_customer", "stolen_card", "takeover", "abuse")
"""Reasons that most reviews end with."""
_OFFERED_PEOPLE: Final = 200
_ORDERS: Final = ("risk", "age")


def show_review(visit: Visit) -> Response:
    """One review with its decision, its history, and what can be done."""
    return _shown(visit, revealed=is_revealed(visit))


def reveal(visit: Visit) -> Response:
    """The same with personal data, after the look was noted."""
    get_review(*visit.opened, visit.place("id"))
    note_look(visit)
    return remember_look(visit, _shown(visit, revealed=True))


def _shown(visit: Visit, *, revealed: bool) -> Response:
    request_id = visit.place("id")
    view = get_review(*visit.opened, request_id)
    others = review_claims.claims_of_others(*visit.opened, visit.visitor)
    found = inspect_decision(*visit.opened, request_id)
    page = DecisionSheet(visit, found, revealed=revealed)
    return visit.render(
        "reviews/review.html",
        view=view,
        claim=others.get(request_id),
        page=page,
        case=CaseView(visit, page),
        found=found,
        record=found.record,
        label=label_that_counts(found.labels),
        labels=(),
        fitting={},
        missing=[],
        offered=_OFFERED,
        due_at_ms=view.review.at_ms + _target_ms(visit),
        longest_note=LONGEST_NOTE,
        colleagues=colleagues(visit),
        order=unusual(order_of(visit)),
        can_undo=can_undo(*visit.opened, view),
        undoable=undoable(visit),
    )


def order_of(visit: Visit) -> str:
    """What comes first in the queue: money at `risk`, or `age`."""
    wanted = visit.form.get("order") or visit.query.get("order")
    return wanted if wanted in _ORDERS else _ORDERS[0]


def unusual(order: str) -> str | None:
    """An order as addresses say it, which leave out what is usual."""
    return None if order == _ORDERS[0] else order


def undoable(visit: Visit) -> str | None:
    """The review that was resolved on the page before, as long as that can be undone."""
    before = visit.query.get("undo")
    if before is None or not visit.may(Permission.REVIEW):
        return None
    with suppress(NotFound):
        view = get_review(*visit.opened, before)
        return view.review.request_id if can_undo(*visit.opened, view) else None
    return None


def colleagues(visit: Visit) -> list[str]:
    """The people of the account who work on reviews; for those who do so themselves."""
    if not visit.may(Permission.REVIEW):
        return []
    found = roles.who_may(*visit.opened, Permission.REVIEW)
    return found[:_OFFERED_PEOPLE]


def work(visit: Visit) -> Response:
    """Open the next review that nobody else works on; the one that is passed over is given back."""
    passed_over = visit.form.get("after") or None
    if passed_over is not None:
        _release(visit, passed_over)
    return _next(visit, passed_over)


def claim(visit: Visit) -> Response:
    """Keep a review while its page is open; a colleague who has it is named."""
    take_over = bool(visit.form.get("take_over"))
    try:
        review_claims.claim_review(
            *visit.opened,
            visit.place("id"),
            visit.visitor,
            page=_page(visit),
            take_over=take_over,
        )
    except AlreadyClaimed:
        if not visit.is_fragment:
            raise
        return Response(status_code=409)
    if visit.is_fragment:
        return Response(status_code=204)
    return _here(visit, "reviews.notices.claimed")


def release(visit: Visit) -> Response:
    """Leave a review: others may have it."""
    _release(visit, visit.place("id"), _page(visit))
    if visit.is_fragment:
        return Response(status_code=204)
    return visit.redirect("reviews")


def _release(visit: Visit, request_id: str, page: str = "") -> None:
    about = (*visit.opened, request_id, visit.visitor)
    review_claims.release_review(*about, page=page)


def _page(visit: Visit) -> str:
    """What the page that is open calls itself; empty when it is a form that was sent."""
    return visit.form["page"][:_LONGEST_PAGE]


def resolve(visit: Visit) -> Response:
    """Accept or decline, and go on with the next one."""
    finding = _finding(visit)
    review_claims.resolve_claimed(*visit.opened, visit.place("id"), visit.visitor, finding)
    return _next(visit, None, finding.state.lower())


def undo(visit: Visit) -> Response:
    """Undo a resolution, and show its review again."""
    reopen_review(*visit.opened, visit.place("id"))
    return _here(visit, "reviews.notices.undone")


def correct(visit: Visit) -> Response:
    """Correct a resolution."""
    correct_review(*visit.opened, visit.place("id"), _finding(visit))
    return _here(visit, "reviews.notices.corrected")


def note(visit: Visit) -> Response:
    """Add a note for colleagues."""
    text = visit.entered("note")
    if not text:
        raise visit.refuse("note", "reviews.problems.note")
    add_note(*visit.opened, visit.place("id"), text)
    return _here(visit, "reviews.notices.noted")


def assign(visit: Visit) -> Response:
    """Give a review to a person, to oneself or to nobody."""
    request_id, given = visit.place("id"), visit.entered("assignee")
    assignee = visit.visitor.login if visit.form.get("me") else given or None
    # It is taken only from the person whom the page named.
    has_it = get_review(*visit.opened, request_id).review.assignee
    wanted = Assignment(assignee, take_over=visit.form["instead_of"] == has_it)
    assign_review(*visit.opened, request_id, wanted)
    return _here(visit, "reviews.notices.assigned")


def _target_ms(visit: Visit) -> int:
    return policies.review_target(*visit.opened) * _HOUR_MS


def _next(visit: Visit, after: str | None, done: str | None = None) -> Response:
    """Lead to the next review, or to the queue; `done` says what became of the last one."""
    order = order_of(visit)
    turn = partial(
        review_claims.claim_next,
        *(*visit.opened, visit.visitor),
        by_risk=order == _ORDERS[0],
    )
    found = turn(after=after)
    if found is None and after is not None:
        found = turn()
    query = {"order": unusual(order), "undo": visit.place("id") if done else None}
    if found is None:
        none_left = Notice("reviews.notices.none_left", kind="hint")
        last = Notice(f"reviews.last.{done}") if done else none_left
        return visit.redirect("reviews", notice=last, query=query)
    said = Notice(f"reviews.notices.{done}") if done else None
    return visit.redirect("review", id=found, notice=said, query=query)


def _finding(visit: Visit) -> ReviewFinding:
    verdict = visit.form["verdict"]
    if verdict not in ("approve", "decline"):
        raise visit.refuse("verdict", "reviews.problems.verdict")
    offered, words = visit.form["offered"], visit.entered("why")
    named = visit.text(f"reviews.offered.{offered}") if offered in _OFFERED else ""
    reason = ": ".join(each for each in (named, words) if each)
    if not reason:
        raise visit.refuse("why", "reviews.problems.why")
    return ReviewFinding(approve=verdict == "approve", reason=reason)


def _here(visit: Visit, notice: str) -> Response:
    query = {"order": unusual(order_of(visit))}
    return visit.redirect("review", id=visit.place("id"), notice=notice, query=query)


_ALL: Final = "/a/{account}/reviews"
_ONE: Final = f"{_ALL}/{{id}}"
_MAY: Final[dict[str, Any]] = {"permission": Permission.REVIEW}

PAGES: Final[Declarations] = (
    Action(f"{_ALL}/next", "review-next", work, **_MAY),
    Page(_ONE, "review", show_review, permission=Permission.SEE),
    Action(f"{_ONE}/reveal", "review-reveal", reveal, permission=Permission.REVEAL),
    Action(f"{_ONE}/claim", "review-claim", claim, again=show_review, **_MAY),
    Action(f"{_ONE}/leave", "review-leave", release, **_MAY),
    Action(f"{_ONE}/resolve", "review-resolve", resolve, again=show_review, **_MAY),
    Action(f"{_ONE}/undo", "review-undo", undo, again=show_review, **_MAY),
    Action(f"{_ONE}/correct", "review-correct", correct, again=show_review, **_MAY),
    Action(f"{_ONE}/note", "review-note", note, again=show_review, **_MAY),
    Action(f"{_ONE}/assign", "review-assign", assign, again=show_review, **_MAY),
)
