"""The connectors of the installation: how they are, their configuration, its history."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.connectors.use_cases.connector_status import connector_status
from gatehouse.admin.notifications.use_cases.installation import addresses
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.documents.reading import LARGEST_DOCUMENT
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_CONNECTOR_FILE: Final = Phrase(
    "refused.connector_file",
    "{name} is a file beside the configuration; such a configuration is applied at a terminal of "
    "the server",
)


def show_connectors(visit: Visit) -> Response:
    """What every running server says of its connectors, and the configuration in force."""
    known = connectors.find(visit.session)
    return visit.render(
        "connectors/connectors.html",
        servers=connector_status(visit.session),
        known=known,
        routes=() if known is None else known.configuration.routes.items(),
        addresses=addresses(visit.session),
        history=[] if known is None else connectors.history(visit.session),
    )


def show_editor(visit: Visit) -> Response:
    """The configuration as text; of an earlier version when one is named."""
    shown = connectors.find(visit.session, read_number(visit.query["version"]))
    in_force = connectors.find(visit.session)
    return visit.render(
        "connectors/edit.html",
        document="" if shown is None else shown.document,
        base=0 if in_force is None else in_force.version,
    )


def apply(visit: Visit) -> Response:
    """Make the text the next version; servers use it within a second."""
    new = NewVersion(
        visit.form["document"].replace("\r\n", "\n").encode(),
        (_number(visit, "base") or None) if visit.form.get("base") else None,
        visit.entered("note") or None,
    )
    done = connectors.apply(visit.session, visit.desk.settings, new, _no_file)
    key = "connectors.notices.applied" if done.changed else "connectors.notices.unchanged"
    notice = Notice(key, {"version": done.version})
    return visit.redirect("installation-connectors", notice=notice)


def roll_back(visit: Visit) -> Response:
    """Put an earlier version in force again."""
    done = connectors.rollback(visit.session, _number(visit, "to"), base=_number(visit, "base"))
    notice = Notice("connectors.notices.rolled_back", {"version": done.version})
    return visit.redirect("installation-connectors", notice=notice)


def _number(visit: Visit, field: str) -> int:
    number = read_number(visit.form[field])
    if number is None:
        raise visit.refuse("", "connectors.problems.version")
    return number


def _no_file(name: str) -> bytes:
    raise InvalidInput(_CONNECTOR_FILE(name=name))


_ALL: Final = "/installation/connectors"
_MAY: Final[dict[str, Any]] = {"permission": Permission.OPERATE}

PAGES: Final[Declarations] = (
    Page(_ALL, "installation-connectors", show_connectors, **_MAY),
    Page(f"{_ALL}/edit", "connectors-edit", show_editor, **_MAY),
    Action(
        f"{_ALL}/edit",
        "connectors-apply",
        apply,
        again=show_editor,
        most_bytes=4 * LARGEST_DOCUMENT,
        **_MAY,
    ),
    Action(f"{_ALL}/rollback", "connectors-rollback", roll_back, again=show_connectors, **_MAY),
)
