"""How far the follower of decisions has come, as marks in the database.

Every decision up to `INDEXED` that has terms is in the index, or waits in `search_waiting`. A
decision that is committed although it is not after `REACHED` is told to `search_waiting`, because
the follower does not look for it any more. Without marks nobody follows, and all of them wait.
"""

from typing import Final

import sqlalchemy as sa

from gatehouse.store.state import read_mark, set_mark
from gatehouse.store.tables import STATE

INDEXED: Final = "search-indexed"
REACHED: Final = "search-reached"
FORGOTTEN: Final = "search-forgotten"
"""A number that grows whenever decisions are taken out of the index."""

FOLLOWED: Final = sa.select(STATE.c.value).where(STATE.c.name == INDEXED).scalar_subquery()
"""The request up to which decisions are indexed; null if nobody follows."""


def note_forgotten(connection: sa.Connection) -> None:
    """Let the follower read anew what it has not written yet.

    On PostgreSQL this waits for what it is writing, and lets it wait for the end of this
    transaction. So call it before anything is taken out of the index or of the decisions.
    """
    forgotten = read_mark(connection, FORGOTTEN)
    if forgotten is not None:
        set_mark(connection, FORGOTTEN, str(int(forgotten) + 1))
