"""The port that finds the account behind an API key, and its balance."""

from typing import Protocol

from gatehouse.access.accounts import Caller


class Callers(Protocol):
    """Finds callers. Its answers are at most one second old."""

    async def find(self, hashed: str) -> Caller | None:
        """The caller whose key has this hash, or None."""

    def used(self, key_id: str, at_ms: int) -> None:
        """Record that a key was used."""

    async def remaining(self, account_id: str) -> int:
        """What the account can still spend."""
