"""Decisions: searched by everything that the search knows, saved, watched live, taken along."""

from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.use_cases.export_rows import csv_rows, json_lines, with_findings
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.events.use_cases.event_settings import operations
from gatehouse.admin.lists.pages.listing_form import fitting_lists
from gatehouse.admin.search.pages.narrowing import (
    OFFERED,
    added_condition,
    column_matches,
    set_conditions,
)
from gatehouse.admin.search.pages.saved_views import (
    forget_view,
    save_view,
    saved_views,
    share_view,
)
from gatehouse.admin.search.pages.search_form import (
    COLUMNS,
    SOUGHT,
    WHO,
    Kept,
    addressed_filters,
    amounts_to_type,
    kept_filters,
    named_currency,
    read_search,
    refused_search,
    sought_in,
)
from gatehouse.admin.search.pages.table_columns import (
    MOST_COLUMNS,
    OFTEN,
    USUAL,
    chosen_columns,
    listed_decision,
)
from gatehouse.admin.search.use_cases import exporting
from gatehouse.admin.search.use_cases.decisions import FoundDecisions, search_decisions
from gatehouse.admin.search.use_cases.exporting import ExportPart
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest, WrongFilters
from gatehouse.admin.search.use_cases.sought import Sought, SoughtTokens
from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.console.downloads import sent_by_lines
from gatehouse.console.forms.forms import FormRefused, read_pairs
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.ids import id_time_ms
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import IMPORTED
from gatehouse.figures.column_filter import ColumnMatches
from gatehouse.figures.engine import FiguresNotReady

_ON_A_PAGE: Final = 50
_LONGEST_NAME: Final = 64
_CARDS: Final = ("cardNumber", "paymentAccountReference")


def show_decisions(visit: Visit) -> Response:
    """The decisions that the filters of the address find; a part of the page when it is live."""
    try:
        kept = _kept(visit)
        addressed = addressed_filters(visit, kept)
        was_sent = visit.asked.method == "POST"
        if addressed != kept and not was_sent:
            return visit.redirect("decisions", query=addressed)
        search = read_search(visit, kept if was_sent else visit.asked.query, limit=_ON_A_PAGE)
        found = _found(visit, search, column_matches(visit, addressed))
    except FormRefused as refused:
        # An address is shown with what is wrong in it, as a form is that was sent.
        visit.problems = {**refused.problems, **visit.problems}
        found = FoundDecisions([], None)
    except FiguresNotReady:
        found = FoundDecisions([], None, complete=False)
    if not visit.is_fragment:
        return _show(visit, "decisions/decisions.html", found)
    if not visit.problems and visit.query.get("shown") == _digest(found):
        # The browser leaves the table alone, and with it the place where somebody is.
        return Response(status_code=204)
    return _show(visit, "decisions/rows.html", found)


def find(visit: Visit) -> Response:
    """Look for somebody or something among what the filters find; the address has it sealed.

    The id of a request leads straight to it, whatever it was looked for as.
    """
    who, value = visit.form["who"], visit.entered("value")
    if who not in WHO or not value:
        raise visit.refuse("value", "decisions.problems.value")
    return sought_decisions(visit, who, value, addressed_filters(visit, _kept(visit)))


def sought_decisions(visit: Visit, who: str, value: str, kept: Kept) -> Response:
    """Lead to the decisions of somebody or something among what filters find."""
    if value.startswith("req_"):
        return visit.redirect("decision", id=value)
    search = read_search(visit, kept, Sought(who, [value]), limit=1)
    token = SoughtTokens(*visit.opened).token(search, who, value)
    if who not in _CARDS:  # A card was named, and counted, with its token.
        _found(visit, search)  # What no decision can have is refused at its field.
    return visit.redirect("decisions", query={**kept, SOUGHT: token})


def narrow(visit: Visit) -> Response:
    """Add a condition to the filters of the address."""
    kept = added_condition(visit, addressed_filters(visit, _kept(visit)))
    return visit.redirect("decisions", query=kept)


def save(visit: Visit) -> Response:
    """Keep the filters of the address under a name."""
    return save_view(visit, addressed_filters(visit, _kept(visit)))


def export(visit: Visit) -> Response:
    """Everything that was found, as CSV or JSON Lines; in parts if a file cannot hold it."""
    search = read_search(visit, visit.asked.form.values)
    columns = column_matches(visit, _kept(visit))
    number, oldest = read_number(visit.form["part"]), visit.form.get("oldest") or None
    if oldest is None:
        part = exporting.next_part(*visit.opened, search, columns)
        if part is not None and (number or part.next_cursor):
            return _offer_part(visit, part, number or 1)
    asked = (*visit.opened, search)
    records = exporting.export_found(*asked, oldest, columns)
    found = with_findings(*visit.opened, records)
    name = f"decisions-{visit.account_id}" + (f"-part-{number}" if number else "")
    if visit.form.get("format") == "jsonl":
        assert visit.account is not None
        lines = json_lines(found, visit.account.currency)
        return sent_by_lines(lines, f"{name}.jsonl", "application/jsonl")
    return sent_by_lines(csv_rows(found), f"{name}.csv", "text/csv; charset=utf-8")


def searched_ids(visit: Visit, most: int) -> list[str]:
    """What the filters of the form find, for a change of all that fit."""
    kept = addressed_filters(visit, _kept(visit))
    search, columns = read_search(visit, kept), column_matches(visit, kept)
    return exporting.found_ids(*visit.opened, search, most, columns)


def _offer_part(visit: Visit, part: ExportPart, number: int) -> Response:
    form = visit.form
    return visit.render(
        "decisions/export.html",
        part=part,
        part_number=number,
        newest_ms=id_time_ms(part.newest),
        oldest_ms=id_time_ms(part.oldest),
        most=exporting.MOST_EXPORTED,
        kept=_kept(visit),
        format="jsonl" if form.get("format") == "jsonl" else "csv",
        carried={"cursor": form["cursor"]} if form.get("cursor") else {},
    )


def _found(
    visit: Visit, search: DecisionSearchRequest, columns: ColumnMatches | None = None
) -> FoundDecisions:
    try:
        return search_decisions(*visit.opened, search, columns)
    except WrongFilters as wrong:
        problems = {path: [problem] for path, problem in wrong.fields.items()}
        raise refused_search(visit, problems) from None


def _show(visit: Visit, template: str, found: FoundDecisions) -> Response:
    kept = _kept(visit)
    columns = chosen_columns(kept)
    return visit.render(
        template,
        rows=[listed_decision(visit, each, columns) for each in found.records],
        columns=columns,
        found=found,
        kept=kept,
        amounts=amounts_to_type(visit, kept),
        query=urlencode(kept, doseq=True),
        sought=sought_in(visit, kept),
        unsought={name: values for name, values in kept.items() if name != SOUGHT},
        unseen={name: values for name, values in kept.items() if name != COLUMNS},
        conditions=set_conditions(visit, kept),
        operators=OFFERED,
        signals=SIGNALS,
        usual=USUAL,
        often=OFTEN,
        most_columns=MOST_COLUMNS,
        kinds=[each for each in WHO if each != "cardNumber" or visit.may(Permission.REVEAL)],
        most_exported=exporting.MOST_EXPORTED,
        lists=fitting_lists(visit, tuple(EntityType)),
        live=bool(visit.query.get("live")) and not visit.problems,
        shown=_digest(found),
        newer=_newer(visit, found),
        operations=(*operations(), IMPORTED),
        outcomes=tuple(Outcome),
        reasons=tuple(DecisionReason),
        labels=tuple(Label),
        saved=saved_views(visit, "decisions"),
    )


def _digest(found: FoundDecisions) -> str:
    """Which decisions a table shows, in a few letters."""
    ids = " ".join(each.request_id for each in found.records)
    return sha256(ids.encode()).hexdigest()[:16]


def _newer(visit: Visit, found: FoundDecisions) -> int:
    """How many of them came after the newest one that the browser shows."""
    newest = visit.query.get("newest")
    # Ids begin with their time.
    return 0 if newest is None else sum(each.request_id > newest for each in found.records)


def _kept(visit: Visit) -> Kept:
    """The filters of the page; the form that saves them carries them as one text."""
    if visit.asked.method != "POST":
        return named_currency(visit, kept_filters(visit.asked.query))
    query = visit.form.get("query")
    given = visit.asked.form.values if query is None else read_pairs(query)
    return named_currency(visit, kept_filters(given))


_ALL: Final = "/a/{account}/decisions"
_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE, "again": show_decisions}

PAGES: Final[Declarations] = (
    Page(_ALL, "decisions", show_decisions, permission=Permission.SEE),
    Action(f"{_ALL}/find", "decisions-find", find, **_SEE),
    Action(f"{_ALL}/narrow", "decisions-narrow", narrow, **_SEE),
    Action(f"{_ALL}/save", "decisions-save", save, **_SEE),
    Action(f"{_ALL}/forget", "decisions-forget", forget_view, **_SEE),
    Action(f"{_ALL}/share", "decisions-share", share_view, **_SEE),
    Action(
        f"{_ALL}/export",
        "decisions-export",
        export,
        permission=Permission.REVEAL,
        again=show_decisions,
    ),
)
