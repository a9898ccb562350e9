"""The recorded past of the demo account: who orders what and when, and what is done about it.

`scripts/demo_past` makes the file. A past follows from it and the moment where it ends.
"""

import lzma
from enum import StrEnum
from importlib import resources
from typing import Final, NamedTuple

import msgspec

from gatehouse.core.ids import derived_id
from gatehouse.core.stages.outcomes import Outcome

DAYS: Final = 30
"""How long the past is."""
DAY_MS: Final = 86_400_000
RECORDED: Final = "past.msgpack.xz"
LEAST_DECISIONS: Final = 100
MOST_DECISIONS: Final = 1200
WHOLE: Final = 400
"""From so many decisions on, a past has the attack of last Tuesday and the change of a rule."""
NUMBER: Final = "#"
"""What stands for the number of an order in its body."""
_FIRST_ORDER: Final = 5001
_ATTEMPTS: Final = 4
_TUESDAY_IS_OVER_DAYS: Final = 1
_FIRST_TUESDAY: Final = 5
_WEEK_DAYS: Final = 7


class FollowUpKind(StrEnum):
    """What is done about a decision."""

    ASSIGN = "ASSIGN"
    NOTE = "NOTE"
    APPROVE = "APPROVE"
    DECLINE = "DECLINE"
    LABEL = "LABEL"
    DISPUTE = "DISPUTE"


class FollowUp(msgspec.Struct, frozen=True, array_like=True):
    """Something that is done about a decision later."""

    after_ms: int
    kind: FollowUpKind
    who: str = ""
    words: str = ""
    """Of a note or a reason; of a label, its name; of a dispute, the reason code."""
    amount_micros: int | None = None
    """What a bank took back."""


FollowUps = dict[Outcome, tuple[FollowUp, ...]]
"""What is done about an order, by what the engine decides."""


class RecordedOrder(msgspec.Struct, frozen=True, array_like=True):
    """One request, at a moment of a past that begins at midnight."""

    moment_ms: int
    operation: str
    body: str
    follow_ups: FollowUps


class RecordedEntry(msgspec.Struct, frozen=True, array_like=True):
    """Something that the shop's people put on a list."""

    moment_ms: int
    list_name: str
    value: str
    reason: str
    lifetime_days: int | None = None


class RecordedRule(msgspec.Struct, frozen=True, array_like=True):
    """A rule that the shop's people added to the starter rule set."""

    moment_ms: int
    written: str
    why: str


class RecordedPast(msgspec.Struct, frozen=True, array_like=True):
    """Everything that the file holds; the orders that a shorter past has, too, come first."""

    orders: tuple[RecordedOrder, ...]
    entries: tuple[RecordedEntry, ...]
    attack: tuple[RecordedOrder, ...] = ()
    """The moments of these are since the midnight with which a Tuesday begins."""
    rules: tuple[RecordedRule, ...] = ()


class DemoPlan(msgspec.Struct, frozen=True):
    """What a past is made from, as the audit trail keeps it."""

    decisions: int
    end_ms: int

    @property
    def start_ms(self) -> int:
        """When the past begins."""
        return self.end_ms - DAYS * DAY_MS

    def moment(self, recorded_ms: int) -> int:
        """A recorded moment in this past, at the same time of day.

        What was recorded for the first day, before the time of day at which this past begins, comes
        on its last day.
        """
        at_ms = self.start_ms // DAY_MS * DAY_MS + recorded_ms
        return at_ms if at_ms >= self.start_ms else at_ms + DAYS * DAY_MS

    @property
    def is_whole(self) -> bool:
        """Whether it has all that was recorded."""
        return self.decisions >= WHOLE

    @property
    def tuesday_ms(self) -> int:
        """When the last Tuesday began that is over at the end."""
        last_day = self.end_ms // DAY_MS - _TUESDAY_IS_OVER_DAYS
        # Day 0 of 1970 was a Thursday.
        return (last_day - (last_day - _FIRST_TUESDAY) % _WEEK_DAYS) * DAY_MS


class DemoOrder(NamedTuple):
    """One request of a past."""

    request_ids: tuple[str, ...]
    """Its id, and those for further attempts, should the process end in the middle of one."""
    at_ms: int
    operation: str
    body: bytes
    follow_ups: FollowUps


def read_recorded() -> RecordedPast:
    """What was recorded."""
    packed = (resources.files(__package__) / RECORDED).read_bytes()
    return msgspec.msgpack.decode(lzma.decompress(packed), type=RecordedPast)


def orders_of(plan: DemoPlan, recorded: RecordedPast) -> list[DemoOrder]:
    """The requests of a past, oldest first; all of their times differ, as those of records do."""
    attack = recorded.attack if plan.is_whole else ()
    timed = [(plan.tuesday_ms + each.moment_ms, each) for each in attack]
    chosen = recorded.orders[: plan.decisions - len(attack)]
    timed += [(plan.moment(each.moment_ms), each) for each in chosen]
    orders: list[DemoOrder] = []
    last_ms = 0
    for at_ms, order in sorted(timed, key=lambda each: each[0]):
        last_ms = max(at_ms, last_ms + 1)
        number = str(_FIRST_ORDER + len(orders))
        ids = (derived_id("req", last_ms, f"demo {number} {each}") for each in range(_ATTEMPTS))
        body = order.body.replace(NUMBER, number).encode()
        orders.append(DemoOrder(tuple(ids), last_ms, order.operation, body, order.follow_ups))
    return orders
