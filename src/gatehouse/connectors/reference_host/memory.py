"""What the reference host remembers of payments, and what it counts.

Both follow from the lines of its journal alone, so a host that reads its journal back knows what
it knew before.
"""

from collections import OrderedDict
from typing import Final

import msgspec

from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome, JournalLine

MOST_REMEMBERED: Final = 500_000
"""References of payments; the oldest is forgotten first."""
_MOST_ENQUIRIES: Final = 100_000


class HostedPayment:
    """A payment, or only its reversal when that is all that arrived."""

    __slots__ = (
        *("amount_minor", "approval_code", "code", "currency", "outcome"),
        *("captured", "operations", "refunded", "reversals", "times"),
    )

    def __init__(self) -> None:
        self.outcome: HostOutcome | None = None
        """What was decided when it arrived; None when it has not."""
        self.code: str | None = None
        self.approval_code: str | None = None
        self.amount_minor: int | None = None
        self.currency: str | None = None
        self.times = 0
        """How often its authorization arrived."""
        self.reversals = 0
        self.captured = 0
        self.refunded = 0
        self.operations: dict[str, JournalLine] = {}
        """The first line of each capture and refund, by its id."""


class HostSummary(msgspec.Struct, rename="camel"):
    """What the host received so far; of payments, each reference counts once."""

    checks: int = 0
    verifications: int = 0
    authorizations: int = 0
    approved: int = 0
    declined: int = 0
    silent: int = 0
    """Authorizations without an answer, because of their card."""
    reversed: int = 0
    """Approved payments that were reversed."""
    unreversed: int = 0
    """Approved payments that stand."""
    never_heard_of: int = 0
    """References that were reversed without an authorization before."""
    captured: int = 0
    refunded: int = 0
    """Captures and refunds that were done; each id counts once."""
    reversals: int = 0
    """Messages that ask for a reversal, repeated ones included."""
    duplicates: int = 0
    """Authorizations with a reference that was used before."""
    refused: int = 0
    unreadable: int = 0
    misbehaved: int = 0


class HostMemory:
    """Payments by their references."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._payments: OrderedDict[str, HostedPayment] = OrderedDict()
        self._enquiries: OrderedDict[str, int] = OrderedDict()
        self.summary: Final = HostSummary()

    def find(self, reference: str) -> HostedPayment | None:
        """What is known of a reference."""
        return self._payments.get(reference)

    def times(self, kind: HostKind, reference: str) -> int:
        """How often this was asked before."""
        payment = self._payments.get(reference)
        if kind is HostKind.AUTHORIZE:
            return payment.times if payment else 0
        if kind is HostKind.REVERSE:
            return payment.reversals if payment else 0
        return self._enquiries.get(reference, 0)

    def note(self, line: JournalLine) -> None:
        """Remember a message that was received."""
        summary = self.summary
        if line.fate is not None:
            summary.misbehaved += 1
        if line.outcome is HostOutcome.REFUSED and not line.duplicate:
            summary.refused += 1
        match line.kind:
            case HostKind.CHECK:
                summary.checks += 1
                self._note_enquiry(line)
            case HostKind.VERIFY:
                summary.verifications += 1
                self._note_enquiry(line)
            case HostKind.AUTHORIZE:
                self._note_authorization(line)
            case HostKind.REVERSE:
                self._note_reversal(line)
            case HostKind.CAPTURE | HostKind.REFUND:
                self._note_enquiry(line)
                self._note_operation(line)
            case HostKind.PAGE:
                self._note_enquiry(line)
            case HostKind.UNREADABLE:
                summary.unreadable += 1

    def _note_enquiry(self, line: JournalLine) -> None:
        name = line.operation or line.reference
        if name is not None:
            self._enquiries[name] = self._enquiries.get(name, 0) + 1
            if len(self._enquiries) > _MOST_ENQUIRIES:
                self._enquiries.popitem(last=False)

    def _note_authorization(self, line: JournalLine) -> None:
        if line.reference is None or (line.outcome is HostOutcome.REFUSED and not line.duplicate):
            return
        summary, payment = self.summary, self._payment(line.reference)
        payment.times += 1
        if line.duplicate:
            summary.duplicates += 1
            return
        payment.outcome, payment.code = line.outcome, line.code
        payment.approval_code = line.approval_code
        payment.amount_minor, payment.currency = line.amount_minor, line.currency
        summary.authorizations += 1
        if line.outcome is HostOutcome.APPROVED:
            summary.approved += 1
            summary.unreversed += 1
        elif line.outcome is HostOutcome.SILENT:
            summary.silent += 1
        else:
            summary.declined += 1

    def _note_reversal(self, line: JournalLine) -> None:
        self.summary.reversals += 1
        if line.reference is None or line.outcome is HostOutcome.REFUSED:
            return
        payment = self._payment(line.reference)
        payment.reversals += 1
        if payment.reversals > 1:
            return
        if payment.outcome is HostOutcome.APPROVED:
            self.summary.reversed += 1
            self.summary.unreversed -= 1
        elif payment.outcome is None:
            self.summary.never_heard_of += 1

    def _note_operation(self, line: JournalLine) -> None:
        if line.duplicate or line.reference is None or line.operation is None:
            return
        payment = self._payments.get(line.reference)
        if payment is None or line.outcome is HostOutcome.REFUSED:
            return
        payment.operations[line.operation] = line
        if line.outcome is not HostOutcome.APPROVED:
            return
        if line.kind is HostKind.CAPTURE:
            payment.captured += line.amount_minor or 0
            self.summary.captured += 1
        else:
            payment.refunded += line.amount_minor or 0
            self.summary.refunded += 1

    def _payment(self, reference: str) -> HostedPayment:
        payment = self._payments.get(reference)
        if payment is None:
            payment = self._payments[reference] = HostedPayment()
            if len(self._payments) > self._most:
                self._payments.popitem(last=False)
        return payment
