"""Use case: what an account has used, counted where that is quickest."""

from gatehouse.billing.statement import Period
from gatehouse.figures.copies import ColumnCopies
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.figures.usage import count_usage
from gatehouse.store.accounts import usage
from gatehouse.store.accounts.usage import UsageLine
from gatehouse.store.admin.admin_session import AdminSession

# What the store returns, for faces.
__all__ = ["UsageLine"]


def usage_figures(
    session: AdminSession, copies: ColumnCopies, account_id: str, period: Period
) -> list[UsageLine] | None:
    """Requests of a period by day and operation, from the copy if it has all of them by now.

    The copy is some seconds behind; otherwise both count the same. What the database has to count
    takes seconds with many requests, so that there is nothing until it is done.
    """
    session.actor.check_account(account_id)
    try:
        return count_usage(copies.of(account_id), period)
    except FiguresNotReady:

        def count() -> list[UsageLine]:
            with session.account_reading(account_id) as connection:
                return usage.usage(connection, account_id, period)

        name = ("usage", period.start_ms, period.end_ms)
        return copies.answers.ask(account_id, name, count).answer
