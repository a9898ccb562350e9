"""Decisions: searched by everything that the search knows, saved, watched live, taken along."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.event_settings import operations
from gatehouse.admin.inspecting.masking import masked_customer, masked_reference
from gatehouse.admin.people import saved_searches
from gatehouse.admin.public_decisions import public_decision
from gatehouse.admin.review_summary import RequestSubject, subject_of
from gatehouse.admin.search.decisions import FoundDecisions, search_decisions
from gatehouse.admin.search.exporting import export_found
from gatehouse.admin.search.filters import DecisionSearchRequest
from gatehouse.console.downloads import sent_by_lines
from gatehouse.console.order_amounts import shown_order
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.search_form import WHO, kept_filters, read_search
from gatehouse.console.visit import Visit
from gatehouse.core.clock import parse_time
from gatehouse.core.files.csv_output import csv_lines, plain_cell
from gatehouse.core.labels import Label
from gatehouse.core.money import format_amount
from gatehouse.core.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord

_ON_A_PAGE: Final = 50
_LONGEST_NAME: Final = 64
_COLUMNS: Final = (
    *("requestId", "at", "operation", "decision", "amount", "currency", "userId", "country"),
    *("cardBin", "cardLastFour", "clientReferenceId", "charged"),
)


class ListedDecision(msgspec.Struct, frozen=True):
    """One decision in a table."""

    record: DecisionRecord
    at_ms: int
    about: RequestSubject
    customer: str | None
    """Masked: a list does not say who looked at whom."""
    reference: str
    """The caller's own name of the order; else the request's id."""
    amount: str
    matched: tuple[str, ...]


def show_decisions(visit: Visit) -> Response:
    """The decisions that the filters of the address find; a part of the page when it is live."""
    given = {**visit.query}
    found = _found(visit, read_search(visit, given, limit=_ON_A_PAGE))
    template = "decisions/rows.html" if visit.is_fragment else "decisions/decisions.html"
    return _show(visit, template, found)


def find(visit: Visit) -> Response:
    """Look for somebody or something; what was typed stays out of the address.

    The id of a request leads straight to it, whatever it was looked for as.
    """
    who, value = visit.form.get("who", ""), visit.form.get("value", "")
    if who not in WHO or not value.strip():
        raise visit.refuse("value", "decisions.problems.value")
    if value.strip().startswith("req_"):
        return visit.redirect("decision", id=value.strip())
    search = read_search(visit, visit.form, who, value, _ON_A_PAGE)
    return _show(visit, "decisions/decisions.html", _found(visit, search), who=who, value=value)


def save(visit: Visit) -> Response:
    """Keep the filters of the address under a name."""
    name = visit.form.get("name", "").strip()
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise Told(visit.text("decisions.problems.name", most=_LONGEST_NAME))
    kept = kept_filters(dict(parse_qsl(visit.form.get("query", ""))))
    if not kept:
        raise Told(visit.text("decisions.problems.nothing"))
    query = urlencode(kept)
    person = visit.visitor.user_id
    saved_searches.save(visit.session, visit.account_id, person, name, query)
    return visit.redirect("decisions", query=kept, notice="decisions.notices.saved")


def forget(visit: Visit) -> Response:
    """Delete a saved search."""
    person = visit.visitor.user_id
    saved_searches.delete(visit.session, visit.account_id, person, visit.form.get("search", ""))
    return visit.redirect("decisions", notice="decisions.notices.forgotten")


def export(visit: Visit) -> Response:
    """Everything that was found, as CSV or JSON Lines."""
    who, value = visit.form.get("who", ""), visit.form.get("value", "")
    search = read_search(visit, visit.form, who, value)
    records = export_found(visit.session, visit.account_id, search)
    name = f"decisions-{visit.account_id}"
    if visit.form.get("format") == "jsonl":
        return sent_by_lines(_json_lines(visit, records), f"{name}.jsonl", "application/jsonl")
    rows = chain([_COLUMNS], map(_cells, records))
    lines = (csv_lines([row]).encode() for row in rows)
    return sent_by_lines(lines, f"{name}.csv", "text/csv; charset=utf-8")


def _found(visit: Visit, search: DecisionSearchRequest) -> FoundDecisions:
    return search_decisions(visit.session, visit.account_id, search)


def _show(
    visit: Visit, template: str, found: FoundDecisions, who: str = "", value: str = ""
) -> Response:
    given = visit.form if visit.asked.method == "POST" else visit.query
    kept = kept_filters(given)
    person = visit.visitor.user_id
    return visit.render(
        template,
        rows=[_row(visit, each) for each in found.records],
        found=found,
        kept=kept,
        query=urlencode(kept),
        who=who,
        value=value,
        kinds=WHO,
        live=bool(visit.query.get("live")),
        operations=operations(),
        outcomes=tuple(Outcome),
        labels=tuple(Label),
        saved=[
            (each, dict(parse_qsl(each.query)))
            for each in saved_searches.listing(visit.session, visit.account_id, person)
        ],
    )


def _row(visit: Visit, record: DecisionRecord) -> ListedDecision:
    about = subject_of(record)
    matched = [name for stage in record.stages for name in stage.result.get("matched", ())]
    return ListedDecision(
        record,
        parse_time(record.at),
        about,
        masked_customer(about.customer),
        masked_reference(record.client_reference_id) or record.request_id,
        shown_order(visit, about.order.amount),
        tuple(dict.fromkeys(matched)),
    )


def _json_lines(visit: Visit, records: Iterable[DecisionRecord]) -> Iterator[bytes]:
    assert visit.account is not None
    currency = visit.account.currency
    encode = msgspec.json.Encoder().encode
    return (encode(public_decision(each, currency)) + b"\n" for each in records)


def _cells(record: DecisionRecord) -> tuple[object, ...]:
    about = subject_of(record)
    amount, card = about.order.amount, about.card
    return (
        *(record.request_id, record.at, record.operation, record.decision or ""),
        "" if amount is None else bytes(amount.amount).decode(),
        "" if amount is None else amount.currency,
        plain_cell(about.customer.user_id),
        about.origin.country or "",
        *(("", "") if card is None else (card.bin, card.last_four)),
        plain_cell(str(record.client_reference_id or "")),
        format_amount(record.closed_micros),
    )


_ALL: Final = "/a/{account}/decisions"
_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE, "again": show_decisions}

PAGES: Final[Declarations] = (
    Page(_ALL, "decisions", show_decisions, permission=Permission.SEE),
    Action(f"{_ALL}/find", "decisions-find", find, **_SEE),
    Action(f"{_ALL}/save", "decisions-save", save, **_SEE),
    Action(f"{_ALL}/forget", "decisions-forget", forget, **_SEE),
    Action(
        f"{_ALL}/export",
        "decisions-export",
        export,
        permission=Permission.REVEAL,
        again=show_decisions,
    ),
)
