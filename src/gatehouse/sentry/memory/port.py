"""The port to Sentry's memory: counts, sums, partners and habits, by entity and account.

One call both records an event and recalls the history of everything it touches, so that a memory
shared by several processes needs one round trip. Counts include the event itself. An event whose
transaction was recorded before is recalled, but not counted again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from gatehouse.sentry.memory.memory import MemoryEvent, MemoryState

if TYPE_CHECKING:
    from gatehouse.sentry.memory.recalled import History


class Memory(Protocol):
    """Records events and recalls their history."""

    @property
    def recall_now(self) -> "Callable[[MemoryEvent], History] | None":
        """Does what `record_and_recall` does, where nothing has to be waited for."""

    async def record_and_recall(self, event: MemoryEvent) -> "History":
        """Count an event, unless its transaction was counted before, and recall its history."""

    def retract(self, event: MemoryEvent) -> None:
        """Forget the counts of an event: it failed through no fault of the customer."""

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note an event's label in place of the previous one."""

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused, also of an event that does not count."""


class ServerMemory(Memory, Protocol):
    """What a server needs of its memory beside its requests."""

    rebuilt: bool
    """Whether events from before this process are known, too."""

    def note(self, event: MemoryEvent) -> object:
        """Count an event, unless it was counted before."""

    def forget(self, event: MemoryEvent, *, counted: bool, declined: bool) -> bool:
        """Forget an event whose person was erased; whether a label of it is to be taken back."""

    def state(self) -> MemoryState:
        """How full it is."""


class SharedLog(ServerMemory, Protocol):
    """A memory outside of the process, which acknowledges what it was told."""

    def take_back(self, event: MemoryEvent) -> None:
        """Forget an event if its request has counted it, although nobody heard that it did.

        However often it is told: a server may have told it before.
        """

    async def flush(self) -> None:
        """Wait until all that was told before has arrived; `ConnectorFailed` when it cannot."""
