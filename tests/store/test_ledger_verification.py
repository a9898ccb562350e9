"""The ledger is compared with the audit trail and the decision records; on both databases."""

import asyncio

import pytest
import sqlalchemy as sa

from gatehouse.admin.money.queries import ledger_verification
from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import Hold, Item
from gatehouse.billing.verify import LedgerReport
from gatehouse.pipeline.settlement import Authorize, Close, DecisionRow
from gatehouse.store.accounts import ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer
from gatehouse.store.tables import ACCOUNTS, AUDIT, DECISIONS, LEDGER_ENTRIES
from tests.harness import make_account

PAID_IN = 1000
FEE = 30
_E = LEDGER_ENTRIES.c


@pytest.fixture
def account(session: AdminSession) -> str:
    """An account with a top-up, an adjustment, and three requests that were charged."""
    account = make_account(session, micros=PAID_IN)
    make_account(session, micros=7)
    with session.change() as change:
        ledger.adjust(change, account, -10, "correction")
    asyncio.run(_requests(session, account))
    return account


async def _requests(session: AdminSession, account: str) -> None:
    writer = Writer(lambda: open_batch_session(session.database))
    writer.start()
    for request_id in ("req_1", "req_2", "req_3"):
        await writer.authorize(Authorize(Hold(request_id, account, 50, 2**40, "srv"), 1))
        record = f'{{"requestId":"{request_id}","authorizedMicros":50,"closedMicros":{FEE}}}'
        row = DecisionRow(account, request_id, 1, "sentry", None, None, record)
        await writer.close(Close(account, request_id, 1, [Item("SENTRY", FEE, True)], row))
    await writer.stop()


def verified(session: AdminSession) -> LedgerReport:
    return money.verify_ledger(session)


def change(session: AdminSession, *statements: sa.Executable) -> None:
    """What somebody with access to the database does."""
    with session.database.writing() as connection:
        for statement in statements:
            connection.execute(statement)


def balance(account: str, by: int) -> sa.Executable:
    of_account = ACCOUNTS.update().where(ACCOUNTS.c.id == account)
    return of_account.values(balance=ACCOUNTS.c.balance + by)


def test_a_ledger_that_agrees_with_everything_is_right(session: AdminSession, account: str) -> None:
    report = verified(session)
    assert report.problems == []
    assert (report.payments, report.closed, report.records) == (3, 3, 3)


def test_money_added_in_the_database_has_no_line_in_the_trail(
    session: AdminSession, account: str
) -> None:
    entry = (account, "pay_forged", 0, "TOP_UP", 500, 0, 1, None)
    columns = [column.name for column in LEDGER_ENTRIES.c]
    forged = LEDGER_ENTRIES.insert().values(dict(zip(columns, entry, strict=True)))
    change(session, forged, balance(account, 500))
    assert verified(session).problems == [
        "pay_forged: 500 was added without a line in the audit trail"
    ]


def test_an_amount_other_than_the_trails_is_found(session: AdminSession, account: str) -> None:
    topped = (_E.account_id == account) & (_E.kind == "TOP_UP")
    change(
        session,
        LEDGER_ENTRIES.update().where(topped).values(amount=PAID_IN + 1),
        balance(account, 1),
    )
    [problem] = verified(session).problems
    assert problem.endswith(f"the audit trail says {PAID_IN}, the ledger {PAID_IN + 1}")


def test_a_top_up_that_became_an_adjustment_is_found(session: AdminSession, account: str) -> None:
    topped = (_E.account_id == account) & (_E.kind == "TOP_UP")
    change(session, LEDGER_ENTRIES.update().where(topped).values(kind="ADJUST"))
    [problem] = verified(session).problems
    assert "the audit trail says" in problem


def test_a_top_up_that_was_given_to_another_account_is_found(
    session: AdminSession, account: str
) -> None:
    other = make_account(session)
    adjusted = (_E.account_id == account) & (_E.kind == "ADJUST")
    moved = LEDGER_ENTRIES.update().where(adjusted).values(account_id=other, amount=10)
    change(session, moved, balance(account, 10), balance(other, 10))
    one, two = verified(session).problems
    assert "added without a line" in one
    assert "in the audit trail and not in the ledger" in two


def test_an_entry_that_was_removed_is_missed_by_the_trail(
    session: AdminSession, account: str
) -> None:
    adjusted = (_E.account_id == account) & (_E.kind == "ADJUST")
    change(session, LEDGER_ENTRIES.delete().where(adjusted), balance(account, 10))
    [problem] = verified(session).problems
    assert "in the audit trail and not in the ledger" in problem


def test_a_payment_with_two_lines_in_the_trail_is_found(
    session: AdminSession, account: str
) -> None:
    with session.reading() as connection:
        reference = connection.scalar(sa.select(_E.reference).where(_E.kind == "ADJUST"))
    with session.change() as again:
        again.audit(ledger.ADJUSTED, account, reference=reference, micros=-10, reason="again")
    [problem] = verified(session).problems
    assert "the audit trail says 2 lines" in problem


def test_a_broken_trail_proves_nothing_about_the_ledger(
    session: AdminSession, account: str
) -> None:
    change(session, AUDIT.update().where(AUDIT.c.action == ledger.ADJUSTED).values(details="{"))
    [problem] = verified(session).problems
    assert "gatehouse audit verify" in problem


def test_a_close_without_its_decision_record_is_found(session: AdminSession, account: str) -> None:
    change(session, DECISIONS.delete().where(DECISIONS.c.request_id == "req_2"))
    assert verified(session).problems == [f"req_2: closed {FEE} without a decision record"]


@pytest.mark.parametrize("record", ['{"closedMicros":0}', "{}", "not a record"])
def test_a_record_that_says_another_amount_or_none_is_found(
    session: AdminSession, account: str, record: str
) -> None:
    of_request = DECISIONS.update().where(DECISIONS.c.request_id == "req_2")
    change(session, of_request.values(record=record))
    [problem] = verified(session).problems
    assert problem.startswith("req_2: ")


def test_a_charge_that_was_removed_is_missed_by_its_decision_record(
    session: AdminSession, account: str
) -> None:
    of_request = LEDGER_ENTRIES.delete().where(_E.reference == "req_2")
    change(session, of_request, balance(account, FEE))
    assert verified(session).problems == ["req_2: has a decision record and was never closed"]


def test_records_are_read_a_few_at_a_time(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_verification, "_AT_ONCE", 2)
    assert verified(session).records == 3
    change(session, DECISIONS.delete())
    assert len(verified(session).problems) == 3
