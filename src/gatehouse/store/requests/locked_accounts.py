"""Accounts whose rows another transaction keeps locked, so that a writer does not wait for them.

All accounts of a server share its commits. If each batch waited for the row of one account, all
would wait, and none would be answered for as long as that transaction does not end.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Final

_log: Final = logging.getLogger("gatehouse.store")

_AGAIN_S: Final = 0.5
"""How long an account is refused before anybody looks at its row again."""

FindLocked = Callable[[list[str]], set[str]]
"""Which of some accounts are locked by others."""


class LockedAccounts:
    """Remembers which accounts are locked, and looks now and then whether they still are."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._look_at: dict[str, float] = {}
        """When to look at each of them again."""

    def __bool__(self) -> bool:
        """Whether any is known to be locked."""
        return bool(self._look_at)

    def find(self, accounts: Iterable[str], find_locked: FindLocked) -> set[str]:
        """Look at all of these accounts, and return those that are locked."""
        looked_at = sorted(set(accounts))
        locked = find_locked(looked_at)
        for account in looked_at:
            if account not in locked:
                self._look_at.pop(account, None)
                continue
            if account not in self._look_at:
                _log.warning("another transaction locks an account", extra={"account": account})
            self._look_at[account] = self._monotonic() + _AGAIN_S
        return locked

    def known(self, accounts: Iterable[str], find_locked: FindLocked) -> set[str]:
        """Those that were found locked, of which the ones that are due are looked at again."""
        known = self._look_at.keys() & set(accounts)
        now = self._monotonic()
        due = {account for account in known if self._look_at[account] <= now}
        return (known - due) | (self.find(due, find_locked) if due else set())
