"""Tells accounts, once a month is over, what their statements on it come to."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.money.use_cases.statements import account_statement
from gatehouse.billing.statement import Statement, month_period
from gatehouse.core.errors import GatehouseError
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.exclusive import Watch
from gatehouse.store.state import lock_changes, read_mark, set_mark

LOOK_S: Final = 600.0
LATE_MS: Final = 3_600_000
"""So long after its end a month is taken to be over on every server."""
_MARK: Final = "statements"
"""The last month that all accounts were told of."""
_MOST_MONTHS: Final = 12
_log: Final = logging.getLogger("gatehouse.statements")


class StatementTeller(Watch):
    """The teller of one server; of several, one works."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(session.database, _MARK, LOOK_S, "could not tell of statements")
        self._session = session.acting_as(Actor.system("statements"))

    def look(self) -> None:
        """Tell of every month that is over and was not told of; it is remembered for good."""
        session = self._session
        session.actor.check_installation()
        with session.reading() as connection:
            told = read_mark(connection, _MARK)
        for month in _months_over(session.clock(), told):
            with session.reading() as connection:
                found = [each.account_id for each, _ in accounts.listing(connection)]
            for account_id in found:
                if self._stopped.is_set():
                    return
                try:
                    self._tell(account_id, month)
                except GatehouseError as error:
                    # Its ledger does not add up; the others are told all the same.
                    said = {"account": account_id, "reason": str(error)}
                    _log.warning("a statement was not told of", extra=said)
            with session.writing() as connection:
                lock_changes(connection)
                set_mark(connection, _MARK, month)

    def _tell(self, account_id: str, month: str) -> None:
        """Tell an account of a month in which anything moved."""
        session, period = self._session, month_period(month)
        # The same on every server and at every look.
        event_id = derived_id("evt", period.end_ms, f"{EventName.STATEMENT_READY} {account_id}")
        with session.reading() as connection:
            if outbox.find_all(connection, account_id, [event_id]):
                return
        made = account_statement(session, account_id, period).statement
        if not (made.movements or made.charges or made.uncharged_requests):
            return
        said = encode_data(self._said(account_id, month, made))
        now_ms, kind = session.clock(), EventName.STATEMENT_READY
        event = NewEvent(event_id, account_id, now_ms, kind, str(session.actor), month, said)
        with session.writing() as connection:
            lock_changes(connection)
            if not outbox.find_all(connection, account_id, [event_id]):
                outbox.add(connection, [event])

    def _said(self, account_id: str, month: str, made: Statement) -> dict[str, object]:
        console = self._session.settings.effective_console_url
        return {
            "month": month,
            "openingBalance": made.opening,
            "topUps": made.top_ups,
            "adjustments": made.adjustments,
            "charged": made.charged,
            "closingBalance": made.closing,
            "links": {
                "statement": f"/api/v1/statement?month={month}",
                "page": f"{console}/a/{account_id}/money/statement?month={month}",
            },
        }


def _months_over(now_ms: int, told: str | None) -> list[str]:
    """The months after the one that was told of; only the last if none was."""
    first = datetime.fromtimestamp((now_ms - LATE_MS) / 1000, UTC).date().replace(day=1)
    found: list[str] = []
    while len(found) < _MOST_MONTHS:
        first = (first - timedelta(days=1)).replace(day=1)
        month = f"{first:%Y-%m}"
        if (found and told is None) or (told is not None and month <= told):
            break
        found.insert(0, month)
    return found
