"""How the service itself does, for those who operate it: latency by stage, and connectors."""

from typing import Final

from starlette.responses import Response

from gatehouse.admin.connectors.use_cases.connector_status import list_connectors
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady, overview
from gatehouse.console.forms.spans import PRESETS, chosen_span
from gatehouse.console.visit import Visit
from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.operations.connectors import APPLIED
from gatehouse.precheck.spec import PRE_CHECK

_BUILT_IN: Final = ("sandbox", "records", "none")


def show_service(visit: Visit) -> Response:
    """Latency of a span beside that of the span before, and who answers."""
    span = chosen_span(visit)
    columns = visit.columns
    try:
        found = overview(visit.session, columns, span.figures)
    except FiguresNotReady:
        found = None
    before = {} if found is None else {each.name: each.p95 for each in found.latency_before}
    return visit.render(
        "overview/service.html",
        chosen=span,
        presets=tuple(PRESETS),
        latency=() if found is None else found.latency,
        before=before,
        connectors=list_connectors(*visit.opened).connectors,
        answered=_answered(visit),
    )


def _answered(visit: Visit) -> list[tuple[str, str]]:
    """The functions that no applied connector answers, and who does."""
    settings = visit.desk.settings
    chosen = (
        (PRE_CHECK.name, settings.issuer),
        (ID_VERIFY.name, settings.identities),
        (GATEWAY.name, settings.gateway),
    )
    # The name of a factory says how the service was built, which is for operators.
    return [
        (function, word if word in _BUILT_IN else "factory")
        for function, word in chosen
        if word != APPLIED
    ]
