"""What let the orders through that a month's events are about."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from gatehouse.admin.outcomes.types.counts import OutcomeGroup, OutcomePlace
from gatehouse.admin.programmes.types.counting import NOTHING, MonthCounts, counts_of
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.stages.outcomes import Outcome

MOST_CAUSES: Final = 50
_EXAMPLES: Final = 5


class PassedBy(StrEnum):
    """What let an order through."""

    RULES = "RULES"
    """Rules matched it, and none of them stopped it."""
    NO_RULE = "NO_RULE"
    """Rules were asked, and none matched."""
    NO_RULES_ASKED = "NO_RULES_ASKED"
    PERSON = "PERSON"
    """It was to be reviewed, and a person approved it."""
    NOT_REVIEWED = "NOT_REVIEWED"
    """It was to be reviewed, and is still waiting."""
    IN_SPITE = "IN_SPITE"
    """It was declined here, by the decision or by a person, and paid in spite of that."""
    NOT_KNOWN = "NOT_KNOWN"
    """No decision is known to be about it."""


class JudgedOrder(NamedTuple):
    """How an order was decided."""

    passed_by: PassedBy
    decision: Outcome | None
    rules: tuple[str, ...]
    """The rules that matched, each after its rule set."""


class EventCause(CamelStruct, kw_only=True):
    """Events of a network about orders that were let through in the same way."""

    network: Annotated[str, doc("The card network.", "VISA")]
    passed_by: Annotated[PassedBy, doc("What let the orders through.")]
    decision: Annotated[Outcome | None, doc("What was decided; null where it is not known.")]
    rules: Annotated[list[str], doc("The rules that matched, all of them.", ["starter/sentry-low"])]
    events: Annotated[int, doc("Reported frauds and disputes.", 41)]
    share: Annotated[str, doc("Percent of the network's events.", "62.5")]
    fraud_reports: Annotated[int, doc("Of these, reported frauds.", 20)]
    disputes: Annotated[int, doc("Of these, disputes.", 21)]
    fraud_disputes: Annotated[int, doc("Disputes about fraud.", 17)]
    request_ids: Annotated[list[str], doc("The decisions of the newest ones.")]


UNKNOWN: Final = JudgedOrder(PassedBy.NOT_KNOWN, None, ())


def causes_of(events: Iterable[tuple[OutcomePlace, JudgedOrder]]) -> list[EventCause]:
    """What let through the orders of some events, newest first; the most frequent causes."""
    # Most events are like many others but for their amounts, which are not counted here.
    numbers: defaultdict[tuple[str, JudgedOrder], Counter[OutcomeGroup]] = defaultdict(Counter)
    known: dict[OutcomeGroup, MonthCounts] = {}
    orders: defaultdict[tuple[str, JudgedOrder], dict[str, None]] = defaultdict(dict)
    totals: defaultdict[str, int] = defaultdict(int)
    for place, judged in events:
        group = place.group._replace(micros=0)
        if group not in known:
            known[group] = counts_of(group, 1)
        if known[group] == NOTHING:
            continue
        key = group.network, judged
        numbers[key][group] += 1
        totals[group.network] += 1
        if place.request_id is not None and len(orders[key]) < _EXAMPLES:
            orders[key][place.request_id] = None
    counts = dict.fromkeys(numbers, NOTHING)
    for key, alike in numbers.items():
        for group, number in alike.items():
            counts[key] = counts[key].plus(known[group], number)
    found = [
        EventCause(
            network=network,
            passed_by=judged.passed_by,
            decision=judged.decision,
            rules=list(judged.rules),
            events=(events_ := each.fraud_reports + each.disputes),
            share=f"{events_ * 100 / totals[network]:.1f}",
            fraud_reports=each.fraud_reports,
            disputes=each.disputes,
            fraud_disputes=each.fraud_disputes,
            request_ids=[*orders[network, judged]],
        )
        for (network, judged), each in counts.items()
    ]
    found.sort(key=lambda each: (-each.events, each.network, each.passed_by, each.rules))
    return found[:MOST_CAUSES]
