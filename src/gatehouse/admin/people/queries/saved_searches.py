"""Searches that people saved; what is searched for may be personal, so it is sealed."""

from typing import Any, Final
from urllib.parse import unquote_plus

import msgspec
import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed, users
from gatehouse.core.errors import Conflict
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.configured.signing import INSTALLATION
from gatehouse.store.people.tables import SAVED_SEARCHES, USER_ACCOUNTS

_SEARCH_KNOWN: Final = Phrase(
    "refused.search_known", "there is a saved search of this name already"
)
_SEARCHES_FULL: Final = Phrase(
    "refused.searches_full", "there are {most} saved searches already; delete some first"
)

MOST_SEARCHES: Final = 100
MOST_SHARED: Final = 200


class SavedSearch(Personal, frozen=True, kw_only=True):
    """A search of one person in one account."""

    search_id: str
    user_id: str
    account_id: str
    created_at_ms: int
    name: str
    query: str
    page: str = "decisions"
    """The page that it is a search of."""
    shared: bool = False
    """Whether everybody in the account finds it."""
    owner: str | None = None
    """Whose it is, if it is a colleague's."""


class _Content(Personal, frozen=True):
    name: str
    query: str
    page: str = "decisions"
    shared: bool = False


def add(
    connection: sa.Connection, ring: KeyRing, random_bytes: Randomness, new: SavedSearch
) -> None:
    """Keep a search."""
    kept = listing(connection, ring, new.user_id, new.account_id)
    if len(kept) >= MOST_SEARCHES:
        raise Conflict(_SEARCHES_FULL(most=MOST_SEARCHES))
    if any((each.name, each.page) == (new.name, new.page) for each in kept):
        raise Conflict(_SEARCH_KNOWN())
    columns = {
        "id": new.search_id,
        "user_id": new.user_id,
        "account_id": new.account_id,
        "created_at_ms": new.created_at_ms,
    }
    content = _Content(new.name, new.query, new.page, new.shared)
    cells = sealed.seal(ring, random_bytes, content, "saved_searches", *columns.values())
    connection.execute(SAVED_SEARCHES.insert(), {**columns, **cells, "shared": int(new.shared)})


def find(
    connection: sa.Connection, ring: KeyRing, account_id: str, search_id: str
) -> SavedSearch | None:
    """A search of anybody in an account."""
    this = (SAVED_SEARCHES.c.account_id == account_id) & (SAVED_SEARCHES.c.id == search_id)
    row = connection.execute(sa.select(SAVED_SEARCHES).where(this)).first()
    return None if row is None else _search(ring, row)


def shared(
    connection: sa.Connection, ring: KeyRing, account_id: str, but: str
) -> list[SavedSearch]:
    """What others share in an account, oldest first; of those who are still in it."""
    c, people = SAVED_SEARCHES.c, USER_ACCOUNTS.c
    here = sa.select(people.user_id).where(people.account_id.in_((account_id, INSTALLATION)))
    wanted = (c.account_id == account_id) & (c.shared == 1) & (c.user_id != but)
    query = sa.select(SAVED_SEARCHES).where(wanted, c.user_id.in_(here)).order_by(c.id)
    found = [_search(ring, row) for row in connection.execute(query.limit(MOST_SHARED))]
    owners = {each.user_id: users.get(connection, ring, each.user_id).name for each in found}
    return [
        msgspec.structs.replace(each, owner=owners[each.user_id]) for each in found if each.shared
    ]


def listing(
    connection: sa.Connection, ring: KeyRing, user_id: str, account_id: str
) -> list[SavedSearch]:
    """The searches of a person in an account, oldest first."""
    c = SAVED_SEARCHES.c
    query = sa.select(SAVED_SEARCHES).where(c.user_id == user_id, c.account_id == account_id)
    return [_search(ring, row) for row in connection.execute(query.order_by(c.id))]


def delete(connection: sa.Connection, user_id: str, account_id: str, search_id: str) -> bool:
    """Delete a search; whether there was one."""
    c = SAVED_SEARCHES.c
    this = (c.user_id == user_id) & (c.account_id == account_id) & (c.id == search_id)
    return connection.execute(SAVED_SEARCHES.delete().where(this)).rowcount == 1


def erase(connection: sa.Connection, ring: KeyRing, account_id: str, values: list[str]) -> int:
    """Delete the searches of an account that name a person who is being erased; how many."""
    named = [value.casefold() for value in values]
    query = sa.select(SAVED_SEARCHES).where(SAVED_SEARCHES.c.account_id == account_id)
    found = [_search(ring, row) for row in connection.execute(query).all()]
    gone = [
        each for each in found if any(value in text for value in named for text in _readings(each))
    ]
    for each in gone:
        delete(connection, each.user_id, account_id, each.search_id)
    return len(gone)


def _readings(search: SavedSearch) -> list[str]:
    texts = [search.name, search.query, unquote_plus(search.query)]
    return [text.casefold() for text in texts]


def _search(ring: KeyRing, row: Any) -> SavedSearch:
    bound = ("saved_searches", row.id, row.user_id, row.account_id, row.created_at_ms)
    content = sealed.open_sealed(ring, row, _Content, *bound)
    return SavedSearch(
        search_id=row.id,
        user_id=row.user_id,
        account_id=row.account_id,
        created_at_ms=row.created_at_ms,
        name=content.name,
        query=content.query,
        page=content.page,
        shared=content.shared,
    )
