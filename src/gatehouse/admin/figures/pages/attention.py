"""What waits too long, runs out, departs from the usual or does not work."""

from typing import Final, NamedTuple

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts, policies
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.shown import AlertSearch
from gatehouse.admin.alerts.use_cases import list_alerts
from gatehouse.admin.approvals.pages import for_approval
from gatehouse.admin.connectors.use_cases.connector_status import list_connectors
from gatehouse.admin.drift.types.shown import DriftSearch
from gatehouse.admin.drift.use_cases import list_drift
from gatehouse.admin.keys.types import KeyShown
from gatehouse.admin.keys.use_cases import list_keys
from gatehouse.admin.programmes.use_cases.alerts import alerts_now
from gatehouse.admin.reviews.use_cases.reviews import ReviewSearch, ReviewState, list_reviews
from gatehouse.admin.webhooks.use_cases.endpoints import list_webhooks
from gatehouse.console.refusals import as_sentence
from gatehouse.console.visit import Visit

_HOUR_MS: Final = 3_600_000
_WEEK_MS: Final = 7 * 24 * _HOUR_MS
_MET: Final = 100
"""Percent of the way to a programme of a network."""


class Attention(NamedTuple):
    """Something that a person should look at, and where."""

    text: str
    url: str | None
    tone: str = "warn"


def attention_of(visit: Visit) -> list[Attention]:
    """What waits too long, runs out or does not work."""
    target = policies.review_target(*visit.opened) * _HOUR_MS
    search = ReviewSearch(ReviewState.OPEN, None, 1, oldest_first=True)
    found = _alerts(visit)
    found += [
        Attention(visit.text("overview.needs.reviews"), visit.url("reviews"))
        for oldest in list_reviews(*visit.opened, search)
        if oldest.review.at_ms < visit.now_ms - target
    ]
    state = accounts.get(*visit.opened).state
    if state.available <= 0 or state.is_low:
        # Everybody is told, without an amount: requests are refused when it is used up.
        url = visit.url("money") if visit.may(Permission.SEE_MONEY) else None
        tone = "bad" if state.available <= 0 else "warn"
        found.append(Attention(visit.text("overview.needs.balance"), url, tone))
    for connector in list_connectors(*visit.opened).connectors:
        if connector.state in ("DOWN", "PARTLY"):
            said = visit.text("overview.needs.connector", name=connector.name)
            found.append(Attention(said, None, "bad"))
    if drifts := list_drift(*visit.opened, DriftSearch()).drifts:
        said = visit.text("overview.needs.drift", count=len(drifts), name=drifts[0].name)
        found.append(Attention(said, visit.url("alerts")))
    if visit.may(Permission.SEE_MONEY) and (steps := alerts_now(*visit.opened)):
        nearest = steps[0]
        said = visit.text(
            "overview.needs.programme", percent=nearest.percent, name=nearest.programme
        )
        tone = "bad" if nearest.percent >= _MET else "warn"
        found.append(Attention(said, visit.url("programmes"), tone))
    if visit.may(Permission.APPROVE):
        count = for_approval(visit)
        waits = visit.text("overview.needs.proposals", count=count)
        found += [Attention(waits, visit.url("proposals"))] * bool(count)
    if visit.may(Permission.ACCESS):
        found += _access_attention(visit)
    return found


def _alerts(visit: Visit) -> list[Attention]:
    """Attacks, feasts and outages that nobody looks after yet."""
    return [
        Attention(
            as_sentence(visit.said(each.said)),
            visit.url("alert", alert=each.id),
            "bad" if each.kind is AlertKind.ATTACK else "warn",
        )
        for each in list_alerts(*visit.opened, AlertSearch()).alerts
        if each.acknowledged_at is None
    ]


def ends_soon(key: KeyShown, now_ms: int) -> bool:
    """Whether a key ends within a week; one that was made for less, such as ours, is meant to."""
    ends_ms = key.expires_at
    if ends_ms is None or key.status != "active":
        return False
    return ends_ms - now_ms < _WEEK_MS < ends_ms - key.created_at


def _access_attention(visit: Visit) -> list[Attention]:
    found = [
        Attention(visit.text("overview.needs.key", name=key.name), visit.url("keys"))
        for key in list_keys(*visit.opened).keys
        if ends_soon(key, visit.now_ms)
    ]
    for webhook in list_webhooks(*visit.opened).webhooks:
        if webhook.failing_since is not None or webhook.disabled_because in ("gone", "failing"):
            url = visit.url("webhook", webhook=webhook.id)
            found.append(Attention(visit.text("overview.needs.webhook"), url))
    return found
