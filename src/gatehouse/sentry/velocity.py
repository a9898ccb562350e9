"""The velocity signals of rules: how often an entity was seen, with how many others, and refused.

The catalogue of the rule language says which measures there are and in what order. Each group of
them becomes a plan here, once; then one walk each through an entity's timeline, partners and
refusals answers all of them.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from gatehouse.conditions.catalogue import VELOCITY
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import KIND_BITS, TIME_SHIFT, EntityHistory, days_of
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, MINUTE_S, MONTH_S, WEEK_S, EntityKind

_SPANS_S: Final = {"1m": MINUTE_S, "1h": HOUR_S, "24h": DAY_S, "7d": WEEK_S, "30d": MONTH_S}
_NEVER_S: Final = float("inf")
_GROUPS: Final = {
    "card": kinds.CARD,
    "bin": kinds.BIN,
    "ip": kinds.ADDRESS,
    "device": kinds.PLACE,
    "session": kinds.SESSION,
    "user": kinds.USER,
    "email": kinds.EMAIL,
    "phone": kinds.PHONE,
    "device_id": kinds.DEVICE_ID,
}
_PARTNERS: Final = {
    "users": kinds.USER,
    "ips": kinds.ADDRESS,
    "emails": kinds.EMAIL,
    "cards": kinds.CARD,
    "bins": kinds.BIN,
    "countries": kinds.COUNTRY,
    "card_countries": kinds.ISSUER,
    "devices": kinds.DEVICE_ID,
}
_NOTHING: Final = array("d")
_BIN: Final = kinds.BIN
_DIGITS: Final = 4
_AGE_STEPS: Final = 10_000
"""Steps of a day; an age need not be finer than a few seconds."""
_LARGEST: Final = 2.0**53 - 1
"""Up to here every whole number is exact wherever it is compared."""

VelocityIndex = int | None
"""Where in the list a number belongs; None when the group has no such number."""
VelocitySlots = tuple[tuple[int, int], ...]
"""The same for several spans of time, with their seconds, the shortest first."""
PartnerSlots = tuple[tuple[int, EntityKind, bool], ...]
"""Where numbers of different partners belong, their kind, and whether the shorter span is meant."""


class Counts(NamedTuple):
    """Where the numbers belong that come from the history."""

    events: VelocitySlots
    amount: VelocityIndex
    days: VelocityIndex
    age: VelocityIndex


class VelocityPlan(NamedTuple):
    """One group of measures: where in its list each of them belongs."""

    signal: str
    kind: EntityKind
    once: list[float]
    """The list of an entity that was seen once, without partners and amount."""
    counts: Counts
    partners: PartnerSlots
    recent_s: int
    """The shorter span of partners."""
    whole_s: int
    """The longer span of partners, or the only one."""
    declines: VelocitySlots
    declined_cards: VelocitySlots


class VelocityEvent(NamedTuple):
    """What velocity needs to know of an event."""

    at_s: float
    present: Container[EntityKind]
    """The kinds of its entities."""
    counted: bool
    amount: float
    currency: str | None


def measured(plan: VelocityPlan, history: EntityHistory, event: VelocityEvent) -> list[float]:
    """The list of one entity as of an event."""
    _, _, once, counts, partners, recent_s, whole_s, _, _ = plan
    at_s, present, counted, amount, currency = event
    found = once.copy()
    # An entity of an event that is not counted may have been seen just now.
    previous_s = history.previous_s if counted else at_s
    silence_s = _NEVER_S if previous_s is None else at_s - previous_s
    _count(found, counts, history, at_s, silence_s)
    if history.currency != currency and counts.amount is not None:
        # The entity's sums are in another currency, so the event's amount stands alone.
        found[counts.amount] = round(amount, _DIGITS) if amount < _LARGEST else _LARGEST
    if silence_s > whole_s:
        for place, kind, _ in partners:
            if kind in present:
                found[place] = 1
    elif history.links and plan.kind is _BIN:
        _count_cards(found, plan, history.links, event)
    elif history.links:
        links, until = history.links, int(at_s) + 1 << TIME_SHIFT
        seen = lately = _partners_seen(links, at_s - recent_s, until)
        # Many have met all of their partners in the shorter span.
        if recent_s != whole_s and len(lately) < len(links):
            seen = _partners_seen(links, at_s - whole_s, until)
        for place, kind, recent in partners:
            # Of a partner that came again later only that is known, but it was here, too.
            count = (lately if recent else seen).count(kind)
            found[place] = count or (1 if kind in present else 0)
    if history.refused is not None:
        _count_refusals(found, plan, history.refused, at_s)
    return found


def first_lists(present: Sequence[EntityKind]) -> dict[EntityKind, list[float]]:
    """The lists of entities that were never seen before, for an event of these kinds."""
    found = {}
    for plan in PLANS:
        found[plan.kind] = plan.once.copy()
        for place, kind, _ in plan.partners:
            if kind in present:
                found[plan.kind][place] = 1
    return found


def measured_first(plan: VelocityPlan, first: list[float], history: EntityHistory) -> list[float]:
    """The list of an entity of which the event is the first: as `measured` makes it."""
    found, amount = first.copy(), plan.counts.amount
    if amount is not None and history.timeline is not None:
        found[amount] = min(history.timeline[-1], _LARGEST)
    return found


def _count(
    found: list[float], counts: Counts, history: EntityHistory, at_s: float, silence_s: float
) -> None:
    """How many events there were in each span, what they came to, and on how many days."""
    places, amount, days, age = counts
    age_s = at_s - history.first_s
    if age is not None and age_s > 0:
        found[age] = int(age_s * _AGE_STEPS / DAY_S) / _AGE_STEPS
    timeline = history.timeline or _NOTHING
    if silence_s > MONTH_S:
        if amount is not None:
            found[amount] = min(timeline[-1], _LARGEST)
        return
    moments = timeline[::3]
    # A late event is compared with what was before it, not with what came since.
    is_last = at_s >= history.last_s
    end = until = len(moments) if is_last else bisect_right(moments, at_s)
    total = 0.0
    for place, span_s in places:
        # Only a span that holds some of the other events, but not all, needs the timeline.
        if span_s < silence_s:
            continue
        if span_s > age_s and is_last:
            found[place] = history.events
            continue
        since = bisect_right(moments, at_s - span_s, 0, until)
        if since < until:
            total += sum(timeline[3 * since + 1 : 3 * until : 3])
            until = since
        found[place] = int(total)
    if amount is not None:
        if silence_s > DAY_S:
            found[amount] = min(timeline[-1], _LARGEST)
        else:
            since = bisect_right(moments, at_s - DAY_S, 0, end)
            spent = sum(timeline[3 * since + 2 : 3 * end : 3])
            found[amount] = round(spent, _DIGITS) if spent < _LARGEST else _LARGEST
    if days is not None:
        if not is_last or age_s >= MONTH_S:
            moments = moments[bisect_right(moments, at_s - MONTH_S, 0, end) : end]
        found[days] = days_of(moments)


def _count_cards(
    found: list[float], plan: VelocityPlan, links: dict[int, int], event: VelocityEvent
) -> None:
    """With how many cards the first digits were seen; all of their many partners are cards."""
    at_s, moments = event.at_s, sorted(links.values())
    end = bisect_left(moments, int(at_s) + 1 << TIME_SHIFT)
    for place, kind, recent in plan.partners:
        since = int(at_s - (plan.recent_s if recent else plan.whole_s)) + 1 << TIME_SHIFT
        count = end - bisect_left(moments, since, 0, end)
        found[place] = count or (1 if kind in event.present else 0)


def _partners_seen(links: dict[int, int], since_s: float, until: int) -> list[int]:
    """The kinds of all partners since a moment and before the link `until`."""
    # The least link of the first whole second after the moment.
    since = int(since_s) + 1 << TIME_SHIFT
    return [key & KIND_BITS for key, known in links.items() if since <= known < until]


def _count_refusals(
    found: list[float], plan: VelocityPlan, refused: EntityHistory, at_s: float
) -> None:
    """How often it was refused in each span, and with how many different cards."""
    timeline = refused.timeline or _NOTHING
    moments = timeline[::3]
    end = bisect_right(moments, at_s)
    for place, span_s in plan.declines:
        since = bisect_right(moments, at_s - span_s, 0, end)
        found[place] = int(sum(timeline[3 * since + 1 : 3 * end : 3]))
    # There are only cards among those that a refusal was met with.
    cards = refused.links or {}
    until = int(at_s) + 1 << TIME_SHIFT
    for place, span_s in plan.declined_cards:
        since = int(at_s - span_s) + 1 << TIME_SHIFT
        found[place] = len([1 for known in cards.values() if since <= known < until])


def _planned(group: str, measures: Sequence[str]) -> VelocityPlan:
    """Where each measure of a group belongs, by its name."""
    places: dict[str, list[tuple[int, int]]] = {}
    partners: list[tuple[int, EntityKind, int]] = []
    for place, measure in enumerate(measures):
        what, _, span = measure.rpartition("_")
        span_s = _SPANS_S.get(span, 0)  # An age has no span.
        if what.startswith("distinct_"):
            partners.append((place, _PARTNERS[what.removeprefix("distinct_")], span_s))
        else:
            places.setdefault(what, []).append((place, span_s))
    for each in places.values():
        each.sort(key=itemgetter(1))
    spans_s = [span_s for _, _, span_s in partners]
    recent_s, whole_s = min(spans_s), max(spans_s)

    def only(what: str) -> VelocityIndex:
        return places[what][0][0] if what in places else None

    return VelocityPlan(
        signal=f"velocity.{group}",
        kind=_GROUPS[group],
        once=[1 if measure.startswith(("count_", "days_")) else 0 for measure in measures],
        counts=Counts(tuple(places["count"]), only("amount"), only("days"), only("age")),
        partners=tuple((place, kind, span_s != whole_s) for place, kind, span_s in partners),
        recent_s=recent_s,
        whole_s=whole_s,
        declines=tuple(places.get("declines", ())),
        declined_cards=tuple(places.get("declined_cards", ())),
    )


PLANS: Final = tuple(_planned(group, measures) for group, measures in VELOCITY.items())
"""All groups of measures."""
