"""A table of traces with a limit, which knows whom to forget first."""

from collections import OrderedDict
from typing import Final

from gatehouse.sentry.entity_history import EntityHistory

_FRESH_SHARE: Final = 4
"""A quarter of the places is sure for what was seen once."""
_MOST_SPARED: Final = 16


class Shard:
    """One of many tables. Those seen once stand apart: a flood of them pushes out its own kind
    first, and not whoever comes again and again.
    """

    __slots__ = ("_cap", "_once", "earlier", "known", "transactions")

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._once: OrderedDict[int, EntityHistory] = OrderedDict()
        self.known: OrderedDict[int, EntityHistory] = OrderedDict()
        """Those seen more than once; for others only to look into."""
        self.transactions: set[int] = set()
        self.earlier: set[int] = set()

    def __len__(self) -> int:
        return len(self._once) + len(self.known)

    def peek(self, key: int) -> EntityHistory | None:
        """A trace, if there is one; it does not count as seen."""
        trace = self.known.get(key)
        return self._once.get(key) if trace is None else trace

    def promote(self, key: int) -> EntityHistory | None:
        """The trace of what was seen once, if there is one, and is now seen again."""
        trace = self._once.pop(key, None)
        if trace is not None:
            self.known[key] = trace
        return trace

    def add(self, key: int, trace: EntityHistory) -> None:
        """Keep a new trace, in the place of another when there are many."""
        self._once[key] = trace
        if len(self._once) + len(self.known) > self._cap:
            if len(self._once) > self._cap // _FRESH_SHARE:
                self._once.popitem(last=False)
            else:
                self._forget_one()

    def _forget_one(self) -> None:
        """Forget the oldest that was not seen since it was last the oldest.

        Putting every trace that is seen to the end would cost each request, this only those that
        make one too many.
        """
        known = self.known
        for _ in range(_MOST_SPARED):
            key, trace = known.popitem(last=False)
            if trace.spared == trace.events:
                return
            trace.spared = trace.events
            known[key] = trace
        known.popitem(last=False)

    def drop(self, key: int) -> None:
        """Forget a trace."""
        if self.known.pop(key, None) is None:
            self._once.pop(key, None)

    def is_new(self, transaction: int) -> bool:
        """Whether a transaction was not noted before; now it is."""
        if transaction in self.transactions or transaction in self.earlier:
            return False
        self.transactions.add(transaction)
        if len(self.transactions) > self._cap // 2:
            self.earlier, self.transactions = self.transactions, set()
        return True
