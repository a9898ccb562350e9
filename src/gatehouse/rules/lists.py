"""What is on an account's lists at a moment: the look-up that rules make."""

from collections.abc import Callable, Mapping, Sequence

from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.list_index import ListIndex

IsListed = Callable[[str, int], bool]
"""Whether a value is on one list at a moment."""


class AccountLists:
    """All lists of an account, by name."""

    def __init__(self, lists: Mapping[str, IsListed]) -> None:
        self._lists = lists

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether a value is on a list; an unknown list is empty."""
        is_listed = self._lists.get(name)
        return is_listed is not None and is_listed(value, at_ms)


def membership(kind: ListKind, entries: Mapping[str, int | None]) -> IsListed:
    """Look-ups in a list as it is; an entry counts until its expiry, which may be None."""
    if kind in (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS):
        find = ListIndex(kind, entries).find

        def is_covered(value: str, at_ms: int) -> bool:
            for expires_at_ms in find(value):
                if expires_at_ms is None or expires_at_ms > at_ms:
                    return True
            return False

        return is_covered
    get = entries.get

    def is_listed(value: str, at_ms: int) -> bool:
        expires_at_ms = get(value, 0)
        return expires_at_ms is None or expires_at_ms > at_ms

    return is_listed


def past_membership(kind: ListKind, spans: Mapping[str, Sequence[int]]) -> IsListed:
    """Look-ups in the past of a list, from when each entry was added and ended, in turn."""
    find = ListIndex(kind, spans).find

    def was_listed(value: str, at_ms: int) -> bool:
        for times in find(value):
            for start in range(0, len(times), 2):
                if times[start] <= at_ms < times[start + 1]:
                    return True
        return False

    return was_listed
