"""Measures, once a day, the rates of fraud of accounts that ask for advice on authentication."""

import logging
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.authentication.use_cases.rates import measure_fraud
from gatehouse.admin.authentication.use_cases.settings import day_of
from gatehouse.core.errors import GatehouseError
from gatehouse.sentry.authentication.terms import NAME
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import RepeatedLook
from gatehouse.store.exclusive import exclusive
from gatehouse.store.state import lock_changes, read_mark, set_mark

_log: Final = logging.getLogger("gatehouse.authentication")

_FIRST_LOOK_S: Final = 300.0
_LOOK_S: Final = 3600.0
_MARK: Final = "fraud-rates"


class RateWatch(RepeatedLook):
    """The watch of one server; of several, one looks at a time, and one look a day measures."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(_LOOK_S, "could not measure rates of fraud", first_s=_FIRST_LOOK_S)
        self._session = session.acting_as(Actor.system("authentication"))

    def look(self) -> None:
        """Measure every account that asks for advice, unless that was done today."""
        session = self._session
        session.actor.check_installation()
        today = day_of(session.clock()).isoformat()
        with session.reading() as connection:
            if read_mark(connection, _MARK) == today:
                return
        with exclusive(session.database, _MARK) as is_ours:
            if is_ours:
                for account_id in self._asking():
                    self._measure(account_id)
                with session.writing() as connection:
                    lock_changes(connection)
                    set_mark(connection, _MARK, today)

    def _asking(self) -> list[str]:
        with self._session.reading() as connection:
            known = [account for account, _ in accounts.listing(connection)]
        return [
            each.account_id for each in known if NAME in each.policies and not each.closed_at_ms
        ]

    def _measure(self, account_id: str) -> None:
        try:
            measure_fraud(self._session, account_id)
        except GatehouseError:
            # Its acquirer may be in no region; the others are measured all the same.
            _log.info("no rates of fraud were measured", extra={"account": account_id})
