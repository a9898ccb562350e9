"""Use case: how often the entries of a list matched."""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.list_matches import EntryMatches, ListedSpan, LookUp, count_matches
from gatehouse.pipeline import definition as pipelines
from gatehouse.rules.ruleset import decode_program
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import PIPELINE, RULES, active
from gatehouse.store.configured.list_reading import ListedEntry

# What faces need.
__all__ = ["EntryMatches"]

RECENT_DAYS: Final = 30
_DAY_MS: Final = 86_400_000
_FOREVER: Final = 2**63 - 1


class ListMatches(msgspec.Struct, frozen=True):
    """What entries of a list matched."""

    is_used: bool
    """Whether rules or pipelines in force look something up on the list."""
    entries: Sequence[EntryMatches | None]
    """One for each entry that was asked for, in their order; None while nobody can count."""


def list_matches(
    session: AdminSession, columns: AccountColumns, name: str, entries: Sequence[ListedEntry]
) -> ListMatches:
    """How often entries matched in the last 30 days, and when last.

    An entry matches when a request has its value in a signal that the rules or pipelines in force
    look up on the list, and the entry was on the list at that time.
    """
    account_id = columns.account_id
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        kind = list_reading.kind_of(connection, account_id, name)
        look_ups = _look_ups(connection, account_id, name)
    spans = [ListedSpan(each.value, each.added_at_ms, _end(each)) for each in entries]
    since_ms = session.clock() - RECENT_DAYS * _DAY_MS
    mark = list_reading.mark_of(kind, (each.value for each in entries), session.signer)
    found = count_matches(columns, kind, spans, look_ups, since_ms, mark)
    return ListMatches(bool(look_ups), found)


def _end(entry: ListedEntry) -> int:
    ends = (entry.expires_at_ms, entry.removed_at_ms, _FOREVER)
    return min(each for each in ends if each is not None)


def _look_ups(connection: sa.Connection, account_id: str, name: str) -> list[LookUp]:
    found = [
        LookUp(signal, stored.name)
        for stored in active(connection, account_id, RULES)
        for rule in decode_program(stored.program).rules
        for signal, looked_up in rule.condition.lists
        if looked_up == name
    ]
    for stored in active(connection, account_id, PIPELINE):
        for stage in pipelines.decode_program(stored.program).stages:
            for condition in (stage.skip_when, stage.stop_when):
                pairs = () if condition is None else condition.lists
                found += [LookUp(signal) for signal, looked_up in pairs if looked_up == name]
    return list(dict.fromkeys(found))
