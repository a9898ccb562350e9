"""Compares a shared memory with what this installation has told it.

A number grows in the database and, a step ahead, in the store. A store with less has lost data: it
was restarted with an older file, or one server of a cluster is empty. A store with more was told by
another database: this one is a copy, or was set back. It then goes on under a name of its own,
with keys of its own, and leaves those of the other alone.
"""

import asyncio
import logging
from contextlib import suppress
from enum import Enum
from secrets import token_hex
from typing import Final, NamedTuple

from gatehouse.admin.memory.queries.memory_told import MemoryTold, note_told, read_told
from gatehouse.core.errors import Conflict
from gatehouse.operations.shared_memory import OpenedMemory
from gatehouse.store.admin.admin_session import AdminSession, Change

_log: Final = logging.getLogger("gatehouse.memory")

_NAME_BYTES: Final = 4
STEP_MS: Final = 10_000
"""Longer than a store takes to write to its disk: what it had at the last step, it must keep."""


class MemoryFinding(Enum):
    """What the comparison says."""

    SAME = "it has what it was told"
    LOST = "it has lost a part of what it was told"
    OTHERS = "it was told by another database, and this one is a copy of that"


class _Compared(NamedTuple):
    marks: list[int]
    told: MemoryTold

    @property
    def finding(self) -> MemoryFinding:
        return compare(self.marks, self.told)


def compare(marks: list[int], told: MemoryTold) -> MemoryFinding:
    """What the numbers of the store and of the database say."""
    if max(marks) > told.number + 1:
        return MemoryFinding.OTHERS
    return MemoryFinding.LOST if min(marks) < told.number else MemoryFinding.SAME


def begin_installation(change: Change, before: MemoryTold | None = None) -> str:
    """Give this database a name of its own in shared memories; the name, for the audit line.

    `Conflict` when another server has done that since `before` was read.
    """
    name = token_hex(_NAME_BYTES)
    before = before or read_told(change.connection)
    if not note_told(change.connection, before, MemoryTold(name)):
        raise Conflict("another server has begun with other keys")
    return name


async def check_memory(session: AdminSession, opened: OpenedMemory) -> None:
    """See whose the memory is and whether it is whole, and go a step on.

    Data that was lost is noted in the store: the memory has to be rebuilt.
    """
    session.actor.check_installation()
    compared = await _read(session, opened)
    if compared.finding is not MemoryFinding.SAME:
        # Other servers can have made steps between the two readings, if this one stood still.
        compared = await _read(session, opened)
    if compared.finding is MemoryFinding.OTHERS:
        with suppress(Conflict):
            await asyncio.to_thread(_begin_own, session, compared.told)
        compared = await _read(session, opened)
    told = compared.told
    if compared.finding is MemoryFinding.LOST:
        _log.warning("the shared memory has lost a part of what it was told")
        await opened.note_lost()
        await opened.set_marks(told.number)
    elif abs(session.clock() - told.at_ms) >= STEP_MS:
        now = MemoryTold(told.installation, min(compared.marks), session.clock())
        if await session.database.write_on_thread(lambda c: note_told(c, told, now)):
            await opened.set_marks(now.number + 1)


async def _read(session: AdminSession, opened: OpenedMemory) -> _Compared:
    # The store first: a step that is made meanwhile is in the database before it is in the store.
    marks = await opened.marks()
    told = await session.database.read_on_thread(read_told)
    if told.installation != opened.keys.installation:
        opened.keys.rename(told.installation)
        marks = await opened.marks()
    return _Compared(marks, told)


def _begin_own(session: AdminSession, before: MemoryTold) -> None:
    with session.change(unseen=True) as change:
        name = begin_installation(change, before)
        change.audit("memory.begun", installation=name)
    _log.warning(
        "the shared memory was told by another database, and this one is a copy of that; "
        "it goes on with keys of its own",
        extra={"installation": name},
    )
