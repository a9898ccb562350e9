"""Ends credits that have expired, and tells accounts of it a week before."""

import logging
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.billing.credits import Credit
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import GatehouseError
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import new_id
from gatehouse.store.accounts import accounts, credits, ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.exclusive import Watch
from gatehouse.store.state import lock_changes

_log: Final = logging.getLogger("gatehouse.money")

LOOK_S: Final = 60.0
_WORK: Final = "credits"
_AT_ONCE: Final = 1000


class CreditWatch(Watch):
    """The watch of one server."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(session.database, _WORK, LOOK_S, "could not look for expired credits")
        self._session = session.acting_as(Actor.system(_WORK))

    def look(self) -> None:
        """End what has expired, and tell what soon will."""
        now_ms = self._session.clock()
        with self._session.reading() as connection:
            due = credits.due(connection, now_ms, _AT_ONCE)
            untold = credits.untold(connection, now_ms, _AT_ONCE)
        for account_id, entry in due:
            try:
                with self._session.change() as change:
                    ledger.take_back(change, account_id, entry)
            except GatehouseError as error:
                # The others must not wait for an account that cannot be read.
                _log.warning("could not end the credit %s: %s", entry, error)
        for account_id, entry in untold:
            self._tell(account_id, entry, now_ms)

    def _tell(self, account_id: str, entry: str, now_ms: int) -> None:
        with self._session.writing() as connection:
            lock_changes(connection)
            balance = accounts.state(connection, account_id).balance
            found = credits.open_credits(connection, account_id, balance)
            left = [each for each in found if each.entry == entry and each.left]
            outbox.add(connection, [self._event(account_id, each, now_ms) for each in left])
            credits.mark_told(connection, account_id, entry, now_ms)

    def _event(self, account_id: str, credit: Credit, now_ms: int) -> NewEvent:
        event_id = new_id("evt", now_ms, self._session.randomness)
        expires, name = iso_time(credit.expires_at_ms), EventName.BALANCE_CREDIT_EXPIRING
        said = {"amount": credit.left, "expiresAt": expires, "reference": credit.entry}
        data = encode_data(said)
        return NewEvent(event_id, account_id, now_ms, name, _WORK, credit.entry, data)
