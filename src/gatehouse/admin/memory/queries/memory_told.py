"""How far this database has told the shared memory, and the name of the installation there.

The number grows while servers run. The store of the memory has it as well, so that each of the two
shows when the other was set back: a store that lost data, or a database that is a copy.
"""

from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.store.state import read_mark, replace_mark

_TOLD: Final = "memory_told"
_REBUILD: Final = "memory_rebuild"


class MemoryTold(NamedTuple):
    """What this database knows of the shared memory."""

    installation: str = ""
    """What the keys of this installation begin with; a restored copy has a name of its own."""
    number: int = 0
    """The store has had at least this number."""
    at_ms: int = 0

    @property
    def text(self) -> str:
        """As it is kept."""
        return f"{self.number} {self.at_ms} {self.installation}"


def read_told(connection: sa.Connection) -> MemoryTold:
    """What is known of the memory; nothing if none was ever shared."""
    kept = read_mark(connection, _TOLD)
    if kept is None:
        return MemoryTold()
    number, at_ms, installation = kept.split(" ", 2)
    return MemoryTold(installation, int(number), int(at_ms))


def note_told(connection: sa.Connection, before: MemoryTold, now: MemoryTold) -> bool:
    """Replace what is known, unless another server has done so since it was read."""
    kept = None if before == MemoryTold() else before.text
    return replace_mark(connection, _TOLD, kept, now.text)


def may_rebuild(connection: sa.Connection, now_ms: int, every_ms: int) -> bool:
    """Whether a server may begin to rebuild by itself; says so to one of them at a time."""
    kept = read_mark(connection, _REBUILD)
    if kept is not None and abs(now_ms - int(kept)) < every_ms:
        return False
    return replace_mark(connection, _REBUILD, kept, str(now_ms))
