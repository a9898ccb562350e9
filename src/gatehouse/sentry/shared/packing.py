"""The arguments of the store's script; `memory.lua` reads them."""

from collections.abc import Sequence
from importlib.resources import files
from struct import Struct, pack
from typing import Final, NamedTuple

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.account_stats import AMOUNTS_KEPT, FADING
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared.entries import MOST_PARTNERS, LogEntry
from gatehouse.sentry.shared.following import LONG
from gatehouse.sentry.shared.keys import AccountNames
from gatehouse.sentry.shared.spreads import MOST_BETWEEN

READ: Final = 6
COMPACT: Final = 7
UNKNOWN: Final = b"\0" * 6
"""The epoch of a log that was not followed before."""
ENTITY: Final = tuple(Struct(f"<B6sd{count}q") for count in range(MOST_PARTNERS + 1))
"""An entity by the number of its partners: that number, epoch and position, their keys."""
COMPACTED: Final = Struct("<B6sd")
TOTALS: Final = Struct("<dddd")
_HEAD: Final = Struct("<BBHHHBIddd8s")
_MADE, _REMOVED, _PAID, _OWNED = 1, 2, 4, 8

SCRIPT: Final = (
    f"local COUNT, RETRACT, REFUSE = {LogEntry.COUNT:d}, {LogEntry.RETRACT:d},"
    f" {LogEntry.REFUSE:d}\n"
    f"local READ, COMPACT, USER, LONG = {READ}, {COMPACT}, {kinds.USER:d}, {LONG}\n"
    f"local AMOUNTS, FADING = {AMOUNTS_KEPT + MOST_BETWEEN}, {FADING!r}\n"
) + files(__package__).joinpath("memory.lua").read_text()


class Marks(NamedTuple):
    """Keys by which the store knows what it was told before."""

    made: bytes | None = None
    """Unless it is there, in which case nothing is changed."""
    seconds: int = 0
    by: bytes = b""
    """Who makes it: the same one can tell the same again."""
    removed: bytes | None = None
    owned: bool = False
    """Whether nothing is changed unless the removed one was made by the same one."""


NO_MARKS: Final = Marks()


class EntityParts(NamedTuple):
    """The facts and the entities of an operation."""

    facts: bytes
    names: list[bytes]
    packed: list[bytes]
    tallied: Sequence[int] = ()
    sold: Sequence[int] = ()


def pack_count(
    event: MemoryEvent,
    names: AccountNames,
    parts: EntityParts,
    marks: Marks,
    amount: tuple[float | None, int],
) -> tuple[list[bytes], bytes]:
    """Keys and argument for an event; with its logarithm, and how many amounts are wanted."""
    amounts = names.amounts(event.currency)
    made = [amounts] if marks.made is None else [marks.made, amounts]
    return made + parts.names, _pack(LogEntry.COUNT, event, parts, marks, amount)


def pack_change(
    what: int, event: MemoryEvent, parts: EntityParts, marks: Marks = NO_MARKS
) -> tuple[list[bytes], bytes]:
    """Keys and argument for what changes or reads histories."""
    named = [mark for mark in (marks.made, marks.removed) if mark is not None]
    return named + parts.names, _pack(what, event, parts, marks, (None, 0))


def _pack(
    what: int,
    event: MemoryEvent,
    parts: EntityParts,
    marks: Marks,
    amount: tuple[float | None, int],
) -> bytes:
    facts, names, packed, tallied, sold = parts
    logarithm, wanted = amount
    flags = 0 if logarithm is None else _PAID
    if marks.made is not None:
        flags |= _MADE
    if marks.removed is not None:
        flags |= _REMOVED | (_OWNED if marks.owned else 0)
    head = _HEAD.pack(
        *(what, flags, len(names), len(tallied), len(sold), len(facts), marks.seconds),
        *(event.at_s, logarithm or 0.0, wanted, marks.by),
    )
    fields = pack(f">{len(tallied) + len(sold)}q", *tallied, *sold)
    return b"".join((head, facts, *packed, fields))
