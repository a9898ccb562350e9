"""Verifies the ledger: by itself, against the audit trail, and against the decision records.

Each of the three could be changed alone by somebody with access to the database; together they
have to agree.
"""

from itertools import groupby
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import EntryKind, Hold
from gatehouse.billing.verify import LedgerReport, verify_ledger
from gatehouse.core.clock import parse_time
from gatehouse.core.ids import first_id
from gatehouse.decisions.record import UnreadableRecord, read_closed_micros
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.ledger import ADJUSTED, TOPPED_UP, stream
from gatehouse.store.admin import audit
from gatehouse.store.tables import AUDIT, DECISIONS, HOLDS, LEDGER_ENTRIES

RETENTION_BEGAN: Final = "retention.begin"
"""The audit line that says before which moment decision records are deleted."""
_ACTIONS: Final = {EntryKind.TOP_UP: TOPPED_UP, EntryKind.ADJUST: ADJUSTED}
_AT_ONCE: Final = 500
_MOST_LISTED: Final = 100
_E: Final = LEDGER_ENTRIES.c


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
    report.payments = connection.scalar(sa.select(sa.func.count()).select_from(payments)) or 0
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
    total = connection.scalar(sa.select(sa.func.count()).select_from(DECISIONS)) or 0
    if total == report.records:
        return
    closed = closes.subquery("closed")
    same = (DECISIONS.c.account_id == closed.c.account_id) & (
        DECISIONS.c.request_id == closed.c.reference
    )
    query = sa.select(DECISIONS.c.request_id).select_from(DECISIONS.outerjoin(closed, same))
    lost = query.where(closed.c.reference.is_(None)).limit(_MOST_LISTED)
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
