"""Who has which review open in a browser, so that two people do not work on the same one.

A claim lasts for a short while and is renewed as long as the page is open. A person with several
pages open has a claim for each.
"""

from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from gatehouse.core.api_values import CamelStruct
from gatehouse.store.state import set_mark
from gatehouse.store.tables import STATE

_PREFIX: Final = "review:"
_encode: Final = msgspec.json.Encoder().encode


class ReviewClaim(CamelStruct):
    """One review that a person has open."""

    request_id: str
    user_id: str
    name: str
    """Of the person, for colleagues."""
    until_ms: int
    page: str = ""
    """Which page of the person asked last; empty when it was not a page that stays open."""


_decode: Final = msgspec.json.Decoder(ReviewClaim).decode


def claim(
    connection: sa.Connection, account_id: str, wanted: ReviewClaim, now_ms: int
) -> ReviewClaim:
    """Take or renew a claim; the claim that counts then, which may be somebody else's."""
    for each, value in _rows(connection, account_id):
        own = each.request_id == wanted.request_id and each.user_id == wanted.user_id
        if own or each.until_ms <= now_ms:
            _delete(connection, account_id, each.request_id, value)
    # One statement, since what counts could be given back between two.
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    kept = insert(STATE).values(_row(account_id, wanted))
    kept = kept.on_conflict_do_update(index_elements=["name"], set_={"value": STATE.c.value})
    return _decode(connection.execute(kept.returning(STATE.c.value)).scalar_one())


def release(
    connection: sa.Connection, account_id: str, request_id: str, user_id: str, page: str
) -> None:
    """Give a review back, if it is the person who has it open, and no other page since `page`.

    Without a page, it is given back whichever page has it.
    """
    for each, value in _rows(connection, account_id):
        own = each.request_id == request_id and each.user_id == user_id
        if own and (not page or each.page in ("", page)):
            _delete(connection, account_id, request_id, value)


def take_over(connection: sa.Connection, account_id: str, wanted: ReviewClaim) -> None:
    """Take a claim from the person who has it."""
    set_mark(connection, **_row(account_id, wanted))


def claims(connection: sa.Connection, account_id: str) -> list[ReviewClaim]:
    """All claims in an account, also those that have ended."""
    return [each for each, _ in _rows(connection, account_id)]


def _rows(connection: sa.Connection, account_id: str) -> list[tuple[ReviewClaim, str]]:
    """All claims in an account, and the text of each as it is kept."""
    begins = _name(account_id, "")
    query = sa.select(STATE.c.value).where(STATE.c.name.startswith(begins, autoescape=True))
    return [(_decode(value), value) for value in connection.scalars(query)]


def _delete(connection: sa.Connection, account_id: str, request_id: str, value: str) -> None:
    """Delete a claim as it was read: another person may have taken the review since."""
    read = (STATE.c.name == _name(account_id, request_id)) & (STATE.c.value == value)
    connection.execute(STATE.delete().where(read))


def _row(account_id: str, claimed: ReviewClaim) -> dict[str, str]:
    return {"name": _name(account_id, claimed.request_id), "value": _encode(claimed).decode()}


def _name(account_id: str, request_id: str) -> str:
    return f"{_PREFIX}{account_id}:{request_id}"
