"""Looks every twenty seconds whether requests depart from what is usual, and raises alerts.

Of several servers one watches: it holds the right to do so until it ends. What it remembers is a
copy of what the database has, so another one can go on at any time.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.alerts import queries
from gatehouse.admin.alerts.queries import StoredAlert
from gatehouse.admin.alerts.types.hours import HOUR_MS
from gatehouse.admin.alerts.types.judging import GOES_ON, LONGEST_MS, AlertFinding, AlertKind, judge
from gatehouse.admin.alerts.types.lifecycle import (
    ANSWERED_MS,
    CALM_MS,
    ENDED_KEPT_MS,
    STILL_MS,
    TAINTS_MS,
    WEEKS_MS,
)
from gatehouse.admin.alerts.types.shown import AlertFound, found_of
from gatehouse.admin.alerts.types.telling import ended_data, raised_data
from gatehouse.admin.alerts.types.usual import UsualTraffic
from gatehouse.admin.alerts.worker.reading import LATE_MS, RecentRequests, read_hour
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import new_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.exclusive import Watch
from gatehouse.store.state import lock_changes

LOOK_S: Final = 20.0
HOURS_A_LOOK: Final = 6
"""Hours that are read at one look, the newest first, when an account is new to the watch."""
_WORK: Final = "alerts"
_ACTOR: Final = "alerts"


class _WatchedAccount:
    """What is remembered of one account."""

    def __init__(self, account_id: str) -> None:
        self.recent = RecentRequests(account_id)
        self.usual = UsualTraffic({})
        self.hour = -1
        """The hour for which the normal was worked out; -1 while hours are missing."""
        self.is_open = True
        """Whether an alert may go on."""


class AlertWatch(Watch):
    """The watch of one server."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(session.database, _WORK, LOOK_S, "could not look for attacks")
        self._session = session.acting_as(Actor.system(_ACTOR))
        self._accounts: dict[str, _WatchedAccount] = {}

    def look(self) -> None:
        """Look at all accounts with requests of late."""
        self._session.actor.check_installation()
        now_ms = self._session.clock()
        with self._session.reading() as connection:
            accounts = queries.accounts_since(connection, now_ms - LONGEST_MS)
        self._accounts = {
            each: self._accounts.get(each) or _WatchedAccount(each) for each in accounts
        }
        for account_id, watched in self._accounts.items():
            if self._stopped.is_set():
                return
            self._look_at(account_id, watched, now_ms)

    def _look_at(self, account_id: str, watched: _WatchedAccount, now_ms: int) -> None:
        with self._session.reading() as connection:
            new = watched.recent.read(connection, now_ms)
        self._learn(account_id, watched, now_ms)
        if not new and not watched.is_open:
            return
        recent = watched.recent
        found = judge(recent.seen, watched.usual, now_ms, requests=recent.requests(now_ms))
        with self._session.reading() as connection:
            watched.is_open = bool(found or queries.listing(connection, account_id, 1))
        if watched.is_open:
            self._note(account_id, watched, found, now_ms)

    def _learn(self, account_id: str, watched: _WatchedAccount, now_ms: int) -> None:
        """Keep the hours that have ended, and work out the normal for this one."""
        newest_ms = (now_ms - 2 * LATE_MS) // HOUR_MS * HOUR_MS - HOUR_MS
        if watched.hour == newest_ms:
            return
        oldest_ms = newest_ms - WEEKS_MS + HOUR_MS
        with self._session.reading() as connection:
            known = queries.known_hours(connection, account_id, oldest_ms)
            lately = queries.since(connection, account_id, newest_ms - HOURS_A_LOOK * HOUR_MS)
        wanted = range(newest_ms, oldest_ms - 1, -HOUR_MS)
        missing = [each for each in wanted if each not in known]
        database = self._session.database
        read = {each: read_hour(database, account_id, each) for each in missing[:HOURS_A_LOOK]}
        with self._session.writing() as connection:
            unusual = [each for each in read if _is_unusual(each, lately)]
            queries.keep_hours(connection, account_id, read, unusual)
            queries.delete_old(connection, oldest_ms, now_ms - ENDED_KEPT_MS)
            watched.usual = UsualTraffic(queries.usual_hours(connection, account_id, oldest_ms))
        watched.hour = newest_ms if len(missing) <= HOURS_A_LOOK else -1

    def _note(
        self, account_id: str, watched: _WatchedAccount, found: Sequence[AlertFinding], now_ms: int
    ) -> None:
        """Raise what is new, and end what is over."""
        newest = [each for each in watched.recent.seen if each.at_ms > now_ms - STILL_MS]
        requests = watched.recent.requests(now_ms)
        still = judge(newest, watched.usual, now_ms, GOES_ON, requests[:2] + requests[1:2])
        # What three hours show, but not the last of them, is over.
        on = {each.kind: each for each in still}
        on |= {each.kind: each for each in found if each.kind in on}
        told = {kind: found_of(each, watched.usual, now_ms) for kind, each in on.items()}
        raised = told.keys() & {each.kind for each in found}
        with self._session.writing() as connection:
            lock_changes(connection)
            # A person, or another server, may have changed it meanwhile, so it is read again.
            lately = queries.since(connection, account_id, now_ms - ANSWERED_MS)
            events = self._over(connection, account_id, lately, told, now_ms)
            events += [
                self._raise(connection, account_id, kind, told[kind], now_ms)
                for kind in AlertKind
                if kind in raised and _may_raise(kind, lately, now_ms)
            ]
            if events:
                outbox.add(connection, events)

    def _over(
        self,
        connection: sa.Connection,
        account_id: str,
        lately: Sequence[StoredAlert],
        told: Mapping[AlertKind, AlertFound],
        now_ms: int,
    ) -> list[NewEvent]:
        """Note what goes on, and end what does not."""
        events = []
        for each in lately:
            if each.ended_at_ms is not None:
                continue
            if each.kind in told:
                queries.see(connection, account_id, each.id, now_ms, told[each.kind])
            elif now_ms - each.seen_at_ms >= CALM_MS[each.kind]:
                queries.end(connection, account_id, each.id, now_ms)
                data = ended_data(each.id, each.kind, each.began_at_ms, None)
                events.append(self._event(account_id, EventName.ALERT_ENDED, each.id, data))
        return events

    def _raise(
        self,
        connection: sa.Connection,
        account_id: str,
        kind: AlertKind,
        found: AlertFound,
        now_ms: int,
    ) -> NewEvent:
        alert_id = new_id("alr", now_ms, self._session.randomness)
        queries.begin(connection, account_id, alert_id, kind, found, now_ms)
        data = raised_data(alert_id, kind, found)
        return self._event(account_id, EventName.ALERT_RAISED, alert_id, data)

    def _event(
        self, account_id: str, name: EventName, about: str, data: Mapping[str, Any]
    ) -> NewEvent:
        now_ms = self._session.clock()
        event_id = new_id("evt", now_ms, self._session.randomness)
        return NewEvent(event_id, account_id, now_ms, name, _ACTOR, about, encode_data(data))


def _may_raise(kind: AlertKind, lately: Sequence[StoredAlert], now_ms: int) -> bool:
    """Whether nothing of the kind goes on, and no person has just ended one."""
    return not any(_stands_for(each, kind, now_ms) for each in lately)


def _stands_for(each: StoredAlert, kind: AlertKind, now_ms: int) -> bool:
    """Whether an alert that is there makes another of a kind unnecessary."""
    ended_ms = each.ended_at_ms
    if each.kind is kind:
        return ended_ms is None or each.ended_by is not None
    # What an attack adds, or added in the last hours, is no feast.
    is_part = kind is AlertKind.FEAST and each.kind is AlertKind.ATTACK
    return is_part and (ended_ms is None or now_ms - ended_ms < LONGEST_MS)


def _is_unusual(start_ms: int, alerts: Sequence[StoredAlert]) -> bool:
    """Whether an hour lies in an attack or an outage, which must not become the normal."""
    for each in alerts:
        begin_ms = each.began_at_ms - HOUR_MS
        end_ms = each.began_at_ms + TAINTS_MS
        if each.ended_at_ms is not None:
            end_ms = min(end_ms, each.ended_at_ms)
        if each.kind is not AlertKind.FEAST and begin_ms < start_ms + HOUR_MS and start_ms < end_ms:
            return True
    return False
