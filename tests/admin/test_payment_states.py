"""The list finds exactly the payments in a state, newest first, however rare or many they are."""

import random
from typing import Any, Final

from gatehouse.admin.payments.types import PaymentSearch, PaymentState
from gatehouse.admin.payments.use_cases.operating import list_payments
from gatehouse.core.ids import new_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS, PAYMENTS
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import GATEWAY_INTENTS
from tests.harness import make_account

_MANY: Final = 1300
"""More than are looked at together."""
_CASES: Final = (
    *[[("CAPTURE", 100)]] * 3,
    *[[("VOID", 100)]] * 8,
    *([], [("CAPTURE", 40)], [("CAPTURE", 40), ("CAPTURE", 60)]),
    *([("CAPTURE", 100), ("REFUND", 100)], [("CAPTURE", 100), ("REFUND", 1)]),
    [("CAPTURE", 70), ("REFUND", 30), ("REFUND", 40)],
)


def _keep(session: AdminSession, account: str, dice: random.Random) -> list[str]:
    """Many payments with what was done with them, a few of them in doubt; newest first."""
    now_ms = session.clock()
    ids = [new_id("req", now_ms - number, dice.randbytes) for number in range(_MANY)]
    paid = {"account_id": account, "at_ms": now_ms, "amount_minor": 100, "currency": "EUR"}
    operations: list[dict[str, Any]] = []
    about = {"account_id": account, "actor": "key:k", "attempts": 1}
    about |= {"at_ms": now_ms, "changed_at_ms": now_ms}
    for request_id in ids:
        for kind, minor in dice.choice(_CASES):
            state = "REFUSED" if dice.random() < 0.1 else "SUCCEEDED"
            one = {"id": new_id("op", now_ms, dice.randbytes), "request_id": request_id}
            operations.append(about | one | {"kind": kind, "state": state, "amount_minor": minor})
    intents = [
        paid | {"request_id": each, "state": dice.choice(tuple(IntentState)).value}
        for each in dice.sample(ids, 40)
    ]
    with session.database.writing() as connection:
        connection.execute(PAYMENTS.insert(), [paid | {"request_id": each} for each in ids])
        connection.execute(PAYMENT_OPERATIONS.insert(), operations)
        noted = [each | {"attempts": 0, "changed_at_ms": now_ms} for each in intents]
        connection.execute(GATEWAY_INTENTS.insert(), noted)
    return ids


def _listed(session: AdminSession, account: str, state: PaymentState | None) -> list[Any]:
    """All pages of a state."""
    found: list[Any] = []
    after, more = None, True
    while more:
        wanted = PaymentSearch(100, starting_after=after, state=state)
        page = list_payments(session, account, wanted)
        found += page.payments
        more = page.has_more
        after = found[-1].request_id if found else None
    return found


def test_each_payment_is_listed_in_its_state_alone(session: AdminSession) -> None:
    dice = random.Random(8)  # not for secrets
    account, other = make_account(session), make_account(session)
    ids = _keep(session, account, dice)
    _keep(session, other, dice)
    every = _listed(session, account, None)
    assert [each.request_id for each in every] == ids
    for state in PaymentState:
        found = [each.request_id for each in _listed(session, account, state)]
        assert found == [each.request_id for each in every if each.state is state]
        assert found, f"the test has some of {state}"
