"""The overview of an account: money, fraud, disputes, backlog and alerts, each with its change."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.figures.pages.attention import attention_of
from gatehouse.admin.figures.pages.overview_charts import decisions_chart, fraud_chart, money_chart
from gatehouse.admin.figures.pages.service import show_service
from gatehouse.admin.figures.use_cases.overview import (
    FiguresNotReady,
    Overview,
    Standing,
    overview,
    standing,
)
from gatehouse.admin.money.use_cases import money
from gatehouse.console.forms.spans import PRESETS, ChosenSpan, chosen_span
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import FRAUD_LABELS

_FEW: Final = 20
"""With fewer requests in the span before, a change says nothing."""


class Compared(NamedTuple):
    """A figure, how it differs from the span before, and the page with what it counts."""

    name: str
    value: str
    change: str | None
    url: str | None
    tone: str | None = None


def show_overview(visit: Visit) -> Response:
    """The figures of a span beside those of the span before."""
    span = chosen_span(visit)
    columns = visit.columns
    try:
        found = overview(visit.session, columns, span.figures, with_latency=False)
    except FiguresNotReady:
        return visit.render("overview/waiting.html", attention=attention_of(visit))
    state = accounts.get(*visit.opened).state
    pace = money.spending_pace(*visit.opened)
    return visit.render(
        "overview/overview.html",
        chosen=span,
        presets=tuple(PRESETS),
        found=found,
        figures=_Figures(visit, span, found).all(),
        decisions=decisions_chart(visit, found),
        money=money_chart(visit, found),
        fraud=fraud_chart(visit, found),
        state=state if visit.may(Permission.SEE_MONEY) else None,
        lasts_ms=None if pace is None else pace.lasts_ms(state.available),
        attention=attention_of(visit),
    )


class _Figures:
    """The figures of a span, each beside that of the span before."""

    def __init__(self, visit: Visit, span: ChosenSpan, found: Overview) -> None:
        self._visit, self._span = visit, span
        self._now, self._before = found.counts, found.before
        self._comparable = found.before.requests >= _FEW

    def all(self) -> list[Compared]:
        """Money first, then fraud, then what waits for people, then how requests were decided."""
        now, before = self._now, self._before
        return [
            self._money("taken", {"decision": Outcome.ACCEPT}),
            self._money("turned_away", {"decision": Outcome.DECLINE}),
            self._money("saved", {"decision": Outcome.DECLINE, "label": FRAUD_LABELS}),
            self._lost(),
            *self._standing(),
            self._requests(),
            self._share("approval", now.approval_rate, before.approval_rate, _of(Outcome.ACCEPT)),
            self._share("review", now.review_rate, before.review_rate, _of(Outcome.REVIEW)),
            self._share("decline", now.decline_rate, before.decline_rate, _of(Outcome.DECLINE)),
        ]

    def _standing(self) -> list[Compared]:
        visit, span = self._visit, self._span.figures
        now = standing(*visit.opened, span.since_ms, span.until_ms)
        earlier = span.before
        before = standing(*visit.opened, earlier.since_ms, earlier.until_ms)
        disputes = self._counted("disputes", now, before, visit.url("outcomes", _DISPUTES))
        if now.disputes:
            told = f"{disputes.value} · {visit.money(now.disputed_micros)}"
            disputes = disputes._replace(value=told)
        return [
            disputes,
            self._counted("backlog", now, before, visit.url("reviews")),
            self._counted("alerts", now, before, visit.url("alerts")),
        ]

    def _counted(self, name: str, now: Standing, before: Standing, url: str) -> Compared:
        count, earlier = getattr(now, name), getattr(before, name)
        change = None
        if count or earlier:
            signed = self._visit.formats.signed(count - earlier, 0)
            change = self._visit.text("overview.more", change=signed)
        return Compared(name, self._visit.number(count), change, url)

    def _requests(self) -> Compared:
        visit, before = self._visit, self._before.requests
        change = visit.text("overview.after", count=before) if before else None
        if self._comparable:
            change = self._difference(self._now.requests, before)
        value = visit.number(self._now.requests)
        return Compared("requests", value, change, self._decisions({}))

    def _money(self, name: str, filters: Mapping[str, object]) -> Compared:
        micros = getattr(self._now, f"{name}_micros")
        change = self._difference(micros, getattr(self._before, f"{name}_micros"))
        return Compared(name, self._visit.money(micros), change, self._decisions(filters))

    def _lost(self) -> Compared:
        """Fraud among what was accepted, with its share of the money."""
        found = self._money("lost", {"decision": Outcome.ACCEPT, "label": FRAUD_LABELS})
        if not self._now.taken_micros:
            return found
        share = self._visit.formats.percent(self._now.lost_micros / self._now.taken_micros)
        return found._replace(change=self._visit.text("overview.of_taken", share=share))

    def _share(
        self, name: str, now: float | None, before: float | None, filters: Mapping[str, object]
    ) -> Compared:
        change = None
        if self._comparable and now is not None and before is not None:
            points = self._visit.formats.signed((now - before) * 100, 1)
            change = self._visit.text("overview.points", change=points)
        value = "–" if now is None else self._visit.formats.percent(now)
        return Compared(name, value, change, self._decisions(filters))

    def _difference(self, now: int, before: int) -> str | None:
        if not (self._comparable and before):
            return None
        change = self._visit.formats.signed((now - before) / before * 100, 0)
        return self._visit.text("overview.change", change=change)

    def _decisions(self, filters: Mapping[str, object]) -> str:
        days = {"from": self._span.first, "to": self._span.last}
        return self._visit.url("decisions", {**filters, **days})


_DISPUTES: Final = {"kind": "DISPUTE"}


def _of(outcome: Outcome) -> Mapping[str, object]:
    return {"decision": outcome}


PAGES: Final[Declarations] = (
    Page("/a/{account}/", "overview", show_overview, permission=Permission.SEE),
    Page("/a/{account}/service", "service", show_service, permission=Permission.OPERATE),
)
