"""What the database says after a run, as far as the invariants need it."""

import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import EntryKind
from gatehouse.core.events import EventName
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import DECISIONS, EVENTS, GATEWAY_INTENTS, HOLDS, LEDGER_ENTRIES

_UNSETTLED: Final = (IntentState.OPEN, IntentState.REVERSE)
_LOOK_S: Final = 0.5


class Books(msgspec.Struct):
    """The ledger and the records of all accounts."""

    closes: list[tuple[str, str, int]]
    """Account, request and what was charged, a line for each close."""
    references: list[tuple[str, str]]
    """Client reference and request, a line for each decision."""
    authorized: int
    """How often money was held."""
    overdue_holds: int
    payments: int
    """That were meant to be made."""
    unsettled_payments: int
    events: list[tuple[str, str]]
    """Id and request of each decision that was told."""
    ledger_problems: list[str]


def read_books(environment: dict[str, str], now_ms: int) -> Books:
    """Read everything, within one session of an administrator."""
    session = _session(environment)
    entry, event = LEDGER_ENTRIES.c, EVENTS.c
    closes = sa.select(entry.account_id, entry.reference, -entry.amount)
    told = sa.select(event.id, event.about).where(event.type == EventName.DECISION_MADE)
    overdue = sa.select(sa.func.count()).where(HOLDS.c.expires_at_ms < now_ms)
    authorized = sa.select(sa.func.count()).where(entry.kind == EntryKind.AUTHORIZE)
    try:
        with session.reading() as connection:
            found = Books(
                closes=_rows(connection, closes.where(entry.kind == EntryKind.CLOSE)),
                references=_rows(
                    connection, sa.select(DECISIONS.c.client_reference, DECISIONS.c.request_id)
                ),
                authorized=connection.scalar(authorized) or 0,
                overdue_holds=connection.scalar(overdue) or 0,
                payments=_count(connection, GATEWAY_INTENTS),
                unsettled_payments=_unsettled(connection),
                events=_rows(connection, told),
                ledger_problems=[],
            )
        found.ledger_problems = list(money.verify_ledger(session).problems)
    finally:
        session.database.dispose()
    return found


def wait_for_quiet(environment: dict[str, str], patience_s: float) -> None:
    """Wait until nothing is held and no payment is in doubt, but not for ever."""
    session = _session(environment)

    def is_quiet() -> bool:
        with session.reading() as connection:
            return not _count(connection, HOLDS) and not _unsettled(connection)

    try:
        wait_until(is_quiet, patience_s)
    finally:
        session.database.dispose()


def wait_until(holds: Callable[[], bool], patience_s: float) -> None:
    """Wait until something holds, but not for ever; the invariants tell what does not."""
    ends_at = time.monotonic() + patience_s
    while not holds() and time.monotonic() < ends_at:
        time.sleep(_LOOK_S)


def _session(environment: dict[str, str]) -> AdminSession:
    return open_admin_session(load_settings(environment), Actor.system("soak"))


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def _unsettled(connection: sa.Connection) -> int:
    state = GATEWAY_INTENTS.c.state
    return connection.scalar(sa.select(sa.func.count()).where(state.in_(_UNSETTLED))) or 0


def _rows(connection: sa.Connection, query: sa.Select[Any]) -> list[Any]:
    return [tuple(row) for row in connection.execute(query)]
