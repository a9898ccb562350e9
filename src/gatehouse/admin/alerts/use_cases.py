"""What can be done with alerts: list them, look at one, say what is done about it, block."""

from collections import defaultdict
from typing import Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.alerts import queries
from gatehouse.admin.alerts.queries import StoredAlert
from gatehouse.admin.alerts.types.hours import BAD, Measure
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import ValueKind
from gatehouse.admin.alerts.types.shown import (
    AlertAnswer,
    AlertBlocked,
    AlertBlocking,
    AlertFound,
    AlertId,
    AlertPage,
    AlertSearch,
    AlertShown,
    ValuesListed,
    blockable,
)
from gatehouse.admin.alerts.types.telling import ended_data
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, planned
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.filling import filled
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.store.configured import lists
from gatehouse.store.configured.list_plans import ListKey, PlannedEntry, plan_adding

_NO_ALERT: Final = Phrase("refused.no_alert", "account {account} has no alert {alert}")
_NOTHING: Final = Phrase(
    "refused.alert_nothing", "nothing of alert {alert} stands out that a list could hold"
)
_BAD: Final = {
    Measure.REFUSED: Phrase(
        "alert.refused",
        "an attack: {count:,} orders on cards that were not seen before were refused within "
        "{minutes} minutes, where {usual} are usual",
    ),
    Measure.DECLINED: Phrase(
        "alert.declined",
        "an attack: rules declined {count:,} orders on cards that were not seen before within "
        "{minutes} minutes, where {usual} are usual",
    ),
    Measure.REVIEWED: Phrase(
        "alert.reviewed",
        "an attack: {count:,} orders on cards that were not seen before wait for review within "
        "{minutes} minutes, where {usual} are usual",
    ),
    Measure.DOUBTED: Phrase(
        "alert.doubted",
        "an attack: Sentry has hardly any confidence in {count:,} requests of {minutes} minutes, "
        "where {usual} are usual",
    ),
}
_CROWDED: Final = Phrase(
    "alert.crowded",
    "an attack: {count:,} orders of {minutes} minutes come from few addresses, networks or "
    "devices, or are on cards of few issuers, far more than these ever brought",
)
_FEAST: Final = Phrase(
    "alert.feast",
    "a feast: {count:,} orders within {minutes} minutes where {usual} are usual, in the usual mix; "
    "nothing points to an attack",
)
_FAILED: Final = Phrase(
    "alert.failed",
    "an outage: {count:,} of {requests:,} orders failed at an outside party within {minutes} "
    "minutes, where {usual} are usual; look at the connectors",
)
_REFUSING: Final = Phrase(
    "alert.refusing",
    "an outage of an issuer or a gateway: {count:,} orders were refused within {minutes} minutes, "
    "where {usual} are usual, but neither more orders nor more new cards than usual came",
)

_SCOPE: Final = "manage:lists"
_HOUR_MS: Final = 3_600_000
_LISTS: Final = {
    ValueKind.ADDRESS: ListKind.NETWORKS,
    ValueKind.NETWORK: ListKind.NETWORKS,
    ValueKind.DEVICE: ListKind.DEVICES,
    ValueKind.DOMAIN: ListKind.DOMAINS,
    ValueKind.BIN: ListKind.BINS,
}


@use_case(
    "GET /alerts",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    answers="alertsResponse",
)
def list_alerts(reading: Reading, account_id: str, wanted: AlertSearch) -> AlertPage:
    """List alerts.

    What departs from the account's own normal by hour and weekday: attacks, feasts and outages,
    each with the values that stand out and the money at stake.
    """
    found = queries.listing(reading.connection, account_id, wanted.limit, ended=wanted.ended)
    return AlertPage([shown(each) for each in found])


def alerts_between(connection: sa.Connection, account_id: str, since_ms: int, until_ms: int) -> int:
    """How many alerts were raised between two moments."""
    return queries.raised_between(connection, account_id, since_ms, until_ms)


@use_case(
    "GET /alerts/{alertId}",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    operation="getAlert",
    answers="alertResponse",
)
def get(reading: Reading, account_id: str, alert_id: AlertId) -> AlertShown:
    """Show an alert.

    Its figures beside what is usual, the values that stand out, a rule to begin with, and some of
    its requests.
    """
    found = queries.get(reading.connection, account_id, alert_id)
    if found is None:
        raise _missing(account_id, alert_id)
    return shown(found)


@use_case(
    "POST /alerts/{alertId}/acknowledgement",
    scope=_SCOPE,
    permission=Permission.REVIEW,
    rights=OF_DECISIONS,
    operation="acknowledgeAlert",
    answers="alertResponse",
)
def acknowledge(
    change: Change, account_id: str, alert_id: AlertId, given: AlertAnswer
) -> AlertShown:
    """Acknowledge an alert.

    Says that somebody looks after it, so that the overview does not ask for attention any more;
    or ends it. It goes on by itself until requests are as usual again.
    """
    connection, now_ms, actor = change.connection, change.now_ms, str(change.actor)
    found = queries.get(connection, account_id, alert_id)
    if found is None:
        raise _missing(account_id, alert_id)
    note = None if given.note is None else recordable(given.note)
    queries.acknowledge(connection, account_id, alert_id, now_ms, actor, note)
    change.audit("alert.acknowledge", account_id, alertId=alert_id, ended=given.end)
    if given.end and found.ended_at_ms is None:
        queries.end(connection, account_id, alert_id, now_ms, actor)
        data = ended_data(alert_id, found.kind, found.began_at_ms, actor)
        change.event(EventName.ALERT_ENDED, account_id, alert_id, data)
    after = queries.get(connection, account_id, alert_id)
    assert after is not None
    return shown(after)


@use_case(
    "POST /alerts/{alertId}/blocking",
    scope=_SCOPE,
    permission=Permission.BLOCK,
    rights=OF_DECISIONS,
    operation="blockAlert",
    answers="alertBlockedResponse",
)
def block(
    session: AdminSession,
    account_id: str,
    alert_id: AlertId,
    given: AlertBlocking,
    dry_run: bool = False,
) -> AlertBlocked:
    """Block what stands out in an alert.

    Puts the addresses, devices and whatever else is asked for on lists, for a day unless another
    span is given. What a list does is up to the rules that name it.
    """
    entries = entries_to_block(session, account_id, alert_id, given)
    if dry_run:
        with session.account_reading(account_id) as connection:
            plans = {
                kind: plan_adding(
                    connection, ListKey(account_id, list_name(given, kind)), some, session.clock()
                ).tally
                for kind, some in entries.items()
            }
    else:
        with session.account_change(account_id) as change:
            check_approved(change, account_id, ApprovalKind.LISTS)
            plans = {
                kind: lists.add(change, account_id, list_name(given, kind), kind, some)
                for kind, some in entries.items()
            }
            added = sum(each.added for each in plans.values())
            change.audit(
                "alert.block", account_id, alertId=alert_id, added=added, hours=given.hours
            )
    told = [
        ValuesListed(list_name(given, kind), each.added, each.changed, each.unchanged)
        for kind, each in plans.items()
    ]
    return AlertBlocked(alert_id, told, dry_run)


def entries_to_block(
    session: AdminSession, account_id: str, alert_id: str, given: AlertBlocking
) -> dict[ListKind, tuple[PlannedEntry, ...]]:
    """What stands out in an alert as lists keep it, so that it can be proposed, too."""
    alert = get(session, account_id, alert_id)
    values: dict[ListKind, list[str]] = defaultdict(list)
    for each in blockable(alert.values, given.kinds):
        values[_LISTS[each.kind]].append(each.value)
    if not values:
        raise InvalidInput(_NOTHING(alert=alert_id))
    terms = (given.reason or alert_id, given.hours * _HOUR_MS)
    return {
        kind: planned(
            session,
            account_id,
            list_name(given, kind),
            GivenEntries(some),
            NewEntries(kind, *terms),
        )
        for kind, some in values.items()
    }


def list_name(given: AlertBlocking, kind: ListKind) -> str:
    """The list that entries of a kind are put on."""
    return f"{given.prefix}-{kind.value}"


def shown(each: StoredAlert) -> AlertShown:
    """An alert with its sentence."""
    found = each.found
    about = {name: getattr(found, name) for name in found.__struct_fields__}
    return filled(
        AlertShown,
        each,
        began_at=Moment(each.began_at_ms),
        seen_at=Moment(each.seen_at_ms),
        ended_at=moment(each.ended_at_ms),
        acknowledged_at=moment(each.acknowledged_at_ms),
        said=_said(each.kind, found),
        **about,
    )


def _said(kind: AlertKind, found: AlertFound) -> str:
    first = found.measures[0] if found.measures else None
    minutes = found.window_minutes
    if first is None or (kind is AlertKind.ATTACK and first.measure not in BAD):
        return _CROWDED(count=found.requests, minutes=minutes)
    about = {"count": first.count, "usual": first.usual, "minutes": minutes}
    if kind is AlertKind.FEAST:
        return _FEAST(**about)
    if kind is AlertKind.OUTAGE:
        if first.measure is Measure.FAILED:
            return _FAILED(**about, requests=first.requests)
        return _REFUSING(**about)
    return _BAD[first.measure](**about)


def _missing(account_id: str, alert_id: str) -> NotFound:
    return NotFound(_NO_ALERT(account=account_id, alert=alert_id[:40]))
