"""What a person chooses for this browser."""

from typing import Final

from starlette.responses import Response

from gatehouse.console.pages import Action, Declarations
from gatehouse.console.serving.cookies import PREFERENCES
from gatehouse.console.serving.guard import own_path
from gatehouse.console.visit import Visit


def choose(visit: Visit) -> Response:
    """Show everything in another theme, or rows closer together, from now on."""
    response = visit.redirect_to(own_path(visit.form.get("next", "/")))
    name = next((each for each in PREFERENCES if each in visit.form), "theme")
    visit.desk.cookies.prefer(response, name, visit.form[name])
    return response


PAGES: Final[Declarations] = (Action("/theme", "theme", choose, public=True),)
