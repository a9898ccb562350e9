"""What Sentry's stage asks when an account wants advice on authentication."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.stages.case import Case
from gatehouse.sentry.authentication.account_info import ThreeDSecureData, three_ds_data
from gatehouse.sentry.authentication.advised import AdvisedPayment
from gatehouse.sentry.authentication.reading import AUTHENTICATED, facts_of_request
from gatehouse.sentry.authentication.table import AuthenticationTable
from gatehouse.sentry.authentication.terms import AuthenticationTerms
from gatehouse.sentry.authentication.told import ScaAdviceTold, told_advice
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.request_view import RequestView


class AuthenticationTold(NamedTuple):
    """The parts of an answer, and what the record keeps."""

    advised: AdvisedPayment
    advice: ScaAdviceTold | UnsetType
    data: ThreeDSecureData | UnsetType


def authentication_entities(case: Case) -> tuple[Entity, ...]:
    """What the memory notes where 3-D Secure has authenticated the cardholder of a request."""
    found = case.inputs.find(ThreeDSecure)
    if case.card is None or found is None or not found.is_authenticated:
        return ()
    return (AUTHENTICATED,)


def tell_authentication(
    view: RequestView,
    event: MemoryEvent,
    terms: AuthenticationTerms,
    table: AuthenticationTable,
    scored: tuple[float, Mapping[str, float]],
) -> AuthenticationTold:
    """The advice on a request, given its confidence and its reasons."""
    known = facts_of_request(view, event, terms, table, scored)
    days = table.as_of.isoformat(), table.rates.as_of.isoformat()
    advised = AdvisedPayment.of(known, terms, days)
    data: ThreeDSecureData | UnsetType = UNSET
    if terms.three_ds_data:
        data = three_ds_data(view, event, terms.ship_address_input)
    return AuthenticationTold(advised, told_advice(advised), data)
