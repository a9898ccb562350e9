"""What a rule set would have done to the networks' programmes: the backtest with another report."""

from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.jobs.types import JobKind, JobResponse, WhatIfOrder
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.admin.programmes.types.what_if import WhatIfRequest
from gatehouse.core.reading.spans import read_span
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, OF_DECISIONS, use_case

DEFAULT_DAYS: Final = 90


@use_case(
    "POST /programmes/what-if",
    scope="manage:rules",
    permission=Permission.CONFIGURE,
    rights=OF_DECISIONS,
    operation="startProgrammesWhatIf",
    answers="jobResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
)
def try_rules(session: AdminSession, account_id: str, given: WhatIfRequest) -> JobResponse:
    """Try what a rule set would do to programmes.

    Starts a job that judges recorded requests, by default those of the last 90 days, by a document.
    Its result says what the ratios of each month would have been without the payments that the
    rule set declines, and which sales would have been lost. Changes nothing.
    """
    from gatehouse.rules.authoring import read_rule_set

    # Mistakes are told now, not by a job that fails.
    read_rule_set(given.document.encode())
    span = read_span(given.since, given.until, session.clock(), DEFAULT_DAYS)
    order = WhatIfOrder(given.document, *span)
    return shown_job(start_job(session, account_id, JobKind.WHAT_IF, order))
