"""Many decisions at once: chosen in a table, or all that fit, changed alike and undone as one."""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import PutOnList
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.reviews.pages.queue import fitting_ids
from gatehouse.admin.search.pages.decisions import searched_ids
from gatehouse.admin.workload.types import MOST_MEANT, BulkAction, BulkTerms
from gatehouse.admin.workload.use_cases import bulk
from gatehouse.admin.workload.use_cases.bulk_steps import step_of
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.core.wording.labels import Label

_ALL: Final = "/a/{account}/bulk"
_WHERE: Final = {"reviews": fitting_ids, "decisions": searched_ids}
_VERDICTS: Final = {"accept": True, "decline": False}
_MOST_PROPOSED: Final = 1000


def change_many(visit: Visit) -> Response:
    """Do the same with all that were chosen; what is meant by a search is shown first."""
    action, terms = _wanted(visit)
    where = visit.form["from"]
    everything = visit.form.get("all") == "yes" and where in _WHERE
    found = _WHERE[where](visit, MOST_MEANT + 1) if everything else list(visit.chosen("id"))
    if not found:
        raise Told(visit.text("bulk.problems.none"))
    given = (*visit.opened, action, terms, found)
    try:
        if everything and visit.form.get("sure") != "yes":
            shown = bulk.begin_with(*given, dry_run=True)
            kept = dict(visit.asked.form.values)
            return visit.render("bulk/sure.html", shown=shown, kept=kept, where=where)
        shown = bulk.begin_with(*given)
    except ApprovalNeeded:
        step = step_of(*visit.opened, action, terms)
        entries = {each.value: each for each in step.prepare(found[:_MOST_PROPOSED]).values()}
        return propose(visit, PutOnList(terms.list or "", tuple(entries.values())))
    return visit.redirect("bulk", bulk=shown.id or "", query={"from": where})


def show_change(visit: Visit) -> Response:
    """How far a change is, what was left as it was, and the button that undoes it."""
    shown = bulk.get(*visit.opened, visit.place("bulk"))
    is_own = shown.by == str(visit.session.actor)
    in_time = shown.undo_until is not None and shown.undo_until >= visit.now_ms
    where = visit.query.get("from")
    return visit.render(
        "bulk/change.html",
        shown=shown,
        where=where if where in _WHERE else "reviews",
        can_undo=is_own and in_time and shown.state == "DONE" and shown.done,
    )


def undo_change(visit: Visit) -> Response:
    """Bring all of it back."""
    bulk.undo(*visit.opened, visit.place("bulk"))
    return visit.redirect("bulk", bulk=visit.place("bulk"))


def _wanted(visit: Visit) -> tuple[BulkAction, BulkTerms]:
    """What the form asks for: `accept`, `decline`, `mine`, `nobody`, a label, or a list."""
    wanted, reason = visit.form["do"], visit.entered("reason")
    kind, _, rest = wanted.partition("/")
    if wanted in _VERDICTS:
        if not reason:
            raise Told(visit.text("bulk.problems.reason"))
        return BulkAction.RESOLVE, BulkTerms(approve=_VERDICTS[wanted], reason=reason)
    if wanted in ("mine", "nobody"):
        person = visit.visitor.login if wanted == "mine" else None
        return BulkAction.ASSIGN, BulkTerms(assignee=person)
    if kind == "label" and rest in tuple(Label):
        return BulkAction.LABEL, BulkTerms(label=Label(rest))
    entity, _, name = rest.partition("/")
    if kind == "list" and entity in tuple(EntityType) and name:
        if not visit.may(Permission.CONFIGURE):
            raise Told(visit.text("bulk.problems.lists"))
        return BulkAction.LIST, BulkTerms(
            list=name, entity=EntityType(entity), reason=reason or None
        )
    raise Told(visit.text("bulk.problems.do"))


PAGES: Final[Declarations] = (
    Action(_ALL, "bulk-change", change_many, permission=Permission.REVIEW),
    Page(f"{_ALL}/{{bulk}}", "bulk", show_change, does=bulk.get),
    Action(f"{_ALL}/{{bulk}}/undo", "bulk-undo", undo_change, does=bulk.undo),
)
