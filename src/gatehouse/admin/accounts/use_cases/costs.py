"""What orders earn and cost an account, by which Sentry advises the cheapest outcome."""

from typing import Any, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.types import CostsBody, PoliciesShown
from gatehouse.admin.accounts.use_cases.policies import sentry_policy, shown_policies
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.costs import MOST_FEE, WHOLE, CostTerms
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.use_case import use_case

_COST_CURRENCY: Final = Phrase("refused.cost_currency", "{currency} is no currency of ISO 4217")
_COST_SHARE: Final = Phrase(
    "refused.cost_share", "{name} is a share from 0 to 1 with at most four decimals, such as 0.25"
)
_COST_FEE: Final = Phrase(
    "refused.cost_fee",
    "{name} is an amount of 0 or more with at most {digits} decimals, as {currency} has them",
)

_NEAR: Final = 1e-6
"""How far a decimal can be from the binary fraction that stands for it, in the smallest unit."""
_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "policiesResponse",
}


@use_case("PUT /policies/costs", **_MAY)
def set_costs(change: Change, account_id: str, given: CostsBody) -> PoliciesShown:
    """Set what orders earn and cost.

    Has Sentry work out what accepting, reviewing and declining an order would cost, and advise the
    cheapest.
    """
    _keep(change, account_id, cost_terms(given))
    return shown_policies(change.connection, account_id)


@use_case("DELETE /policies/costs", **_MAY)
def clear_costs(change: Change, account_id: str) -> PoliciesShown:
    """Forget what orders earn and cost.

    Sentry advises by expected cost no more.
    """
    _keep(change, account_id, None)
    return shown_policies(change.connection, account_id)


def terms_of(session: AdminSession, account_id: str) -> CostTerms | None:
    """What orders earn and cost the account; None where it has not said."""
    with session.account_reading(account_id) as connection:
        return sentry_policy(connection, account_id).costs


def cost_terms(given: CostsBody) -> CostTerms:
    """The costs as they are counted; `InvalidInput` for what cannot be."""
    digits = minor_digits(given.currency)
    if digits is None:
        raise InvalidInput(_COST_CURRENCY(currency=given.currency))
    unit: int = 10**digits

    def share(name: str, value: float) -> int:
        parts = round(value * WHOLE)
        if not 0 <= parts <= WHOLE or abs(parts - value * WHOLE) > _NEAR:
            raise InvalidInput(_COST_SHARE(name=name))
        return parts

    def fee(name: str, value: float) -> int:
        minor = round(value * unit)
        if not 0 <= minor <= MOST_FEE or abs(minor - value * unit) > _NEAR:
            raise InvalidInput(_COST_FEE(name=name, digits=digits, currency=given.currency))
        return minor

    return CostTerms(
        given.currency,
        share("margin", given.margin),
        given.preset,
        fee("chargebackFee", given.chargeback_fee),
        share("feeShare", given.fee_share),
        fee("reviewCost", given.review_cost),
        share("reviewFinds", given.review_finds),
    )


def _keep(change: Change, account_id: str, costs: CostTerms | None) -> None:
    check_approved(change, account_id, ApprovalKind.POLICIES)
    kept = msgspec.structs.replace(sentry_policy(change.connection, account_id), costs=costs)
    accounts.set_policy(change, account_id, SENTRY.name, msgspec.to_builtins(kept))
