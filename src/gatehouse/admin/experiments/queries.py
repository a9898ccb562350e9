"""The accounts that have experiments, what was counted of each, and labels of a span."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.experiments.types.result import ExperimentResult
from gatehouse.core.ids import first_id
from gatehouse.core.reading.validation import parse_own_type
from gatehouse.core.wording.labels import FRAUD_LABELS
from gatehouse.core.wording.sentences import plain
from gatehouse.store.configured.experiments import KIND
from gatehouse.store.feedback.feedback_history import labels_of
from gatehouse.store.state import lock_changes, read_mark, set_mark
from gatehouse.store.tables import CONFIGURATION_HEADS, FEEDBACK

_decode: Final = msgspec.json.Decoder(ExperimentResult, dec_hook=parse_own_type).decode


def accounts_with(connection: sa.Connection) -> list[str]:
    """The accounts that ever started an experiment."""
    h = CONFIGURATION_HEADS.c
    return list(connection.scalars(sa.select(h.account_id).where(h.kind == KIND).distinct()))


def result(connection: sa.Connection, experiment_id: str) -> ExperimentResult | None:
    """What was counted last; the id must be one of the account's."""
    text = read_mark(connection, f"{KIND} {experiment_id}")
    return None if text is None else _decode(text)


def keep_result(connection: sa.Connection, experiment_id: str, found: ExperimentResult) -> None:
    """Keep what was counted, in place of what was counted before."""
    lock_changes(connection)
    set_mark(
        connection, f"{KIND} {experiment_id}", msgspec.json.encode(found, enc_hook=plain).decode()
    )


def frauds(connection: sa.Connection, account_id: str, since_ms: int, until_ms: int) -> list[str]:
    """The requests of a span whose newest label says fraud."""
    f = FEEDBACK.c
    query = (
        sa.select(f.request_id)
        .where(f.account_id == account_id, f.label.in_([each.value for each in FRAUD_LABELS]))
        .where(f.request_id >= first_id("req", since_ms), f.request_id < first_id("req", until_ms))
        .distinct()
    )
    named = list(connection.scalars(query))
    known = labels_of(connection, account_id, named)
    return [each for each in named if each in known and known[each].fraud]
