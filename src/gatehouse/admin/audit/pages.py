"""The audit log: who did what and when, of one account or of the whole installation."""

from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.audit.use_cases import AuditLine, LineSearch
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import parse_day_end, parse_local
from gatehouse.core.money import MICROS_PER_UNIT

_ON_A_PAGE: Final = 100
_FILTERS: Final = ("actor", "action", "from", "to")


def show_account(visit: Visit) -> Response:
    """What was done in the account."""
    found = audit_log.search(visit.session, visit.account_id, _wanted(visit))
    return _show(visit, "audit", found)


def show_installation(visit: Visit) -> Response:
    """What was done anywhere, and whether the log is whole."""
    found = audit_log.search_all(visit.session, _wanted(visit))
    proof = audit_log.verify(visit.session) if visit.query.get("verify") else None
    return _show(visit, "installation-audit", found, proof=proof)


def _show(visit: Visit, name: str, found: list[AuditLine], **more: object) -> Response:
    kept = {each: visit.query.get(each, "") for each in _FILTERS}
    older = found[-1].seq if len(found) == _ON_A_PAGE else None
    lines = [(each, _details(visit, each)) for each in found]
    return visit.render(
        "audit/audit.html", name=name, lines=lines, kept=kept, older=older, more=more
    )


def _wanted(visit: Visit) -> LineSearch:
    query = visit.query
    return LineSearch(
        before=read_number(query.get("before", ""), digits=18),
        limit=_ON_A_PAGE,
        action=query.get("action", "").strip()[:64],
        actor=query.get("actor", "").strip()[:100],
        since_ms=_moment(visit, "from", parse_local),
        until_ms=_moment(visit, "to", parse_day_end),
    )


def _moment(visit: Visit, field: str, parse: Callable[[str, ZoneInfo], int]) -> int | None:
    given = visit.query.get(field, "")
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
)
