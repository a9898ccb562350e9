"""What people wrote about requests that were reviewed: shown to a person, and erased."""

from collections.abc import Sequence

import sqlalchemy as sa

from gatehouse.store.decisions.reviews import ReviewState
from gatehouse.store.tables import REVIEWS


def erase(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str], *, delete: bool
) -> int:
    """Erase what people wrote about these requests; or `delete` all about them but open reviews.

    An open review is never deleted, because a payment may wait for it. Returns how many reviews
    were touched. The caller writes the audit line.
    """
    these = (REVIEWS.c.account_id == account_id) & REVIEWS.c.request_id.in_(request_ids)
    touched = connection.execute(REVIEWS.update().where(these).values(reason=None)).rowcount
    if delete:
        connection.execute(REVIEWS.delete().where(these, REVIEWS.c.state != ReviewState.OPEN.value))
    return touched
