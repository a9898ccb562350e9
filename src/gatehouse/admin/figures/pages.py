"""The overview of an account: what was decided over time, what it cost, what needs attention."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts, policies
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.shown import AlertSearch
from gatehouse.admin.alerts.use_cases import list_alerts
from gatehouse.admin.approvals.pages import for_approval
from gatehouse.admin.connectors.use_cases.connector_status import list_connectors
from gatehouse.admin.drift.types.shown import DriftSearch
from gatehouse.admin.drift.use_cases import list_drift
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady, Latency, Overview, overview
from gatehouse.admin.keys.types import KeyShown
from gatehouse.admin.keys.use_cases import list_keys
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.programmes.use_cases.alerts import alerts_now
from gatehouse.admin.reviews.use_cases.reviews import ReviewSearch, ReviewState, list_reviews
from gatehouse.admin.webhooks.use_cases.endpoints import list_webhooks
from gatehouse.console.charts.charts import Series, Words
from gatehouse.console.charts.plots import TimeChart, Zoom, zoom_of
from gatehouse.console.forms.spans import PRESETS, chosen_span, part_labels
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.refusals import as_sentence
from gatehouse.console.visit import Visit
from gatehouse.figures.buckets import Bucket
from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.operations.connectors import APPLIED
from gatehouse.precheck.spec import PRE_CHECK

_HOUR_MS: Final = 3_600_000
_WEEK_MS: Final = 7 * 24 * _HOUR_MS
_FEW: Final = 20
"""With fewer requests in the span before, a change says nothing."""
_TOTAL: Final = "total"
_MET: Final = 100
"""Percent of the way to a programme of a network."""
_BUILT_IN: Final = ("sandbox", "records", "none")


class Attention(NamedTuple):
    """Something that a person should look at, and where."""

    text: str
    url: str | None
    tone: str = "warn"


class Compared(NamedTuple):
    """A figure, and how it differs from the span before."""

    name: str
    value: str
    change: str | None
    tone: str | None


def show_overview(visit: Visit) -> Response:
    """The figures of a span beside those of the span before."""
    span = chosen_span(visit)
    columns = visit.desk.columns.of(visit.account_id)
    try:
        found = overview(visit.session, columns, span.figures)
    except FiguresNotReady:
        return visit.render("overview/waiting.html", attention=_attention(visit))
    state = accounts.get(visit.session, visit.account_id).state
    pace = money.spending_pace(visit.session, visit.account_id)
    return visit.render(
        "overview/overview.html",
        chosen=span,
        presets=tuple(PRESETS),
        found=found,
        figures=_figures(visit, found),
        decisions=_decisions_chart(visit, found),
        fraud=_fraud_chart(visit, found) if found.counts.labelled or _labelled(found) else None,
        latency=found.latency,
        state=state if visit.may(Permission.SEE_MONEY) else None,
        lasts_ms=None if pace is None else pace.lasts_ms(state.available),
        connectors=list_connectors(visit.session, visit.account_id).connectors,
        answered=_answered(visit),
        attention=_attention(visit),
    )


def _figures(visit: Visit, found: Overview) -> list[Compared]:
    now, before = found.counts, found.before
    rates = (
        ("approval", now.approval_rate, before.approval_rate),
        ("review", now.review_rate, before.review_rate),
        ("decline", now.decline_rate, before.decline_rate),
        ("fraud", now.fraud_rate, before.fraud_rate),
    )
    comparable = before.requests >= _FEW
    change = visit.text("overview.after", count=before.requests) if before.requests else None
    if comparable:
        change = _difference(visit, now.requests, before.requests)
    shown = [Compared("requests", visit.number(now.requests), change, None)]
    for name, rate, earlier in rates:
        change = None
        if comparable and rate is not None and earlier is not None:
            points = visit.formats.signed((rate - earlier) * 100, 1)
            change = visit.text("overview.points", change=points)
        value = "–" if rate is None else visit.formats.percent(rate)
        shown.append(Compared(name, value, change, None))
    total = [_of(each) for each in (found.latency, found.latency_before)]
    if total[0] is not None:
        change = None
        if comparable and total[1] is not None:
            change = _difference(visit, total[0].p95, total[1].p95)
        milliseconds = visit.number(total[0].p95 / 1000, 1)
        shown.append(Compared("latency", f"{milliseconds} ms", change, None))
    return shown


def _of(latency: tuple[Latency, ...]) -> Latency | None:
    return next((each for each in latency if each.name == _TOTAL), None)


def _difference(visit: Visit, now: int, before: int) -> str | None:
    if not before:
        return None
    change = visit.formats.signed((now - before) / before * 100, 0)
    return visit.text("overview.change", change=change)


def _labelled(found: Overview) -> bool:
    return any(each.labelled for each in found.fraud_by_month)


def _decisions_chart(visit: Visit, found: Overview) -> Markup:
    parts = found.over_time
    series = [
        Series(visit.text("common.outcomes.ACCEPT"), [p.accepted for p in parts], "good"),
        Series(visit.text("common.outcomes.REVIEW"), [p.reviewed for p in parts], "warn"),
        Series(visit.text("common.outcomes.DECLINE"), [p.declined for p in parts], "bad"),
        Series(visit.text("overview.checks"), [p.requests - p.decided for p in parts], "plain"),
    ]
    words = Words(
        title=visit.text("overview.decisions"),
        description=visit.text("overview.decisions_words"),
        label=visit.text("overview.when"),
        table=visit.text("common.data"),
        write=lambda value: visit.number(value, 0),
    )
    starts = [part.start_ms for part in parts]
    return TimeChart(
        words=words,
        labels=part_labels(visit, starts, found.bucket),
        series=series,
        zoom=_zoom(visit, starts, found.until_ms),
        stacked=True,
    ).drawn()


def _fraud_chart(visit: Visit, found: Overview) -> Markup:
    months = found.fraud_by_month
    words = Words(
        title=visit.text("overview.fraud"),
        description=visit.text("overview.fraud_words"),
        label=visit.text("overview.month"),
        table=visit.text("common.data"),
        write=lambda value: visit.formats.percent(value / 100),
    )
    shares = [None if m.fraud_rate is None else m.fraud_rate * 100 for m in months]
    series = [Series(visit.text("overview.figures.fraud"), shares, "bad")]
    starts = [month.start_ms for month in months]
    return TimeChart(
        words=words,
        labels=part_labels(visit, starts, Bucket.MONTH),
        series=series,
        zoom=_zoom(visit, starts, found.until_ms),
        height=160,
        unit=visit.formats.percent_sign,
    ).drawn()


def _zoom(visit: Visit, starts_ms: Sequence[int], until_ms: int) -> Zoom:
    url, hint = visit.url("overview"), visit.text("overview.zoom")
    return zoom_of(url, hint, starts_ms, until_ms, visit.formats.zone)


def _answered(visit: Visit) -> list[tuple[str, str]]:
    """The functions that no applied connector answers, and who does."""
    settings = visit.desk.settings
    chosen = (
        (PRE_CHECK.name, settings.issuer),
        (ID_VERIFY.name, settings.identities),
        (GATEWAY.name, settings.gateway),
    )
    # The name of a factory says how the service was built, which is for operators.
    return [
        (function, word if word in _BUILT_IN else "factory")
        for function, word in chosen
        if word != APPLIED
    ]


def _attention(visit: Visit) -> list[Attention]:
    """What waits too long, runs out or does not work."""
    target = policies.review_target(visit.session, visit.account_id) * _HOUR_MS
    search = ReviewSearch(ReviewState.OPEN, None, 1, oldest_first=True)
    found = _alerts(visit)
    found += [
        Attention(visit.text("overview.needs.reviews"), visit.url("reviews"))
        for oldest in list_reviews(visit.session, visit.account_id, search)
        if oldest.review.at_ms < visit.now_ms - target
    ]
    state = accounts.get(visit.session, visit.account_id).state
    if state.available <= 0 or state.is_low:
        # Everybody is told, without an amount: requests are refused when it is used up.
        url = visit.url("money") if visit.may(Permission.SEE_MONEY) else None
        tone = "bad" if state.available <= 0 else "warn"
        found.append(Attention(visit.text("overview.needs.balance"), url, tone))
    for connector in list_connectors(visit.session, visit.account_id).connectors:
        if connector.state in ("DOWN", "PARTLY"):
            said = visit.text("overview.needs.connector", name=connector.name)
            found.append(Attention(said, None, "bad"))
    if drifts := list_drift(visit.session, visit.account_id, DriftSearch()).drifts:
        said = visit.text("overview.needs.drift", count=len(drifts), name=drifts[0].name)
        found.append(Attention(said, visit.url("alerts")))
    if visit.may(Permission.SEE_MONEY) and (steps := alerts_now(visit.session, visit.account_id)):
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
        for each in list_alerts(visit.session, visit.account_id, AlertSearch()).alerts
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
        for key in list_keys(visit.session, visit.account_id).keys
        if ends_soon(key, visit.now_ms)
    ]
    for webhook in list_webhooks(visit.session, visit.account_id).webhooks:
        if webhook.failing_since is not None or webhook.disabled_because in ("gone", "failing"):
            url = visit.url("webhook", webhook=webhook.id)
            found.append(Attention(visit.text("overview.needs.webhook"), url))
    return found


PAGES: Final[Declarations] = (
    Page("/a/{account}/", "overview", show_overview, permission=Permission.SEE),
)
