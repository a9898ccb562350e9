"""What a person chooses for this browser."""

from typing import Final

from starlette.responses import Response

from gatehouse.console.pages import Action, Declarations
from gatehouse.console.serving.guard import own_path
from gatehouse.console.visit import Visit


def choose_theme(visit: Visit) -> Response:
    """Show everything in another theme from now on."""
    response = visit.redirect_to(own_path(visit.form.get("next", "/")))
    visit.desk.cookies.choose_theme(response, visit.form.get("theme", ""))
    return response


PAGES: Final[Declarations] = (Action("/theme", "theme", choose_theme, public=True),)
