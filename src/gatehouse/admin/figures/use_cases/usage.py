"""Use case: what an account has used, counted where that is quickest."""

from gatehouse.admin.money.use_cases.usage import UsageLine, account_usage
from gatehouse.billing.statement import Period
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.figures.usage import count_usage
from gatehouse.store.admin.admin_session import AdminSession


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
        return account_usage(session, columns.account_id, period)[1]
