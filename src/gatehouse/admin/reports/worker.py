"""Makes the report on each month once the month is over."""

import logging
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.reports import queries
from gatehouse.admin.reports.use_cases.making import make_report_now, month_before
from gatehouse.admin.reports.use_cases.settings import settings_of
from gatehouse.core.errors import GatehouseError
from gatehouse.figures.buckets import zone_of
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import RepeatedLook
from gatehouse.store.exclusive import exclusive

_log: Final = logging.getLogger("gatehouse.reports")
_FIRST_LOOK_S: Final = 900.0
_LOOK_S: Final = 3600.0
_WORK: Final = "reports"


class ReportMaker(RepeatedLook):
    """The maker of one server; of several, one works at a time."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(_LOOK_S, "could not make the reports on months", first_s=_FIRST_LOOK_S)
        self._session = session.acting_as(Actor.system("reports"))

    def look(self) -> None:
        """Make every report that is due and was not made."""
        self._session.actor.check_installation()
        with exclusive(self._session.database, _WORK) as is_ours:
            if not is_ours:
                return
            with self._session.database.reading() as connection:
                found = [each.account_id for each, _ in accounts.listing(connection)]
            for account_id in found:
                if self._stopped.is_set():
                    return
                try:
                    self._make(account_id)
                except GatehouseError as error:
                    # The next look tries again; other accounts have theirs meanwhile.
                    _log.warning("a report was not made", extra={"reason": str(error)})

    def _make(self, account_id: str) -> None:
        session = self._session
        with session.database.reading() as connection:
            zone = zone_of(settings_of(connection, account_id).time_zone)
            month = month_before(session.clock(), zone)
            since_ms, until_ms = month.since_ms, month.until_ms
            if queries.find(connection, account_id, str(month)) is not None:
                return
            if not queries.has_decisions(connection, account_id, since_ms, until_ms):
                return
        make_report_now(session, account_id, str(month))
