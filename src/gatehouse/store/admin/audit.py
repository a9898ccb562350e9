"""The audit log: append-only, each line chained to the one before by a keyed hash.

Changing, removing or inserting a line breaks the chain; cutting off its end contradicts the head
kept in the state table, which is itself sealed with the key.
"""

import hmac
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict
from gatehouse.core.hashing import keyed_hash
from gatehouse.store.tables import AUDIT, STATE

_HEAD: Final = "audit-head"
_START: Final = "0" * 64
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class AuditLine(msgspec.Struct, frozen=True, rename="camel"):
    """Who did what, when, to which account."""

    seq: int
    at_ms: int
    actor: str
    action: str
    account_id: str | None
    details: dict[str, Any]


class AuditReport(msgspec.Struct, frozen=True, rename="camel"):
    """What `audit verify` found."""

    lines: int
    problems: list[str]


def start(connection: sa.Connection, key: bytes) -> None:
    """Write the head of an empty log, so that a log without a head is known to be cut off."""
    _write_head(connection, key, 0, _START)


def append(connection: sa.Connection, key: bytes, line: AuditLine) -> None:
    """Add a line at the end of the chain, with the next `seq`."""
    try:
        seq, previous = _read_head(connection, key)
    except ValueError as error:
        raise Conflict(f"{error}; nothing can be changed before: gatehouse audit verify") from None
    numbered = msgspec.structs.replace(line, seq=seq + 1)
    seal = _seal(key, previous, numbered)
    row = msgspec.structs.asdict(numbered)
    row["details"] = _encode(line.details).decode()
    connection.execute(AUDIT.insert(), {**row, "hash": seal})
    _write_head(connection, key, seq + 1, seal)


def verify(connection: sa.Connection, key: bytes) -> AuditReport:
    """Walk the whole chain and compare it with its head."""
    problems: list[str] = []
    previous, seq = _START, 0
    query = sa.select(AUDIT).order_by(AUDIT.c.seq)
    for row in connection.execution_options(stream_results=True).execute(query):
        line, kept = _line(row), row.hash
        if line.seq != seq + 1:
            problems.append(f"line {seq + 1} is missing")
        seal = _seal(key, previous, line)
        if not hmac.compare_digest(seal, kept):
            problems.append(f"line {line.seq} does not fit the chain")
        previous, seq = kept, line.seq
    try:
        if _read_head(connection, key) != (seq, previous):
            problems.append(f"the log ends at line {seq}, not where its head says")
    except ValueError as error:
        problems.append(str(error))
    return AuditReport(seq, problems)


def read(connection: sa.Connection, account_id: str | None, limit: int) -> list[AuditLine]:
    """The newest lines, oldest first."""
    query = sa.select(AUDIT).order_by(AUDIT.c.seq.desc()).limit(limit)
    if account_id is not None:
        query = query.where(AUDIT.c.account_id == account_id)
    return [_line(row) for row in reversed(connection.execute(query).all())]


def _line(row: Any) -> AuditLine:
    details = msgspec.json.decode(row.details)
    return AuditLine(row.seq, row.at_ms, row.actor, row.action, row.account_id, details)


def _seal(key: bytes, previous: str, line: AuditLine) -> str:
    return keyed_hash(key, previous.encode() + _encode(line))


def _write_head(connection: sa.Connection, key: bytes, seq: int, seal: str) -> None:
    head = f"{seq}:{seal}"
    value = f"{head}:{_sign_head(key, head)}"
    connection.execute(STATE.delete().where(STATE.c.name == _HEAD))
    connection.execute(STATE.insert(), {"name": _HEAD, "value": value})


def _sign_head(key: bytes, head: str) -> str:
    return keyed_hash(key, b"head " + head.encode())


def _read_head(connection: sa.Connection, key: bytes) -> tuple[int, str]:
    value = connection.scalar(sa.select(STATE.c.value).where(STATE.c.name == _HEAD))
    if value is None:
        raise ValueError("the audit log has lost its head")
    head, _, signature = value.rpartition(":")
    if not hmac.compare_digest(_sign_head(key, head), signature):
        raise ValueError("the head of the audit log was not written by this service")
    seq, _, seal = head.partition(":")
    return int(seq), seal
