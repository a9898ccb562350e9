"""The rows of people who sign in: each sealed, and all of them signed together.

The signature of all covers every person and how often its row was written, so that no row can be
added, removed or put back to an earlier state. It is checked at every sign-in and every change;
pages read single rows, whose seals suffice.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.people import User
from gatehouse.admin.people.queries import sealed
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import ConfigurationRefused, Conflict, NotFound
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.signing import INSTALLATION, Signer, is_same
from gatehouse.store.counting import count_rows
from gatehouse.store.people.tables import (
    ONE_TIME_TOKENS,
    SAVED_SEARCHES,
    USER_ACCOUNTS,
    USER_SESSIONS,
    USERS,
)
from gatehouse.store.state import read_mark, set_mark

_LOGIN_KNOWN: Final = Phrase("refused.login_known", "{login} is there already")
_PEOPLE_MANY: Final = Phrase(
    "refused.people_many", "there are {most} people already; delete some first"
)
_USERS_ROW: Final = Phrase("refused.users_row", "a row of users was removed, added or put back")

NO_PERSON: Final = Phrase("refused.no_person", "no person {who}")
_PERSON_CHANGED: Final = Phrase(
    "refused.person_changed", "the person was changed meanwhile; try again"
)

MOST_USERS: Final = 10_000
_TOTAL: Final = "people"
# Run for every page, so it is made once.
_BY_ID: Final = sa.select(USERS).where(USERS.c.id == sa.bindparam("id"))


def add(change: Change, user: User) -> User:
    """Store a new person; `Conflict` when somebody signs in with the same address."""
    check_all(change.connection, change.signer)
    login = _login_hash(change.ring, user.login)
    if change.connection.scalar(sa.select(USERS.c.id).where(USERS.c.login == login)):
        raise Conflict(_LOGIN_KNOWN(login=recordable(user.login)))
    if count_rows(change.connection, USERS) >= MOST_USERS:
        raise Conflict(_PEOPLE_MANY(most=MOST_USERS))
    new = msgspec.structs.replace(user, changes=1)
    change.connection.execute(USERS.insert(), _row(change, new))
    _note_accounts(change.connection, new)
    _sign_all(change)
    return new


def save(change: Change, user: User) -> User:
    """Store a person as it is now; `Conflict` when the row was written meanwhile."""
    check_all(change.connection, change.signer)
    new = msgspec.structs.replace(user, changes=user.changes + 1)
    this = (USERS.c.id == user.user_id) & (USERS.c.changes == user.changes)
    done = change.connection.execute(USERS.update().where(this).values(_row(change, new)))
    if done.rowcount != 1:
        raise Conflict(_PERSON_CHANGED())
    _note_accounts(change.connection, new)
    _sign_all(change)
    return new


def delete(change: Change, user_id: str) -> None:
    """Remove a person, with all sessions, links and saved searches."""
    check_all(change.connection, change.signer)
    _remove(change.connection, user_id)
    _sign_all(change)


def get(connection: sa.Connection, ring: KeyRing, user_id: str) -> User:
    """The person, or `NotFound`."""
    row = connection.execute(_BY_ID, {"id": user_id}).first()
    if row is None:
        raise NotFound(NO_PERSON(who=recordable(user_id)))
    return _user(ring, row)


def find(connection: sa.Connection, ring: KeyRing, login: str) -> User | None:
    """The person who signs in with this address."""
    this = USERS.c.login == _login_hash(ring, login)
    row = connection.execute(sa.select(USERS).where(this)).first()
    return None if row is None else _user(ring, row)


def find_subject(connection: sa.Connection, ring: KeyRing, subject: str) -> User | None:
    """The person who came in by this subject of single sign-on."""
    this = USERS.c.subject == _subject_hash(ring, subject)
    row = connection.execute(sa.select(USERS).where(this)).first()
    user = None if row is None else _user(ring, row)
    return user if user is not None and user.subject == subject else None


def of_account(connection: sa.Connection, ring: KeyRing, account_id: str) -> list[User]:
    """The people who have a role in an account, oldest first; `*` are operators."""
    joined = USERS.join(USER_ACCOUNTS, USER_ACCOUNTS.c.user_id == USERS.c.id)
    query = sa.select(USERS).select_from(joined).where(USER_ACCOUNTS.c.account_id == account_id)
    found = [_user(ring, row) for row in connection.execute(query.order_by(USERS.c.id))]
    # The index is not signed; the person's own row decides.
    return [user for user in found if account_id in _accounts(user)]


def listing(connection: sa.Connection, ring: KeyRing) -> list[User]:
    """All people, oldest first."""
    return [_user(ring, row) for row in connection.execute(sa.select(USERS).order_by(USERS.c.id))]


def check_all(connection: sa.Connection, signer: Signer) -> None:
    """Refuse when a row was added, removed or put back by somebody else."""
    mark, rows = read_mark(connection, _TOTAL), _states(connection)
    if mark is None and not rows:
        return
    if not is_same(mark, _signature(signer, rows)):
        raise sealed.refused(_USERS_ROW())


def problems(connection: sa.Connection, ring: KeyRing, signer: Signer) -> Iterator[str]:
    """What is wrong with the rows of people, in words."""
    try:
        check_all(connection, signer)
        for user in listing(connection, ring):
            query = sa.select(USER_ACCOUNTS.c.account_id)
            noted = connection.scalars(query.where(USER_ACCOUNTS.c.user_id == user.user_id))
            if set(noted) != _accounts(user):
                yield f"the accounts of {user.user_id} are not those of its roles"
    except ConfigurationRefused as error:
        yield said_by(error)


def repair(change: Change) -> tuple[int, int]:
    """Remove what cannot be opened and sign the rest as it is: how many were kept and removed."""
    rows = change.connection.execute(sa.select(USERS)).all()
    kept = []
    for row in rows:
        try:
            kept.append(_user(change.ring, row))
        except ConfigurationRefused:
            _remove(change.connection, row.id)
    for user in kept:
        _note_accounts(change.connection, user)
    _sign_all(change)
    return len(kept), len(rows) - len(kept)


def _remove(connection: sa.Connection, user_id: str) -> None:
    connection.execute(USERS.delete().where(USERS.c.id == user_id))
    for table in (USER_ACCOUNTS, USER_SESSIONS, ONE_TIME_TOKENS, SAVED_SEARCHES):
        connection.execute(table.delete().where(table.c.user_id == user_id))


def _row(change: Change, user: User) -> dict[str, Any]:
    login = _login_hash(change.ring, user.login)
    bound = ("users", user.user_id, login, user.changes)
    cells = sealed.seal(change.ring, change.random_bytes, user, *bound)
    subject = None if user.subject is None else _subject_hash(change.ring, user.subject)
    found_by = {"id": user.user_id, "login": login, "subject": subject}
    return {**found_by, "changes": user.changes, **cells}


def _user(ring: KeyRing, row: Any) -> User:
    return sealed.open_sealed(ring, row, User, "users", row.id, row.login, row.changes)


def _login_hash(ring: KeyRing, login: str) -> str:
    return sealed.hashed(ring, "login", login)


def _subject_hash(ring: KeyRing, subject: str) -> str:
    return sealed.hashed(ring, "subject", subject)


def _accounts(user: User) -> set[str]:
    return {*user.roles, INSTALLATION} if user.is_operator else set(user.roles)


def _note_accounts(connection: sa.Connection, user: User) -> None:
    this = USER_ACCOUNTS.c.user_id == user.user_id
    wanted = _accounts(user)
    noted = set(connection.scalars(sa.select(USER_ACCOUNTS.c.account_id).where(this)))
    if noted == wanted:
        return
    connection.execute(USER_ACCOUNTS.delete().where(this))
    rows = [{"account_id": each, "user_id": user.user_id} for each in sorted(wanted)]
    if rows:
        connection.execute(USER_ACCOUNTS.insert(), rows)


def _states(connection: sa.Connection) -> list[tuple[str, int]]:
    query = sa.select(USERS.c.id, USERS.c.changes)
    # In one order on every database: collations differ.
    return sorted((row.id, row.changes) for row in connection.execute(query))


def _signature(signer: Signer, rows: list[tuple[str, int]]) -> str:
    return signer.sign_values("people", rows)


def _sign_all(change: Change) -> None:
    set_mark(change.connection, _TOTAL, _signature(change.signer, _states(change.connection)))
