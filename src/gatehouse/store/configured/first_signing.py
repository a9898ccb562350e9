"""Signs what was configured before there were signatures, or what an operator accepts as it is."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.signing import INSTALLATION, ListTotal
from gatehouse.store.tables import (
    ACCOUNTS,
    API_KEYS,
    CONFIGURATION_HEADS,
    CONFIGURATION_TOTALS,
    CONFIGURATIONS,
    LIST_ENTRIES,
    LISTS,
)

# Lists come after the entries, which their totals are made of.
_TABLES: Final = (*(ACCOUNTS, API_KEYS, CONFIGURATIONS, CONFIGURATION_HEADS, LIST_ENTRIES, LISTS),)


def never_signed(connection: sa.Connection) -> list[str]:
    """The accounts of which nothing was ever signed."""
    signed = sa.select(CONFIGURATION_TOTALS.c.account_id)
    query = sa.select(ACCOUNTS.c.id).where(ACCOUNTS.c.id.not_in(signed))
    return list(connection.scalars(query.order_by(ACCOUNTS.c.id)))


def sign_as_it_is(change: Change, account_id: str) -> int:
    """Sign everything that an account has configured, as it is now; how many rows."""
    changed = 0
    totals: dict[str, ListTotal] = {}
    for table in _TABLES:
        owner = table.c.id if table is ACCOUNTS else table.c.account_id
        found = change.connection.execute(sa.select(table).where(owner == account_id)).all()
        rows: list[dict[str, Any]] = [dict(row._mapping) for row in found]
        if table is LIST_ENTRIES:
            totals = _totals(change, rows)
        if table is LISTS:
            for row in rows:
                _fill_total(change, row, totals.get(row["name"], ListTotal()))
        unsigned = [row for row in rows if not change.signer.is_genuine(table, row)]
        _store(change, table, [change.signer.signed(table, row) for row in unsigned])
        changed += len(unsigned)
    sign_account(change, account_id)
    about = None if account_id == INSTALLATION else account_id
    change.audit("configuration.sign", about, rows=changed)
    return changed


def sign_sandbox(session: AdminSession) -> None:
    """Sign a sandbox that is older than signatures; one that has any is left as it is."""
    with session.reading() as connection:
        first = connection.scalar(sa.select(CONFIGURATION_TOTALS.c.account_id).limit(1))
        unsigned = [] if first is not None else never_signed(connection)
    if not unsigned:
        return
    with session.change() as change:
        for account_id in unsigned:
            sign_as_it_is(change, account_id)


def _totals(change: Change, rows: list[dict[str, Any]]) -> dict[str, ListTotal]:
    """The totals of an account's lists, by name, from all entries."""
    totals: dict[str, ListTotal] = {}
    for row in rows:
        if row["removed_at_ms"] is None:
            place = (row["account_id"], row["list"], row["value"])
            weight = change.signer.weight(*place, row["added_at_ms"], row["expires_at_ms"])
            totals[row["list"]] = totals.get(row["list"], ListTotal()).plus(1, weight)
    return totals


def _fill_total(change: Change, row: dict[str, Any], total: ListTotal) -> None:
    key = (row["account_id"], row["name"])
    try:
        if change.signer.read_total(*key, row["total"]) == total:
            return
    except ValueError:
        pass  # There was none.
    row["total"] = change.signer.hide_total(*key, total, change.random_bytes(16))


def _store(change: Change, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    keys = list(table.primary_key.columns)
    written = ["signature", *(["total"] if table is LISTS else [])]
    update = (
        table.update()
        .where(*(column == sa.bindparam(f"key_{column.name}") for column in keys))
        .values({name: sa.bindparam(f"new_{name}") for name in written})
    )
    change.connection.execute(
        update,
        [
            {f"key_{column.name}": row[column.name] for column in keys}
            | {f"new_{name}": row[name] for name in written}
            for row in rows
        ],
    )
