"""Use case: what an account has used, counted where that is quickest."""

from gatehouse.billing.statement import Period
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.figures.usage import count_usage
from gatehouse.store.accounts import usage
from gatehouse.store.accounts.usage import UsageLine
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_reading

# What the store returns, for faces.
__all__ = ["UsageLine"]


def usage_figures(
    session: AdminSession, columns: AccountColumns, period: Period
) -> list[UsageLine]:
    """Requests of a period by day and operation, from the copy if it has all of them by now.

    The copy is some seconds behind; otherwise both count the same.
    """
    session.actor.check_account(columns.account_id)
    try:
        return count_usage(columns, period)
    except FiguresNotReady:
        with account_reading(session, columns.account_id) as connection:
            return usage.usage(connection, columns.account_id, period)
