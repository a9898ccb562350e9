"""Signing in elsewhere: sends the browser to the provider, and takes it back."""

from typing import Final

from starlette.responses import RedirectResponse, Response

from gatehouse.admin.sign_in.use_cases.oidc import CALLBACK, ProviderAnswer
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.refusals import PageRefused
from gatehouse.console.serving.guard import own_path
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ConnectorFailed, SignInRefused


def depart(visit: Visit) -> Response:
    """Lead to the provider; a cookie binds what comes back to this browser."""
    if visit.desk.single_sign_on is None:
        raise PageRefused(404, "problems.no_page")
    try:
        departure = visit.desk.single_sign_on.depart(own_path(visit.query.get("next", "/")))
    except (ConnectorFailed, SignInRefused):
        raise PageRefused(503, "sign_in.provider_silent") from None
    response = RedirectResponse(departure.url, 303)
    visit.desk.cookies.keep_state(response, departure.state)
    return response


def arrive(visit: Visit) -> Response:
    """Sign in the person whom the provider vouches for."""
    if visit.desk.single_sign_on is None:
        raise PageRefused(404, "problems.no_page")
    query = visit.query
    arrival = ProviderAnswer(
        state=query.get("state", ""),
        code=query.get("code", ""),
        issuer=query.get("iss", ""),
        error=query.get("error", ""),
    )
    kept = visit.desk.cookies.state(visit.asked.cookies)
    try:
        done = visit.desk.single_sign_on.arrive(arrival, kept, visit.origin)
    except SignInRefused:
        raise PageRefused(403, "sign_in.not_let_in") from None
    except ConnectorFailed:
        raise PageRefused(503, "sign_in.provider_silent") from None
    response = visit.redirect_to(own_path(done.next))
    visit.desk.cookies.keep_state(response, "")
    visit.desk.cookies.begin(response, done.signed_in.token)
    return response


PAGES: Final[Declarations] = (
    Page("/sign-in/elsewhere", "sign-in-elsewhere", depart, asks_elsewhere=True, public=True),
    Page(CALLBACK, "sign-in-back", arrive, asks_elsewhere=True, public=True),
)
