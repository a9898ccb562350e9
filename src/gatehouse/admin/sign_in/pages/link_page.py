"""The page that shows a new link of a person, once, after it was sent where mail is set up."""

from starlette.responses import Response

from gatehouse.admin.sign_in.use_cases.links import NewLink
from gatehouse.admin.sign_in.use_cases.mail import link_url, send_link
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ConnectorFailed


def show_link(visit: Visit, login: str, link: NewLink) -> Response:
    """Show a link to who made it, to be handed over."""
    settings, sent, failed = visit.desk.settings, False, False
    try:
        sent = send_link(settings, login, link)
    except ConnectorFailed:
        failed = True
    return visit.render(
        "sign_in/new_link.html",
        login=login,
        link=link,
        address=link_url(settings, link),
        sent=sent,
        failed=failed,
        people="people" if visit.account else "installation-people",
    )
