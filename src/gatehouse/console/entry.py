"""How people come in."""

from typing import Final

from starlette.responses import Response

from gatehouse.console.guard import own_path
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit


def show_sign_in(visit: Visit) -> Response:
    """The form to sign in with."""
    return visit.render("shell/sign_in.html", next=own_path(visit.query.get("next", "/")))


PAGES: Final[Declarations] = (Page("/sign-in", "sign-in", show_sign_in, public=True),)
