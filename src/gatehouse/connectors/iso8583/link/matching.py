"""Finds the message of an answer by type, STAN and RRN, also when the answer comes too late."""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from gatehouse.connectors.iso8583.dialect import Unpacked
from gatehouse.connectors.iso8583.link.link import Pending
from gatehouse.connectors.iso8583.link.recent import Recent

_MOST_LATE: Final = 10_000
_LATE_S: Final = 300.0


class LinkCounts(msgspec.Struct):
    """What happened since the start."""

    sent: int = 0
    answered: int = 0
    timed_out: int = 0
    late: int = 0
    """Answers that came when nobody waited for them any more."""
    unmatched: int = 0
    """Answers that fit nothing; one that came twice is among them."""
    malformed: int = 0
    lost: int = 0
    """Connections."""


class LateMessage(NamedTuple):
    """What is still known of a message for whose answer nobody waits; there may be many."""

    rrn: str | None
    answer_mti: str
    on_late: Callable[[Unpacked], None] | None


class PendingTable:
    """All messages whose answers are expected, or may still come; their STANs are in use."""

    def __init__(self) -> None:
        self._open: dict[str, Pending] = {}
        self._late = Recent[LateMessage](most=_MOST_LATE, kept_s=_LATE_S)

    def __contains__(self, stan: object) -> bool:
        return stan in self._open or stan in self._late

    def add(self, pending: Pending) -> None:
        """Expect an answer."""
        self._open[pending.stan] = pending

    def take(self, stan: str, rrn: str | None, mti: str) -> Pending | LateMessage | None:
        """The message that an answer belongs to; no other answer is expected to it."""
        asked = self._open.get(stan) or self._late.get(stan)
        if asked is None or asked.answer_mti != mti or asked.rrn not in (None, rrn):
            return None
        self._open.pop(stan, None)
        self._late.pop(stan)
        return asked

    def drop(self, pending: Pending) -> None:
        """Expect no answer."""
        self._open.pop(pending.stan, None)

    def keep(self, pending: Pending) -> None:
        """Go on expecting an answer for a while, although nobody waits for it."""
        if self._open.pop(pending.stan, None) is not None:
            self._late.put(
                pending.stan, LateMessage(pending.rrn, pending.answer_mti, pending.on_late)
            )

    def forget(self, stan: str, rrn: str | None) -> None:
        """Leave a late answer to the message that is going to repeat this one."""
        late = self._late.get(stan)
        if late is not None and late.rrn == rrn:
            self._late.pop(stan)

    def clear(self) -> None:
        """Forget everything."""
        self._open.clear()
        self._late.clear()
