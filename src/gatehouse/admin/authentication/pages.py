"""Authentication of an account: what advice depends on, and the rates of fraud for article 18."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import changed
from gatehouse.admin.authentication.types.rates import RateFilter, RateReport
from gatehouse.admin.authentication.types.settings import AuthenticationBody
from gatehouse.admin.authentication.use_cases import rates, settings
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import Conflict
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry.authentication.terms import ExemptionPlacement

_CONFIDENCES: Final = ("exempt_from", "challenge_below", "decline_below")
_FOUR_DECIMALS: Final = "CLF"
"""A currency whose amounts have as many decimals as confidences have here."""


def show_authentication(visit: Visit) -> Response:
    """The settings, and how the account stands."""
    shown = settings.get_authentication(*visit.opened)
    given = shown.settings or AuthenticationBody("DE")
    return visit.render(
        "authentication/authentication.html",
        shown=shown,
        given=given,
        country=given.acquirer_country if shown.settings else "",
        confidences={name: _typed(visit, getattr(given, name)) for name in _CONFIDENCES},
        placements=[each.value for each in ExemptionPlacement],
        report=_report(visit),
    )


def set_authentication(visit: Visit) -> Response:
    """Ask for advice, or change what it depends on."""
    typed: dict[str, Any] = {
        name: visit.read_amount(name, visit.entered(name) or "0", _FOUR_DECIMALS) / MICROS_PER_UNIT
        for name in _CONFIDENCES
    }
    for name in ("acquirer_country", "merchant_country"):
        typed[name] = visit.entered(name).upper() or None
    given = visit.given(AuthenticationBody, **typed)
    saved = visit.redirect("authentication", notice="authentication.notices.saved")
    return changed(visit, settings.set_authentication, given) or saved


def clear_authentication(visit: Visit) -> Response:
    """Ask for no advice any more."""
    cleared = visit.redirect("authentication", notice="authentication.notices.cleared")
    return changed(visit, settings.clear_authentication) or cleared


def measure(visit: Visit) -> Response:
    """Keep the rates of fraud for the advice."""
    rates.measure_fraud(*visit.opened)
    return visit.redirect("authentication", notice="authentication.notices.measured")


def _report(visit: Visit) -> RateReport | None:
    """The rates, for those who may see money, where there are bands."""
    if not visit.may(Permission.SEE_MONEY):
        return None
    try:
        return rates.meter_fraud(*visit.opened, RateFilter())
    except Conflict:
        return None


def _typed(visit: Visit, share: float) -> str:
    return visit.amount_to_type(round(share * MICROS_PER_UNIT))


_HERE: Final[dict[str, Any]] = {"again": show_authentication}
_ALL: Final = "/a/{account}/authentication"

PAGES: Final[Declarations] = (
    Page(
        _ALL,
        "authentication",
        show_authentication,
        group="account",
        does=settings.get_authentication,
    ),
    Action(
        f"{_ALL}/settings",
        "authentication-settings",
        set_authentication,
        **_HERE,
        does=settings.set_authentication,
    ),
    Action(
        f"{_ALL}/clear",
        "authentication-clear",
        clear_authentication,
        **_HERE,
        does=settings.clear_authentication,
    ),
    Action(
        f"{_ALL}/measure",
        "authentication-measure",
        measure,
        **_HERE,
        does=rates.measure_fraud,
    ),
)
