"""The copy of one account: its file, its tables, and those who read it."""

import contextlib
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import GatehouseError
from gatehouse.core.ids import Randomness, id_time_ms
from gatehouse.figures.column_batches import Columns
from gatehouse.figures.engine import (
    NOT_READY,
    ColumnConnection,
    ColumnEngine,
    CopyDamaged,
    FiguresNotReady,
)
from gatehouse.figures.kept_parts import KeptParts
from gatehouse.figures.layout import ColumnLayout
from gatehouse.figures.workspace import described, quoted, text

_log: Final = logging.getLogger("gatehouse.columns")

ROWS: Final = "decision_rows"
"""The table: what rules see of a decision has several rows where it depends on the rule set."""
DECISIONS: Final = "decisions"
"""The view of it with one row for each decision."""
_SALT_BYTES: Final = 16


class Coverage(CamelStruct):
    """Which decisions the copy has by now, so that figures can say what they count."""

    complete: bool
    """Whether all decisions up to a moment are there."""
    since_ms: int | None
    """While the copy is being made, newest first: the oldest moment that is there."""
    until_ms: int | None
    """The moment up to which it counts; None before the first decision was read."""
    done: int
    total: int


NOTHING_YET: Final = Coverage(False, None, None, 0, 0)


class AccountFiles:
    """Where the copy of an account is kept: a file, and beside it the salt of its key.

    A new file has a new salt. So what a file held is lost with its salt, whatever the disk keeps.
    """

    def __init__(self, folder: Path, account_id: str, secret: bytes) -> None:
        self._folder = folder
        self._account_id = account_id
        self._secret = secret
        self._salt = folder / f"{account_id}.salt"

    def current(self) -> tuple[Path, bytes] | None:
        """The file in use and its key, if there is one."""
        try:
            salt = self._salt.read_bytes()
        except OSError:
            return None
        file = self._file(salt)
        return (file, self._key(salt)) if len(salt) == _SALT_BYTES and file.exists() else None

    def fresh(self, randomness: Randomness) -> tuple[Path, bytes, bytes]:
        """A file that is not there yet, its key and its salt."""
        salt = randomness(_SALT_BYTES)
        return self._file(salt), self._key(salt), salt

    def use(self, salt: bytes) -> None:
        """Make the file of a salt the one in use."""
        new = self._salt.with_suffix(".new")
        new.write_bytes(salt)
        new.chmod(0o600)
        new.replace(self._salt)

    def clear(self, kept: Path | None = None) -> None:
        """Remove all files of the account but one."""
        if kept is None:
            self._salt.unlink(missing_ok=True)
        for file in self._folder.glob(f"{self._account_id}-*"):
            if kept is None or not file.name.startswith(kept.name):
                file.unlink(missing_ok=True)

    def _file(self, salt: bytes) -> Path:
        return self._folder / f"{self._account_id}-{salt[:4].hex()}.columns"

    def _key(self, salt: bytes) -> bytes:
        info = f"columns {self._account_id}".encode()
        return HKDF(SHA256(), 32, salt=salt, info=info).derive(self._secret)


class AccountColumns:
    """The copy of one account. One thread writes, any number read."""

    def __init__(
        self, engine: ColumnEngine, files: AccountFiles, account_id: str, randomness: Randomness
    ) -> None:
        self.account_id: Final = account_id
        self.layout: Final = ColumnLayout()
        self._engine = engine
        self._files = files
        self._randomness = randomness
        self._name: str | None = None
        self._number = 0
        self._readers: dict[str, int] = {}
        self._turn = threading.Condition()
        self.coverage = NOTHING_YET
        """How far the copy is; the follower says so."""
        self.is_damaged = False
        """Whether something could not be read; the follower makes the copy again."""
        self.ready: Final = threading.Event()
        """Set once all decisions have been read."""
        self.parts: Final = KeptParts()
        """What pages have counted of days."""
        self._changed: set[int] | None = set()
        """The moments of what the transaction of the follower changes; None for all."""

    def open(self) -> bool:
        """Open the file of an earlier process; False when there is none that can be used."""
        found = self._files.current()
        if found is None:
            return False
        try:
            with self._opened(*found) as (name, asking):
                usable = _noted(asking, "version") == self.layout.copy_version
        except (duckdb.Error, GatehouseError) as error:
            reason = str(error).partition("\n")[0]
            _log.warning("a column copy is made again", extra={"reason": reason})
            return False
        if usable:
            self._use(name)
        else:
            self._detach(name)
        return usable

    def make(self) -> None:
        """Begin an empty copy in place of the one that is there."""
        self._leave()
        self.coverage, self.is_damaged = NOTHING_YET, False
        self.ready.clear()
        self._files.clear()
        file, key, salt = self._files.fresh(self._randomness)
        with self._opened(file, key) as (name, asking):
            asking.ask(f"CREATE TABLE {ROWS} ({described(self.layout.copied)})")
            one = f"SELECT * FROM {ROWS} WHERE seen_by IS NULL"  # noqa: S608
            asking.ask(f"CREATE VIEW {DECISIONS} AS {one}")
            asking.ask("CREATE TABLE notes (name VARCHAR, value VARCHAR)")
            set_note(asking, "version", self.layout.copy_version)
        self._files.use(salt)
        # Only now, or somebody would ask for tables that are not there yet.
        self._use(name)
        self.parts.changed(None)

    def compact(self) -> None:
        """Write all that is left into a new file, and remove the old one with what it held."""
        old = self._name
        assert old is not None, "the copy must be open"
        file, key, salt = self._files.fresh(self._randomness)
        new = self._next_name()
        self._engine.attach(new, file, key)
        asking = self._engine.asking(old)
        try:
            asking.ask(f"COPY FROM DATABASE {quoted(old)} TO {quoted(new)}")
            asking.ask(f"CHECKPOINT {quoted(new)}")
        except GatehouseError:
            asking.close()
            self._engine.detach(new)
            file.unlink(missing_ok=True)
            raise
        asking.close()
        file.chmod(0o600)
        self._use(new)
        self._files.use(salt)
        self._detach(old)
        self._files.clear(kept=file)

    def close(self) -> None:
        """Close the file."""
        self._leave()

    def drop(self) -> None:
        """Close the file and remove it."""
        self._leave()
        self._files.clear()

    @contextlib.contextmanager
    def reading(self) -> Iterator[ColumnConnection]:
        """A connection for reading, in which all data is of one moment."""
        with self._turn:
            name = self._name
            if name is None:
                raise FiguresNotReady(NOT_READY)
            self._readers[name] = self._readers.get(name, 0) + 1
        try:
            with self._asking(name) as asking:
                yield asking
        finally:
            with self._turn:
                self._readers[name] -= 1
                self._turn.notify_all()

    @contextlib.contextmanager
    def writing(self) -> Iterator[ColumnConnection]:
        """A transaction of the follower."""
        assert self._name is not None, "the copy must be open"
        self._changed = set()
        try:
            with self._asking(self._name) as asking:
                yield asking
        finally:
            # Readers that begin now see the change; those that began before noted an earlier one.
            if self._changed is None or self._changed:
                self.parts.changed(self._changed)

    @contextlib.contextmanager
    def _asking(self, name: str) -> Iterator[ColumnConnection]:
        asking = self._engine.asking(name)
        try:
            with asking.at_once():
                yield asking
        except CopyDamaged:
            self.is_damaged = True
            raise
        finally:
            asking.close()

    def note(self, name: str) -> str | None:
        """What the follower noted under a name."""
        with self.reading() as asking:
            return _noted(asking, name)

    def put(self, asking: ColumnConnection, columns: Columns) -> None:
        """Add decisions, each in place of what the copy has of it."""
        ids = columns.get("request_id", [])
        if ids:
            self.remove(asking, ids)
            names = ", ".join(map(quoted, columns))
            with self._rows(asking, columns) as rows:
                asking.ask(f"INSERT INTO {ROWS} ({names}) {rows}")

    def remove(self, asking: ColumnConnection, ids: Sequence[str]) -> None:
        """Remove decisions."""
        if ids:
            self._note_changed(ids)
            with self._rows(asking, {"request_id": ids}) as rows:
                these = f"{_between(ids)} AND request_id IN ({rows})"
                asking.ask(f"DELETE FROM {ROWS} WHERE {these}")  # noqa: S608

    def update(self, asking: ColumnConnection, ids: Sequence[str], changes: Columns) -> None:
        """Change columns of decisions; those that the copy does not have are passed over."""
        if ids:
            self._note_changed(ids)
            new = ", ".join(f"{quoted(name)} = new.{quoted(name)}" for name in changes)
            with self._rows(asking, {"request_id": ids, **changes}) as rows:
                asking.ask(
                    f"UPDATE {ROWS} SET {new} FROM ({rows}) AS new "  # noqa: S608
                    f"WHERE {_between(ids)} AND {ROWS}.request_id = new.request_id"
                )

    def clear(self, asking: ColumnConnection, columns: Sequence[str]) -> None:
        """Empty columns of all decisions."""
        self._changed = None
        new = ", ".join(f"{quoted(name)} = NULL" for name in columns)
        asking.ask(f"UPDATE {ROWS} SET {new} WHERE {quoted(columns[0])} IS NOT NULL")  # noqa: S608

    def _note_changed(self, ids: Sequence[str]) -> None:
        if self._changed is not None:
            self._changed.update(map(id_time_ms, ids))

    def _rows(
        self, asking: ColumnConnection, columns: Mapping[str, Sequence[Any]]
    ) -> contextlib.AbstractContextManager[str]:
        """A query for some values."""
        types = {name: self.layout.copied[name] for name in columns}
        return asking.rows(types, msgspec.json.encode(dict(enumerate(columns.values()))))

    def _next_name(self) -> str:
        self._number += 1
        return f"{self.account_id} {self._number}"

    @contextlib.contextmanager
    def _opened(self, file: Path, key: bytes) -> Iterator[tuple[str, ColumnConnection]]:
        """A file that nobody else reads yet, and its name; closed again if this fails."""
        name = self._next_name()
        self._engine.attach(name, file, key)
        try:
            file.chmod(0o600)
            with self._asking(name) as asking:
                yield name, asking
        except BaseException:
            self._engine.detach(name)
            raise

    def _use(self, name: str) -> None:
        with self._turn:
            self._name = name

    def _leave(self) -> None:
        with self._turn:
            name, self._name = self._name, None
        if name is not None:
            self._detach(name)

    def _detach(self, name: str) -> None:
        with self._turn:
            self._turn.wait_for(lambda: not self._readers.get(name))
            self._readers.pop(name, None)
        self._engine.detach(name)


def _noted(asking: ColumnConnection, name: str) -> str | None:
    rows = asking.ask(f"SELECT value FROM notes WHERE name = {text(name)}")  # noqa: S608
    return rows[0][0] if rows else None


def set_note(asking: ColumnConnection, name: str, value: str) -> None:
    """Note something in the transaction of the follower."""
    asking.ask(f"DELETE FROM notes WHERE name = {text(name)}")  # noqa: S608
    asking.ask(f"INSERT INTO notes VALUES ({text(name)}, {text(value)})")  # noqa: S608


def _between(ids: Sequence[str]) -> str:
    """The moments of some ids: DuckDB passes over all blocks with others."""
    return f"id_ms BETWEEN {id_time_ms(min(ids))} AND {id_time_ms(max(ids))}"
