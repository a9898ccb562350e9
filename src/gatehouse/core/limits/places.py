"""Places for callers, of which one account can never take all."""

import contextlib
from collections import Counter
from collections.abc import Iterator


class Places:
    """So many for all accounts together, and fewer for each."""

    def __init__(self, most: int, most_of_account: int) -> None:
        self._most = most
        self._most_of_account = most_of_account
        self._taken: Counter[str] = Counter()

    @contextlib.contextmanager
    def take(self, account_id: str) -> Iterator[bool]:
        """A place until the end of the block; False when there is none."""
        taken = self._taken
        if taken.total() >= self._most or taken[account_id] >= self._most_of_account:
            yield False
            return
        taken[account_id] += 1
        try:
            yield True
        finally:
            taken[account_id] -= 1
            if not taken[account_id]:
                del taken[account_id]
