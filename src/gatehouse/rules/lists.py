"""What is on an account's lists at a moment: the look-up that rules make."""

from collections.abc import Callable, Mapping

from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.list_index import ListIndex


class Membership:
    """What is on one list. An entry counts until the moment of its expiry."""

    def __init__(self, kind: ListKind, entries: Mapping[str, int | None]) -> None:
        self.kind = kind
        self.has: Callable[[str, int], bool] = self._has_same
        """Whether a value is on the list at a moment."""
        if kind in (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS):
            self._find = ListIndex(kind, entries).find
            self.has = self._has_covering
        else:
            self._get = entries.get

    def _has_same(self, value: str, at_ms: int) -> bool:
        expires_at_ms = self._get(value, 0)
        return expires_at_ms is None or expires_at_ms > at_ms

    def _has_covering(self, value: str, at_ms: int) -> bool:
        for expires_at_ms in self._find(value):
            if expires_at_ms is None or expires_at_ms > at_ms:
                return True
        return False


class AccountLists:
    """All lists of an account, by name."""

    def __init__(self, lists: Mapping[str, Membership]) -> None:
        self._has = {name: membership.has for name, membership in lists.items()}

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether a value is on a list; an unknown list is empty."""
        has = self._has.get(name)
        return has is not None and has(value, at_ms)
