"""What became of a payment stands at its decision, and erasure and retention know of it."""

import json

from gatehouse.access.roles import UserRole
from gatehouse.admin.decisions.use_cases.decisions import get_decision, what_became
from gatehouse.admin.outcomes.types.outcome import OutcomeFilter
from gatehouse.admin.outcomes.use_cases.forgetting import forget_next
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.export import export_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.privacy.use_cases.retention import (
    RetentionHooks,
    RetentionPolicy,
    run_retention,
)
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.outcomes.told import ARN, DISPUTE, SALE, Payments, batch, kept
from tests.console.harness import open_console
from tests.harness import Home, make_account

MONEY = {"amount": 50, "currency": "USD"}
CARD = {"maskedCard": "424242******4242", "transactionAt": "2026-11-01T00:00:00Z"}


def test_a_decision_tells_what_became_of_it(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    mine = {"requestId": request_id, **MONEY}
    tell(session, account, batch({**DISPUTE, **mine}, {**SALE, **mine}))
    record = get_decision(session, account, request_id)
    became = what_became(session, account, record)
    assert [(each.kind, each.amount) for each in became] == [("SETTLED", "50"), ("DISPUTE", "50")]


def test_its_page_tells_it_too(home: Home) -> None:
    with open_console(home.migrated()) as console:
        account = console.account_id
        request_id = Payments(console.session, account).pay()
        mine = {"requestId": request_id, "amount": 50, "currency": "JPY"}
        tell(
            console.session,
            account,
            batch({**DISPUTE, **mine, "respondBy": "2026-11-20T00:00:00Z"}),
        )
        page = console.as_role(UserRole.VIEWER).get(f"/a/{account}/decisions/{request_id}")
        assert "What became of it" in page.text
        assert "dp-1" in page.text
        assert "¥50" in page.text


def test_erasure_takes_names_and_card_and_leaves_what_happened(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    request_id, other = payments.pay(user="u-1"), payments.pay(user="u-2", device="d-2")
    told = {**DISPUTE, **MONEY, **CARD, "arn": ARN, "requestId": request_id, "paymentId": "pay_1"}
    tell(session, account, batch(told, {**SALE, "requestId": other, "paymentId": "pay_2"}))
    written: list[bytes] = []
    person = PersonNamed(user_id="u-1")
    export_person(session, account, person, written.append)
    [exported] = json.loads(b"".join(written))["outcomes"]
    assert (exported["reference"], exported["arn"]) == ("dp-1", ARN)
    assert erase_person(session, account, person, ErasureOptions(compact=False)).outcomes == 1
    dispute, sale = kept(session, account)
    assert (dispute.request_id, dispute.amount, dispute.arn) == (request_id, "50", None)
    row = session.database
    with row.reading() as connection:
        left = connection.exec_driver_sql(
            "SELECT payment_id, card_first, card_last_four FROM outcomes ORDER BY kind"
        ).all()
    assert [tuple(each) for each in left] == [(None, None, None), ("pay_2", None, None)]
    assert sale.request_id == other


def test_old_outcomes_go_and_those_of_old_decisions_forget_their_names(
    session: AdminSession,
) -> None:
    account = make_account(session)
    request_id = Payments(session, account, days_ago=40).pay()
    told = {**SALE, "requestId": request_id, "paymentId": "pay_1", "arn": ARN}
    tell(session, account, batch(told, {**DISPUTE, "at": "2020-01-01T00:00:00Z"}))
    hooks = RetentionHooks(rests=False)
    deleted = run_retention(session, RetentionPolicy(outcomes=365), hooks)
    assert deleted.outcomes == 1
    [sale] = kept(session, account)
    assert sale.arn == ARN
    run_retention(session, RetentionPolicy(decisions=30), hooks)
    [sale] = list_outcomes(session, account, OutcomeFilter()).outcomes
    assert (sale.arn, sale.reference) == (None, "s-1")


def test_outcomes_forget_some_at_a_time_and_none_that_is_newer(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    paid = [payments.pay() for _ in range(50)]
    sales = [
        {**SALE, "reference": f"s-{number}", "requestId": each, "paymentId": f"pay_{number}"}
        for number, each in enumerate(paid)
    ]
    tell(session, account, batch(*sales, {**DISPUTE, "requestId": paid[7], "arn": ARN}))
    newest = max(paid)
    # Many are passed over at once, when the same is done again.
    for most_steps in (60, 4):
        after: str | None = ""
        for _ in range(most_steps):
            with session.database.writing() as connection:
                after = forget_next(account, after or "", newest, connection, 1)
            if after is None:
                break
        assert after is None
    with session.database.reading() as connection:
        left = connection.exec_driver_sql(
            "SELECT request_id FROM outcomes WHERE payment_id IS NOT NULL OR arn IS NOT NULL"
        ).all()
    assert [tuple(each) for each in left] == [(newest,)]
