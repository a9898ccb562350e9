"""A table of entity histories with a limit, which forgets the least useful first."""

from collections import OrderedDict
from typing import Final, Generic, Protocol, TypeVar

_FRESH_SHARE: Final = 4
"""A quarter of the places is reserved for entities that were seen once."""
_MOST_SPARED: Final = 16


class Seen(Protocol):
    """What a table must know of a history."""

    events: int
    """How often the entity was seen."""
    spared: int
    """The same when it was last a candidate for being forgotten."""


S = TypeVar("S", bound=Seen)


class Shard(Generic[S]):
    """One of many tables. Entities seen once stand apart: a flood of new ones pushes out others
    that were seen once, and not those that come again and again.
    """

    __slots__ = ("_cap", "_once", "earlier", "known", "transactions")

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._once: OrderedDict[int, S] = OrderedDict()
        self.known: OrderedDict[int, S] = OrderedDict()
        """Entities seen more than once; other modules only read it."""
        self.transactions: set[int] = set()
        self.earlier: set[int] = set()

    def __len__(self) -> int:
        return len(self._once) + len(self.known)

    def peek(self, key: int) -> S | None:
        """A history, if there is one; the entity does not count as seen."""
        history = self.known.get(key)
        return self._once.get(key) if history is None else history

    def promote(self, key: int) -> S | None:
        """The history of an entity that was seen once, and is now seen again."""
        history = self._once.pop(key, None)
        if history is not None:
            self.known[key] = history
        return history

    def add(self, key: int, history: S) -> None:
        """Add a new history, in the place of another when the table is full."""
        self._once[key] = history
        if len(self._once) + len(self.known) > self._cap:
            if len(self._once) > self._cap // _FRESH_SHARE:
                self._once.popitem(last=False)
            else:
                self._forget_one()

    def _forget_one(self) -> None:
        """Forget the oldest that was not seen since it was last the oldest.

        Moving every history that is seen to the end would cost each request; this costs only the
        requests that make one too many.
        """
        known = self.known
        for _ in range(_MOST_SPARED):
            key, history = known.popitem(last=False)
            if history.spared == history.events:
                return
            history.spared = history.events
            known[key] = history
        known.popitem(last=False)

    def drop(self, key: int) -> None:
        """Forget a history."""
        if self.known.pop(key, None) is None:
            self._once.pop(key, None)

    def is_new(self, transaction: int) -> bool:
        """Whether a transaction was not recorded before; now it is."""
        if transaction in self.transactions or transaction in self.earlier:
            return False
        self.transactions.add(transaction)
        if len(self.transactions) > self._cap // 2:
            self.earlier, self.transactions = self.transactions, set()
        return True

    def forget_transaction(self, transaction: int) -> None:
        """Let a transaction be recorded again."""
        self.transactions.discard(transaction)
        self.earlier.discard(transaction)
