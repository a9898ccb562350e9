"""What became of the payments of an account."""

from typing import Final

from starlette.responses import Response

from gatehouse.admin.outcomes.types.outcome import OutcomeFilter, OutcomeKind
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit


def show_outcomes(visit: Visit) -> Response:
    """The newest ones, of all kinds or of one."""
    asked = visit.query.get("kind", "")
    kind = OutcomeKind(asked) if asked in OutcomeKind.__members__ else None
    found = list_outcomes(visit.session, visit.account_id, OutcomeFilter(kind)).outcomes
    return visit.render(
        "outcomes/outcomes.html", outcomes=found, kinds=list(OutcomeKind), chosen=kind
    )


PAGES: Final[Declarations] = (
    Page("/a/{account}/outcomes", "outcomes", show_outcomes, group="account", does=list_outcomes),
)
