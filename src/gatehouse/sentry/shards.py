"""A table of traces with a limit, which knows whom to forget first."""

from collections import OrderedDict
from typing import Final

from gatehouse.sentry.traces import Trace

_FRESH_SHARE: Final = 4
"""A quarter of the places is sure for what was seen once."""


class Shard:
    """One of many tables. Those seen once stand apart: a flood of them pushes out its own kind
    first, and not whoever comes again and again.
    """

    __slots__ = ("_cap", "_known", "_once", "earlier", "transactions")

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._once: OrderedDict[int, Trace] = OrderedDict()
        self._known: OrderedDict[int, Trace] = OrderedDict()
        self.transactions: set[int] = set()
        self.earlier: set[int] = set()

    def __len__(self) -> int:
        return len(self._once) + len(self._known)

    def peek(self, key: int) -> Trace | None:
        """A trace, if there is one; it does not count as seen."""
        return self._known.get(key) or self._once.get(key)

    def touch(self, key: int) -> Trace | None:
        """A trace, if there is one, which is now the last to be forgotten."""
        known = self._known
        trace = known.get(key)
        if trace is not None:
            known.move_to_end(key)
            return trace
        trace = self._once.pop(key, None)
        if trace is not None:
            known[key] = trace
        return trace

    def add(self, key: int, trace: Trace) -> None:
        """Keep a new trace, in the place of another when there are many."""
        self._once[key] = trace
        if len(self._once) + len(self._known) > self._cap:
            forgotten = self._once if len(self._once) > self._cap // _FRESH_SHARE else self._known
            forgotten.popitem(last=False)

    def drop(self, key: int) -> None:
        """Forget a trace."""
        if self._known.pop(key, None) is None:
            self._once.pop(key, None)

    def is_new(self, transaction: int) -> bool:
        """Whether a transaction was not noted before; now it is."""
        if transaction in self.transactions or transaction in self.earlier:
            return False
        self.transactions.add(transaction)
        if len(self.transactions) > self._cap // 2:
            self.earlier, self.transactions = self.transactions, set()
        return True
