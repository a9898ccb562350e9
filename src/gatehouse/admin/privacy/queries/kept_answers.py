"""Answers that are kept for repeated requests, found by the requests that they answer.

They are stored by key alone. A look at all of them is rare and takes no lock, while an index would
cost every request. The key itself stays until its time is over: if it were free, a repeated request
would be worked on, and paid, once more. It is refused as one with another body.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.database import Database
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.tables import IDEMPOTENCY

LONGEST_KEPT_MS: Final = 720 * 3_600_000
"""No setting keeps an answer for longer."""
_READ_AT_ONCE: Final = 5000
_DROPPED_AT_ONCE: Final = 500
_EMPTY: Final = ""
"""No body has this hash."""
_C: Final = IDEMPOTENCY.c


def find_answers(database: Database, wanted: Callable[[str], bool]) -> list[str]:
    """The claims, not emptied yet, whose request is wanted."""
    return [claim for rows in _claims(database) for claim, request_id in rows if wanted(request_id)]


def drop_answers(session: AdminSession, claims: Sequence[str], pace: Pace) -> int:
    """Empty claims of their answers and of the hashes of their bodies, some at a time."""
    dropped = 0
    for start in range(0, len(claims), _DROPPED_AT_ONCE):
        some = claims[start : start + _DROPPED_AT_ONCE]
        with pace.turn(), batch_of(session) as connection:
            overwrite_deleted(connection)
            these = IDEMPOTENCY.update().where(_C.claim_id.in_(some))
            dropped += connection.execute(these.values(body=_EMPTY, answer=None)).rowcount
    return dropped


def _claims(database: Database) -> Iterator[list[tuple[str, str]]]:
    after = ""
    while True:
        query = sa.select(_C.claim_id, _C.request_id).where(_C.claim_id > after, _C.body != _EMPTY)
        with database.reading() as connection:
            rows = connection.execute(query.order_by(_C.claim_id).limit(_READ_AT_ONCE)).all()
        yield [(row.claim_id, row.request_id) for row in rows]
        if len(rows) < _READ_AT_ONCE:
            return
        after = rows[-1].claim_id
