"""Rates of fraud by quarter and band: equal to a plain recomputation, and exact at their edges."""

import datetime
import json
import random
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.authentication.types.rates import (
    RateFilter,
    WindowValues,
    percent,
    room,
    stopped_bands,
    windows,
)
from gatehouse.admin.authentication.types.settings import AuthenticationBody
from gatehouse.admin.authentication.use_cases.rates import measure_fraud, meter_fraud
from gatehouse.admin.authentication.use_cases.settings import kept_terms, set_authentication
from gatehouse.admin.authentication.worker import RateWatch
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import make_account
from tests.sentry.authentication.situations import UNIT, limits

# Exactly what the meter says, written once more over the rows themselves; each payment has one arn.
_RATE = """
SELECT coalesce((SELECT sum(amount) FROM outcomes WHERE account_id = :account AND kind = 'SETTLED'
                 AND currency = 'EUR' AND at_ms >= :since AND at_ms < :until), 0),
       coalesce((SELECT sum(amount) FROM (
         SELECT arn, max(amount) AS amount FROM outcomes WHERE account_id = :account
          AND currency = 'EUR' AND at_ms >= :since AND at_ms < :until
          AND (kind = 'FRAUD_REPORT' AND fraud_type <> '57'
            OR kind = 'DISPUTE' AND reason IN ('10.4', '4837')
             AND coalesce(result, '') <> 'RESOLVED_BEFORE' AND coalesce(stage, '') <> 'INQUIRY')
         GROUP BY arn) AS once), 0)
"""


def told(session: AdminSession, account: str, *items: dict[str, Any]) -> None:
    for start in range(0, len(items), 500):
        body = json.dumps({"items": items[start : start + 500]}).encode()
        tell(session, account, RequestReader(OutcomeBatch).read(body))


def settled(number: int, amount: float, day: datetime.date, **more: Any) -> dict[str, Any]:
    return {
        **{"kind": "SETTLED", "reference": f"s{number}", "at": f"{day}T12:00:00Z"},
        **{"amount": amount, "currency": "EUR", "arn": f"{number:023d}"},
        **more,
    }


def fraud(number: int, amount: float, day: datetime.date, **more: Any) -> dict[str, Any]:
    made = {"kind": "FRAUD_REPORT", "reference": f"f{number}", "fraudType": "6"}
    return settled(number, amount, day) | made | more


def asking(session: AdminSession, country: str = "DE") -> str:
    account = make_account(session)
    set_authentication(session, account, AuthenticationBody(country))
    return account


def today(session: AdminSession) -> datetime.date:
    return datetime.datetime.fromtimestamp(session.clock() / 1000, datetime.UTC).date()


def test_windows_end_with_today_and_with_quarters() -> None:
    found = windows(datetime.date(2026, 11, 18), 3)
    assert [(each.name, each.until.isoformat()) for each in found] == [
        ("now", "2026-11-19"),
        ("2026-Q3", "2026-10-01"),
        ("2026-Q2", "2026-07-01"),
        ("2026-Q1", "2026-04-01"),
    ]
    assert {(each.until - each.since).days for each in found} == {90}
    assert windows(datetime.date(2026, 1, 1), 1)[1].name == "2025-Q4"


@pytest.mark.parametrize(
    ("frauds", "allowed"),
    [(0, 3), (100, 3), (101, 2), (600, 2), (601, 1), (1_300, 1), (1_301, 0)],
)
def test_exactly_the_reference_rate_is_allowed(frauds: int, allowed: int) -> None:
    values = WindowValues((1_000_000, 0, 0, 0), (frauds, 0, 0, 0))
    bands = limits().bands
    assert sum(band.allows(values.frauds, values.total) for band in bands) == allowed
    assert [room(band, values) for band in bands] == [
        max(most - frauds, 0) for most in (1_300, 600, 100)
    ]


def test_two_quarters_above_the_rate_stop_a_band_and_one_below_opens_it_again() -> None:
    above, below = WindowValues((1_000_000,), (601,)), WindowValues((1_000_000,), (600,))
    assert [band.up_to for band in stopped_bands([above, above], limits())] == [250, 500]
    assert [band.up_to for band in stopped_bands([below, above], limits())] == [500]
    assert [band.up_to for band in stopped_bands([above, below], limits())] == [500]
    assert stopped_bands([above], limits()) == []
    nothing = WindowValues((0,), (0,))
    assert stopped_bands([nothing, above], limits()) == []


def test_per_cent_is_rounded_once() -> None:
    assert percent(1_300, 1_000_000) == "0.1300"
    assert percent(1, 3) == "33.3333"
    assert percent(2, 3) == "66.6667"


def test_the_meter_equals_a_recomputation_over_the_rows(session: AdminSession) -> None:
    account, draw, last = asking(session), random.Random(7), today(session)
    items = []
    for number in range(700):
        day = last - datetime.timedelta(days=draw.randrange(500))
        amount = draw.choice((10.0, 100.0, 100.01, 250.0, 499.99, 500.01, 33.33))
        items.append(settled(number, amount, day))
        if draw.random() < 0.2:
            items.append(fraud(number, amount, day, fraudType=draw.choice(("6", "57"))))
        if draw.random() < 0.2:
            change = draw.choice(({}, {"result": "RESOLVED_BEFORE"}, {"stage": "INQUIRY"}))
            dispute = {"kind": "DISPUTE", "reference": f"d{number}", "reason": "10.4"}
            items.append(settled(number, amount, day) | dispute | change)
    told(session, account, *items)
    report = meter_fraud(session, account, RateFilter(quarters=4))
    assert len(report.standings) == 5
    for each in report.standings:
        span = {
            name: int(datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()) * 1000
            for name, day in (("since", each.since), ("until", each.until))
        }
        with session.reading() as connection:
            row = connection.execute(sa.text(_RATE), span | {"account": account}).one()
        assert (each.settled.micros, each.fraud.micros) == tuple(map(int, row))
        within = sum(band.settled.micros for band in each.bands)
        assert within <= each.settled.micros
    assert sum(each.fraud.micros for each in report.standings) > 0


def test_sizes_and_currencies(session: AdminSession) -> None:
    account, day = asking(session), today(session)
    told(
        session,
        account,
        settled(1, 100.0, day),
        settled(2, 100.01, day),
        settled(3, 259.725, day, currency="USD"),
        settled(4, 500.01, day),
        settled(5, 1000, day, currency="JPY"),
        fraud(1, 100.0, day),
        fraud(1, 100.0, day, reference="again"),
        fraud(6, 10, day, currency="JPY"),
    )
    report = meter_fraud(session, account, RateFilter())
    now = report.standings[0]
    assert [band.settled.micros for band in now.bands] == [100 * UNIT, 350_010_000, 0]
    assert now.settled.micros == 950_020_000
    assert now.fraud.micros == 100 * UNIT
    assert now.rate == percent(100 * UNIT, 950_020_000)
    assert report.left_out == 2
    assert report.regime == "EEA"


def test_what_was_measured_is_kept_for_the_advice(session: AdminSession) -> None:
    account, day = asking(session), today(session)
    quarter = windows(day, 2)
    items = [settled(0, 1000.0, day)]
    for number, span in enumerate(quarter[1:], 1):
        last = span.until - datetime.timedelta(days=1)
        items += [settled(number, 1000.0, last), fraud(number, 1000.0, last)]
    told(session, account, *items)
    report = measure_fraud(session, account)
    assert [each.micros // UNIT for each in report.stopped] == [100, 250, 500]
    with session.reading() as connection:
        terms = kept_terms(connection, account)
    assert terms is not None
    assert terms.measured is not None
    assert terms.measured.stopped == (100, 250, 500)
    assert terms.measured.total == report.standings[0].settled.micros
    # Other settings keep it, and another acquirer's country does not.
    set_authentication(session, account, AuthenticationBody("DE", tra_up_to=250))
    with session.reading() as connection:
        assert getattr(kept_terms(connection, account), "measured", None) == terms.measured
    set_authentication(session, account, AuthenticationBody("GB"))
    with session.reading() as connection:
        assert getattr(kept_terms(connection, account), "measured", None) is None


def test_a_server_measures_once_a_day(session: AdminSession) -> None:
    account, elsewhere = asking(session), asking(session, "US")
    watch = RateWatch(session)
    watch.look()
    with session.reading() as connection:
        assert getattr(kept_terms(connection, account), "measured", None) is not None
        assert getattr(kept_terms(connection, elsewhere), "measured", None) is None
    later = asking(session)
    watch.look()
    with session.reading() as connection:
        assert getattr(kept_terms(connection, later), "measured", None) is None


def test_without_bands_there_is_nothing_to_meter(session: AdminSession) -> None:
    with pytest.raises(Conflict, match="acquirer"):
        meter_fraud(session, make_account(session), RateFilter())
    with pytest.raises(Conflict, match="US"):
        measure_fraud(session, asking(session, "US"))


def test_a_stranger_reads_and_measures_nothing(session: AdminSession) -> None:
    account = asking(session)
    stranger = session.acting_as(Actor.key("key_1", make_account(session)))
    with pytest.raises(NotFound):
        meter_fraud(stranger, account, RateFilter())
    with pytest.raises(NotFound):
        measure_fraud(stranger, account)
