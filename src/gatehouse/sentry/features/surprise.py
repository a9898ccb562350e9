"""How surprising a count is, measured against what is usual for the same entity.

No number of events is too many as such: thirty orders in an hour are nothing for a university and
a flood for a flat. So the last hour and the last day are compared with the entity's own month, by
the tail of a Poisson distribution. The result counts zeros: 3 means once in a thousand such hours.

The month only counts as far as it is spread over days, or a flood on one day would be the excuse
for the floods of the next.
"""

import math
from typing import Final

from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, MONTH_S, EntityKind
from gatehouse.sentry.memory.recalled import EntityView
from gatehouse.sentry.request_view import RequestView

SHARED_BY: Final = 25.0
"""A phone network or a relay puts this many times the usual number of people behind an address."""

_LN_10: Final = math.log(10)

_LEAST_DAYS: Final = 7.0
_MOST_DAYS: Final = 30.0
# Orders come in crowds, by day more than by night: a busy day may hold twice what an average day
# does, a busy hour four times what an average hour does.
_IN_BUSY_DAY: Final = 2.0
_IN_BUSY_HOUR: Final = 4 / 24
_DAY_ALLOWS: Final = 4.0
"""How many times the events allowed in an hour are allowed in a day, without a history."""
_FIRST_DAYS: Final = 4
"""An entity seen on fewer other days has nothing that is usual."""
_PROVEN_DAYS: Final = 12
"""For an entity seen on so many other days, any number of events is usual."""
_MANY_USERS: Final = 8
"""With so many users in a month, an address is one that people share."""
_CROWDED: Final = 1.0
"""From this surprise on, a network has more users than meet there by chance."""
_MANY: Final = 22
"""The memory cuts off numbers of partners; from here on they only mean many."""


def surprise(count: float, usual: float) -> float:
    """How unlikely so many or more are: minus the decimal logarithm of the Poisson tail.

    Chernoff's bound stands for the tail: a little below the truth, and quick at any size.
    """
    if count <= usual:
        return 0.0
    return (count * math.log(count / usual) - count + usual) / _LN_10


def surprise_of_events(entity: EntityView, allowed: float, at_s: float) -> float:
    """How surprising an entity's events of the last hour or day are.

    `allowed` events in an hour are ordinary even for an entity without a history.
    """
    if entity.events <= allowed or is_alone(entity, at_s):
        return 0.0
    day = entity.count(DAY_S)
    if day <= allowed:
        return 0.0
    hour = entity.count(HOUR_S)
    if (hour <= allowed or hour <= 1) and day <= allowed * _DAY_ALLOWS:
        return 0.0
    before_hour = before_day = 0.0
    most = _most_usual(entity, allowed)
    if most:
        days, month = _days_known(entity, at_s), entity.count(MONTH_S)
        before_hour, before_day = min((month - hour) / days, most), min((month - day) / days, most)
    return max(
        surprise(hour, allowed + before_hour * _IN_BUSY_HOUR),
        surprise(day, allowed * _DAY_ALLOWS + before_day * _IN_BUSY_DAY),
    )


def surprise_of_partners(
    entity: EntityView, kind: EntityKind, allowed: float, at_s: float
) -> float:
    """How surprising the number of partners of a kind is that an entity had lately."""
    if entity.events <= allowed or is_alone(entity, at_s):
        return 0.0
    day = entity.distinct(kind, DAY_S)
    if day <= allowed:
        return 0.0
    hour = entity.distinct(kind, HOUR_S)
    if hour <= allowed and day <= allowed * _DAY_ALLOWS:
        return 0.0
    month = day if day >= _MANY else entity.distinct(kind, MONTH_S)
    before_hour = before_day = 0.0
    most = _most_usual(entity, allowed)
    if most:
        days, events = _days_known(entity, at_s), entity.count(MONTH_S)
        before_hour = min((events - entity.count(HOUR_S)) / days, most) * _shared(hour, month)
        before_day = min((events - entity.count(DAY_S)) / days, most) * _shared(day, month)
    return max(
        surprise(hour, allowed + before_hour * _IN_BUSY_HOUR),
        surprise(day, allowed * _DAY_ALLOWS + before_day * _IN_BUSY_DAY),
    )


def is_alone(entity: EntityView, at_s: float) -> bool:
    """Whether this is the only event within a day, as most are; then nothing is counted."""
    previous_s = entity.previous_s
    return previous_s is None or at_s - previous_s > DAY_S


def people_behind(facts: AddressFacts) -> float:
    """How many times more people than usual may be behind an address."""
    return SHARED_BY if facts.mobile or facts.relay or facts.allowed else 1.0


def is_crowded(view: RequestView) -> bool:
    """Whether more users than usual come from the buyer's own network.

    An announcement brings many buyers of one thing, each from a network of their own.
    """
    network = view.recall(kinds.NETWORK)
    if network is None:
        return False
    users = surprise_of_partners(network, kinds.USER, people_behind(view.facts), view.at_s)
    return users >= _CROWDED


def is_repeating(view: RequestView) -> bool:
    """Whether the address has more cards than one buyer tries, or orders where there is no card.

    An address with a past, or one that many share, must have a surprising number of them.
    """
    address, session = view.recall(kinds.ADDRESS), view.recall(kinds.SESSION)
    if address is None:
        return False
    # Who tries again in the same visit is one buyer.
    if session is not None and session.count(DAY_S) >= address.count(DAY_S):
        return False
    facts = view.facts
    # Even of those who share an address, few come to one merchant within the hour.
    people = SHARED_BY if facts.allowed else 1.0
    if view.card is None:
        found = surprise_of_events(address, 2.0 * people, view.at_s)
    else:
        found = surprise_of_partners(address, kinds.CARD, people, view.at_s)
    of_many = facts.mobile or facts.relay or address.active_days() > _FIRST_DAYS
    return found >= _CROWDED if of_many else found > 0


def _days_known(entity: EntityView, at_s: float) -> float:
    """Over how many days the history is spread.

    At least a week, or the first days would be taken for more than they are.
    """
    return min(max((at_s - entity.first_s) / DAY_S, _LEAST_DAYS), _MOST_DAYS)


def _most_usual(entity: EntityView, allowed: float) -> float:
    """The most events a day that can be usual; each further day with events allows more.

    0 in the first days, so that a flood excuses neither itself nor the floods that follow.
    """
    others = entity.active_days() - 1
    if others >= _PROVEN_DAYS:
        return math.inf
    return allowed * others * others if others >= _FIRST_DAYS else 0.0


def _shared(recent: int, month: int) -> float:
    """How far events stand for different partners: 1 where many were seen before, 0 without any."""
    if month >= _MANY:
        return 1.0
    return min((month - recent) / _MANY_USERS, 1.0)
