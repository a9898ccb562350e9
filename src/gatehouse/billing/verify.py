"""Verifies the ledger: compares the sums of all entries with the balances of the accounts."""

from collections.abc import Iterable, Mapping
from itertools import groupby

import msgspec

from gatehouse.billing.ledger import (
    STEP_END,
    STEP_OPEN,
    AccountState,
    EntryKind,
    Hold,
    LedgerEntry,
    charged_items,
)

_ENDS = {EntryKind.CLOSE, EntryKind.RELEASE, EntryKind.EXPIRE}
_MOST_PROBLEMS = 100


class LedgerReport(msgspec.Struct, rename="camel"):
    """The counts and problems of a verification."""

    accounts: int = 0
    entries: int = 0
    requests: int = 0
    closed: int = 0
    open: int = 0
    payments: int = 0
    """Top-ups and adjustments, which were compared with the audit trail."""
    credits: int = 0
    """Credits that expire, which were compared with the ledger and the audit trail."""
    records: int = 0
    """Decision records, which were compared with what was closed."""
    records_expired: int = 0
    """Closes whose records were deleted because of their age, as the audit trail says."""
    problems: list[str] = []

    def note(self, problem: str) -> None:
        """Add a problem; only the first hundred are listed."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)


def verify_ledger(
    accounts: Mapping[str, AccountState], entries: Iterable[LedgerEntry], holds: Mapping[str, Hold]
) -> LedgerReport:
    """Verify all entries, given in order of account, reference and step."""
    report = LedgerReport(accounts=len(accounts))
    open_holds = dict(holds)
    sums = {account_id: AccountState(0, 0) for account_id in accounts}
    for (account_id, reference), group in groupby(entries, lambda e: (e.account_id, e.reference)):
        lines = list(group)
        report.entries += len(lines)
        total = sums.get(account_id)
        if total is None:
            report.note(f"{reference}: belongs to no account")
            continue
        total.balance += sum(line.amount for line in lines)
        total.held += sum(line.held for line in lines)
        if lines[0].kind not in (EntryKind.TOP_UP, EntryKind.ADJUST):
            report.requests += 1
            _check_request(report, lines, open_holds.pop(reference, None))
        elif len(lines) > 1:
            report.note(f"{reference}: a payment has more than one entry")
    for reference in open_holds:
        report.note(f"{reference}: is held without an authorization")
    _compare(report, accounts, sums)
    return report


def _check_request(report: LedgerReport, lines: list[LedgerEntry], hold: Hold | None) -> None:
    reference = lines[0].reference
    opened = [line for line in lines if line.step == STEP_OPEN]
    ended = [line for line in lines if line.step == STEP_END]
    if len(opened) != 1 or opened[0].kind is not EntryKind.AUTHORIZE:
        report.note(f"{reference}: has no single authorization")
        return
    if len(ended) > 1 or any(line.kind not in _ENDS for line in ended):
        report.note(f"{reference}: ended more than once, or by something else than an end")
        return
    authorized = opened[0].held
    if not ended:
        report.open += 1
        if hold is None or hold.amount != authorized:
            report.note(f"{reference}: is open, but its hold is missing or different")
        return
    if hold is not None:
        report.note(f"{reference}: has ended, but is still held")
    _check_end(report, authorized, ended[0])


def _check_end(report: LedgerReport, authorized: int, end: LedgerEntry) -> None:
    report.closed += end.kind is EntryKind.CLOSE
    charged = -end.amount
    if end.held != -authorized:
        report.note(f"{end.reference}: released {-end.held}, authorized {authorized}")
    if not 0 <= charged <= authorized:
        report.note(f"{end.reference}: closed {charged}, authorized {authorized}")
    if end.kind is not EntryKind.CLOSE and charged:
        report.note(f"{end.reference}: was charged without being closed")
    items = charged_items(end.detail) if end.kind is EntryKind.CLOSE else []
    if sum(fee for _, fee in items) != charged:
        report.note(f"{end.reference}: its items do not add up to what was charged")


def _compare(
    report: LedgerReport, accounts: Mapping[str, AccountState], sums: Mapping[str, AccountState]
) -> None:
    for account_id, state in accounts.items():
        total = sums[account_id]
        if total.balance != state.balance:
            report.note(f"{account_id}: balance {state.balance}, sum of entries {total.balance}")
        if total.held != state.held:
            report.note(f"{account_id}: held {state.held}, sum of entries {total.held}")
