"""The lists of an account: their entries, what is put on and taken off, and which hold a value."""

import contextlib
import io
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import check_configures, propose
from gatehouse.admin.approvals.use_cases.proposed import DropList, PutOnList, TakeOffList
from gatehouse.admin.decisions.use_cases.masking import masked_entry
from gatehouse.admin.figures.use_cases.list_figures import ListMatches, list_matches
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import list_lookup, lists
from gatehouse.admin.lists.use_cases.list_cursors import EntryCursors
from gatehouse.admin.lists.use_cases.lists import (
    EntryPage,
    GivenEntries,
    ImportOptions,
    ListedEntry,
    ListFile,
    NewEntries,
)
from gatehouse.console.downloads import sent_by_lines
from gatehouse.console.forms.numbers import read_within
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.core.files.csv_output import csv_lines, plain_cell
from gatehouse.core.files.lines import FileLimits
from gatehouse.core.wording.text import is_blank
from gatehouse.rules.list_entries import ListKind

_ON_A_PAGE: Final = 100
_DAY_MS: Final = 86_400_000
_MOST_DAYS: Final = 3650
_UPLOAD: Final = 8 * 1024 * 1024
_LIMITS: Final = FileLimits(lines=250_000, unpacked_bytes=2 * _UPLOAD)


def show_lists(visit: Visit) -> Response:
    """All lists; and those that hold a value, if one is asked for."""
    found = lists.overview(*visit.opened)
    return visit.render("lists/lists.html", lists=found.lists, kinds=tuple(ListKind))


def find(visit: Visit) -> Response:
    """Say which lists hold a value; it is sent in a form because addresses are logged."""
    value = visit.entered("value")
    if not value:
        raise visit.refuse("value", "lists.problems.value")
    held = list_lookup.holding(*visit.opened, value)
    known = lists.overview(*visit.opened)
    kinds = {each.name: each.kind for each in known.lists}
    shown = [(name, entry, _shown(visit, kinds[name], entry)) for name, entry in held]
    return visit.render("lists/found.html", held=shown)


def show_list(visit: Visit) -> Response:
    """One list and its entries, by value."""
    info = lists.get(*visit.opened, visit.place("list")).answer
    gone = bool(visit.query.get("gone"))
    cursors = EntryCursors(*visit.opened, info.name)
    after = cursors.read(visit.query["after"])
    page = EntryPage(visit.now_ms, _ON_A_PAGE + 1, after, include_gone=gone)
    found = lists.entries(*visit.opened, info.name, page)
    shown = found[:_ON_A_PAGE]
    older = cursors.after(shown[-1]) if len(found) > _ON_A_PAGE else None
    states = [each.status(visit.now_ms) for each in shown]
    matched = _matches(visit, info.name, shown)
    return visit.render(
        "lists/list.html",
        info=info,
        entries=list(zip(shown, states, matched.entries, strict=True)),
        shown=partial(_shown, visit, info.kind),
        matched=matched,
        older=older,
        gone=gone,
    )


def _shown(visit: Visit, kind: ListKind, entry: ListedEntry) -> str:
    """What the person may see of an entry: all of it, or as much as decisions show."""
    return entry.shown if visit.may(Permission.REVEAL) else masked_entry(kind, entry.shown)


def _matches(visit: Visit, name: str, shown: Sequence[ListedEntry]) -> ListMatches:
    columns = visit.columns
    try:
        return list_matches(visit.session, columns, name, shown)
    except FiguresNotReady:
        return ListMatches(is_used=True, entries=[None] * len(shown))


def create(visit: Visit) -> Response:
    """Make an empty list."""
    name, kind = visit.entered("name"), visit.form["kind"]
    new = NewList(name, lists.read_kind(kind), visit.entered("description") or None)
    lists.create(*visit.opened, new)
    return visit.redirect("list", list=name, notice="lists.notices.created")


def add(visit: Visit) -> Response:
    """Put values on the list, one in each line."""
    values = visit.form["values"]
    if is_blank(values):
        raise visit.refuse("values", "lists.problems.value")
    # Unlike arguments of a command, a form may hold card numbers.
    file = ListFile("", lambda: contextlib.nullcontext(io.BytesIO(values.encode())), "lines")
    given, terms, name = GivenEntries(file=file), _terms(visit), visit.place("list")
    try:
        check_configures(visit)
        done = lists.add(*visit.opened, name, given, terms)
    except ApprovalNeeded:
        found = lists.planned(*visit.opened, name, given, terms)
        return propose(visit, PutOnList(name, found))
    return _back(visit, "lists.notices.added", count=done.added)


def remove(visit: Visit) -> Response:
    """Take one entry off the list."""
    given, name = GivenEntries([visit.form["value"]]), visit.place("list")
    try:
        check_configures(visit)
        lists.remove(*visit.opened, name, given)
    except ApprovalNeeded:
        found = lists.planned(*visit.opened, name, given)
        return propose(visit, TakeOffList(name, found))
    return _back(visit, "lists.notices.removed")


def import_file(visit: Visit) -> Response:
    """Add the entries of a file; with a bad line nothing is added, unless bad ones are skipped."""
    upload = visit.upload("file")
    if upload is None or not upload.content:
        raise visit.refuse("file", "lists.problems.file")
    terms = _terms(visit)
    options = ImportOptions(
        None, terms.reason, terms.lifetime_ms, skip_bad=bool(visit.form.get("skip_bad"))
    )
    content = upload.content
    file = ListFile(
        upload.name, lambda: contextlib.nullcontext(io.BytesIO(content)), limits=_LIMITS
    )
    name = visit.place("list")
    try:
        check_configures(visit)
        done = lists.import_file(*visit.opened, name, file, options)
    except ApprovalNeeded:
        given = GivenEntries(file=file)
        found = lists.planned(*visit.opened, name, given, terms)
        return propose(visit, PutOnList(name, found))
    if done.content.bad:
        return _back(visit, "lists.notices.imported_part", count=done.added.added)
    return _back(visit, "lists.notices.imported", count=done.added.added)


def export(visit: Visit) -> Response:
    """All entries in force, as a file that can be imported again."""
    name = visit.place("list")
    found = lists.export_entries(*visit.opened, name)
    rows = chain([("value", "reason", "expires")], map(_cells, found))
    lines = (csv_lines([row]).encode() for row in rows)
    return sent_by_lines(lines, f"{name}.csv", "text/csv; charset=utf-8")


def _cells(entry: ListedEntry) -> tuple[str, str, str]:
    ends_ms = entry.expires_at_ms
    expires = "" if ends_ms is None else iso_time(ends_ms)
    return plain_cell(entry.value), plain_cell(entry.reason), expires


def drop(visit: Visit) -> Response:
    """Remove the list; one that rules look things up on is refused."""
    try:
        lists.drop(*visit.opened, visit.place("list"))
    except ApprovalNeeded:
        return propose(visit, DropList(visit.place("list")))
    return visit.redirect("lists", notice="lists.notices.dropped")


def _terms(visit: Visit) -> NewEntries:
    text = visit.entered("days")
    lifetime_ms = None
    if text:
        days = read_within(text, 1, _MOST_DAYS)
        if days is None:
            raise visit.refuse("days", "lists.problems.days", most=_MOST_DAYS)
        lifetime_ms = days * _DAY_MS
    reason = visit.entered("reason") or None
    return NewEntries(reason=reason, lifetime_ms=lifetime_ms)


def _back(visit: Visit, notice: str, **values: int) -> Response:
    return visit.redirect("list", list=visit.place("list"), notice=Notice(notice, {**values}))


_ALL: Final = "/a/{account}/lists"
_PROPOSED: Final[dict[str, Any]] = {"permission": Permission.PROPOSE}
"""For who may change entries, or at least propose it: each asks which."""
_ONE: Final = f"{_ALL}/{{list}}"

PAGES: Final[Declarations] = (
    Page(_ALL, "lists", show_lists, does=lists.overview),
    Action(f"{_ALL}/find", "list-find", find, again=show_lists, does=lists.overview),
    Action(f"{_ALL}/new", "list-create", create, again=show_lists, does=lists.create),
    Page(_ONE, "list", show_list, does=lists.get),
    Action(f"{_ONE}/export", "list-export", export, again=show_list, permission=Permission.REVEAL),
    Action(f"{_ONE}/add", "list-add", add, again=show_list, **_PROPOSED),
    Action(f"{_ONE}/remove", "list-remove", remove, again=show_list, **_PROPOSED),
    Action(
        f"{_ONE}/import",
        "list-import",
        import_file,
        again=show_list,
        most_bytes=_UPLOAD,
        takes_files=True,
        **_PROPOSED,
    ),
    Action(f"{_ONE}/drop", "list-drop", drop, again=show_list, does=lists.drop),
)
