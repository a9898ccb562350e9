"""A month that is over is told of once: what its statement comes to, and where it is."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gatehouse.admin.events.use_cases.events import EventQuery, list_events
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.money.worker.statements import LATE_MS, StatementTeller
from gatehouse.billing.statement import month_period
from gatehouse.core.events import EventName
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import LEDGER_ENTRIES
from tests.harness import make_account


def _at(session: AdminSession, month: str, after_ms: int) -> AdminSession:
    now_ms = month_period(month).end_ms + after_ms
    return dataclasses.replace(session, clock=lambda: now_ms)


def _told(session: AdminSession, account: str) -> list[dict[str, Any]]:
    page = list_events(session, account, EventQuery(types=(EventName.STATEMENT_READY,)))
    return [each.data for each in page.events]


def _account(session: AdminSession) -> str:
    """Paid in September, and was corrected in October."""
    account = make_account(session, "Shop", "EUR", 0)
    money.top_up(_at(session, "2026-09", -1), account, 20_000_000, "")
    money.adjust(_at(session, "2026-10", -1), account, -2_500_000, "too much")
    return account


def test_a_month_is_told_of_once_with_several_servers_and_restarts(session: AdminSession) -> None:
    account, idle = _account(session), make_account(session, "Idle", "EUR", 0)
    StatementTeller(_at(session, "2026-10", LATE_MS - 1)).look()
    assert [each["month"] for each in _told(session, account)] == ["2026-09"]
    later = _at(session, "2026-10", LATE_MS)
    with ThreadPoolExecutor() as servers:
        for done in [servers.submit(StatementTeller(later).look) for _ in range(3)]:
            done.result()
    StatementTeller(_at(session, "2026-10", 3 * LATE_MS)).look()
    _, october = _told(session, account)
    amounts = {name: each.micros for name, each in october.items() if hasattr(each, "micros")}
    assert amounts == {
        "openingBalance": 20_000_000,
        "topUps": 0,
        "adjustments": -2_500_000,
        "charged": 0,
        "closingBalance": 17_500_000,
    }
    assert october["links"]["statement"] == "/api/v1/statement?month=2026-10"
    assert october["links"]["page"].endswith(f"/a/{account}/money/statement?month=2026-10")
    assert _told(session, idle) == []


def test_months_without_a_server_are_told_of_afterwards(session: AdminSession) -> None:
    account = _account(session)
    StatementTeller(_at(session, "2026-08", LATE_MS)).look()
    assert _told(session, account) == []
    StatementTeller(_at(session, "2026-11", LATE_MS)).look()
    assert [each["month"] for each in _told(session, account)] == ["2026-09", "2026-10"]


def test_a_ledger_that_does_not_add_up_keeps_no_other_account_waiting(
    session: AdminSession,
) -> None:
    wrong, right = _account(session), _account(session)
    with session.writing() as connection:
        mine = LEDGER_ENTRIES.c.account_id == wrong
        connection.execute(LEDGER_ENTRIES.update().where(mine).values(detail="x", amount=10**7))
    StatementTeller(_at(session, "2026-10", LATE_MS)).look()
    assert [each["month"] for each in _told(session, right)] == ["2026-10"]
