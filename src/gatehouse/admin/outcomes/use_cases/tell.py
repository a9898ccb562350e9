"""Tells what became of payments, one by one or many at once."""

from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch, OutcomeReceipt
from gatehouse.admin.outcomes.use_cases.keeping import OutcomeKeeper
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, use_case

_SCOPE: Final = "manage:feedback"


@use_case(
    "POST /outcomes",
    scope=_SCOPE,
    permission=Permission.REVIEW,
    operation="tellOutcomes",
    answers="outcomesToldResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
)
def tell(session: AdminSession, account_id: str, given: OutcomeBatch) -> OutcomeReceipt:
    """Tell what became of payments.

    Keeps up to 500 outcomes: settlements, refunds, reported frauds, alerts and disputes. Each has a
    reference of its own; the same again changes nothing, and a new stage or result replaces what
    was told before. Disputes and reports of fraud label their decisions.
    """
    keeper = OutcomeKeeper(session, account_id)
    rows = keeper.prepared(given.items)
    with session.change(unseen=True) as change:
        accounts.get(change.connection, account_id)
        done = keeper.store(change.connection, rows)
        about = {"new": done.new, "changed": done.changed, "unchanged": done.unchanged}
        change.audit("outcome.tell", account_id, **about)
    return done
