"""Use cases about decision records: list, show, explain, export."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.outcomes.types.outcome import PaymentOutcome
from gatehouse.admin.outcomes.use_cases.listing import outcomes_of_requests
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.defects import blanked
from gatehouse.core.errors import GatehouseError, NotFound
from gatehouse.core.ids import id_time_ms
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.explanations.explanation import Explanation
from gatehouse.pipeline.settlement import Search
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions, records
from gatehouse.store.decisions.records import KeptRecord, RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.store.feedback.feedback_history import KnownLabel

_NO_DECISIONS: Final = Phrase("refused.no_decisions", "no decisions from {since} to {until}")

_NO_DECISION: Final = Phrase("refused.no_decision", "no decision {id}")

_log: Final = logging.getLogger("gatehouse.admin")

ExportFormat = Literal["parquet", "jsonl"]


class DecisionExport(msgspec.Struct, frozen=True):
    """Which decisions are exported, and where to."""

    span: RecordSpan
    folder: Path
    format: ExportFormat
    overwrite: bool


def list_decisions(session: AdminSession, account_id: str, search: Search) -> list[DecisionRecord]:
    """The account's decisions, newest first."""
    session.actor.check_reads(account_id)
    with session.reading() as connection:
        return decisions.search(connection, account_id, search, session.fingerprints)


def get_decision(session: AdminSession, account_id: str, request_id: str) -> DecisionRecord:
    """One decision; `NotFound` also about another account's."""
    session.actor.check_reads(account_id)
    with session.reading() as connection:
        record = decisions.get(connection, account_id, request_id, session.fingerprints)
    if record is None:
        raise NotFound(_NO_DECISION(id=recordable(request_id)))
    return record


def first_decision_ms(session: AdminSession, account_id: str) -> int | None:
    """When the oldest decision that is kept was made; None when there is none."""
    session.actor.check_reads(account_id)
    with session.reading() as connection:
        oldest = records.oldest_request(connection, account_id)
    return None if oldest is None else id_time_ms(oldest)


def what_became(
    session: AdminSession, account_id: str, record: DecisionRecord
) -> list[PaymentOutcome]:
    """What became of the payment of a request, oldest first."""
    session.actor.check_reads(account_id)
    with session.reading() as connection:
        return outcomes_of_requests(connection, account_id, [record.request_id])


def explain_decision(session: AdminSession, account_id: str, record: DecisionRecord) -> Explanation:
    """Why a request was decided as it was, and what would have changed that."""
    session.actor.check_account(account_id)
    # Loads the features of Sentry, which no other use case of this module needs.
    from gatehouse.admin.configurations.use_cases.in_force import load_in_force
    from gatehouse.explanations.explain import explain

    return explain(record, load_in_force(session, account_id, record)).in_english()


class LiveDecisions:
    """The same use cases for callers of the API, on a thread and one explanation at a time."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session
        # A long explanation takes a core for 0.2 s, and requests need it too.
        self._one_at_a_time = asyncio.Lock()

    async def explain(
        self, actor: Actor, account_id: str, record: DecisionRecord
    ) -> Explanation | None:
        """Why a request was decided as it was; None when that cannot be worked out."""
        session = self._session.acting_as(actor)
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(explain_decision, session, account_id, record)
            except GatehouseError:
                raise
            except Exception as error:
                # The record itself must be readable all the same.
                defect = blanked(error, "an explanation")
                _log.error("could not explain a decision", exc_info=defect)
                return None


def export_decisions(
    session: AdminSession, job: DecisionExport, progress: Callable[[int, int], None]
) -> int:
    """Write decisions into a folder; `progress` takes how many are done, and how many there are."""
    # Loads DuckDB, which no other use case of this module needs.
    from gatehouse.backtest.export import export_lines, export_parquet, new_folder

    span = job.span
    session.actor.check_reads(span.account_id)
    since, until = iso_time(span.since_ms), iso_time(span.until_ms)
    with session.reading() as connection:
        total = records.count(connection, span)
    if not total:
        raise NotFound(_NO_DECISIONS(since=since, until=until))
    with new_folder(job.folder, overwrite=job.overwrite) as folder:
        with session.change() as change:
            about = {"format": job.format, "since": since, "until": until}
            change.audit("decisions.export", span.account_id, **about, count=total)
        batches = records.stream(
            session.database, span, session.fingerprints, lambda done: progress(done, total)
        )
        write = export_parquet if job.format == "parquet" else export_lines
        return write(batches, lambda batch: _labels(session, span.account_id, batch), folder)


def _labels(
    session: AdminSession, account_id: str, batch: Sequence[KeptRecord]
) -> dict[str, KnownLabel]:
    """What is known of the requests of a batch, which is in order of their ids."""
    ends = (batch[0].request_id, batch[-1].request_id)
    with session.reading() as connection:
        return feedback_history.labels_between(connection, account_id, *ends)
