"""The copies of all accounts that somebody looks at, and the thread that follows them."""

import contextlib
import fcntl
import logging
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.core.errors import GatehouseError, StoreUnavailable
from gatehouse.core.secrets import keyring
from gatehouse.figures.account_columns import AccountColumns, AccountFiles
from gatehouse.figures.engine import ColumnEngine, CopyDamaged
from gatehouse.figures.follower import USUAL_PAUSES, Follower, Pauses
from gatehouse.figures.slow_answers import SlowAnswers
from gatehouse.store.admin.admin_session import AdminSession

_log: Final = logging.getLogger("gatehouse.columns")

POLL_S: Final = 2.0
_REST_S: Final = 0.01
"""Between two steps of one account, so that pages get their turn."""
_FIRST_WAIT_S: Final = 1.0
"""The first who asks for a small account waits so long for its figures at most."""
MOST_ACCOUNTS: Final = 50
"""Copies in use at one time; beyond, the one that nobody asked for longest is removed."""
_KEPT: Final = "columns"
_LOCK: Final = "in-use"
_PREFIX: Final = "columns-"


class ColumnCopies:
    """Keeps copies up to date on one thread, from `start` to `close`."""

    def __init__(
        self,
        session: AdminSession,
        home: Path,
        pauses: Pauses = USUAL_PAUSES,
        *,
        lasting: bool = True,
    ) -> None:
        """Unless they are lasting, only a copy that is there already stays after `close`."""
        self._session = session.acting_as(Actor.system("columns"))
        self._pauses = pauses
        self._folder, self._lock, self._is_kept = _own_folder(home, lasting=lasting)
        self._engine = ColumnEngine(self._folder)
        self.answers: Final = SlowAnswers(session.clock)
        """What takes too long for a page."""
        self._accounts: dict[str, AccountColumns] = {}
        self._followers: dict[str, Follower] = {}
        self._turn = threading.Lock()
        # A follower may be called by one thread at a time only.
        self._following = threading.Lock()
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="columns", daemon=True)
        for salt in sorted(self._folder.glob("*.salt")):
            self._add(salt.stem)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def of(self, account_id: str) -> AccountColumns:
        """The copy of an account, which is made when somebody asks for it first.

        The caller must have checked that there is such an account.
        """
        with self._turn:
            found = self._accounts.pop(account_id, None)
            if found is not None:
                # The last in the order is the one that was asked for last.
                self._accounts[account_id] = found
                return found
            found = self._add(account_id)
        self._wake.set()
        if self._thread.is_alive():
            found.ready.wait(_FIRST_WAIT_S)
        return found

    def catch_up(self, account_id: str, since_ms: int = 0) -> AccountColumns:
        """Bring one copy up to date now, whether or not a thread follows as well.

        What is older than a moment may be missing.
        """
        with self._turn:
            found = self._accounts.get(account_id) or self._add(account_id)
        with self._following:
            self._followers[account_id].catch_up(since_ms)
        return found

    def close(self) -> None:
        """Stop following and close all files."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        self.answers.close()
        for each in self._accounts.values():
            each.close()
        self._engine.close()
        if not self._is_kept:
            shutil.rmtree(self._folder, ignore_errors=True)
        os.close(self._lock)

    def _add(self, account_id: str) -> AccountColumns:
        secret = self._session.ring.current(keyring.COLUMNS)[1]
        files = AccountFiles(self._folder, account_id, secret)
        made = AccountColumns(self._engine, files, account_id, self._session.randomness)
        self._followers[account_id] = Follower(self._session, made, self._pauses)
        self._accounts[account_id] = made
        return made

    def _run(self) -> None:
        while not self._stopped:
            self._wake.clear()
            more = [self._step(each) for each in self._in_turn()]
            self._remove_unused()
            if any(more):
                time.sleep(_REST_S)
            else:
                self._wake.wait(POLL_S)

    def _in_turn(self) -> list[str]:
        with self._turn:
            return list(reversed(self._accounts))

    def _step(self, account_id: str) -> bool:
        """One step for one account; no defect of one ends the others."""
        if self._stopped:
            return False
        try:
            with self._following:
                return self._followers[account_id].step()
        except CopyDamaged:
            _log.warning("a column copy is made again", extra={"reason": "it is damaged"})
            return True
        except StoreUnavailable as error:
            _log.warning("could not follow decisions", extra={"reason": str(error)})
        except Exception:
            _log.exception("could not follow decisions")
        return False

    def _remove_unused(self) -> None:
        with self._turn:
            extra = list(self._accounts)[: max(0, len(self._accounts) - MOST_ACCOUNTS)]
            gone = [self._accounts.pop(each) for each in extra]
            for each in extra:
                del self._followers[each]
        for columns in gone:
            columns.drop()


def _own_folder(home: Path, *, lasting: bool) -> tuple[Path, int, bool]:
    """A folder for this process alone: the kept one, or beside another process one of its own.

    Folders that a killed process left are removed: nobody would erase anything from them.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in home.glob(f"{_PREFIX}*"):
        lock = _locked(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    kept = home / _KEPT
    if lasting:
        kept.mkdir(mode=0o700, exist_ok=True)
    if kept.exists():
        lock = _locked(kept)
        if lock is not None:
            return kept, lock, True
    own = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=home))
    lock = _locked(own)
    if lock is None:
        raise GatehouseError(f"cannot lock {own}")
    return own, lock, False


def _locked(folder: Path) -> int | None:
    """The lock of a folder, or None when another process has it."""
    with contextlib.suppress(OSError):
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return None
        return lock
    return None
