"""Searches for decisions that people saved in an account, for themselves or for all in it."""

from typing import Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.people.queries import saved_searches, users
from gatehouse.admin.people.queries.saved_searches import SavedSearch
from gatehouse.admin.sign_in.use_cases.logins import check_name
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change

_SEARCH_GONE: Final = Phrase("refused.search_gone", "this search is gone already")

__all__ = ["SavedSearch"]

_SEARCH_LENGTH: Final = Phrase("refused.search_length", "a search has 1 to {most} characters")

LONGEST_QUERY: Final = 4000


class ToSave(msgspec.Struct, frozen=True):
    """What a page has in its address, and for whom it is kept."""

    query: str
    page: str = "decisions"
    shared: bool = False


def save(
    session: AdminSession, account_id: str, user_id: str, name: str, what: ToSave
) -> SavedSearch:
    """Keep a search under a name, for the person alone or for everybody in the account."""
    shown = check_name(name)
    if not 0 < len(what.query) <= LONGEST_QUERY:
        raise InvalidInput(_SEARCH_LENGTH(most=LONGEST_QUERY))
    with session.account_change(account_id) as change:
        users.get(change.connection, change.ring, user_id)
        new = SavedSearch(
            search_id=change.new_id("srch"),
            user_id=user_id,
            account_id=account_id,
            created_at_ms=change.now_ms,
            name=shown,
            query=recordable(what.query),
            page=what.page,
            shared=what.shared,
        )
        saved_searches.add(change.connection, change.ring, change.random_bytes, new)
        change.audit("search.save", account_id, searchId=new.search_id, shared=what.shared)
    return new


def listing(session: AdminSession, account_id: str, user_id: str) -> list[SavedSearch]:
    """The searches of a person in an account, oldest first, and then those that others share."""
    with session.account_reading(account_id) as connection:
        own = saved_searches.listing(connection, session.ring, user_id, account_id)
        return [*own, *saved_searches.shared(connection, session.ring, account_id, user_id)]


def share(
    session: AdminSession, account_id: str, user_id: str, search_id: str, *, shared: bool
) -> SavedSearch:
    """Let everybody in the account find a search, or its owner alone."""
    with session.account_change(account_id) as change:
        found = _changed_by(change, account_id, user_id, search_id)
        saved_searches.delete(change.connection, found.user_id, account_id, search_id)
        new = msgspec.structs.replace(found, shared=shared)
        saved_searches.add(change.connection, change.ring, change.random_bytes, new)
        change.audit("search.share", account_id, searchId=search_id, shared=shared)
    return new


def delete(session: AdminSession, account_id: str, user_id: str, search_id: str) -> SavedSearch:
    """Delete a search of a person; an administrator also deletes one that another shares."""
    with session.account_change(account_id) as change:
        found = _changed_by(change, account_id, user_id, search_id)
        saved_searches.delete(change.connection, found.user_id, account_id, search_id)
        change.audit("search.delete", account_id, searchId=search_id)
    return found


def _changed_by(change: Change, account_id: str, user_id: str, search_id: str) -> SavedSearch:
    """The search, if it is the person's own, or shared and the person an administrator."""
    found = saved_searches.find(change.connection, change.ring, account_id, search_id)
    gives = change.actor.gives
    administers = gives is None or Permission.PEOPLE in gives
    if found is None or not (found.user_id == user_id or (found.shared and administers)):
        raise NotFound(_SEARCH_GONE())
    return found
