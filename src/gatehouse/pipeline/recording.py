"""Writes the decision record of a request that was worked on."""

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.stages.case import Case
from gatehouse.decisions.record import VERSION, DecisionRecord, RecordedStage, encode
from gatehouse.decisions.search_terms import CARD, TermMaker
from gatehouse.pipeline.job import Job, Processed, StageRun
from gatehouse.pipeline.settlement import DecisionRow


def recorded(job: Job, case: Case, done: Processed) -> DecisionRecord:
    """The record of a request that was worked on."""
    plan = job.plan.decision_plan
    described = None if plan is None else plan.signal_builder.facts(case)
    return DecisionRecord(
        request_id=job.request_id,
        operation=job.operation,
        at=iso_time(case.at_ms),
        client_reference_id=_kept_reference(job.client_reference),
        card=None if case.card is None else case.card.kept,
        stages=[_recorded(run) for run in done.runs],
        authorized_micros=done.authorized,
        closed_micros=done.closed,
        decision=done.decision,
        pipeline=None if plan is None else plan.pipeline,
        signals=None if described is None else described.signals,
        event=None if described is None else described.event,
        version=VERSION,
        decided_by=() if plan is None else plan.decided_by,
    )


def found_by(job: Job, case: Case, record: DecisionRecord, terms: TermMaker | None) -> str | None:
    """What the decision is found by: what its record says, and what it must not say."""
    if terms is None:
        return None
    more = job.plan.contacts
    if case.other_cards:
        for card in case.other_cards.values():
            more += tuple((CARD, fingerprint) for fingerprint in card.shown.values())
    return terms.packed(job.account_id, record, more)


def decision_row(job: Job, case: Case, record: DecisionRecord, terms: str | None) -> DecisionRow:
    """The row with the record of a request that was worked on."""
    kept = record.client_reference_id
    return DecisionRow(
        account_id=job.account_id,
        request_id=job.request_id,
        at_ms=case.at_ms,
        operation=job.operation,
        client_reference=None if kept is None else str(kept),
        card=case.card.kept.fingerprint if case.card else None,
        record=encode(record),
        transaction_reference=case.transaction,
        terms=terms,
    )


def _recorded(run: StageRun) -> RecordedStage:
    item = run.item
    return RecordedStage(
        name=run.stage,
        fee_type=item.fee_type,
        fee_micros=item.fee,
        completed=item.completed,
        duration_microseconds=run.duration_us,
        result=run.result.facts,
    )


def _kept_reference(reference: str | int | None) -> str | int | None:
    """The caller's reference without card numbers; an unsuspicious number stays a number."""
    if reference is None:
        return None
    text = recordable(str(reference))
    return reference if text == str(reference) else text
