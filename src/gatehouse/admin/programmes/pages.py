"""How far an account is from the networks' programmes."""

from typing import Final

from starlette.responses import Response

from gatehouse.admin.programmes import use_cases
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit


def show_programmes(visit: Visit) -> Response:
    """The current month against every threshold."""
    found = use_cases.get_programmes(visit.session, visit.account_id, MeterFilter())
    return visit.render("programmes/programmes.html", report=found)


PAGES: Final[Declarations] = (
    Page(
        "/a/{account}/programmes",
        "programmes",
        show_programmes,
        group="account",
        does=use_cases.get_programmes,
    ),
)
