"""Lists what became of payments."""

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes import queries
from gatehouse.admin.outcomes.types.outcome import OutcomeFilter, OutcomePage
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case


@use_case(
    "GET /outcomes",
    scope="manage:feedback",
    permission=Permission.SEE,
    operation="listOutcomes",
    answers="outcomesResponse",
)
def list_outcomes(reading: Reading, account_id: str, wanted: OutcomeFilter) -> OutcomePage:
    """List outcomes.

    What became of payments, newest first.
    """
    return OutcomePage(queries.listing(reading.connection, account_id, wanted))
