"""Alerts of an account: what departs from the usual now and before, and what to do about it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.alerts import use_cases
from gatehouse.admin.alerts.types.hours import Measure
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import SIGNALS, ValueKind
from gatehouse.admin.alerts.types.shown import (
    BLOCKABLE,
    BLOCKED_UNASKED,
    LONGEST_NOTE,
    AlertAnswer,
    AlertBlocking,
    AlertSearch,
    AlertShown,
    blockable,
)
from gatehouse.admin.alerts.types.standing_out import AtStake, StandingOut
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import PutOnList
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.decisions.pages.order_amounts import shown_amount
from gatehouse.admin.drift.types.shown import DriftSearch
from gatehouse.admin.drift.use_cases import list_drift
from gatehouse.admin.entities.types import masked_address, masked_name
from gatehouse.admin.lists.pages.listing_form import MOST_DAYS_BLOCKED, check_may_list
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.search.pages.search_form import WHERE
from gatehouse.admin.search.use_cases.conditions import AddressedConditions
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.admin.search.use_cases.sought import SoughtTokens
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded, InvalidInput
from gatehouse.core.stages.outcomes import Outcome

_ALL: Final = "/a/{account}/alerts"
_SHOWN: Final = 50
_MOSTLY: Final = 0.5
_SOUGHT_BY: Final = {ValueKind.ADDRESS: "ipAddress", ValueKind.DEVICE: "deviceId"}
_DECISIONS: Final = {
    Measure.REFUSED: Outcome.DECLINE,
    Measure.DECLINED: Outcome.DECLINE,
    Measure.REVIEWED: Outcome.REVIEW,
}
TONES: Final = {AlertKind.ATTACK: "bad", AlertKind.OUTAGE: "warn", AlertKind.FEAST: "plain"}


def show_alerts(visit: Visit) -> Response:
    """What goes on, what has ended, and what drifts."""
    search = AlertSearch(_SHOWN, ended=True)
    found = use_cases.list_alerts(*visit.opened, search).alerts
    return visit.render(
        "alerts/alerts.html",
        going_on=[each for each in found if each.ended_at is None],
        ended=[each for each in found if each.ended_at is not None],
        drifts=list_drift(*visit.opened, DriftSearch()).drifts,
        tones=TONES,
        paid=lambda stake: _paid(visit, stake),
    )


def show_alert(visit: Visit) -> Response:
    """One alert, with its three actions."""
    alert = use_cases.get(*visit.opened, visit.place("alert"))
    known = configurations.listing(*visit.opened, RULE_SETS)
    can_block = {each.kind for each in blockable(alert.values, list(BLOCKABLE))}
    return visit.render(
        "alerts/alert.html",
        alert=alert,
        tone=TONES[alert.kind],
        decisions=_decisions(visit, alert),
        rule_sets=[each.definition.name for each in known] if _may_write(visit, alert) else [],
        kinds=[kind for kind in BLOCKABLE if kind in can_block],
        usual_kinds=BLOCKED_UNASKED,
        longest_note=LONGEST_NOTE,
        shown=_shown_value,
        found_by=lambda each: _found_by(visit, alert, each),
        paid=lambda stake: _paid(visit, stake),
    )


def acknowledge(visit: Visit) -> Response:
    """Say that somebody looks after it, or end it."""
    alert_id, given = visit.place("alert"), visit.given(AlertAnswer)
    use_cases.acknowledge(*visit.opened, alert_id, given)
    notice = "alerts.notices.ended" if given.end else "alerts.notices.acknowledged"
    return visit.redirect("alert", alert=alert_id, notice=notice)


def block(visit: Visit) -> Response:
    """Put what stands out on lists for a while, or propose it."""
    alert_id, given = visit.place("alert"), visit.given(AlertBlocking)
    check_may_list(visit, "prefix", given.prefix)
    if given.hours > MOST_DAYS_BLOCKED * 24 and not visit.may(Permission.CONFIGURE):
        raise visit.refuse("hours", "alerts.wrong_hours", most=MOST_DAYS_BLOCKED * 24)
    try:
        use_cases.block(*visit.opened, alert_id, given)
    except ApprovalNeeded:
        entries = use_cases.entries_to_block(*visit.opened, alert_id, given)
        proposed = [
            propose(visit, PutOnList(use_cases.list_name(given, kind), some, kind))
            for kind, some in entries.items()
        ]
        return proposed[-1]
    return visit.redirect("alert", alert=alert_id, notice="alerts.notices.blocked")


def _decisions(visit: Visit, alert: AlertShown) -> str:
    """The decisions that it is about: of an address or a device, or those that its rule finds."""
    most = next(
        (each for each in alert.values if each.kind in _SOUGHT_BY and each.share >= _MOSTLY), None
    )
    if most is not None:
        return _searched(visit, alert, _sought(visit, most))
    if alert.rule is not None and (exactly := _where(visit, alert.rule.condition)):
        return _searched(visit, alert, exactly)
    outcomes = [_DECISIONS.get(each.measure) for each in alert.measures]
    decided = {each.value for each in outcomes if each is not None}
    return _searched(visit, alert, {"decision": sorted(decided)})


def _may_write(visit: Visit, alert: AlertShown) -> bool:
    """Whether the visitor may see all that the proposed rule names."""
    masked = {SIGNALS[each] for each in _SOUGHT_BY}
    named = {each.signal for each in alert.rule.questions} if alert.rule else set()
    return bool(named) and (visit.may(Permission.REVEAL) or masked.isdisjoint(named))


def _found_by(visit: Visit, alert: AlertShown, each: StandingOut) -> str | None:
    """Where decisions with a value are found; None for what no search has."""
    if each.kind in _SOUGHT_BY:
        return _searched(visit, alert, _sought(visit, each))
    if each.kind is ValueKind.RULE:
        return _searched(visit, alert, {"rule": each.value.partition("/")[2]})
    equal = "'" + each.value.replace("'", "''") + "'"
    found = _where(visit, f"{SIGNALS[each.kind]} = {equal}") if each.kind in SIGNALS else {}
    return _searched(visit, alert, found) if found else None


def _where(visit: Visit, condition: str) -> dict[str, object]:
    """A condition as a filter of an address; nothing where a search has no use for it."""
    try:
        conditions = AddressedConditions(*visit.opened)
        return {WHERE: conditions.addressed(condition)}
    except InvalidInput:
        return {}


def _sought(visit: Visit, each: StandingOut) -> dict[str, object]:
    tokens = SoughtTokens(*visit.opened)
    return {"sought": tokens.token(DecisionSearchRequest(), _SOUGHT_BY[each.kind], each.value)}


def _searched(visit: Visit, alert: AlertShown, filters: Mapping[str, object]) -> str:
    zone = visit.formats.zone
    first_ms = alert.began_at - alert.window_minutes * 60_000
    days = [
        datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).date().isoformat()
        for at_ms in (first_ms, alert.ended_at or alert.seen_at)
    ]
    return visit.url("decisions", {"from": days[0], "to": days[1], **filters})


def _shown_value(each: StandingOut) -> str:
    """A value as everybody may see it."""
    if each.kind is ValueKind.ADDRESS:
        return masked_address(each.value)
    return masked_name(each.value) if each.kind is ValueKind.DEVICE else each.value


def _paid(visit: Visit, stake: AtStake) -> tuple[str, str]:
    currency = stake.currency or None
    return (
        shown_amount(visit, Decimal(stake.total), currency),
        shown_amount(visit, Decimal(stake.accepted), currency),
    )


PAGES: Final[Declarations] = (
    Page(_ALL, "alerts", show_alerts, group="watch", does=use_cases.list_alerts),
    Page(_ALL + "/{alert}", "alert", show_alert, does=use_cases.get),
    Action(
        _ALL + "/{alert}/acknowledge",
        "alert-acknowledge",
        acknowledge,
        again=show_alert,
        does=use_cases.acknowledge,
    ),
    Action(_ALL + "/{alert}/block", "alert-block", block, again=show_alert, does=use_cases.block),
)
