"""Stamps: short texts that change whenever the configuration of an account changes."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.store.tables import CONFIGURATION_HEADS, LISTS

_NONE: Final = "0:0:0"
"""The stamp of an account that has no configuration, or no list."""


def stamp_of(connection: sa.Connection, account_id: str) -> str:
    """A text that changes whenever a configuration, the live model or a list of the account does.

    The part after the slash is that of the lists alone.
    """
    return stamps_of(connection, [account_id])[account_id]


def stamps_of(connection: sa.Connection, account_ids: Sequence[str]) -> dict[str, str]:
    """The stamps of several accounts at once; databases take some hundreds of them."""
    h, li = CONFIGURATION_HEADS.c, LISTS.c
    found: list[dict[str, str]] = []
    for owner, changes, moment in (
        (h.account_id, h.changes, h.changed_at_ms),
        (li.account_id, li.changes, li.created_at_ms),
    ):
        query = (
            sa.select(owner, sa.func.count(), sa.func.sum(changes), sa.func.sum(moment))
            .where(owner.in_(account_ids))
            .group_by(owner)
        )
        rows = connection.execute(query)
        found.append({row[0]: ":".join(str(int(value)) for value in row[1:]) for row in rows})
    return {each: "/".join(part.get(each, _NONE) for part in found) for each in account_ids}
