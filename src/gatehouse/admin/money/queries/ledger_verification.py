"""Verifies the ledger: by itself, against the audit trail, and against the decision records.

Each of the three could be changed alone by somebody with access to the database; together they
have to agree.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import EntryKind, Hold
from gatehouse.billing.verify import LedgerReport, verify_ledger
from gatehouse.core.clock import parse_time
from gatehouse.core.ids import first_id
from gatehouse.decisions.record import IMPORTED, UnreadableRecord, read_closed_micros
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.ledger import ADJUSTED, TOPPED_UP, stream
from gatehouse.store.accounts.tables import EXPIRING_CREDITS
from gatehouse.store.admin import audit
from gatehouse.store.counting import count_rows
from gatehouse.store.tables import AUDIT, DECISIONS, HOLDS, LEDGER_ENTRIES

RETENTION_BEGAN: Final = "retention.begin"
"""The audit line that says before which moment decision records are deleted."""
_ACTIONS: Final = {EntryKind.TOP_UP: TOPPED_UP, EntryKind.ADJUST: ADJUSTED}
_AT_ONCE: Final = 500
_MOST_LISTED: Final = 100
_E: Final = LEDGER_ENTRIES.c
_CREDIT: Final = EXPIRING_CREDITS.c


def verify(connection: sa.Connection, audit_key: bytes) -> LedgerReport:
    """Verify the ledger of every account, within one consistent view."""
    states = {account.account_id: state for account, state in accounts.listing(connection)}
    holds = {row.request_id: Hold(*row) for row in connection.execute(sa.select(HOLDS))}
    query = sa.select(LEDGER_ENTRIES).order_by(_E.account_id, _E.reference, _E.step)
    report = verify_ledger(states, stream(connection, query), holds)
    if audit.verify(connection, audit_key).problems:
        report.note(
            "the audit trail is broken, so top-ups and adjustments cannot be compared with it; "
            "see: gatehouse audit verify"
        )
        kept_since = ""
    else:
        _compare_with_trail(connection, report)
        _compare_credits(connection, report)
        kept_since = _records_kept_since(connection)
    _compare_with_records(connection, report, kept_since)
    return report


def _records_kept_since(connection: sa.Connection) -> str:
    """The id before which records may be gone, because the audit trail says that they expired."""
    query = sa.select(AUDIT.c.details).where(AUDIT.c.action == RETENTION_BEGAN)
    times = [
        parse_time(before["decisions"])
        for details in connection.scalars(query)
        if "decisions" in (before := msgspec.json.decode(details)["before"])
    ]
    return first_id("req", max(times)) if times else ""


def _compare_with_trail(connection: sa.Connection, report: LedgerReport) -> None:
    """Every top-up and adjustment has exactly one audit line that says the same, and vice versa."""
    is_payment = _E.kind.in_([kind.value for kind in _ACTIONS])
    payments = sa.select(LEDGER_ENTRIES).where(is_payment).subquery("payments")
    report.payments = count_rows(connection, payments)
    lines = _payment_lines(connection)
    p, line = payments.c, lines.c
    same = (p.account_id == line.account_id) & (p.reference == line.reference)
    action = sa.case(_ACTIONS, value=p.kind)
    differs = (
        (line.many != 1)
        | line.micros.is_distinct_from(p.amount)
        | line.action.is_distinct_from(action)
    )
    query = sa.select(p.reference, p.amount, line.many, line.micros)
    query = query.select_from(payments.outerjoin(lines, same))
    query = query.where(line.many.is_(None) | differs).limit(_MOST_LISTED)
    for row in connection.execute(query):
        if row.many is None:
            report.note(
                f"{row.reference}: {row.amount} was added without a line in the audit trail"
            )
        else:
            said = f"{row.many} lines" if row.many > 1 else str(row.micros)
            report.note(f"{row.reference}: the audit trail says {said}, the ledger {row.amount}")
    query = sa.select(line.reference).select_from(lines.outerjoin(payments, same))
    for reference in connection.scalars(query.where(p.reference.is_(None)).limit(_MOST_LISTED)):
        report.note(f"{reference}: is in the audit trail and not in the ledger")


def _payment_lines(connection: sa.Connection) -> sa.Subquery:
    """What the audit trail says about each top-up and adjustment."""
    as_json: Any = sa.cast if connection.dialect.name == "postgresql" else sa.type_coerce
    details = as_json(AUDIT.c.details, sa.JSON)
    reference = details["reference"].as_string().label("reference")
    micros = sa.cast(details["micros"].as_string(), sa.BigInteger)
    return (
        sa.select(
            AUDIT.c.account_id,
            reference,
            sa.func.count().label("many"),
            sa.func.max(micros).label("micros"),
            sa.func.max(AUDIT.c.action).label("action"),
        )
        .where(AUDIT.c.action.in_(_ACTIONS.values()))
        .group_by(AUDIT.c.account_id, reference)
        .subquery("lines")
    )


def _compare_credits(connection: sa.Connection, report: LedgerReport) -> None:
    """Each expiring credit is an entry, and was taken back once, after its end, and not too much.

    That its amounts are those of the audit trail was compared already; its end is compared here.
    """
    given, taken = LEDGER_ENTRIES.alias("given"), LEDGER_ENTRIES.alias("taken")
    gave = (given.c.account_id == _CREDIT.account_id) & (given.c.reference == _CREDIT.entry)
    took = (taken.c.account_id == _CREDIT.account_id) & (taken.c.reference == _CREDIT.taken_by)
    rows = sa.select(
        EXPIRING_CREDITS,
        given.c.amount.label("given"),
        taken.c.amount.label("taken"),
        taken.c.at_ms.label("taken_at_ms"),
    ).select_from(EXPIRING_CREDITS.outerjoin(given, gave).outerjoin(taken, took))
    ends: dict[str, int] = {}
    ended_by: dict[str, list[str]] = {}
    for said in _said_of_credits(connection):
        if "expiresAtMs" in said:
            ends[said["reference"]] = said["expiresAtMs"]
        if "credit" in said:
            ended_by.setdefault(said["credit"], []).append(said["reference"])
    for row in connection.execute(rows):
        report.credits += 1
        if row.given != row.amount or ends.pop(row.entry, None) != row.expires_at_ms:
            report.note(f"{row.entry}: this credit, or its end, is not what the ledger or the "
                        "audit trail says")  # fmt: skip
        by = [] if row.taken_by is None else [row.taken_by]
        if ended_by.pop(row.entry, []) != by:
            report.note(f"{row.entry}: was not taken back as the audit trail says")
        if not 0 <= row.left <= row.amount or (by and -(row.taken or 0) != row.left):
            report.note(f"{row.entry}: {row.amount} were credited, {row.left} left or taken back")
        if by and (row.taken_at_ms or 0) < row.expires_at_ms:
            report.note(f"{row.entry}: was taken back before its end")
    for entry in ends.keys() | ended_by.keys():
        report.note(f"{entry}: the audit trail knows this credit, and the table does not")


def _said_of_credits(connection: sa.Connection) -> Iterator[dict[str, Any]]:
    """The details of the audit lines that gave or took back a credit that expires."""
    said = AUDIT.c.details
    about = said.like('%"expiresAtMs"%') | said.like('%"credit"%')
    for details in connection.scalars(sa.select(said).where(AUDIT.c.action == ADJUSTED, about)):
        yield msgspec.json.decode(details)


def _compare_with_records(connection: sa.Connection, report: LedgerReport, kept_since: str) -> None:
    """Every close has the decision record of its request with the same amount, and vice versa.

    Before `kept_since` there need not be a record.
    """
    closes = sa.select(LEDGER_ENTRIES).where(_E.kind == EntryKind.CLOSE.value)
    ordered = closes.order_by(_E.account_id, _E.reference)
    options = {"stream_results": True, "yield_per": _AT_ONCE}
    for some in connection.execute(ordered, execution_options=options).partitions():
        for account_id, entries in groupby(some, lambda entry: str(entry.account_id)):
            charged = {entry.reference: -entry.amount for entry in entries}
            for request_id in _compare_some(connection, report, account_id, charged):
                if request_id < kept_since:
                    report.records_expired += 1
                else:
                    amount = charged[request_id]
                    report.note(f"{request_id}: closed {amount} without a decision record")
    total = count_rows(connection, DECISIONS)
    if total == report.records:
        return
    closed = closes.subquery("closed")
    same = (DECISIONS.c.account_id == closed.c.account_id) & (
        DECISIONS.c.request_id == closed.c.reference
    )
    query = sa.select(DECISIONS.c.request_id).select_from(DECISIONS.outerjoin(closed, same))
    missing = closed.c.reference.is_(None), DECISIONS.c.operation != IMPORTED
    lost = query.where(*missing).limit(_MOST_LISTED)
    for request_id in connection.scalars(lost):
        report.note(f"{request_id}: has a decision record and was never closed")


def _compare_some(
    connection: sa.Connection, report: LedgerReport, account_id: str, charged: dict[str, int]
) -> list[str]:
    """Compare some closes with their records; those without one."""
    of_account = DECISIONS.c.account_id == account_id
    query = sa.select(DECISIONS.c.request_id, DECISIONS.c.record)
    found = connection.execute(query.where(of_account, DECISIONS.c.request_id.in_(charged)))
    records = {row.request_id: row.record for row in found}
    report.records += len(records)
    for request_id, amount in charged.items():
        if request_id not in records:
            continue
        try:
            recorded = read_closed_micros(records[request_id])
        except UnreadableRecord as error:
            report.note(f"{request_id}: {error}")
            continue
        if recorded != amount:
            report.note(f"{request_id}: closed {amount}, its decision record says {recorded}")
    return [request_id for request_id in charged if request_id not in records]
