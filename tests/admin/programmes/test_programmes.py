"""The meter of an account equals a plain recomputation, and nobody else reads it."""

import datetime
import json
import random
from collections import Counter

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.use_cases import get_programmes
from gatehouse.core.errors import NotFound
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.store.admin.admin_session import AdminSession
from tests.console.harness import open_console
from tests.harness import Home, make_account

# Exactly what the meter says, written once more over the rows themselves.
_VAMP = """
SELECT count(CASE WHEN kind = 'FRAUD_REPORT' THEN 1 END)
     + count(CASE WHEN kind = 'DISPUTE' AND coalesce(result, '') <> 'RESOLVED_BEFORE'
                   AND coalesce(stage, '') <> 'INQUIRY' THEN 1 END),
       count(CASE WHEN kind = 'SETTLED' THEN 1 END)
FROM outcomes WHERE account_id = :account AND network = 'VISA' AND merchant_id = :merchant
 AND at_ms >= :since AND at_ms < :until
"""


def _month(year: int, month: int) -> int:
    return int(datetime.datetime(year, month, 1, tzinfo=datetime.UTC).timestamp()) * 1000


def _tell_some(session: AdminSession, account: str, number: int) -> None:
    """Outcomes of three months with known truth, some of them at the very end of a month."""
    draw = random.Random(number)
    edges = ["2026-09-30T23:59:59.999Z", "2026-10-01T00:00:00Z", "2026-10-31T23:59:59.999Z"]
    edges += ["2026-11-01T00:00:00Z", "2026-10-31T22:00:00-03:00", "2026-11-01T01:00:00+02:00"]
    items = []
    for each in range(number):
        day = datetime.date(2026, 9, 1) + datetime.timedelta(days=draw.randrange(80))
        at = draw.choice([*edges, f"{day}T12:00:00Z", f"{day}T12:00:00Z", f"{day}T12:00:00Z"])
        kind = draw.choices(("SETTLED", "FRAUD_REPORT", "DISPUTE"), (90, 5, 5))[0]
        item = {
            **{"kind": kind, "reference": f"r{each}", "at": at},
            **{"network": draw.choice(("VISA", "MASTERCARD")), "merchantId": draw.choice("AB")},
        }
        if kind == "DISPUTE":
            item["reason"] = draw.choice(("10.4", "13.1", "4837", "4853"))
            item |= draw.choice(({}, {}, {"result": "RESOLVED_BEFORE"}, {"stage": "INQUIRY"}))
        items.append(item)
    for start in range(0, number, 500):
        body = json.dumps({"items": items[start : start + 500]}).encode()
        tell(session, account, RequestReader(OutcomeBatch).read(body))


def test_the_meter_equals_a_recomputation_over_the_rows(session: AdminSession) -> None:
    account = make_account(session)
    _tell_some(session, account, 1000)
    for month, since, until in (
        ("2026-09", _month(2026, 9), _month(2026, 10)),
        ("2026-10", _month(2026, 10), _month(2026, 11)),
        ("2026-11", _month(2026, 11), _month(2026, 12)),
    ):
        report = get_programmes(session, account, MeterFilter(month))
        found = {
            each.merchant_id: (each.events, each.sales)
            for each in report.standings
            if each.programme == "VAMP"
        }
        with session.reading() as connection:
            for merchant in "AB":
                bound = {"account": account, "merchant": merchant, "since": since, "until": until}
                row = connection.execute(sa.text(_VAMP), bound).one()
                assert found[merchant] == tuple(row)
                assert sum(row) > 50


def test_visa_has_its_own_month_and_mastercard_the_one_before(session: AdminSession) -> None:
    account = make_account(session)
    _tell_some(session, account, 300)
    report = get_programmes(session, account, MeterFilter("2026-10"))
    months = Counter((each.network, each.sales_month) for each in report.standings)
    assert set(months) == {("VISA", "2026-10"), ("MASTERCARD", "2026-09")}


def test_a_stranger_reads_no_meter(session: AdminSession) -> None:
    account = make_account(session)
    stranger = session.acting_as(Actor.key("key_1", make_account(session)))
    with pytest.raises(NotFound):
        get_programmes(stranger, account, MeterFilter())


def test_the_page_and_the_command_show_how_many_events_are_left(home: Home) -> None:
    with open_console(home.migrated()) as console:
        _tell_some(console.session, console.account_id, 100)
        page = console.as_role(UserRole.ADMINISTRATOR).get(f"/a/{console.account_id}/programmes")
        assert page.status_code == 200
        assert "VAMP" in page.text
        ours = ("--account", console.account_id)
    assert home.run("programmes", "show", "--month", "2026-13", *ours).code == 4
    assert "VAMP" in home.run("programmes", "show", "--month", "2026-10", *ours).out
