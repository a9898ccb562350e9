"""How automatic top-ups of accounts are set, and their stored cards, sealed.

A row is claimed by one server at a time, and names the one top-up of its account that is under way.
"""

from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.top_ups.tables import AUTO_TOP_UPS, TOP_UPS
from gatehouse.admin.top_ups.types import AutoTopUpReason, TopUpKind, TopUpState
from gatehouse.core.errors import SealBroken
from gatehouse.core.secrets.keyring import PAYMENTS, KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.gateway.hosted_pages import StoredCardId
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.tables import ACCOUNTS

_A: Final = AUTO_TOP_UPS.c
_COUNTED: Final = (TopUpState.WAITING, TopUpState.PAID, TopUpState.IN_DOUBT)
"""Top-ups that took money, or may have."""
_LOW: Final = (ACCOUNTS.c.balance < _A.floor) & ACCOUNTS.c.closed_at_ms.is_(None)
_TO_DO: Final = _A.top_up_id.is_not(None) | _LOW


class AutoTopUpState(StrEnum):
    """Whether they are turned on."""

    ON = "ON"
    OFF = "OFF"


class KeptAutoTopUp(msgspec.Struct, frozen=True, kw_only=True):
    """The row of an account."""

    account_id: str
    state: AutoTopUpState = AutoTopUpState.OFF
    refusals: int = 0
    """In a row."""
    floor: int | None = None
    amount_minor: int | None = None
    monthly_limit_minor: int | None = None
    connector: str | None = None
    """Whose name for the card it is."""
    card_end: str | None = None
    key_version: int | None = None
    sealed_card: bytes | None = None
    card_at_ms: int | None = None
    next_at_ms: int | None = None
    """From when there may be something to do, or until when a server does it; None if never."""
    paused_until_ms: int | None = None
    reason: AutoTopUpReason | None = None
    top_up_id: str | None = None
    """The one that is under way."""

    def __repr__(self) -> str:
        return f"KeptAutoTopUp({self.account_id})"

    @property
    def is_on(self) -> bool:
        """Whether the card may be charged."""
        return self.state is AutoTopUpState.ON

    def card(self, ring: KeyRing) -> StoredCardId:
        """The stored card; `SealBroken` when there is none, or the row was changed by others."""
        if self.sealed_card is None or self.key_version is None:
            raise SealBroken("no card is stored")
        label = _label(self.account_id, self.connector)
        opened = Sealer(ring, PAYMENTS).open(self.key_version, self.sealed_card, label)
        return StoredCardId.of(opened.decode())


def find(connection: sa.Connection, account_id: str, *, lock: bool = False) -> KeptAutoTopUp | None:
    """The row of an account; locked, nobody else changes it meanwhile."""
    query = sa.select(AUTO_TOP_UPS).where(_A.account_id == account_id)
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else struct_from(row, KeptAutoTopUp)


def write(change: Change, account_id: str, **values: Any) -> None:
    """Change the row of an account, which is made if there is none."""
    this = AUTO_TOP_UPS.update().where(_A.account_id == account_id)
    if not change.connection.execute(this.values(values)).rowcount:
        new = msgspec.structs.asdict(KeptAutoTopUp(account_id=account_id, **values))
        change.connection.execute(AUTO_TOP_UPS.insert(), new)


def store_card(change: Change, account_id: str, connector: str, card: StoredCardId) -> None:
    """Keep a card in place of the one before; refusals of that one do not count any more."""
    sealer, label = Sealer(change.ring, PAYMENTS), _label(account_id, connector)
    version, sealed = sealer.seal(card.reveal().encode(), label, change.random_bytes)
    kept = find(change.connection, account_id)
    write(
        change,
        account_id,
        connector=connector,
        card_end=card.end or None,
        key_version=version,
        sealed_card=sealed,
        card_at_ms=change.now_ms,
        refusals=0,
        paused_until_ms=None,
        reason=None,
        next_at_ms=change.now_ms if kept is not None and (kept.is_on or kept.top_up_id) else None,
    )


def anything_due(connection: sa.Connection, now_ms: int) -> bool:
    """Whether there is something to do for any account."""
    return connection.execute(_due(now_ms).limit(1)).first() is not None


def claim(
    connection: sa.Connection, now_ms: int, until_ms: int, at_most: int
) -> list[KeptAutoTopUp]:
    """Claim what is due until a moment, so that no other server does it meanwhile."""
    rows = connection.execute(
        _due(now_ms)
        .order_by(_A.next_at_ms)
        .limit(at_most)
        .with_for_update(of=AUTO_TOP_UPS, skip_locked=True)
    ).all()
    found = [struct_from(row, KeptAutoTopUp) for row in rows]
    claimed = [msgspec.structs.replace(each, next_at_ms=until_ms) for each in found]
    for each in claimed:
        this = AUTO_TOP_UPS.update().where(_A.account_id == each.account_id)
        connection.execute(this.values(next_at_ms=until_ms))
    return claimed


def postpone(connection: sa.Connection, claimed: KeptAutoTopUp, next_at_ms: int) -> None:
    """Give a claim back until later, if it is still the newest."""
    mine = (_A.account_id == claimed.account_id) & (_A.next_at_ms == claimed.next_at_ms)
    connection.execute(AUTO_TOP_UPS.update().where(mine).values(next_at_ms=next_at_ms))


def added_since(connection: sa.Connection, account_id: str, since_ms: int) -> int:
    """What was added automatically since a moment, or may have been, in the smallest unit."""
    t = TOP_UPS.c
    counted = (t.account_id == account_id) & (t.at_ms >= since_ms) & t.state.in_(_COUNTED)
    total = sa.select(sa.func.sum(t.amount_minor)).where(counted, t.kind == TopUpKind.AUTOMATIC)
    return int(connection.scalar(total) or 0)


def _due(now_ms: int) -> "sa.Select[Any]":
    joined = AUTO_TOP_UPS.join(ACCOUNTS, ACCOUNTS.c.id == _A.account_id)
    return sa.select(AUTO_TOP_UPS).select_from(joined).where(_A.next_at_ms <= now_ms, _TO_DO)


def _label(account_id: str, connector: str | None) -> bytes:
    return f"stored card\n{account_id}\n{connector}".encode()
