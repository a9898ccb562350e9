"""Personal data of a case, revealed once for a session: one look, one line of the audit log.

The browser keeps which cases these are, sealed for its session and its account.
"""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.people.use_cases.reveals import note_reveal
from gatehouse.admin.secrets.use_cases.sealed_texts import TextSealer
from gatehouse.console.visit import Visit

MOST_CASES: Final = 20
"""The newest are remembered; an older one is masked again, and revealing it is another look."""
_USE: Final = b"revealed cases"


def is_revealed(visit: Visit) -> bool:
    """Whether the case of this page was revealed in this session, and is not to be masked now."""
    if "masked" in visit.query or not visit.may(Permission.REVEAL):
        return False
    return visit.place("id") in _cases(visit)


def note_look(visit: Visit) -> None:
    """Leave a line in the audit log, unless this session revealed the case before."""
    request_id = visit.place("id")
    if request_id not in _cases(visit):
        note_reveal(*visit.opened, "decision", request_id)


def remember_look(visit: Visit, response: Response) -> Response:
    """Let the browser keep that the case is revealed."""
    request_id = visit.place("id")
    cases = [*(each for each in _cases(visit) if each != request_id), request_id]
    token = _sealer(visit).token(" ".join(cases[-MOST_CASES:]), visit.visitor.session_id)
    visit.desk.cookies.keep_revealed(response, token)
    return response


def _cases(visit: Visit) -> list[str]:
    token = visit.desk.cookies.revealed(visit.asked.cookies)
    return (_sealer(visit).opened(token, visit.visitor.session_id) or "").split()


def _sealer(visit: Visit) -> TextSealer:
    return TextSealer(*visit.opened, _USE)
