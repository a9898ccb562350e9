"""Messages and their answers, on any number of links: sent once, matched, given up in time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.layout.numbers import StanCounter, local_time, transmission_time
from gatehouse.connectors.iso8583.link.link import Link, Pending
from gatehouse.connectors.iso8583.link.matching import LateMessage, LinkCounts, PendingTable
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed

# Named once, as in `card_values`.
_STAN: Final = Role.STAN
_RRN: Final = Role.RRN
_TRANSMITTED_AT: Final = Role.TRANSMITTED_AT
_LOCAL_TIME: Final = Role.LOCAL_TIME
APPROVED: Final = "00"
_LAST_TURNS: Final = 4
"""If it was the event loop that was late, an answer that is there is read in so many turns."""
_OF_HOSTS: Final = {
    MessageKind.ECHO: MessageKind.ECHO_ANSWER,
    MessageKind.SIGN_ON: MessageKind.SIGN_ON_ANSWER,
    MessageKind.SIGN_OFF: MessageKind.SIGN_OFF_ANSWER,
}
"""What a host may ask us, and the answer."""
_REQUESTS: Final = frozenset(kind for kind in MessageKind if kind.answer is not None)


class Outgoing(NamedTuple):
    """A message to send."""

    kind: MessageKind
    values: dict[Role, str]
    on_late: Callable[[Unpacked], None] | None = None
    """Hears the answer if it comes when nobody waits for it any more."""
    urgent: bool = False
    """Whether it is sent although the limit of requests in flight is reached."""
    resends: bool = False
    """Whether it has the numbers of a message that may have been given up, and repeats it."""


class MessageExchange:
    """Knows every message that waits for its answer."""

    def __init__(
        self,
        dialect: Dialect,
        clock: Clock,
        stans: StanCounter,
        unanswered: Callable[[Pending], None],
    ) -> None:
        """`unanswered` hears of every message whose time is over."""
        self.counts = LinkCounts()
        self.in_flight = 0
        """Requests, without messages about connections themselves."""
        self._dialect = dialect
        self._clock = clock
        self._stans = stans
        self._unanswered = unanswered
        self._table = PendingTable()

    def new_stan(self) -> str:
        """A STAN that no message has whose answer may still come."""
        return self._stans.take(self._table)

    def send(self, link: Link, message: Outgoing, timeout_s: float) -> Pending:
        """Send a message on a link; `ConnectorFailed` when it cannot be sent."""
        values = message.values
        stan = values.get(_STAN)
        if message.resends and stan is not None:
            self._table.forget(stan, values.get(_RRN))
        if stan is None:
            stan = values[_STAN] = self._stans.take(self._table)
        elif stan in self._table:
            raise ConnectorFailed("the STAN of the message is in use", sent=False)
        frame = self._framed(link, message)
        pending = Pending(link, stan, values.get(_RRN), self._dialect.answer_mti(message.kind))
        pending.on_late = message.on_late
        pending.timer = link.loop.call_later(timeout_s, self._time_out, pending, _LAST_TURNS)
        self._table.add(pending)
        link.waiting.add(pending)
        self.counts.sent += 1
        if pending.rrn is not None:
            self.in_flight += 1
        link.send(frame, pending)
        return pending

    async def answer_to(self, pending: Pending) -> Unpacked:
        """Wait for the answer to a message; raises `ConnectorFailed` when none comes."""
        try:
            return await pending.future
        except asyncio.CancelledError:
            future = pending.future
            if future.cancelled():
                self._give_up(pending)
            elif future.exception() is None:
                # The answer came in the turn in which the caller was cancelled.
                self._came_late(pending.on_late, future.result())
            raise

    def received(self, link: Link, body: bytes) -> None:
        """Pass an answer on to its request."""
        try:
            answer = self._dialect.unpack(body)
        except MalformedMessage:
            self.counts.malformed += 1
            link.note_unasked()
            return
        link.heard_at_s = link.loop.time()
        if answer.kind in _REQUESTS:
            link.note_unasked()
            self._reply(link, answer)
            return
        values = answer.values
        message = self._table.take(values.get(_STAN, ""), values.get(_RRN), answer.mti)
        if message is None:
            self.counts.unmatched += 1
            link.note_unasked()
            return
        if message.rrn is not None:
            link.has_answered = True
        if isinstance(message, LateMessage):
            self._came_late(message.on_late, answer)
            return
        self._end(message)
        if message.future.done():
            self._came_late(message.on_late, answer)
        else:
            self.counts.answered += 1
            message.future.set_result(answer)

    def fail_all(self, link: Link) -> None:
        """Tell everybody who waits for an answer on a link that is lost."""
        for pending in list(link.waiting):
            self._fail(pending, link.why_lost)

    def clear(self) -> None:
        """Expect no more answers."""
        self._table.clear()

    def _framed(self, link: Link, message: Outgoing) -> bytes:
        values = message.values
        if _TRANSMITTED_AT not in values:
            values[_TRANSMITTED_AT] = transmission_time(self._clock() // 1000)
        if _LOCAL_TIME not in values:
            values |= local_time(values[_TRANSMITTED_AT])
        try:
            return link.framed(self._dialect.pack(message.kind, values))
        except MalformedMessage as error:
            # Its text names fields and rules, never a value.
            said = f"a message cannot be made: {error}"
            raise ConnectorFailed(said, sent=False, answered=True) from None

    def _end(self, pending: Pending) -> None:
        """Nobody waits for this answer any more."""
        if pending.is_open:
            pending.is_open = False
            pending.link.waiting.discard(pending)
            if pending.rrn is not None:
                self.in_flight -= 1
            if pending.timer is not None:
                pending.timer.cancel()
                pending.timer = None

    def _give_up(self, pending: Pending) -> None:
        """End the waiting; an answer that comes later is recognised if there can be one."""
        if pending.is_open:
            self._end(pending)
            if pending.is_written:
                self._table.keep(pending)
            else:
                self._table.drop(pending)

    def _fail(self, pending: Pending, why: str) -> None:
        self._give_up(pending)
        if not pending.future.done():
            failure = ConnectorFailed(f"{pending.link.host}: {why}", sent=pending.is_written)
            pending.future.set_exception(failure)

    def _came_late(self, on_late: Callable[[Unpacked], None] | None, answer: Unpacked) -> None:
        self.counts.late += 1
        if on_late is not None:
            on_late(answer)

    def _time_out(self, pending: Pending, turns: int) -> None:
        """Give an answer up, unless only this event loop was late to read it."""
        if not pending.is_open:
            return
        if turns:
            pending.link.loop.call_soon(self._time_out, pending, turns - 1)
            return
        self.counts.timed_out += 1
        self._fail(pending, "no answer in time")
        self._unanswered(pending)

    def _reply(self, link: Link, asked: Unpacked) -> None:
        """Answer a message with which the host tries the connection; nothing else is answered."""
        kind = _OF_HOSTS.get(asked.kind)
        # A host that tries the connection and takes no answers must not fill the memory with them.
        if kind is None or link.is_full:
            self.counts.unmatched += 1
            return
        values = dict(asked.values) | {Role.RESPONSE_CODE: APPROVED}
        with suppress(MalformedMessage):
            link.send(link.framed(self._dialect.pack(kind, values)), None)
