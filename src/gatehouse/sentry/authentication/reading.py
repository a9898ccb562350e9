"""Reads off a viewed request what advice on authentication is a function of."""

import datetime
from collections.abc import Mapping
from typing import Final

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry import kinds
from gatehouse.sentry.authentication.checklist import WhatWasSeen, answered_points
from gatehouse.sentry.authentication.known import (
    AmountLimits,
    AuthenticationFacts,
    CardState,
    PaymentScope,
)
from gatehouse.sentry.authentication.table import AuthenticationTable, ScaRegime
from gatehouse.sentry.authentication.terms import AuthenticationTerms
from gatehouse.sentry.costs import WHOLE
from gatehouse.sentry.memory.entity_history import TIME_SHIFT, EntityHistory
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.request import AuthenticationInputs
from gatehouse.sentry.request_view import RequestView

AUTHENTICATED: Final[Entity] = (kinds.AUTHENTICATION, "Y")
"""What a card meets in the memory when it is authenticated; so the memory knows when that was."""
NOTHING_SAID: Final = AuthenticationInputs()


def facts_of_request(
    view: RequestView,
    event: MemoryEvent,
    terms: AuthenticationTerms,
    table: AuthenticationTable,
    scored: tuple[float, Mapping[str, float]],
) -> AuthenticationFacts:
    """What is known of a request, given its confidence and its reasons with their effects."""
    confidence, reasons = scored
    said = view.request.authentication or NOTHING_SAID
    day = datetime.datetime.fromtimestamp(view.at_s, datetime.UTC).date()
    regime = table.regime_of(terms.acquirer_country, day)
    amount = _in_regime(table, regime, event.amount, event.currency)
    kept = None if view.card is None else view.card.kept
    country = None if kept is None else kept.country
    payee = terms.payee_country
    seen = WhatWasSeen(
        memory=view.history is not None,
        device=view.agent is not None or view.device.device_id is not None,
        address=view.has_public_address,
    )
    return AuthenticationFacts(
        scope=_scope(regime, country),
        confidence=round(confidence * WHOLE),
        checklist=answered_points(
            reasons, table.finding_effect, seen, (payee, payee in table.high_risk_countries)
        ),
        limits=None if regime is None else AmountLimits.of(regime),
        amount=amount,
        no_rate=amount is None and event.amount is not None,
        card=_card_state(view.history, event, table, regime),
        issuer_country=country,
        prepaid=kept is not None and kept.prepaid is True,
        merchant_initiated=view.is_renewal,
        recurring=said.recurring is True,
        has_reference=said.initial_reference is not None,
        authenticated=AUTHENTICATED in event.entities,
        trusted=said.trusted_beneficiary is True,
        corporate=said.secure_corporate is True,
        mail_or_telephone=said.mail_or_telephone is True,
        anonymous_card=said.anonymous_card is True,
    )


def last_authentication(card: EntityHistory) -> int | None:
    """When a card was last authenticated, in whole seconds; None when that was never seen."""
    links = card.links_to(kinds.AUTHENTICATION)
    return max(links) >> TIME_SHIFT if links else None


def _scope(regime: ScaRegime | None, issuer: str | None) -> PaymentScope:
    if regime is None:
        return PaymentScope.ACQUIRER_OUTSIDE
    if issuer is None:
        return PaymentScope.ISSUER_UNKNOWN
    return PaymentScope.INSIDE if issuer in regime.countries else PaymentScope.ISSUER_OUTSIDE


def _in_regime(
    table: AuthenticationTable,
    regime: ScaRegime | None,
    amount: float | None,
    currency: str | None,
) -> int | None:
    """An amount in millionths of the region's currency; None where nobody can tell."""
    if regime is None or amount is None or currency is None:
        return None
    return table.converted(round(amount * MICROS_PER_UNIT), currency, regime.currency)


def _card_state(
    history: History | None,
    event: MemoryEvent,
    table: AuthenticationTable,
    regime: ScaRegime | None,
) -> CardState | None:
    """What was seen of the card since it was last authenticated, without this very payment."""
    card = None if history is None else history.first.get(kinds.CARD)
    if card is None:
        return None
    authenticated_s = last_authentication(card)
    # The second of the authentication belongs to the payment that was authenticated.
    since_s = card.first_s - 1 if authenticated_s is None else authenticated_s + 1.0
    count = max(round(card.count(since_s, event.at_s)) - 1, 0)
    paid = event.amount or 0.0
    known: float | None = None
    # What was paid in another currency than that of the card's sums is not in them.
    if card.currency == event.currency and not _lacks_amounts(card, since_s, event.at_s):
        known = max(card.total(since_s, event.at_s) - paid, 0.0)
    spent = _in_regime(table, regime, known, card.currency) if count else 0
    return CardState(count, spent, authenticated_s)


def _lacks_amounts(card: EntityHistory, since_s: float, until_s: float) -> bool:
    """Whether a payment within a time was counted without its amount."""
    timeline = card.timeline or ()
    rows = zip(timeline[::3], timeline[2::3], strict=True)
    return any(not amount for at_s, amount in rows if since_s < at_s < until_s)
