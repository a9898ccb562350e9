"""An own estimate of enumeration: authorizations in which cards were tried out.

It is counted on a copy of the decisions that only the process of the console keeps, so it is not
offered to programs.
"""

from fractions import Fraction

from gatehouse.admin.programmes.types.enumeration import EnumerationEstimate
from gatehouse.admin.programmes.use_cases.metering import basis_points_text
from gatehouse.admin.programmes.use_cases.tables import table_in_force
from gatehouse.core.filling import filled
from gatehouse.core.months import CalendarMonth
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.card_bursts import BurstTerms, count_bursts
from gatehouse.store.admin.admin_session import AdminSession


def estimate_enumeration(
    session: AdminSession, columns: AccountColumns, month: str | None
) -> EnumerationEstimate:
    """The share of a month's authorizations that came in bursts, beside the network's limit.

    The network's own flag is not shown to merchants, so this is only an estimate.
    """
    session.actor.check_account(columns.account_id)
    limit = table_in_force(session.settings).enumeration
    span = CalendarMonth.at(session.clock()) if month is None else CalendarMonth.named(month)
    terms = BurstTerms(limit.burst_minutes, limit.burst_cards, limit.burst_amounts)
    found = count_bursts(columns, span.since_ms, span.until_ms, terms)
    ratio = Fraction(found.in_bursts, found.authorizations) if found.authorizations else None
    return filled(
        EnumerationEstimate,
        limit,
        month=str(span),
        authorizations=found.authorizations,
        enumerated=found.in_bursts,
        bursts=found.bursts,
        basis_points=None if ratio is None else basis_points_text(ratio),
        limit_basis_points=limit.basis_points,
        limit_enumerated=limit.events,
        met=(
            found.in_bursts >= limit.events
            and ratio is not None
            and ratio * 10_000 >= limit.basis_points
        ),
        complete=found.coverage.complete,
    )
