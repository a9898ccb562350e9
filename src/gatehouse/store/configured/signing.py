"""Signatures of everything that is configured, so that only Gatehouse can change it.

Each row carries a keyed hash of its table, its place and its content: write access to the database
alone can neither change a row nor move it to another account or version. What an account has
configured is signed together, too, so that no row can be removed or put back on its own.
"""

import hmac
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.secrets.hashing import keyed_hash

INSTALLATION: Final = "*"
"""Stands for an account where something is configured for all of them."""

SIGNED: Final[dict[str, tuple[str, ...]]] = {
    "accounts": (
        *("id", "name", "currency", "created_at_ms", "fees", "policies"),
        *("closed_at_ms", "closed_reason"),
    ),
    "api_keys": (
        *("id", "account_id", "name", "hash", "scopes", "networks", "rate_limit_per_second"),
        *("created_at_ms", "expires_at_ms", "revoked_at_ms", "successor", "parent"),
    ),
    "configurations": (
        *("account_id", "kind", "name", "version", "document", "program"),
        *("created_at_ms", "actor", "note"),
    ),
    "configuration_heads": (
        *("account_id", "kind", "name", "version", "previous", "changed_at_ms", "changes"),
    ),
    "lists": (*("account_id", "name", "kind", "description", "created_at_ms", "changes", "total"),),
    "list_entries": (
        *("account_id", "list", "value", "added_at_ms", "shown", "reason", "actor"),
        "expires_at_ms",
    ),
}
"""The columns that are signed, by table."""

UNSIGNED: Final[dict[str, tuple[str, ...]]] = {
    # The ledger proves these.
    "accounts": ("balance", "held", "event_filters", "low_balance", "balance_told"),
    "api_keys": ("last_used_at_ms",),
    # The total of the list tells which entries are in force.
    "list_entries": ("removed_at_ms",),
}
"""The columns of those tables that are not: they change without an operator, or are proven."""

_ADDED_LATER: Final[dict[str, tuple[int, ...]]] = {"accounts": (2,), "api_keys": (1,)}
"""How many of the last signed columns came later than signatures, one number for each time.

Those of the last times are left out as long as they are empty, so that rows that were signed before
stay genuine. A new column is a new number at the end; the others never change.
"""

_MODULUS: Final = 2**256
_WEIGHTS: Final = b"list entries"
_encode: Final = msgspec.json.Encoder().encode


class ListTotal(NamedTuple):
    """How many entries of a list are in force, and the sum of their weights.

    The sum does not depend on the order of the entries, so adding one to a large list is cheap.
    """

    entries: int = 0
    weight: int = 0

    def plus(self, count: int, weights: int) -> "ListTotal":
        """The total with more entries, or fewer: how many, and the sum of their weights."""
        return ListTotal(self.entries + count, (self.weight + weights) % _MODULUS)


class Signer:
    """Signs rows with the ring's key for configurations, and recognises its signatures."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._weights = blake2b(key=key, digest_size=32, person=_WEIGHTS)

    def sign(self, table: sa.Table, row: Mapping[Any, Any]) -> str:
        """The signature of a row."""
        values = [row.get(name) for name in SIGNED[table.name]]
        for added in reversed(_ADDED_LATER.get(table.name, ())):
            if any(values[-added:]):
                break
            del values[-added:]
        return self.sign_values(str(table.name), *values)

    def sign_values(self, *values: Any) -> str:
        """The signature of values; the first says what they are about."""
        return keyed_hash(self._key, _encode(values))

    def signed(self, table: sa.Table, row: dict[str, Any]) -> dict[str, Any]:
        """The row with its signature, as it is stored."""
        return {**row, "signature": self.sign(table, row)}

    def is_genuine(self, table: sa.Table, row: Mapping[Any, Any]) -> bool:
        """Whether the row was written with the key; one without a signature was not."""
        return is_same(row["signature"], self.sign(table, row))

    def weight(self, *entry: str | int | None) -> int:
        """What an entry adds to the total of its list: account, list, value, added and expiry.

        Weights are not kept: from known ones, other entries with the same sum could be computed.
        """
        hashed = self._weights.copy()
        hashed.update(_encode(entry))
        return int.from_bytes(hashed.digest())

    def hide_total(self, account_id: str, name: str, total: ListTotal, nonce: bytes) -> str:
        """A total as it is stored; differences of hidden totals do not reveal weights."""
        hidden = (total.weight + self._mask(account_id, name, nonce.hex())) % _MODULUS
        return f"{total.entries}:{nonce.hex()}:{hidden:x}"

    def read_total(self, account_id: str, name: str, text: str | None) -> ListTotal:
        """A stored total; ValueError when it cannot be one."""
        count, nonce, hidden = (text or "").split(":")
        return ListTotal(
            int(count), (int(hidden, 16) - self._mask(account_id, name, nonce)) % _MODULUS
        )

    def _mask(self, account_id: str, name: str, nonce: str) -> int:
        return int(self.sign_values("total of a list", account_id, name, nonce), 16)


def is_same(kept: str | None, expected: str) -> bool:
    """Whether a kept signature is the expected one, compared in constant time."""
    return kept is not None and hmac.compare_digest(kept.encode(), expected.encode())
