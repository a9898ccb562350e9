"""Failed attempts to sign in, counted by whom and by where from; both are kept as hashes only."""

from typing import NamedTuple

import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.store.people.tables import SIGN_IN_FAILURES


class Failures(NamedTuple):
    """How often in a row, and when last."""

    times: int
    last_at_ms: int


def read(connection: sa.Connection, ring: KeyRing, kind: str, value: str) -> Failures:
    """What is counted for somebody."""
    this = SIGN_IN_FAILURES.c.subject == _subject(ring, kind, value)
    row = connection.execute(sa.select(SIGN_IN_FAILURES).where(this)).first()
    return Failures(0, 0) if row is None else Failures(row.failures, row.last_at_ms)


def write(
    connection: sa.Connection, ring: KeyRing, kind: str, value: str, counted: Failures
) -> None:
    """Count for somebody."""
    subject = _subject(ring, kind, value)
    this = SIGN_IN_FAILURES.c.subject == subject
    values = {"failures": counted.times, "last_at_ms": counted.last_at_ms}
    if connection.execute(SIGN_IN_FAILURES.update().where(this).values(values)).rowcount == 0:
        connection.execute(SIGN_IN_FAILURES.insert(), {"subject": subject, **values})


def forget(connection: sa.Connection, ring: KeyRing, kind: str, value: str) -> None:
    """Begin to count anew."""
    this = SIGN_IN_FAILURES.c.subject == _subject(ring, kind, value)
    connection.execute(SIGN_IN_FAILURES.delete().where(this))


def forget_old(connection: sa.Connection, before_ms: int) -> int:
    """Delete what was counted long ago; how many rows."""
    old = SIGN_IN_FAILURES.c.last_at_ms < before_ms
    return connection.execute(SIGN_IN_FAILURES.delete().where(old)).rowcount


def _subject(ring: KeyRing, kind: str, value: str) -> str:
    return sealed.hashed(ring, f"failures {kind}", value)
