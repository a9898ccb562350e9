"""Labels decisions by what became of their payments, and takes such labels back."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.outcomes.queries import rows
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import label_of
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.statements import (
    FeedbackStatement,
    LabelEntry,
    LabelReport,
    TooManyStatements,
)

Replaced = tuple[OutcomeRow | None, OutcomeRow]
"""An outcome as it was, if it was known, and as it is."""


class LabelledOutcomes(NamedTuple):
    """How many decisions were labelled, and of how many a label was taken back."""

    labelled: int = 0
    withdrawn: int = 0


def follow_labels(
    connection: sa.Connection, account_id: str, given: Sequence[Replaced], actor: str, now_ms: int
) -> LabelledOutcomes:
    """Let labels follow from outcomes; the transaction must hold the lock on changes.

    An outcome takes back only what it said itself: what a person said since stays.
    """
    moved = [(before, after) for before, after in given if _statement_moved(before, after)]
    if not moved:
        return LabelledOutcomes()
    taken = {(each.request_id, said) for each, _ in moved if each and (said := given_by(each))}
    reports = [(row.request_id, said) for _, row in moved if (said := statement_of(row))]
    restored = _restored(connection, account_id, taken, {one for one, _ in reports})
    told = [
        LabelReport(account_id, [request_id], said, actor, LabelSource.OUTCOME)
        for request_id, said in (*restored, *reports)
        if request_id is not None
    ]
    answers = feedback.record_all(connection, told, now_ms)
    done = [not isinstance(each, TooManyStatements) for each in answers]
    _note(connection, account_id, [row for _, row in moved])
    return LabelledOutcomes(sum(done[len(restored) :]), sum(done[: len(restored)]))


def statement_of(row: OutcomeRow) -> FeedbackStatement | None:
    """What an outcome says of its decision; None when nothing follows from it."""
    if row.request_id is None:
        return None
    label = label_of(row.kind, row.reason, row.fraud_type, row.stage, row.result)
    return None if label is None else _said(row, label)


def given_by(row: OutcomeRow) -> FeedbackStatement | None:
    """The label that the decision of a stored outcome has from it."""
    return None if row.label is None or row.request_id is None else _said(row, row.label)


def _said(row: OutcomeRow, label: Label) -> FeedbackStatement:
    return FeedbackStatement(label, row.at_ms, row.amount, row.currency)


def _statement_moved(before: OutcomeRow | None, after: OutcomeRow) -> bool:
    said = statement_of(after)
    if before is None:
        return said is not None
    return (before.request_id, given_by(before)) != (after.request_id, said)


def _restored(
    connection: sa.Connection,
    account_id: str,
    taken: "set[tuple[str | None, FeedbackStatement]]",
    told_anew: "set[str | None]",
) -> list[tuple[str | None, FeedbackStatement]]:
    """What counts again for decisions when statements of outcomes are taken back."""
    back = {one: said for one, said in taken if one is not None and one not in told_anew}
    if not back:
        return []
    entries = feedback_history.entries_of(connection, account_id, list(back))
    others: dict[str | None, list[OutcomeRow]] = {}
    for row in rows.of_requests(connection, account_id, list(back)):
        others.setdefault(row.request_id, []).append(row)
    found: list[tuple[str | None, FeedbackStatement]] = []
    for request_id, said in back.items():
        history = entries.get(request_id, [])
        if history and history[-1].source is LabelSource.OUTCOME and history[-1].statement == said:
            found.append((request_id, _before(history, said, others.get(request_id, []))))
    return found


def _before(
    history: Sequence[LabelEntry], said: FeedbackStatement, others: Sequence[OutcomeRow]
) -> FeedbackStatement:
    """What counts without a statement: that of another outcome, or what somebody said before."""
    still = [each for row in others if (each := statement_of(row)) is not None and each != said]
    if still:
        return still[-1]
    by_people = [each for each in history if each.source is not LabelSource.OUTCOME]
    return by_people[-1].statement if by_people else FeedbackStatement(Label.WITHDRAWN)


def _note(connection: sa.Connection, account_id: str, moved: Sequence[OutcomeRow]) -> None:
    """Note at each outcome which label its decision has from it."""
    changed = []
    for row in moved:
        said = statement_of(row)
        label = None if said is None else said.label
        if label is not row.label:
            changed.append(msgspec.structs.replace(row, label=label))
    rows.replace(connection, account_id, changed)
