"""Use case: open the copy of an account for one command."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.copies import ColumnCopies
from gatehouse.store.admin.admin_session import AdminSession


@contextlib.contextmanager
def columns_for_now(
    session: AdminSession, account_id: str, home: Path, since_ms: int = 0
) -> Iterator[AccountColumns]:
    """The copy that the console left, brought up to date, or one that is removed afterwards.

    What is older than a moment may be missing.
    """
    with session.account_reading(account_id):
        session.actor.check_reads(account_id)
    copies = ColumnCopies(session, home, lasting=False)
    try:
        yield copies.catch_up(account_id, since_ms)
    finally:
        copies.close()
