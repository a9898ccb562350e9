"""Meters the programmes every hour, and tells accounts once of each step on the way to a level."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from gatehouse.access.actors import Actor
from gatehouse.admin.outcomes.use_cases.counting import accounts_since
from gatehouse.admin.programmes import queries
from gatehouse.admin.programmes.queries import AlertKey
from gatehouse.admin.programmes.types.counting import MeteredScope
from gatehouse.admin.programmes.types.meter import ProgrammeStanding, step_of
from gatehouse.admin.programmes.types.thresholds import ProgrammeSubject, ProgrammeTable
from gatehouse.admin.programmes.use_cases.measuring import Metered, measure
from gatehouse.admin.programmes.use_cases.metering import basis_points_text
from gatehouse.admin.programmes.use_cases.tables import table_in_force
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.background import RepeatedLook
from gatehouse.store.events import outbox
from gatehouse.store.exclusive import exclusive
from gatehouse.store.state import lock_changes

_FIRST_LOOK_S: Final = 420.0
_LOOK_S: Final = 3600.0
_WORK: Final = "programmes"
_KEPT_MONTHS: Final = 24


class _Step(NamedTuple):
    """A step that an account is told of."""

    key: AlertKey
    percent: int
    standing: ProgrammeStanding


class ProgrammeWatch(RepeatedLook):
    """The watch of one server; of several, one looks at a time."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(_LOOK_S, "could not meter the networks' programmes", first_s=_FIRST_LOOK_S)
        self._session = session.acting_as(Actor.system("programmes"))

    def look(self) -> None:
        """Meter every account to whose payments something happened this month."""
        self._session.actor.check_installation()
        database = self._session.database
        month = CalendarMonth.at(self._session.clock())
        with exclusive(database, _WORK) as is_ours:
            if not is_ours:
                return
            with database.reading() as connection:
                accounts = accounts_since(connection, month.since_ms)
            for account_id in accounts:
                if self._stopped.is_set():
                    return
                self.meter(account_id, month)
            oldest = month
            for _ in range(_KEPT_MONTHS):
                oldest = oldest.before
            with database.writing() as connection:
                queries.delete_old(connection, str(oldest))

    def meter(self, account_id: str, month: CalendarMonth) -> None:
        """Meter one account, and tell it of the steps that it has reached since."""
        session, now_ms = self._session, self._session.clock()
        table = table_in_force(session.settings)
        with session.database.reading() as connection:
            metered = measure(Reading(session, connection), account_id, month)
        reached = [
            _Step(key, step_of(standing), standing)
            for key, standing in _judged(metered, table)
            if step_of(standing)
        ]
        if not reached:
            return
        with session.database.writing() as connection:
            lock_changes(connection)
            # Another server may have told of it meanwhile.
            told = queries.told_steps(connection, account_id, str(month))
            new = [each for each in reached if each.percent > told.get(each.key, 0)]
            steps = [(each.key, each.percent) for each in new]
            queries.add_alerts(connection, account_id, str(month), steps, now_ms)
            outbox.add(connection, [_event(account_id, str(month), each, now_ms) for each in new])


def _judged(
    metered: Metered, table: ProgrammeTable
) -> Iterator[tuple[AlertKey, ProgrammeStanding]]:
    """Standings that an account is told of: those of acquirers are not its own.

    A merchant id that is all of the account is told of once, as the account.
    """
    whole = {
        (part.network, part.region): counts
        for part, counts in metered.now.items()
        if part.scope is MeteredScope.ACCOUNT
    }
    for part in metered.parts:
        is_merchant = part.scope is MeteredScope.MERCHANT
        if is_merchant and metered.now.get(part) == whole.get((part.network, part.region)):
            continue
        for standing in metered.standings(table, part):
            if standing.level.of is ProgrammeSubject.MERCHANT:
                names = (part.network, standing.programme.name, standing.level.name)
                yield AlertKey(*names, part.merchant_id or "", part.region or ""), standing


def _event(account_id: str, month: str, step: _Step, now_ms: int) -> NewEvent:
    key, standing = step.key, step.standing
    ratio = standing.ratio
    data = {
        **{"programme": key.programme, "level": key.level, "network": key.network},
        **{"merchantId": key.merchant_id or None, "region": key.region or None},
        **{"month": month, "percent": step.percent},
        **{"events": standing.events, "sales": standing.sales, "neededEvents": standing.needed},
        "basisPoints": None if ratio is None else basis_points_text(ratio),
    }
    name = f"{EventName.PROGRAMME_THRESHOLD} {account_id} {month} {'/'.join(key)} {step.percent}"
    return NewEvent(
        derived_id("evt", CalendarMonth.named(month).since_ms, name),
        account_id,
        now_ms,
        EventName.PROGRAMME_THRESHOLD,
        "programmes",
        key.programme,
        encode_data(data),
    )
