"""Explore: decisions in groups by any signal or by two, where everything leads to its decisions."""

from collections.abc import Callable, Mapping
from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.use_cases.masking import masked_signal
from gatehouse.admin.explore.use_cases.exploring import (
    FACTS,
    MOST_GROUPS,
    MOST_OF_A_PAIR,
    Exploration,
    ExploredGroup,
    GroupFigures,
    Grouping,
    GroupKey,
    explore,
)
from gatehouse.admin.search.pages.narrowing import (
    OFFERED,
    added_condition,
    column_filter,
    set_conditions,
)
from gatehouse.admin.search.pages.saved_views import save_view, saved_views
from gatehouse.admin.search.pages.search_form import (
    COLUMNS,
    WHERE,
    Kept,
    addressed_filters,
    kept_filters,
    read_search,
    sought_in,
)
from gatehouse.admin.search.use_cases.conditions import AddressedConditions
from gatehouse.admin.search.use_cases.filters import WrongFilters
from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.console.charts.charts import spark
from gatehouse.console.forms.forms import FormRefused, Values
from gatehouse.console.forms.spans import PRESETS, ChosenSpan, chosen_span
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.labels import FRAUD_LABELS
from gatehouse.core.wording.sentences import said_by
from gatehouse.figures.engine import FiguresNotReady

_USUAL: Final = "card.country"
OFTEN: Final = (
    *("card.country", "card.bin", "card.funding", "card.brand", "ip.country", "ip.asn"),
    *("ip.organisation", "email.domain", "billing.country", "shipping.country", "device.browser"),
    *("device.system", "order.amount", "order.currency", "sentry.requestConfidence"),
    *("sentry.reasons", "request.hour", "request.weekday", "velocity.card.count_24h"),
)
"""Signals that are offered first."""
_OWN: Final = ("by", "also", "groups", "span")
_GROUPS: Final = (12, 25, MOST_GROUPS)
_DAYS: Final = ("from", "to")
_MOST_CURRENCIES: Final = 2


def show_explore(visit: Visit) -> Response:
    """The decisions of the address in groups."""
    given = visit.asked.query
    kept, own = _kept(given), _chosen(given)
    span = chosen_span(visit)
    found, ready = None, True
    try:
        found = _explored(visit, kept, own, span)
    except FormRefused as refused:
        # Most filters have no field here, so that what is wrong with them is said of the whole.
        visit.problems = visit.problems or {"": " ".join(refused.problems.values())}
    except FiguresNotReady:
        ready = False
    filters = {**kept, "from": (span.first,), "to": (span.last,)}
    query = _query(given)
    return visit.render(
        "explore/explore.html",
        found=found,
        matrix=None if found is None or found.also is None else _matrix(found),
        ready=ready,
        kept=kept,
        own=own,
        query=query,
        saved=saved_views(visit, "explore"),
        chosen=span,
        presets=tuple(PRESETS),
        facts=tuple(FACTS),
        often=OFTEN,
        signals=SIGNALS,
        group_counts=_GROUPS,
        conditions=set_conditions(visit, query),
        operators=OFFERED,
        sought=sought_in(visit, kept),
        shown=lambda key, name: _shown(visit, key, name),
        money=lambda figures: _money(visit, figures),
        leads=_leading(visit, filters, own),
        within=lambda each: _narrowed(visit, query, own, each),
        decisions=visit.url("decisions", filters),
        fraud_labels=[each.value for each in FRAUD_LABELS],
        trend=lambda each, name: spark(each.trend, visit.text("explore.trend_of", name=name)),
    )


def narrow(visit: Visit) -> Response:
    """Add a condition to the filters of the address."""
    return visit.redirect("explore", query=added_condition(visit, _query(visit.asked.query)))


def save(visit: Visit) -> Response:
    """Keep what the address shows under a name."""
    return save_view(visit, _query(visit.asked.query), "explore")


def _kept(given: Values) -> Kept:
    """The filters, without the days, which the span is made of, and what tables show."""
    left_out = (*_DAYS, COLUMNS)
    return {name: each for name, each in kept_filters(given).items() if name not in left_out}


def _chosen(given: Values) -> dict[str, str]:
    """What the page groups by, and how."""
    own = {name: given[name][0].strip()[:120] for name in _OWN if any(given.get(name, ()))}
    own.setdefault("by", _USUAL)
    if own.get("also") == own["by"]:
        del own["also"]
    return own


def _query(given: Values) -> Kept:
    """All that the address holds."""
    days = {name: given[name][:1] for name in _DAYS if any(given.get(name, ()))}
    return {**_kept(given), **{name: (each,) for name, each in _chosen(given).items()}, **days}


def _matrix(
    found: Exploration,
) -> tuple[list[GroupKey], list[tuple[GroupKey, list[ExploredGroup | None]]]]:
    """The second keys as columns, and for each first key what is in them."""
    sums: dict[GroupKey, int] = {}
    rows: dict[GroupKey, dict[GroupKey, ExploredGroup]] = {}
    for each in found.groups:
        if each.also is not None:
            sums[each.also] = sums.get(each.also, 0) + each.figures.requests
            rows.setdefault(each.key, {})[each.also] = each
    heads = sorted(sums, key=lambda key: (key.others, _place(key), -sums[key]))
    return heads, [(key, [cells.get(head) for head in heads]) for key, cells in rows.items()]


def _place(key: GroupKey) -> float:
    """Where a span of numbers stands among the others."""
    if key.below is not None and key.least is None:
        return float("-inf")
    return 0.0 if key.least is None else float(key.least)


def _explored(visit: Visit, kept: Kept, own: Mapping[str, str], span: ChosenSpan) -> Exploration:
    also, groups = own.get("also"), own.get("groups", "")
    most = int(groups) if groups in map(str, _GROUPS) else _GROUPS[0]
    grouping = Grouping(own["by"], also, most if also is None else MOST_OF_A_PAIR)
    days = {"from": (span.first,), "to": (span.last,)}
    search = read_search(visit, {**addressed_filters(visit, kept), **days})
    conditions = column_filter(visit, kept, (own["by"], also or ""))
    columns = visit.columns
    try:
        return explore(visit.session, columns, grouping, span.figures, search, conditions)
    except WrongFilters as wrong:
        raise FormRefused({"": said_by(wrong)}) from None
    except FiguresNotReady:
        raise
    except InvalidInput as error:
        raise visit.refuse("", "explore.cannot", why=visit.said(said_by(error))) from None


def _leading(visit: Visit, filters: Kept, own: Mapping[str, str]) -> Callable[..., str | None]:
    """Where the decisions of a group are found; None for what no filter finds."""
    conditions = AddressedConditions(*visit.opened)

    def leads(each: ExploredGroup, **more: object) -> str | None:
        found: Kept | None = filters
        for key, name in ((each.key, own["by"]), (each.also, own.get("also", ""))):
            if found is not None and key is not None:
                found = _with(conditions, found, key, name)
        return None if found is None else visit.url("decisions", {**found, **more})

    return leads


def _narrowed(visit: Visit, query: Kept, own: Mapping[str, str], each: ExploredGroup) -> str | None:
    """Where the decisions of a group are explored further."""
    conditions = AddressedConditions(*visit.opened)
    found = _with(conditions, query, each.key, own["by"])
    return None if found is None else visit.url("explore", found)


def _with(conditions: AddressedConditions, kept: Kept, key: GroupKey, name: str) -> Kept | None:
    """The filters of those decisions among them that are in a group."""
    if key.others or (key.condition is None and key.value is None):
        return None
    if key.condition is None:
        return {**kept, name: (key.value or "",)}
    try:
        added = conditions.addressed(key.condition)
    except InvalidInput:
        return None
    return {**kept, WHERE: tuple(dict.fromkeys((*kept.get(WHERE, ()), added)))}


def _shown(visit: Visit, key: GroupKey, name: str) -> str:
    """What a group is called."""
    if key.others:
        return visit.text("explore.others")
    if key.least is not None and key.below is not None:
        return f"{_number(visit, key.least)} – {_number(visit, key.below)}"
    if key.least is not None:
        return f"≥ {_number(visit, key.least)}"
    if key.below is not None:
        return f"< {_number(visit, key.below)}"
    if key.value is None:
        return visit.text("explore.unknown")
    if name == "decision":
        return visit.text(f"common.outcomes.{key.value}")
    if name == "operation":
        return visit.function(key.value)
    if key.value in ("true", "false"):
        return visit.text("common.yes" if key.value == "true" else "common.no")
    return masked_signal(name, key.value)


def _number(visit: Visit, written: str) -> str:
    return visit.number(float(written), 4)


def _money(visit: Visit, figures: GroupFigures) -> list[str]:
    """What decisions come to in the largest currencies, each with what of it was fraud."""
    shown = []
    for each in figures.money[:_MOST_CURRENCIES]:
        total = visit.money(each.total_micros, each.currency)
        if each.fraud_micros:
            fraud = visit.money(each.fraud_micros, each.currency)
            total = visit.text("explore.with_fraud", total=total, fraud=fraud)
        shown.append(total)
    if len(figures.money) > _MOST_CURRENCIES:
        shown.append(f"+{len(figures.money) - _MOST_CURRENCIES}")
    return shown


_ALL: Final = "/a/{account}/explore"

PAGES: Final[Declarations] = (
    Page(_ALL, "explore", show_explore, permission=Permission.SEE),
    Action(
        f"{_ALL}/narrow", "explore-narrow", narrow, permission=Permission.SEE, again=show_explore
    ),
    Action(f"{_ALL}/save", "explore-save", save, permission=Permission.SEE, again=show_explore),
)
