"""Searches for decisions that a person saved, in one account, for this person alone."""

from typing import Final

from gatehouse.admin.people.queries import saved_searches, users
from gatehouse.admin.people.queries.saved_searches import SavedSearch
from gatehouse.admin.sign_in.use_cases.logins import check_name
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change, account_reading

_SEARCH_GONE: Final = Phrase("refused.search_gone", "this search is gone already")

__all__ = ["SavedSearch"]

_SEARCH_LENGTH: Final = Phrase("refused.search_length", "a search has 1 to {most} characters")

LONGEST_QUERY: Final = 4000


def save(
    session: AdminSession, account_id: str, user_id: str, name: str, query: str
) -> SavedSearch:
    """Keep a search under a name; `query` is what the page of decisions has in its address."""
    shown = check_name(name)
    if not 0 < len(query) <= LONGEST_QUERY:
        raise InvalidInput(_SEARCH_LENGTH(most=LONGEST_QUERY))
    with account_change(session, account_id) as change:
        users.get(change.connection, change.ring, user_id)
        new = SavedSearch(
            search_id=change.new_id("srch"),
            user_id=user_id,
            account_id=account_id,
            created_at_ms=change.now_ms,
            name=shown,
            query=recordable(query),
        )
        saved_searches.add(change.connection, change.ring, change.random_bytes, new)
        change.audit("search.save", account_id, searchId=new.search_id)
    return new


def listing(session: AdminSession, account_id: str, user_id: str) -> list[SavedSearch]:
    """The searches of a person in an account, oldest first."""
    with account_reading(session, account_id) as connection:
        return saved_searches.listing(connection, session.ring, user_id, account_id)


def delete(session: AdminSession, account_id: str, user_id: str, search_id: str) -> None:
    """Delete a search of a person."""
    with account_change(session, account_id) as change:
        if not saved_searches.delete(change.connection, user_id, account_id, search_id):
            raise NotFound(_SEARCH_GONE())
        change.audit("search.delete", account_id, searchId=search_id)
