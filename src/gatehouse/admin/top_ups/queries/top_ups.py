"""Top-ups as they are kept: claimed by one server at a time, and ended once."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.top_ups.tables import TOP_UPS
from gatehouse.admin.top_ups.types import NOT_OVER, TopUpKind, TopUpState
from gatehouse.store.counting import count_rows
from gatehouse.store.database import struct_from

_T: Final = TOP_UPS.c


class KeptTopUp(msgspec.Struct, frozen=True, kw_only=True):
    """A top-up as it is stored."""

    account_id: str
    id: str
    state: TopUpState
    connector: str
    currency: str
    actor: str
    amount_minor: int
    """What is added to the balance."""
    tax_minor: int
    """What is paid besides."""
    at_ms: int
    changed_at_ms: int
    expires_at_ms: int
    attempts: int = 0
    """How often the party failed in a row."""
    next_at_ms: int | None = None
    """When the party is asked next, or until when a server asks it; None once it is over."""
    url: str | None = None
    page_id: str | None = None
    reason: str | None = None
    kind: TopUpKind | None = None
    """None is a page, as it was before there was anything else."""


def add(connection: sa.Connection, new: KeptTopUp) -> None:
    """Keep a new top-up."""
    connection.execute(TOP_UPS.insert(), msgspec.structs.asdict(new))


def find(connection: sa.Connection, account_id: str, top_up_id: str) -> KeptTopUp | None:
    """A top-up of an account."""
    row = connection.execute(sa.select(TOP_UPS).where(_this(account_id, top_up_id))).first()
    return None if row is None else struct_from(row, KeptTopUp)


def locked(connection: sa.Connection, account_id: str, top_up_id: str) -> KeptTopUp | None:
    """The same if it is not over; nobody else changes it meanwhile."""
    this = _this(account_id, top_up_id) & _T.state.in_(NOT_OVER)
    row = connection.execute(sa.select(TOP_UPS).where(this).with_for_update()).first()
    return None if row is None else struct_from(row, KeptTopUp)


def listing(connection: sa.Connection, account_id: str, limit: int) -> list[KeptTopUp]:
    """The newest top-ups of an account, newest first."""
    query = sa.select(TOP_UPS).where(_T.account_id == account_id).order_by(_T.id.desc())
    return [struct_from(row, KeptTopUp) for row in connection.execute(query.limit(limit))]


def count_open(connection: sa.Connection, account_id: str) -> int:
    """How many of an account are not over."""
    mine = (_T.account_id == account_id) & _T.state.in_(NOT_OVER)
    return count_rows(connection, TOP_UPS, mine)


def charged_since(connection: sa.Connection, account_id: str, since_ms: int) -> int:
    """What was charged since a moment with its tax, or may have been or still be."""
    may_be = _T.state.in_(NOT_OVER)
    ended = _T.state.in_((TopUpState.PAID, TopUpState.IN_DOUBT)) & (_T.changed_at_ms >= since_ms)
    total = sa.select(sa.func.sum(_T.amount_minor + _T.tax_minor))
    found = connection.scalar(total.where(_T.account_id == account_id, may_be | ended))
    return int(found or 0)


def anything_due(connection: sa.Connection, now_ms: int) -> bool:
    """Whether a party is to be asked about any."""
    return connection.scalar(sa.select(_T.id).where(_T.next_at_ms <= now_ms).limit(1)) is not None


def claim(
    connection: sa.Connection, now_ms: int, until_ms: int, at_most: int
) -> Sequence[KeptTopUp]:
    """Claim what is due until a moment, so that no other server asks meanwhile; as it is then."""
    due = sa.select(TOP_UPS).where(_T.next_at_ms <= now_ms).order_by(_T.next_at_ms)
    rows = connection.execute(due.limit(at_most).with_for_update(skip_locked=True)).all()
    claimed = {"next_at_ms": until_ms}
    found = [msgspec.structs.replace(struct_from(row, KeptTopUp), **claimed) for row in rows]
    for each in found:
        taken = TOP_UPS.update().where(_this(each.account_id, each.id))
        connection.execute(taken.values(claimed))
    return found


def write(connection: sa.Connection, claimed: KeptTopUp, changed: KeptTopUp) -> bool:
    """Note how a top-up is now; whether it counted.

    An end counts unless there was one already; all else only while the claim is the newest.
    """
    values: dict[str, Any] = {
        name: getattr(changed, name)
        for name in (
            *("state", "changed_at_ms", "attempts", "next_at_ms"),
            *("url", "page_id", "reason"),
        )
    }
    this = _this(changed.account_id, changed.id) & _T.state.in_(NOT_OVER)
    if changed.state in NOT_OVER:
        this &= _T.next_at_ms == claimed.next_at_ms
    return connection.execute(TOP_UPS.update().where(this).values(values)).rowcount == 1


def _this(account_id: str, top_up_id: str) -> sa.ColumnElement[bool]:
    return (_T.account_id == account_id) & (_T.id == top_up_id)
