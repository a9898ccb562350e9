"""Tickets that strangers are handed, such as challenges: sealed, and stored when they are used.

Anybody may ask for one, so asking must not fill the database. What succeeds with a ticket notes it
as used, in the same transaction: it works once.
"""

import base64
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed
from gatehouse.admin.sign_in.queries import tokens
from gatehouse.admin.sign_in.queries.tokens import NewToken
from gatehouse.core.errors import GatehouseError, SignInRefused
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change

_TICKET_LATE: Final = Phrase("refused.ticket_late", "this took too long; try again")

LATE = _TICKET_LATE()


class _Ticket(msgspec.Struct, frozen=True):
    expires_at_ms: int
    key_version: int
    sealed: bytes


class TicketContent(Personal, frozen=True):
    """What a ticket says."""

    values: dict[str, Any]
    expires_at_ms: int
    mark: str
    """What the ticket is remembered by when it was used: its seal, however the ticket is spelt."""


_decode = msgspec.json.Decoder(_Ticket).decode


def make(session: AdminSession, kind: str, lifetime_ms: int, **values: Any) -> str:
    """A ticket for a stranger."""
    session.actor.check_installation()
    expires_at_ms = session.clock() + lifetime_ms
    bound = ("ticket", kind, expires_at_ms)
    cells = sealed.seal(session.ring, session.randomness, values, *bound)
    return _spelt(_Ticket(expires_at_ms=expires_at_ms, **cells))


def read(session: AdminSession, kind: str, ticket: str) -> TicketContent:
    """What a ticket of this kind says; `SignInRefused` if it is not ours, or too old."""
    session.actor.check_installation()
    try:
        row = _decode(base64.urlsafe_b64decode(ticket.encode()))
        bound = ("ticket", kind, row.expires_at_ms)
        values = sealed.open_sealed(session.ring, row, dict[str, Any], *bound)
    except (ValueError, msgspec.MsgspecError, GatehouseError):
        raise SignInRefused(LATE) from None
    # Base64 and JSON have many spellings of the same; ours is one.
    if row.expires_at_ms <= session.clock() or _spelt(row) != ticket:
        raise SignInRefused(LATE)
    return TicketContent(values, row.expires_at_ms, row.sealed.hex())


def use(change: Change, kind: str, content: TicketContent) -> None:
    """Note that a ticket was used; `SignInRefused` when it was before."""
    used = f"used {kind}"
    connection: sa.Connection = change.connection
    if tokens.find(connection, change.ring, change.now_ms, used, content.mark) is not None:
        raise SignInRefused(LATE)
    tokens.forget_old(connection, change.now_ms)
    new = NewToken(kind=used, user_id=None, expires_at_ms=content.expires_at_ms, content={})
    tokens.add(connection, change.ring, change.random_bytes, content.mark, new)


def _spelt(ticket: _Ticket) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(ticket)).decode()
