"""What orders earn and cost, as a part of an account's settings."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.admin.accounts.types import CostsBody
from gatehouse.admin.accounts.use_cases import costs
from gatehouse.admin.approvals.pages import changed
from gatehouse.console.visit import Visit
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.costs import CostPreset

OFF: Final = "off"
_PERCENT: Final = 100
_TWO_DECIMALS: Final = "USD"
"""A currency whose amounts have as many decimals as percentages have here."""


def cost_fields(visit: Visit, kept: CostsBody | None) -> dict[str, Any]:
    """The fields of the form, as the person would type them."""
    assert visit.account is not None, "settings are those of an account"
    given = kept or CostsBody(currency=visit.account.currency, margin=0)

    def typed(value: float) -> str:
        return visit.amount_to_type(round(value * MICROS_PER_UNIT))

    return {
        "presets": (OFF, *CostPreset),
        "preset": OFF if kept is None else str(given.preset),
        "currency": given.currency,
        "margin": typed(given.margin * _PERCENT),
        "chargeback_fee": typed(given.chargeback_fee),
        "fee_share": typed(given.fee_share * _PERCENT),
        "review_cost": typed(given.review_cost),
        "review_finds": typed(given.review_finds * _PERCENT),
    }


def set_costs(visit: Visit) -> Response:
    """Set what orders earn and cost, or forget it."""
    preset = visit.form["preset"]
    if preset == OFF:
        return changed(visit, costs.clear_costs) or _saved(visit)
    if preset not in {*CostPreset}:
        raise visit.refuse("preset", "settings.problems.preset")
    currency = visit.entered("currency").upper()
    if minor_digits(currency) is None:
        raise visit.refuse("currency", "settings.problems.cost_currency")

    def amount(field: str, of: str) -> float:
        return visit.read_amount(field, visit.entered(field) or "0", of)

    given = CostsBody(
        currency=currency,
        margin=amount("margin", _TWO_DECIMALS) / MICROS_PER_UNIT / _PERCENT,
        preset=CostPreset(preset),
        chargeback_fee=amount("chargeback_fee", currency) / MICROS_PER_UNIT,
        fee_share=amount("fee_share", _TWO_DECIMALS) / MICROS_PER_UNIT / _PERCENT,
        review_cost=amount("review_cost", currency) / MICROS_PER_UNIT,
        review_finds=amount("review_finds", _TWO_DECIMALS) / MICROS_PER_UNIT / _PERCENT,
    )
    return changed(visit, costs.set_costs, given) or _saved(visit)


def _saved(visit: Visit) -> Response:
    return visit.redirect("settings", notice="settings.notices.saved")
