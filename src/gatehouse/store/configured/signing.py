"""Signatures of everything that is configured, so that only Gatehouse can change it.

Each row carries a keyed hash of its table, its place and its content: write access to the database
alone can neither change a row nor move it to another account or version. What an account has
configured is signed together, too, so that no row can be removed or put back on its own.
"""

import hmac
from collections import Counter
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.secrets.hashing import keyed_hash

INSTALLATION: Final = "*"
"""Stands for an account where something is configured for all of them."""

_MODULUS: Final = 2**256
_WEIGHTS: Final = b"list entries"
_encode: Final = msgspec.json.Encoder().encode


class SignedColumns(NamedTuple):
    """The columns of a table that are signed, and how many of them came later than signatures."""

    names: tuple[str, ...]
    later: tuple[int, ...]
    """One number for each time, the last time first: so many of the last columns."""


@cache
def signed_columns(table: sa.Table) -> SignedColumns:
    """What is signed, as the columns say: all but the signature and those that are not."""
    columns = [each for each in table.columns if each.name != "signature"]
    signed = [each for each in columns if each.info.get("signed", True)]
    times = Counter(each.info.get("signed_since", 0) for each in signed)
    later = tuple(times[time] for time in sorted(times, reverse=True) if time)
    return SignedColumns(tuple(str(each.name) for each in signed), later)


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
        names, later = signed_columns(table)
        values = [row.get(name) for name in names]
        for added in later:
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

    def mark(self, value: str) -> str:
        """What stands on a list for a name that was erased; it looks like any other hash."""
        return "#" + self.sign_values("erased entry of a list", value)[:20]

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
