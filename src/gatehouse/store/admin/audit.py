"""The audit log: append-only, each line chained to the one before by a keyed hash.

Changing, removing or inserting a line breaks the chain; cutting off its end contradicts the head
kept in the state table, which is itself sealed with the key. An older head put back with it can
only be found by a head that was kept elsewhere, so heads are logged.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.wording.sentences import Phrase, plain, said_by
from gatehouse.store.state import read_mark, set_mark
from gatehouse.store.tables import AUDIT

_AUDIT_HEAD: Final = Phrase("refused.audit_head", "a head is SEQ:HASH")
_AUDIT_FIRST: Final = Phrase("refused.audit_first", "{why}; nothing can be changed")
_AUDIT_MISSING: Final = Phrase("refused.audit_missing", "line {seq} is missing")
_AUDIT_UNFIT: Final = Phrase("refused.audit_unfit", "line {seq} does not fit the chain")
_AUDIT_ENDS: Final = Phrase(
    "refused.audit_ends", "the log ends at line {seq}, not where its head says"
)
_AUDIT_CUT: Final = Phrase("refused.audit_cut", "it was cut back to line {seq}")
_AUDIT_ANEW: Final = Phrase("refused.audit_anew", "it was written anew")
_AUDIT_LOST: Final = Phrase(
    "refused.audit_lost", "the log does not contain the expected head {lost}: {reason}"
)
_AUDIT_LINE_DAMAGED: Final = Phrase("refused.audit_line_damaged", "audit line {seq} is damaged")
_AUDIT_HEAD_LOST: Final = Phrase("refused.audit_head_lost", "the audit log has lost its head")
_AUDIT_HEAD_FOREIGN: Final = Phrase(
    "refused.audit_head_foreign", "the head of the audit log was not written by this service"
)

_HEAD: Final = "audit-head"
_START: Final = "0" * 64
_MOST_PROBLEMS: Final = 100
_encode: Final = msgspec.json.Encoder(order="sorted", enc_hook=plain).encode
# Heads are written in letters alone: digits of a hash can look like a card number, and logs mask
# those.
_TO_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
_TO_HEXADECIMAL: Final = str.maketrans("ghijklmnop", "0123456789")
_HEAD_TEXT: Final = re.compile(r"([0-9]{1,18}):([a-p]{64})")


class AuditHead(NamedTuple):
    """Where the log ended at some moment: the number of its last line, and that line's hash."""

    seq: int
    seal: str

    @classmethod
    def parse(cls, text: str) -> "AuditHead":
        """The head that a log or `audit head` printed; `ValueError` for anything else."""
        match = _HEAD_TEXT.fullmatch(text.strip())
        if match is None:
            raise ValueError(_AUDIT_HEAD())
        return cls(int(match[1]), match[2].translate(_TO_HEXADECIMAL))

    def __str__(self) -> str:
        return f"{self.seq}:{self.seal.translate(_TO_LETTERS)}"


class AuditLine(CamelStruct):
    """Who did what, when, to which account."""

    seq: int
    at_ms: int
    actor: str
    action: str
    account_id: str | None
    details: dict[str, Any]


class AuditReport(msgspec.Struct, rename="camel"):
    """What `audit verify` found."""

    lines: int
    problems: list[str]

    def note(self, problem: str) -> None:
        """Add a problem; only the first hundred are listed."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)


def start(connection: sa.Connection, key: bytes) -> None:
    """Write the head of an empty log, so that a log without a head is known to be cut off."""
    _write_head(connection, key, AuditHead(0, _START))


def append(connection: sa.Connection, key: bytes, line: AuditLine) -> AuditHead:
    """Add a line at the end of the chain, with the next `seq`; the head that it makes."""
    try:
        seq, previous = read_head(connection, key)
    except ValueError as error:
        raise Conflict(_AUDIT_FIRST(why=said_by(error))) from None
    numbered = msgspec.structs.replace(line, seq=seq + 1)
    head = AuditHead(seq + 1, _seal(key, previous, numbered))
    row = msgspec.structs.asdict(numbered)
    row["details"] = _encode(line.details).decode()
    connection.execute(AUDIT.insert(), {**row, "hash": head.seal})
    _write_head(connection, key, head)
    return head


def verify(
    connection: sa.Connection, key: bytes, expected: Sequence[AuditHead] = ()
) -> AuditReport:
    """Walk the whole chain; compare it with its head, and with heads that were kept elsewhere."""
    report = AuditReport(0, [])
    missing = set(expected)
    head = AuditHead(0, _START)
    missing.discard(head)
    query = sa.select(AUDIT).order_by(AUDIT.c.seq)
    for row in connection.execution_options(stream_results=True).execute(query):
        if row.seq != head.seq + 1:
            report.note(_AUDIT_MISSING(seq=head.seq + 1))
        if not _fits(key, head.seal, row):
            report.note(_AUDIT_UNFIT(seq=row.seq))
        head = AuditHead(row.seq, row.hash)
        missing.discard(head)
    report.lines = head.seq
    try:
        if read_head(connection, key) != head:
            report.note(_AUDIT_ENDS(seq=head.seq))
    except ValueError as error:
        report.note(said_by(error))
    for lost in sorted(missing):
        cut = lost.seq > head.seq
        reason = _AUDIT_CUT(seq=head.seq) if cut else _AUDIT_ANEW()
        report.note(_AUDIT_LOST(lost=lost, reason=reason))
    return report


def contains(connection: sa.Connection, head: AuditHead) -> bool:
    """Whether the line that a head names is still there, with the same hash."""
    seal = connection.scalar(sa.select(AUDIT.c.hash).where(AUDIT.c.seq == head.seq))
    return seal == head.seal or head == (0, _START)


def read(connection: sa.Connection, account_id: str | None, limit: int) -> list[AuditLine]:
    """The newest lines, oldest first."""
    query = sa.select(AUDIT).order_by(AUDIT.c.seq.desc()).limit(limit)
    if account_id is not None:
        query = query.where(AUDIT.c.account_id == account_id)
    return [_line(row) for row in reversed(connection.execute(query).all())]


class LineSearch(NamedTuple):
    """Which lines of an account are wanted."""

    before: int | None = None
    """Only lines with a smaller number."""
    limit: int = 20
    action: str = ""
    """What the name of the action begins with."""
    about: Mapping[str, str] = {}
    """Details that a line must have."""
    actor: str = ""
    """A part of the actor's name."""
    since_ms: int | None = None
    until_ms: int | None = None


def search(
    connection: sa.Connection, account_id: str | None, wanted: LineSearch
) -> list[AuditLine]:
    """Lines of an account, or of all of them, newest first."""
    c = AUDIT.c
    query = sa.select(AUDIT)
    if account_id is not None:
        query = query.where(c.account_id == account_id)
    if wanted.actor:
        query = query.where(c.actor.contains(wanted.actor, autoescape=True))
    if wanted.since_ms is not None:
        query = query.where(c.at_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        query = query.where(c.at_ms < wanted.until_ms)
    if wanted.before is not None:
        query = query.where(c.seq < wanted.before)
    if wanted.action:
        query = query.where(c.action.startswith(wanted.action, autoescape=True))
    for name, value in wanted.about.items():
        detail = f"{_encode(name).decode()}:{_encode(value).decode()}"
        query = query.where(c.details.contains(detail, autoescape=True))
    rows = connection.execute(query.order_by(c.seq.desc()).limit(wanted.limit))
    return [_line(row) for row in rows]


def _line(row: Any) -> AuditLine:
    try:
        details = msgspec.json.decode(row.details)
    except msgspec.DecodeError:
        raise Conflict(_AUDIT_LINE_DAMAGED(seq=row.seq)) from None
    return AuditLine(row.seq, row.at_ms, row.actor, row.action, row.account_id, details)


def _fits(key: bytes, previous: str, row: Any) -> bool:
    try:
        seal = _seal(key, previous, _line(row))
    except Conflict:
        return False
    return hmac.compare_digest(seal.encode(), row.hash.encode())


def _seal(key: bytes, previous: str, line: AuditLine) -> str:
    return keyed_hash(key, previous.encode() + _encode(line))


def _write_head(connection: sa.Connection, key: bytes, head: AuditHead) -> None:
    text = f"{head.seq}:{head.seal}"
    set_mark(connection, _HEAD, f"{text}:{_sign_head(key, text)}")


def _sign_head(key: bytes, head: str) -> str:
    return keyed_hash(key, b"head " + head.encode())


def read_head(connection: sa.Connection, key: bytes) -> AuditHead:
    """Where the log ends; `ValueError` when that is not known for certain."""
    value = read_mark(connection, _HEAD)
    if value is None:
        raise ValueError(_AUDIT_HEAD_LOST())
    head, _, signature = value.rpartition(":")
    if not hmac.compare_digest(_sign_head(key, head).encode(), signature.encode()):
        raise ValueError(_AUDIT_HEAD_FOREIGN())
    seq, _, seal = head.partition(":")
    return AuditHead(int(seq), seal)
