"""An own estimate of enumeration: authorizations in which cards were tried out.

It is counted on a copy of the decisions. The console keeps one; for programs and commands a job or
the command makes one of the month.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from gatehouse.access.roles import Permission
from gatehouse.admin.jobs.types import JobKind, JobResponse, MonthOrder
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.admin.programmes.types.enumeration import FORMULA, EnumerationEstimate
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.use_cases.metering import basis_points_text
from gatehouse.admin.programmes.use_cases.tables import table_in_force
from gatehouse.core.filling import filled
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

if TYPE_CHECKING:
    from gatehouse.figures.account_columns import AccountColumns

# Servers start without the engine of columns.


@use_case(
    "POST /programmes/enumeration",
    scope="manage:feedback",
    permission=Permission.SEE_MONEY,
    rights=OF_DECISIONS,
    operation="estimateEnumeration",
    answers="jobResponse",
)
def start_estimate(session: AdminSession, account_id: str, given: MeterFilter) -> JobResponse:
    """Estimate enumeration.

    Starts a job that counts the authorizations of a month in which cards were tried out: one BIN,
    many cards, few amounts. Its result is beside the network's limit; the network's own flag is
    not shown to merchants.
    """
    month = given.month or str(CalendarMonth.at(session.clock()))
    kind = JobKind.ENUMERATION
    return shown_job(start_job(session, account_id, kind, MonthOrder(month)))


def estimate_now(session: AdminSession, account_id: str, month: str | None) -> EnumerationEstimate:
    """The estimate where nobody keeps a copy of the decisions: on one of so much as it counts."""
    from gatehouse.admin.figures.use_cases.opening import columns_for_now

    since_ms = _month(session, month).since_ms
    with columns_for_now(session, account_id, session.settings.home, since_ms) as columns:
        return estimate_enumeration(session, columns, month)


def estimate_enumeration(
    session: AdminSession, columns: "AccountColumns", month: str | None
) -> EnumerationEstimate:
    """The share of a month's authorizations that came in bursts, beside the network's limit.

    The network's own flag is not shown to merchants, so this is only an estimate.
    """
    from gatehouse.figures.card_bursts import BurstTerms, count_bursts

    session.actor.check_reads(columns.account_id)
    limit = table_in_force(session.settings).enumeration
    span = _month(session, month)
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
        formula=FORMULA(),
        limit_basis_points=limit.basis_points,
        limit_enumerated=limit.events,
        met=(
            found.in_bursts >= limit.events
            and ratio is not None
            and ratio * 10_000 >= limit.basis_points
        ),
        complete=found.coverage.complete,
    )


def _month(session: AdminSession, month: str | None) -> CalendarMonth:
    return CalendarMonth.at(session.clock()) if month is None else CalendarMonth.named(month)
