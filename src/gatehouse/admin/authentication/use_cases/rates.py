"""Rates of fraud for article 18, out of what became of payments."""

import datetime
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.authentication.types.rates import (
    FORMULA,
    QUARTERS,
    WINDOW_DAYS,
    RateFilter,
    RateReport,
    RateWindow,
    WindowValues,
    standing,
    stopped_bands,
    windows,
)
from gatehouse.admin.authentication.use_cases.settings import day_of, kept_terms, table_of
from gatehouse.admin.outcomes.use_cases.values import fraud_values, settled_values
from gatehouse.core.api_values import money
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.authentication.known import AmountLimits
from gatehouse.sentry.authentication.table import AuthenticationTable
from gatehouse.sentry.authentication.terms import NAME, MeasuredFraudRate
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case

_NOT_ASKED: Final = Phrase(
    "refused.sca_not_asked",
    "say first where the acquirer is: an account that asks for no advice on authentication has no "
    "bands",
)
_NO_REGIME: Final = Phrase(
    "refused.sca_no_regime", "no region of the table asks for authentication in {country}"
)
_MAY: Final[dict[str, Any]] = {"scope": "manage:account", "answers": "fraudRatesResponse"}


class _MeteredWindows(NamedTuple):
    table: AuthenticationTable
    limits: AmountLimits
    spans: list[RateWindow]
    values: list[WindowValues]
    left_out: int


@use_case(
    "GET /authentication/fraud-rates",
    operation="getFraudRates",
    codes=frozenset({"conflict"}),
    permission=Permission.SEE_MONEY,
    **_MAY,
)
def meter_fraud(reading: Reading, account_id: str, wanted: RateFilter) -> RateReport:
    """Meter the rates of fraud for article 18.

    Value of frauds by value of all payments, in windows of 90 days: the last one, and those that
    end with the latest quarters. Each is compared with the reference rate of each band.
    """
    return _report(_measured(reading, account_id, wanted.quarters))


@use_case(
    "POST /authentication/fraud-rates",
    operation="measureFraudRates",
    permission=Permission.ACCESS,
    **_MAY,
)
def measure_fraud(session: AdminSession, account_id: str) -> RateReport:
    """Measure the rates of fraud, and advise by them.

    Keeps the rate of the last 90 days, and which bands are stopped, for the advice of Sentry.
    """
    # Millions of payments may be read: nobody who changes something waits for that.
    with session.account_reading(account_id) as connection:
        found = _measured(Reading(session, connection), account_id, QUARTERS)
    now, stopped = found.values[0], stopped_bands(found.values[1:], found.limits)
    measured = MeasuredFraudRate(
        day_of(session.clock()).isoformat(),
        now.frauds,
        now.total,
        tuple(band.up_to for band in stopped),
    )
    with session.account_change(account_id) as change:
        terms = kept_terms(change.connection, account_id)
        if terms is None:
            raise Conflict(_NOT_ASKED())
        kept = msgspec.structs.replace(terms, measured=measured)
        accounts.set_policy(change, account_id, NAME, msgspec.to_builtins(kept))
    return _report(found)


def _measured(reading: Reading, account_id: str, quarters: int) -> _MeteredWindows:
    terms = kept_terms(reading.connection, account_id)
    if terms is None:
        raise Conflict(_NOT_ASKED())
    table, today = table_of(reading.session.settings), day_of(reading.now_ms)
    regime = table.regime_of(terms.acquirer_country, today)
    if regime is None:
        raise Conflict(_NO_REGIME(country=terms.acquirer_country))
    limits = AmountLimits.of(regime)
    spans = windows(today, quarters)
    found = [_values(reading, account_id, each, table, limits) for each in spans]
    return _MeteredWindows(table, limits, spans, [each for each, _ in found], found[0][1])


def _report(found: _MeteredWindows) -> RateReport:
    table, limits, spans, values, left_out = found
    stopped = stopped_bands(values[1:], limits)
    return RateReport(
        limits.regime,
        table.as_of.isoformat(),
        table.rates.as_of.isoformat(),
        FORMULA(days=WINDOW_DAYS),
        table.rates.source,
        [standing(span, each, limits) for span, each in zip(spans, values, strict=True)],
        [money(limits.currency, band.micros) for band in stopped],
        left_out,
    )


def _values(
    reading: Reading,
    account_id: str,
    window: RateWindow,
    table: AuthenticationTable,
    limits: AmountLimits,
) -> tuple[WindowValues, int]:
    """What payments and frauds of a window came to, and how many could not be counted."""
    span_ms = _ms(window.since), _ms(window.until)
    sizes = {code: _limits_in(table, limits, code) for code in table.rates.for_one_euro}
    settled, fraud = [0] * (len(limits.bands) + 1), [0] * (len(limits.bands) + 1)
    left_out = 0
    for group in settled_values(reading, account_id, span_ms, sizes):
        micros = _converted(table, limits, group.currency, group.micros)
        if micros is None:
            left_out += group.number
        else:
            settled[len(limits.bands) if group.size is None else group.size] += micros
    for currency, amount in fraud_values(reading, account_id, span_ms):
        micros = None if amount is None else _converted(table, limits, currency, amount)
        if micros is None:
            left_out += 1
        else:
            fraud[_place(limits, micros)] += micros
    return WindowValues(tuple(settled), tuple(fraud)), left_out


def _limits_in(table: AuthenticationTable, limits: AmountLimits, currency: str) -> Sequence[int]:
    """The largest amounts of the bands in another currency."""
    found = [table.converted(band.micros, limits.currency, currency) for band in limits.bands]
    return [each for each in found if each is not None]


def _converted(
    table: AuthenticationTable, limits: AmountLimits, currency: str | None, micros: int
) -> int | None:
    return None if currency is None else table.converted(micros, currency, limits.currency)


def _place(limits: AmountLimits, micros: int) -> int:
    band = limits.band_of(micros)
    return len(limits.bands) if band is None else limits.bands.index(band)


def _ms(day: datetime.date) -> int:
    start = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)
    return int(start.timestamp()) * 1000
