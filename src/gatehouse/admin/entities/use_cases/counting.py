"""Use case: what became of the decisions of some entities, counted up to a limit."""

from collections.abc import Iterable
from typing import Final

from gatehouse.admin.entities.types import Entity
from gatehouse.admin.entities.use_cases.index import EntityCounts, EntityIndex
from gatehouse.store.admin.admin_session import AdminSession

MOST_COUNTED: Final = 200
"""So many of the newest decisions of each entity are counted."""


def count_entities(
    session: AdminSession, account_id: str, entities: Iterable[Entity]
) -> dict[Entity, EntityCounts]:
    """What became of the newest decisions of each of some entities."""
    with session.account_reading(account_id) as connection:
        index = EntityIndex(session, connection, account_id)
        found = {each: index.newest(each, MOST_COUNTED + 1) for each in entities}
        tally = index.tally(sorted({each for some in found.values() for each in some}))
    return {
        each: tally.count(some[:MOST_COUNTED], more=len(some) > MOST_COUNTED)
        for each, some in found.items()
    }
