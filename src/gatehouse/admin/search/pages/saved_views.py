"""Searches that people saved: found again above decisions and figures, shared, and forgotten."""

from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.people.use_cases import saved_searches
from gatehouse.admin.people.use_cases.saved_searches import SavedSearch, ToSave
from gatehouse.admin.search.pages.search_form import SOUGHT, WHERE, Kept, kept_filters
from gatehouse.admin.search.use_cases.conditions import is_sealed
from gatehouse.console.forms.forms import Values, read_pairs
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit

_LONGEST_NAME: Final = 64


def saved_views(visit: Visit, page: str) -> list[tuple[SavedSearch, Values, bool]]:
    """The person's own searches of a page and those that others share: where each leads to, and
    whether the person may change it.
    """
    person, administers = visit.visitor.user_id, visit.may(Permission.PEOPLE)
    read = kept_filters if page == "decisions" else dict
    return [
        (each, read(read_pairs(each.query)), administers or each.user_id == person)
        for each in saved_searches.listing(*visit.opened, person)
        if each.page == page
    ]


def save_view(visit: Visit, kept: Kept, page: str = "decisions") -> Response:
    """Keep the filters of an address under a name."""
    name = visit.entered("name")
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise visit.refuse("name", "decisions.problems.name", most=_LONGEST_NAME)
    kept = {each: values for each, values in kept.items() if each != SOUGHT}
    if any(is_sealed(each) for each in kept.get(WHERE, ())):
        # An erasure could not find whom it is about.
        raise Told(visit.text("decisions.problems.personal"))
    if not kept:
        raise Told(visit.text("decisions.problems.nothing"))
    what = ToSave(urlencode(kept, doseq=True), page, bool(visit.form.get("shared")))
    person = visit.visitor.user_id
    saved_searches.save(*visit.opened, person, name, what)
    return visit.redirect(page, query=kept, notice="decisions.notices.saved")


def share_view(visit: Visit) -> Response:
    """Let everybody in the account find a search, or its owner alone."""
    wanted, shared = visit.form["search"], bool(visit.form.get("shared"))
    person = visit.visitor.user_id
    found = saved_searches.share(*visit.opened, person, wanted, shared=shared)
    notice = "decisions.notices.shared" if shared else "decisions.notices.unshared"
    return visit.redirect(found.page, notice=notice)


def forget_view(visit: Visit) -> Response:
    """Delete a saved search."""
    person, wanted = visit.visitor.user_id, visit.form["search"]
    found = saved_searches.delete(*visit.opened, person, wanted)
    return visit.redirect(found.page, notice="decisions.notices.forgotten")
