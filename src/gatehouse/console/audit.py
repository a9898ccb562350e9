"""The audit log: who did what and when, of one account or of the whole installation."""

from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin import audit_log
from gatehouse.admin.audit_log import AuditLine, LineSearch
from gatehouse.console.formats import parse_local
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit

_ON_A_PAGE: Final = 100
_DAY_MS: Final = 86_400_000
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
    lines = [(each, _details(each)) for each in found]
    return visit.render(
        "audit/audit.html", name=name, lines=lines, kept=kept, older=older, more=more
    )


def _wanted(visit: Visit) -> LineSearch:
    query, before = visit.query, visit.query.get("before", "")
    until_ms = _day(visit, "to")
    return LineSearch(
        before=int(before[:18]) if before.isascii() and before.isdigit() else None,
        limit=_ON_A_PAGE,
        action=query.get("action", "").strip()[:64],
        actor=query.get("actor", "").strip()[:100],
        since_ms=_day(visit, "from"),
        until_ms=None if until_ms is None else until_ms + _DAY_MS,
    )


def _day(visit: Visit, field: str) -> int | None:
    given = visit.query.get(field, "")
    if not given:
        return None
    try:
        return parse_local(given, visit.formats.zone)
    except ValueError:
        raise Told(visit.text("audit.wrong_day")) from None


def _details(line: AuditLine) -> list[tuple[str, str]]:
    """The details as names and texts; nested ones as JSON."""
    return [
        (name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        for name, value in line.details.items()
    ]


PAGES: Final[Declarations] = (
    Page("/a/{account}/audit", "audit", show_account, permission=Permission.SEE_AUDIT),
    Page(
        "/installation/audit",
        "installation-audit",
        show_installation,
        permission=Permission.OPERATE,
    ),
)
