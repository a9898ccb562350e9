"""Seals rows of people, and hashes the tokens and names that they are found by.

A seal is bound to the columns beside it: a row with other columns cannot be opened, and is refused.
"""

from typing import Any, Final, TypeVar

import msgspec

from gatehouse.core.errors import ConfigurationRefused, SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.configured.signing import INSTALLATION

_PEOPLE_REFUSED: Final = Phrase(
    "refused.people_refused",
    "the people who sign in are refused: {problem} in the database and not by "
    "Gatehouse. Restore the database",
)
_PEOPLE_ROW: Final = Phrase("refused.people_row", "a row of {table} was changed")

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode


def seal(ring: KeyRing, random_bytes: Randomness, content: Any, *bound: Any) -> dict[str, Any]:
    """The columns of a sealed value; `bound` are the columns that must stay as they are."""
    sealer = Sealer(ring, keyring.PEOPLE)
    version, sealed = sealer.seal(_encode(content), _encode(bound), random_bytes)
    return {"key_version": version, "sealed": sealed}


def open_sealed(ring: KeyRing, row: Any, kind: type[T], *bound: Any) -> T:
    """What is sealed in a row, or `ConfigurationRefused`."""
    sealer = Sealer(ring, keyring.PEOPLE)
    try:
        return msgspec.json.decode(
            sealer.open(row.key_version, row.sealed, _encode(bound)), type=kind
        )
    except SealBroken:
        raise refused(_PEOPLE_ROW(table=bound[0])) from None


def refused(problem: str) -> ConfigurationRefused:
    """The refusal of rows that were not written by Gatehouse."""
    return ConfigurationRefused(
        INSTALLATION,
        _PEOPLE_REFUSED(problem=problem),
    )


def hashed(ring: KeyRing, kind: str, value: str) -> str:
    """The keyed hash of a token, a login or an address; `kind` keeps them apart."""
    content = f"{kind}\n{value}".encode(errors="surrogatepass")
    return keyed_hash(ring.current(keyring.SIGN_IN)[1], content)
