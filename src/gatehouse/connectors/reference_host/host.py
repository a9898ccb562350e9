"""The reference host itself: what it decides, remembers and notes, whatever protocol is spoken."""

import asyncio
from hashlib import blake2b
from typing import Final, Literal, Protocol

import msgspec

from gatehouse.connectors.reference_host.journal import (
    HostJournal,
    HostKind,
    HostOutcome,
    JournalLine,
)
from gatehouse.connectors.reference_host.memory import HostedPayment, HostMemory
from gatehouse.connectors.reference_host.misbehaviour import (
    HostFate,
    HostMisbehaviour,
    draw,
    make_fates,
)
from gatehouse.connectors.reference_host.notices import HostNotices
from gatehouse.connectors.reference_host.pages import HostPages
from gatehouse.connectors.sandbox.parties import decide_operation, decide_payment
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Clock, iso_time
from gatehouse.gateway.operating import OperationEnd

APPROVED: Final = "00"
INVALID_AMOUNT: Final = "13"
NOT_FOUND: Final = "25"
DUPLICATE: Final = "94"
_SHORTER_THAN_CARDS: Final = 12
"""A retrieval reference number has so many characters, too few for the number of a card in use."""

_WITHOUT_FATE: Final = frozenset((HostOutcome.SILENT, HostOutcome.REFUSED))


class HostMessage(msgspec.Struct, frozen=True):
    """What the host notes of a message, and the card by which it decides."""

    protocol: Literal["iso8583", "http"]
    kind: HostKind
    reference: str | None = None
    stan: str | None = None
    amount_minor: int | None = None
    currency: str | None = None
    number: CardNumber | None = None
    operation: str | None = None


class HostDecision(msgspec.Struct, frozen=True):
    """What the host does about a message."""

    outcome: HostOutcome
    code: str | None = None
    approval_code: str | None = None
    duplicate: bool = False


class OpenConnection(Protocol):
    """A connection that can be ended."""

    closed: asyncio.Future[None]
    """Done when it has ended."""

    def close(self) -> None:
        """Send what is written, then end it."""

    def abort(self) -> None:
        """End it at once."""


class ReferenceHost:
    """Decides as the sandbox does, and remembers payments as a real host does."""

    def __init__(self, clock: Clock, journal: HostJournal, misbehaviour: HostMisbehaviour) -> None:
        self._clock = clock
        self._journal = journal
        self._handshakes = 0
        self._unnamed = 0
        self.memory: Final = HostMemory()
        self.pages: Final = HostPages(clock)
        self.connections: Final[set[OpenConnection]] = set()
        self.notices: Final = HostNotices(clock, lambda: self.misbehaviour)
        self.misbehave(misbehaviour)

    def misbehave(self, misbehaviour: HostMisbehaviour) -> None:
        """Misbehave in this way from now on."""
        self.misbehaviour = misbehaviour
        self._fate_of = make_fates(misbehaviour)

    def authorize(self, message: HostMessage) -> HostDecision:
        """Decide about a payment; a repeat gets the first answer, a reversed one is declined."""
        assert message.reference is not None
        known = self.memory.find(message.reference)
        repeated = known is not None and known.times > 0
        if known is not None and known.reversals:
            return HostDecision(HostOutcome.DECLINED, DUPLICATE, duplicate=repeated)
        if known is not None and known.outcome is not None:
            if _differs(known, message):
                return HostDecision(HostOutcome.REFUSED, DUPLICATE, duplicate=True)
            return HostDecision(known.outcome, known.code, known.approval_code, duplicate=True)
        assert message.number is not None
        answer = decide_payment(message.number, message.reference)
        if answer is None:
            return HostDecision(HostOutcome.SILENT)
        outcome = HostOutcome.APPROVED if answer.approved else HostOutcome.DECLINED
        return HostDecision(outcome, answer.response_code, answer.approval_code)

    def reverse(self, message: HostMessage) -> HostDecision:
        """Decide about a reversal; the payment need not have arrived."""
        assert message.reference is not None
        known = self.memory.find(message.reference)
        if known is None or known.outcome is None:
            repeated = known is not None and known.reversals > 0
            return HostDecision(HostOutcome.NEVER_HEARD_OF, NOT_FOUND, duplicate=repeated)
        if _differs(known, message) or known.captured:
            return HostDecision(HostOutcome.REFUSED, INVALID_AMOUNT)
        return HostDecision(HostOutcome.REVERSED, APPROVED, duplicate=known.reversals > 0)

    def operate(self, message: HostMessage) -> HostDecision:
        """Decide about a capture or a refund; a repeat gets the first answer and does nothing."""
        assert message.reference is not None
        assert message.operation is not None
        known = self.memory.find(message.reference)
        if known is None or known.outcome is not HostOutcome.APPROVED or known.reversals:
            return HostDecision(HostOutcome.DECLINED, NOT_FOUND)
        before = known.operations.get(message.operation)
        if before is not None:
            asked = (message.kind, message.amount_minor)
            outcome = before.outcome if (before.kind, before.amount_minor) == asked else None
            if outcome is None:
                return HostDecision(HostOutcome.REFUSED, DUPLICATE, duplicate=True)
            return HostDecision(outcome, before.code, duplicate=True)
        is_capture = message.kind is HostKind.CAPTURE
        taken = known.captured if is_capture else known.refunded
        most = known.amount_minor if is_capture else known.captured
        amount = message.amount_minor or 0
        if amount > (most or 0) - taken or message.currency != known.currency:
            return HostDecision(HostOutcome.DECLINED, INVALID_AMOUNT)
        answer = decide_operation(message.operation, amount)
        refused = answer.end is OperationEnd.REFUSED
        outcome = HostOutcome.DECLINED if refused else HostOutcome.APPROVED
        return HostDecision(outcome, answer.response_code)

    def received(self, message: HostMessage, decision: HostDecision) -> HostFate | None:
        """Note a message and what was decided about it; what goes wrong with its answer, if so."""
        fate = None if decision.outcome in _WITHOUT_FATE else self._fate(message)
        line = self._line("received", message, decision, fate)
        self._journal.write(line)
        self.memory.note(line)
        return fate

    def sent(self, message: HostMessage, decision: HostDecision, fate: HostFate | None) -> None:
        """Note an answer."""
        if self._journal.is_kept:
            self._journal.write(self._line("sent", message, decision, fate))

    def fails_handshake(self) -> bool:
        """Whether the next handshake is to fail."""
        self._handshakes += 1
        share = self.misbehaviour.shares.get(HostFate.TLS_FAILURE, 0.0)
        seed = self.misbehaviour.seed.to_bytes(8, "big")
        return draw(seed, f"handshake:{self._handshakes}") < share * 2**64

    def garbage(self, message: HostMessage) -> bytes:
        """Bytes that mean nothing, always the same for a message."""
        key = f"{self.misbehaviour.seed}:{message.reference}:{message.stan}"
        return blake2b(key.encode(), digest_size=64).digest()

    def _fate(self, message: HostMessage) -> HostFate | None:
        if message.reference is None:
            self._unnamed += 1
            return self._fate_of(f"{message.kind}:{self._unnamed}")
        name = message.operation or message.reference
        times = self.memory.times(message.kind, name)
        return self._fate_of(f"{message.kind}:{name}:{times}")

    def _line(
        self,
        direction: Literal["received", "sent"],
        message: HostMessage,
        decision: HostDecision,
        fate: HostFate | None,
    ) -> JournalLine:
        number = message.number
        return JournalLine(
            at=iso_time(self._clock()),
            direction=direction,
            protocol=message.protocol,
            kind=message.kind,
            outcome=decision.outcome,
            reference=message.reference,
            operation=message.operation,
            stan=message.stan,
            amount_minor=message.amount_minor,
            currency=message.currency,
            bin=None if number is None else number.bin,
            last_four=None if number is None else number.last_four,
            code=decision.code,
            approval_code=decision.approval_code,
            fate=fate,
            duplicate=decision.duplicate,
        )


def may_be_kept(reference: str) -> bool:
    """Whether a caller's reference can be written down: it holds nothing like a card number."""
    return len(reference) <= _SHORTER_THAN_CARDS or recordable(reference) == reference


def _differs(known: HostedPayment, message: HostMessage) -> bool:
    """Whether a message is about another amount than the payment was; what it leaves out is not."""
    amount, currency = message.amount_minor, message.currency
    return (amount is not None and amount != known.amount_minor) or (
        currency is not None and known.currency is not None and currency != known.currency
    )
