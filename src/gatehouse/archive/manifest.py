"""The manifest of an account in an archive: which days there are, with counts and checksums.

It is written after every day, so that work that was interrupted goes on where it ended. Readers
look at the files that it names and at no others.
"""

import hashlib
import tempfile
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.archive.places import ArchivePlace
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import InvalidInput

_FORMAT: Final = 1
_AT_ONCE: Final = 1 << 20
DAY_MS: Final = 86_400_000


class StoredFile(msgspec.Struct, frozen=True):
    """A file of an archive."""

    rows: int
    bytes: int
    sha256: str


class ArchivedDay(CamelStruct):
    """One day, and the state of the database that it was made from."""

    layout: str
    """The version of its columns; empty when it must be written again."""
    decisions: int
    erased: int
    statements: int
    """How many statements about its requests there were, and the number of the newest."""
    newest_statement: int
    file: StoredFile | None = None
    labels: StoredFile | None = None


class Manifest(msgspec.Struct, rename="camel"):
    """What an archive has of an account."""

    account_id: str
    format: int = _FORMAT
    audit_seq: int = 0
    """The line of the audit trail up to which erasures are looked for, and its hash."""
    audit_hash: str = ""
    days: dict[Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")], ArchivedDay] = {}

    def in_order(self) -> list[tuple[str, ArchivedDay]]:
        """The days, oldest first."""
        return sorted(self.days.items())


_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder(Manifest).decode


def decisions_file(account_id: str, day: str) -> str:
    """The name of the file with the decisions of a day."""
    return f"decisions/account={account_id}/day={day}/decisions.parquet"


def labels_file(account_id: str, day: str) -> str:
    """The name of the file with what became of them."""
    return f"labels/account={account_id}/day={day}/labels.parquet"


def read_manifest(place: ArchivePlace, account_id: str) -> Manifest | None:
    """The manifest of an account; None when the archive has nothing of it."""
    content = place.read(_name(account_id))
    if content is None:
        return None
    try:
        found = _decode(content)
    except msgspec.DecodeError:
        raise InvalidInput(f"{place.shown}/{_name(account_id)} is not a manifest") from None
    if found.format > _FORMAT or found.account_id != account_id:
        raise InvalidInput(
            f"{place.shown} was written by a newer version of Gatehouse, or for another account"
        )
    return found


def write_manifest(place: ArchivePlace, manifest: Manifest) -> None:
    """Store a manifest in place of the one before."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(msgspec.json.format(_encode(manifest), indent=1) + b"\n")
        file.flush()
        place.put(_name(manifest.account_id), Path(file.name))


def checksum(file: Path) -> str:
    """The SHA-256 of a file."""
    found = hashlib.sha256()
    with file.open("rb") as content:
        while part := content.read(_AT_ONCE):
            found.update(part)
    return found.hexdigest()


def _name(account_id: str) -> str:
    return f"manifests/{account_id}.json"
