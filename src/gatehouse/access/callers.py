"""The port to whoever knows the callers: finds the account behind a key, and its balance."""

from typing import Protocol

from gatehouse.access.accounts import Caller


class Callers(Protocol):
    """Finds callers. What it says is never older than a second."""

    async def find(self, hashed: str) -> Caller | None:
        """Who is behind the key with this hash; None when nobody is."""

    def used(self, key_id: str, at_ms: int) -> None:
        """Note that a key was used."""

    async def remaining(self, account_id: str) -> int:
        """What the account can still spend."""
