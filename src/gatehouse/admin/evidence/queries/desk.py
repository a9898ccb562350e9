"""The rows of the desk for disputes; every query is bound to an account."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.evidence.tables import DISPUTE_CASES, DISPUTE_FILES
from gatehouse.admin.evidence.types.desk import (
    CaseWords,
    DisputeChoice,
    KeptCase,
    KeptFile,
    reference_of,
)
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.use_cases import disputes as outcomes
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import NotFound
from gatehouse.core.secrets.keyring import EVIDENCE, KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import is_any_of

_NO_DISPUTE: Final = Phrase("refused.no_dispute", "no dispute {reference}")
_NO_FILE: Final = Phrase("refused.no_dispute_file", "this dispute has no such file")

_C: Final = DISPUTE_CASES.c
_F: Final = DISPUTE_FILES.c
_NO_CASE: Final = KeptCase()
_LISTED: Final = (_F.file_id, _F.type, _F.size, _F.at_ms, _F.actor, _F.key_version, _F.sealed_name)


def dispute_of(connection: sa.Connection, account_id: str, name: str) -> OutcomeRow:
    """The dispute that a path names; `NotFound` also about another account's."""
    reference = reference_of(name)
    found = outcomes.dispute(connection, account_id, reference)
    if found is None:
        raise NotFound(_NO_DISPUTE(reference=recordable(reference)))
    return found


def case_of(connection: sa.Connection, ring: KeyRing, account_id: str, reference: str) -> KeptCase:
    """What people decided and gave about a dispute; an empty one if nobody did."""
    row = connection.execute(
        sa.select(DISPUTE_CASES).where(_C.account_id == account_id, _C.reference == reference)
    ).first()
    if row is None:
        return _NO_CASE
    plain = Sealer(ring, EVIDENCE).open(
        row.key_version, row.sealed, _label("case", account_id, reference)
    )
    return KeptCase(
        None if row.decision is None else DisputeChoice(row.decision),
        None if row.decided_at_ms is None else Moment(row.decided_at_ms),
        row.actor,
        msgspec.msgpack.decode(plain, type=CaseWords),
    )


def choices(
    connection: sa.Connection, account_id: str, references: list[str]
) -> dict[str, DisputeChoice]:
    """What was decided about some disputes."""
    query = sa.select(_C.reference, _C.decision).where(
        _C.account_id == account_id,
        is_any_of(connection, _C.reference, references),
        _C.decision.is_not(None),
    )
    return {row.reference: DisputeChoice(row.decision) for row in connection.execute(query)}


def put_case(change: Change, account_id: str, dispute: OutcomeRow, case: KeptCase) -> None:
    """Keep what people decided and gave, in place of what there was."""
    label = _label("case", account_id, dispute.reference)
    plain = msgspec.msgpack.encode(case.words)
    version, sealed = Sealer(change.ring, EVIDENCE).seal(plain, label, change.random_bytes)
    this = sa.and_(_C.account_id == account_id, _C.reference == dispute.reference)
    change.connection.execute(DISPUTE_CASES.delete().where(this))
    row = {
        "account_id": account_id,
        "reference": dispute.reference,
        "request_id": dispute.request_id,
        "decision": None if case.decision is None else case.decision.value,
        "actor": case.decided_by,
        "decided_at_ms": case.decided_at,
        "changed_at_ms": change.now_ms,
        "key_version": version,
        "sealed": sealed,
    }
    change.connection.execute(DISPUTE_CASES.insert(), row)


def files_of(
    connection: sa.Connection, ring: KeyRing, account_id: str, reference: str
) -> list[KeptFile]:
    """The files of a dispute without their content, oldest first."""
    sealer = Sealer(ring, EVIDENCE)
    query = sa.select(*_LISTED).where(_F.account_id == account_id, _F.reference == reference)
    rows = connection.execute(query.order_by(_F.at_ms, _F.file_id))
    return [_file(sealer, account_id, reference, row) for row in rows]


def file_content(
    connection: sa.Connection, ring: KeyRing, account_id: str, reference: str, file_id: str
) -> tuple[KeptFile, bytes]:
    """One file with its content; `NotFound` also about another account's."""
    row = connection.execute(
        sa.select(*_LISTED, _F.sealed).where(_this_file(account_id, reference, file_id))
    ).first()
    if row is None:
        raise NotFound(_NO_FILE())
    sealer = Sealer(ring, EVIDENCE)
    label = _label("file", account_id, reference, file_id)
    content = sealer.open(row.key_version, row.sealed, label)
    return _file(sealer, account_id, reference, row), content


def add_file(
    change: Change, account_id: str, dispute: OutcomeRow, file: KeptFile, content: bytes
) -> None:
    """Keep a file."""
    sealer, reference = Sealer(change.ring, EVIDENCE), dispute.reference
    place = (account_id, reference, file.file_id)
    _, name = sealer.seal(file.name.encode(), _label("file name", *place), change.random_bytes)
    version, sealed = sealer.seal(content, _label("file", *place), change.random_bytes)
    row = {
        "account_id": account_id,
        "reference": reference,
        "file_id": file.file_id,
        "request_id": dispute.request_id,
        "type": file.type,
        "actor": file.added_by,
        "size": file.size,
        "at_ms": int(file.added_at),
        "key_version": version,
        "sealed_name": name,
        "sealed": sealed,
    }
    change.connection.execute(DISPUTE_FILES.insert(), row)


def delete_file(connection: sa.Connection, account_id: str, reference: str, file_id: str) -> None:
    """Delete a file; `NotFound` also about another account's."""
    this = DISPUTE_FILES.delete().where(_this_file(account_id, reference, file_id))
    if not connection.execute(this).rowcount:
        raise NotFound(_NO_FILE())


def _this_file(account_id: str, reference: str, file_id: str) -> "sa.ColumnElement[bool]":
    return sa.and_(_F.account_id == account_id, _F.reference == reference, _F.file_id == file_id)


def _file(sealer: Sealer, account_id: str, reference: str, row: Any) -> KeptFile:
    label = _label("file name", account_id, reference, row.file_id)
    name = sealer.open(row.key_version, row.sealed_name, label).decode()
    return KeptFile(row.file_id, name, row.type, row.size, Moment(row.at_ms), row.actor)


def _label(what: str, *place: str) -> bytes:
    return "\n".join((f"dispute {what}", *place)).encode()
