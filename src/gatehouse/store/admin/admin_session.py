"""How use cases change the data: in one locked, audited transaction that all servers notice."""

import contextlib
import dataclasses
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.clock import Clock
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import Randomness, new_id
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.decisions.search_terms import TermMaker
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import rows
from gatehouse.store.admin import audit
from gatehouse.store.configured.signing import Signer
from gatehouse.store.database import Database
from gatehouse.store.events import outbox
from gatehouse.store.state import bump_revision, lock_changes

_log: Final = logging.getLogger("gatehouse.audit")


class Change:
    """One change in progress: a transaction, its moment, and the duty to write an audit line."""

    def __init__(self, session: "AdminSession", connection: sa.Connection) -> None:
        self.session = session
        self.connection = connection
        self.now_ms = session.clock()
        self.ring = session.ring
        self.signer = session.signer
        self.environment = session.environment
        self.actor = session.actor
        self.random_bytes = session.randomness
        self.audit_head: audit.AuditHead | None = None

    def new_id(self, prefix: str) -> str:
        """A new id that begins with the time of the change."""
        return new_id(prefix, self.now_ms, self.random_bytes)

    def audit(self, action: str, account_id: str | None = None, **details: Any) -> None:
        """Write the audit line about this change; `details` must hold no secret."""
        _, key = self.ring.current(keyring.AUDIT)
        line = audit.AuditLine(0, self.now_ms, str(self.actor), action, account_id, details)
        self.audit_head = audit.append(self.connection, key, line)

    def event(
        self, kind: EventName, account_id: str, about: str, data: Mapping[str, Any] | None = None
    ) -> None:
        """Tell the account of this change; `data` is small and holds no secret."""
        event = NewEvent(
            self.new_id("evt"),
            account_id,
            self.now_ms,
            kind,
            str(self.actor),
            about,
            None if data is None else encode_data(data),
        )
        outbox.add(self.connection, [event])


class Reading:
    """A look at the data within one transaction, and its moment."""

    def __init__(self, session: "AdminSession", connection: sa.Connection) -> None:
        self.session = session
        self.connection = connection
        self.now_ms = session.clock()


@dataclass
class AdminSession:
    """The data opened for one actor: it reads, and changes with an audit line."""

    database: Database
    ring: KeyRing
    clock: Clock
    randomness: Randomness
    settings: Settings = dataclasses.field(repr=False)
    actor: Actor

    @property
    def environment(self) -> str:
        """The sandbox, or production."""
        return self.settings.environment

    @property
    def fingerprints(self) -> Fingerprints:
        """The fingerprints of cards, made with the keys of the ring.

        Those of card numbers that an actor names are made by `NamedCards`, which counts them.
        """
        return Fingerprints(self.ring)

    @cached_property
    def terms(self) -> TermMaker:
        """Makes what decisions are found by."""
        return TermMaker(self.ring.current(keyring.SEARCH)[1])

    @cached_property
    def signer(self) -> Signer:
        """Signs what is configured, and checks it."""
        return Signer(self.ring.current(keyring.CONFIGURATION)[1])

    def acting_as(self, actor: Actor) -> "AdminSession":
        """The same data, opened for another actor."""
        return dataclasses.replace(self, actor=actor)

    @contextlib.contextmanager
    def change(self, *, unseen: bool = False) -> Iterator[Change]:
        """Change something; a change without an audit line is rolled back.

        `unseen` is for data that no server caches, so that servers need not read anything again.
        """
        with self.database.writing() as connection:
            lock_changes(connection)
            change = Change(self, connection)
            yield change
            assert change.audit_head is not None, "a change must be audited"
            if not unseen:
                bump_revision(connection)
        _log.info("audit head %s", change.audit_head)

    def reading(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """Read something."""
        return self.database.reading()

    def writing(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """Write what is no change to the data of people, and needs no audit line."""
        return self.database.writing()

    @contextlib.contextmanager
    def account_reading(self, account_id: str) -> Iterator[sa.Connection]:
        """Read what belongs to an account; one that is not the actor's is `NotFound`."""
        self.actor.check_account(account_id)
        with self.reading() as connection:
            rows.get(connection, account_id)
            yield connection

    @contextlib.contextmanager
    def account_change(self, account_id: str, *, unseen: bool = False) -> Iterator[Change]:
        """Change what belongs to an account, in one audited transaction."""
        self.actor.check_account(account_id)
        with self.change(unseen=unseen) as change:
            rows.get(change.connection, account_id)
            yield change

    @contextlib.contextmanager
    def installation_reading(self) -> Iterator[sa.Connection]:
        """Read what concerns all accounts."""
        self.actor.check_installation()
        with self.reading() as connection:
            yield connection

    @contextlib.contextmanager
    def installation_change(self) -> Iterator[Change]:
        """Change what concerns all accounts, in one audited transaction."""
        self.actor.check_installation()
        with self.change() as change:
            yield change

    def joining(self, change: Change) -> "AdminSession":
        """A session whose changes are all part of one that is in progress."""
        parts = {each.name: getattr(self, each.name) for each in dataclasses.fields(AdminSession)}
        return _JoinedSession(**parts | {"actor": change.actor}, joined=change)


@dataclass
class _JoinedSession(AdminSession):
    """A session within a transaction: what it changes is kept, or not, together with the rest."""

    joined: Change

    @contextlib.contextmanager
    def change(self, *, unseen: bool = False) -> Iterator[Change]:
        """The change in progress; it alone decides what servers are told."""
        yield self.joined

    def reading(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """The data as the change in progress left it."""
        return contextlib.nullcontext(self.joined.connection)

    writing = reading
