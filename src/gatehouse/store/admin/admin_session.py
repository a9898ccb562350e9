"""How anything but a request changes the data: locked, audited, and made known to all servers."""

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.core import keyring
from gatehouse.core.clock import Clock
from gatehouse.core.ids import Randomness, new_id
from gatehouse.core.keyring import KeyRing
from gatehouse.store.admin import audit
from gatehouse.store.database import Database
from gatehouse.store.state import bump_revision, lock_changes


class Change:
    """One change in the making: a transaction, a moment, and the duty to leave a trace."""

    def __init__(self, session: "AdminSession", connection: sa.Connection) -> None:
        self.connection = connection
        self.now_ms = session.clock()
        self.ring = session.ring
        self.environment = session.environment
        self.actor = session.actor
        self._session = session
        self.audited = False

    def random_bytes(self, count: int) -> bytes:
        """Fresh randomness."""
        return self._session.randomness(count)

    def new_id(self, prefix: str) -> str:
        """An id for something made now."""
        return new_id(prefix, self.now_ms, self._session.randomness)

    def audit(self, action: str, account_id: str | None = None, **details: Any) -> None:
        """Write the trail's line about this change; `details` must hold no secret."""
        _, key = self.ring.current(keyring.AUDIT)
        line = audit.AuditLine(0, self.now_ms, str(self.actor), action, account_id, details)
        audit.append(self.connection, key, line)
        self.audited = True


class AdminSession:
    """The door for operators: reads, and changes that always leave a trace."""

    def __init__(
        self,
        database: Database,
        ring: KeyRing,
        chance: tuple[Clock, Randomness],
        *,
        environment: str,
        actor: Actor,
    ) -> None:
        self.database = database
        self.ring = ring
        self.clock, self.randomness = chance
        self.environment = environment
        self.actor = actor

    def acting_as(self, actor: Actor) -> "AdminSession":
        """The same data, opened for another actor."""
        other = copy.copy(self)
        other.actor = actor
        return other

    @contextlib.contextmanager
    def change(self, *, unseen: bool = False) -> Iterator[Change]:
        """Change something; without a line in the trail the change does not happen.

        `unseen` is for what no server remembers: they need not look again.
        """
        with self.database.writing() as connection:
            lock_changes(connection)
            change = Change(self, connection)
            yield change
            assert change.audited, "a change must be audited"
            if not unseen:
                bump_revision(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Read something."""
        with self.database.reading() as connection:
            yield connection
