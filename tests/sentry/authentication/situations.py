"""Payments that advice on authentication is asked for, in tests."""

import datetime
from typing import Any

from gatehouse.sentry.authentication.advice import ScaAdvice, advise_authentication
from gatehouse.sentry.authentication.checklist import AnsweredPoint, WhatWasSeen, answered_points
from gatehouse.sentry.authentication.known import (
    AmountLimits,
    AuthenticationFacts,
    CardState,
    PaymentScope,
)
from gatehouse.sentry.authentication.table import load_authentication_table
from gatehouse.sentry.authentication.terms import AuthenticationTerms

TABLE = load_authentication_table()
DAY = datetime.date(2026, 11, 15)
GERMAN = AuthenticationTerms("DE", tra_up_to=500)
UNIT = 1_000_000


def limits(country: str = "DE") -> AmountLimits:
    regime = TABLE.regime_of(country, DAY)
    assert regime is not None
    return AmountLimits.of(regime)


def points(*codes: str, seen: WhatWasSeen | None = None) -> tuple[AnsweredPoint, ...]:
    """The six points with some reasons against the payment."""
    reasons = dict.fromkeys(codes, -1.0)
    return answered_points(
        reasons, TABLE.finding_effect, seen or WhatWasSeen(True, True, True), ("DE", False)
    )


def known(amount: float | None = 50.0, **more: Any) -> AuthenticationFacts:
    """An ordinary payment of a German card in a German shop, apart from what is said otherwise."""
    fields: dict[str, Any] = {
        "scope": PaymentScope.INSIDE,
        "confidence": 9_000,
        "checklist": points(),
        "limits": limits(),
        "card": CardState(0, 0),
    }
    micros = None if amount is None else round(amount * UNIT)
    return AuthenticationFacts(amount=micros, **fields | more)


def advised(
    payment: AuthenticationFacts, terms: AuthenticationTerms = GERMAN, **changed: Any
) -> ScaAdvice:
    """The advice, with some terms changed."""
    fields = {name: getattr(terms, name) for name in terms.__struct_fields__}
    return advise_authentication(payment, AuthenticationTerms(**fields | changed))
