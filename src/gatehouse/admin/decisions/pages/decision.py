"""The page of one decision, and what can be done about it from there."""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.pages.case_view import CaseView
from gatehouse.admin.decisions.pages.decision_view import DecisionSheet
from gatehouse.admin.decisions.pages.revealing import is_revealed, note_look, remember_look
from gatehouse.admin.decisions.use_cases.inspecting import inspect_decision
from gatehouse.admin.entities.types import EntityTokens
from gatehouse.admin.feedback.use_cases.record import label_that_counts, record_fields
from gatehouse.admin.lists.pages.listing_form import (
    fitting_lists,
    missing_lists,
    put_on_chosen_list,
)
from gatehouse.admin.reviews.use_cases.review_claims import (
    ReviewClaim,
    claims_of_others,
    resolve_claimed,
)
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, ReviewState
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.wording.labels import Label

_LABELS: Final = tuple(Label)
_PATH: Final = "/a/{account}/decisions/{id}"


def show_decision(visit: Visit) -> Response:
    """One decision, masked unless this session revealed it."""
    return _shown(visit, _found(visit, revealed=is_revealed(visit)))


def reveal_decision(visit: Visit) -> Response:
    """The same in full, after the look was noted."""
    page = _found(visit, revealed=True)
    note_look(visit)
    return remember_look(visit, _shown(visit, page))


def label_decision(visit: Visit) -> Response:
    """Say what the request turned out to be."""
    label = visit.form["label"]
    if label not in _LABELS:
        raise visit.refuse("label", "decision.choose_label")
    record_fields(*visit.opened, {"requestId": visit.place("id"), "label": label})
    return _back(visit, "decision.notices.labelled")


def list_entity_of_decision(visit: Visit) -> Response:
    """Put one of the entities of the decision on a list."""
    kind, _, rest = visit.form["entry"].partition("/")
    token, _, name = rest.partition("/")
    if not name:
        raise visit.refuse("entry", "decision.choose_entry")
    entity = EntityTokens(*visit.opened).opened(kind, token)
    proposed = put_on_chosen_list(visit, entity, name)
    if proposed is not None:
        return proposed
    return _back(visit, "decision.notices.listed")


def review_decision(visit: Visit) -> Response:
    """Accept or decline what waits for a person."""
    verdict = visit.form["verdict"]
    if verdict not in ("approve", "decline"):
        raise visit.refuse("verdict", "decision.choose_verdict")
    reason = visit.entered("why")
    if not reason:
        raise visit.refuse("why", "decision.say_why")
    finding = ReviewFinding(approve=verdict == "approve", reason=reason)
    resolve_claimed(*visit.opened, visit.place("id"), visit.visitor, finding)
    return _back(visit, f"decision.notices.{verdict}")


def _back(visit: Visit, notice: str) -> Response:
    return visit.redirect("decision", id=visit.place("id"), notice=notice)


def _found(visit: Visit, *, revealed: bool) -> DecisionSheet:
    found = inspect_decision(*visit.opened, visit.place("id"))
    return DecisionSheet(visit, found, revealed=revealed)


def _shown(visit: Visit, page: DecisionSheet) -> Response:
    kinds = dict.fromkeys(each.shown.kind for each in page.found.entities)
    fitting = fitting_lists(visit, kinds)
    return visit.render(
        "decision/page.html",
        page=page,
        case=CaseView(visit, page),
        found=page.found,
        record=page.found.record,
        label=label_that_counts(page.found.labels),
        labels=_LABELS,
        fitting=fitting,
        missing=missing_lists(fitting),
        claim=_claim_of_another(visit, page),
    )


def _claim_of_another(visit: Visit, page: DecisionSheet) -> ReviewClaim | None:
    """The claim of a colleague who has the review of the decision open."""
    found = page.found.review
    if found is None or found.review.state is not ReviewState.OPEN:
        return None
    others = claims_of_others(*visit.opened, visit.visitor)
    return others.get(found.review.request_id)


PAGES: Final[Declarations] = (
    Page(_PATH, "decision", show_decision, permission=Permission.SEE),
    Action(f"{_PATH}/reveal", "decision-reveal", reveal_decision, permission=Permission.REVEAL),
    Action(
        f"{_PATH}/label",
        "decision-label",
        label_decision,
        again=show_decision,
        permission=Permission.REVIEW,
    ),
    Action(
        f"{_PATH}/list",
        "decision-list",
        list_entity_of_decision,
        again=show_decision,
        permission=Permission.BLOCK,
    ),
    Action(
        f"{_PATH}/review",
        "decision-review",
        review_decision,
        again=show_decision,
        permission=Permission.REVIEW,
    ),
)
