"""The audit log: who did what and when, of one account or of the whole installation."""

from collections.abc import Callable, Mapping
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.audit.use_cases import AuditLine, LineSearch
from gatehouse.console.downloads import sent_by_lines
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import parse_day_end, parse_local
from gatehouse.core.money import MICROS_PER_UNIT

_ON_A_PAGE: Final = 100
_FILTERS: Final = ("actor", "action", "from", "to")


def show_account(visit: Visit) -> Response:
    """What was done in the account."""
    found = audit_log.search(*visit.opened, _wanted(visit, visit.query))
    return _show(visit, "audit", found)


def show_installation(visit: Visit) -> Response:
    """What was done anywhere, and whether the log is whole."""
    found = audit_log.search_all(visit.session, _wanted(visit, visit.query))
    proof = audit_log.verify(visit.session) if visit.query.get("verify") else None
    return _show(visit, "installation-audit", found, proof=proof)


def export_account(visit: Visit) -> Response:
    """The lines of the account that the filters find, as a file."""
    return _export(visit, visit.account_id, f"audit-{visit.account_id}")


def export_installation(visit: Visit) -> Response:
    """The lines of the whole installation that the filters find, as a file."""
    return _export(visit, None, "audit")


def _export(visit: Visit, account_id: str | None, name: str) -> Response:
    found = audit_log.export_lines(visit.session, account_id, _wanted(visit, visit.form))
    if visit.form.get("format") == "jsonl":
        lines = audit_log.json_lines(found)
        return sent_by_lines(lines, f"{name}.jsonl", "application/jsonl")
    return sent_by_lines(audit_log.csv_rows(found), f"{name}.csv", "text/csv; charset=utf-8")


def _show(visit: Visit, name: str, found: list[AuditLine], **more: object) -> Response:
    kept = {each: visit.query[each] for each in _FILTERS}
    older = found[-1].seq if len(found) == _ON_A_PAGE else None
    lines = [(each, _details(visit, each)) for each in found]
    return visit.render(
        "audit/audit.html", name=name, lines=lines, kept=kept, older=older, more=more
    )


def _wanted(visit: Visit, query: Mapping[str, str]) -> LineSearch:
    return LineSearch(
        before=read_number(query.get("before", ""), digits=18),
        limit=_ON_A_PAGE,
        action=query.get("action", "").strip()[:64],
        actor=query.get("actor", "").strip()[:100],
        since_ms=_moment(visit, query.get("from", ""), parse_local),
        until_ms=_moment(visit, query.get("to", ""), parse_day_end),
    )


def _moment(visit: Visit, given: str, parse: Callable[[str, ZoneInfo], int]) -> int | None:
    if not given:
        return None
    try:
        return parse(given, visit.formats.zone)
    except (ValueError, OverflowError):
        raise Told(visit.text("audit.wrong_day")) from None


def _details(visit: Visit, line: AuditLine) -> list[tuple[str, str]]:
    """The details as names and texts."""
    return [(name, _shown(visit, name, value)) for name, value in line.details.items()]


def _shown(visit: Visit, name: str, value: object) -> str:
    """One detail as a person reads it; nested ones as JSON."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return visit.text("common.yes" if value else "common.no")
    if isinstance(value, int) and name.endswith(("Ms", "_ms")):
        return visit.formats.moment(value)
    if isinstance(value, int) and name.endswith(("micros", "Micros")):
        return visit.number(value / MICROS_PER_UNIT, 6)
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return visit.called("methods", value) if name == "method" else value


PAGES: Final[Declarations] = (
    Page("/a/{account}/audit", "audit", show_account, permission=Permission.SEE_AUDIT),
    Page(
        "/installation/audit",
        "installation-audit",
        show_installation,
        permission=Permission.OPERATE,
    ),
    Action(
        "/a/{account}/audit/export",
        "audit-export",
        export_account,
        permission=Permission.SEE_AUDIT,
        again=show_account,
    ),
    Action(
        "/installation/audit/export",
        "installation-audit-export",
        export_installation,
        permission=Permission.OPERATE,
        again=show_installation,
    ),
)
