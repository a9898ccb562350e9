"""Features of how often, and with how many partners, an entity was seen lately."""

from functools import partial
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import Collection, Group, with_card, with_place
from gatehouse.sentry.features.surprise import (
    SHARED_BY,
    is_alone,
    people_behind,
    surprise_of_events,
    surprise_of_partners,
)
from gatehouse.sentry.memory import DAY_S, MONTH_S, EntityKind
from gatehouse.sentry.recalled import EntityView
from gatehouse.sentry.request_view import RequestView

VELOCITY: Final = Collection(Group.VELOCITY, lambda view: view.history is not None)
_add = VELOCITY.add
_add_of_place = partial(_add, needs=with_place)
_add_of_card = partial(_add, needs=with_card)


# People who share an address do not order independently of each other: lunch breaks and pay days
# make crowds that a Poisson distribution does not know.
_CROWDS: Final = 5.0
_UNIT: Final = (
    "Zeros of the probability: the last hour and day against the month, as a Poisson tail"
)
_NOT_RENEWALS: Final = "Not for recurring purchases, whose pace is the merchant's."


@VELOCITY.feature(
    "VEL_IP_EVENTS",
    meaning="Far more orders than usual come from this address.",
    computation=f"{_UNIT}. Addresses that many people share may have {SHARED_BY:.0f} times more,"
    f" and what is beyond counts a fifth. {_NOT_RENEWALS}",
    says="Unusually many orders come from this address.",
    needs=with_place,
)
def _address_events(view: RequestView) -> float | None:
    people = people_behind(view.facts)
    found = _events(view, kinds.ADDRESS, 2.0 * people)
    return found / _CROWDS if found and people > 1 else found


_add_of_place(
    "VEL_IP_ACCOUNTS",
    lambda view: _partners(view, kinds.ADDRESS, kinds.USER, people_behind(view.facts)),
    meaning="Far more different users than usual come from this address.",
    computation=f"{_UNIT}, of different users. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. {_NOT_RENEWALS}",
    says="Unusually many users come from this address.",
)
_add_of_card(
    "VEL_IP_CARDS",
    lambda view: _partners(view, kinds.ADDRESS, kinds.CARD, people_behind(view.facts)),
    meaning="Far more different cards than usual are used from this address.",
    computation=f"{_UNIT}, of different cards. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. Only for a request with a card. {_NOT_RENEWALS}",
    says="Unusually many cards are used from this address.",
)
_add_of_place(
    "VEL_NETWORK",
    lambda view: _events(view, kinds.NETWORK, 6.0 * people_behind(view.facts)),
    meaning="Far more orders than usual come from the network around this address.",
    computation=f"{_UNIT}, of events in the /24 of an IPv4 or the /48 of an IPv6 address."
    f" {_NOT_RENEWALS}",
    says="Unusually many orders come from this network.",
)
_add_of_place(
    "VEL_UA_ACCOUNTS",
    lambda view: _partners(view, kinds.PLACE, kinds.USER, people_behind(view.facts)),
    meaning="Many users come with one and the same device from one network.",
    computation=f"{_UNIT}, of different users of the same user agent, languages and network."
    f" {_NOT_RENEWALS}",
    says="Unusually many users share this device and network.",
)
_add(
    "VEL_ACCOUNT_ORDERS",
    lambda view: _events(view, kinds.USER, 2.0),
    meaning="The user orders far more often than usual.",
    computation=f"{_UNIT}, of the user's events. {_NOT_RENEWALS}",
    says="The user orders unusually often.",
)
_add_of_card(
    "VEL_ACCOUNT_CARDS",
    lambda view: _cards(view, kinds.USER),
    meaning="One user pays with more cards than people own: stolen ones are tried out.",
    computation="Number of different cards of the user within 24 hours. Not for recurring"
    " purchases.",
    says="The user has paid with {value} cards within a day.",
)
_add_of_card(
    "VEL_SESSION_CARDS",
    lambda view: _cards(view, kinds.SESSION),
    meaning="More cards are used in one session than people own: stolen ones are tried out.",
    computation="Number of different cards in the session within 24 hours. Not for recurring"
    " purchases.",
    says="{value} cards have been used in this session within a day.",
)
_add(
    "VEL_SESSION_EVENTS",
    lambda view: _events(view, kinds.SESSION, 3.0),
    meaning="Far more orders come from one session than one visit brings.",
    computation=f"{_UNIT}, of the session's events. {_NOT_RENEWALS}",
    says="Unusually many orders come from this session.",
    needs=lambda view: view.device.session_id is not None,
)
_add_of_card(
    "VEL_CARD_EVENTS",
    lambda view: _events(view, kinds.CARD, 0.5),
    meaning="The card is used again and again within a short time.",
    computation=f"{_UNIT}, of the card's events. {_NOT_RENEWALS}",
    says="The card is used unusually often.",
)


@VELOCITY.feature(
    "VEL_CARD_ACCOUNTS",
    meaning="Several users pay with one card.",
    computation="Number of different users of the card within 30 days.",
    says="{value} users have paid with this card.",
    needs=with_card,
)
def _card_accounts(view: RequestView) -> float | None:
    card = view.recall(kinds.CARD)
    return None if card is None else float(card.distinct(kinds.USER, MONTH_S))


@VELOCITY.feature(
    "VEL_CUSTOM",
    meaning="Many users share something that the merchant told Sentry to remember.",
    computation=f"{_UNIT}, of different users of a declared custom input; the largest of them."
    " Where no users are known, different addresses.",
    says="Unusually many users share one of the custom inputs.",
    needs=lambda view: bool(view.request.custom_inputs),
)
def _custom(view: RequestView) -> float | None:
    found = () if view.history is None else view.history.all_of(kinds.CUSTOM)
    if not found:
        return None
    partner = kinds.ADDRESS if view.recall(kinds.USER) is None else kinds.USER
    return max([surprise_of_partners(entity, partner, 1.0, view.at_s) for entity in found])


def _cards(view: RequestView, kind: EntityKind) -> float | None:
    entity = _entity(view, kind)
    if entity is None or view.card is None:
        return None
    return 1.0 if is_alone(entity, view.at_s) else float(entity.distinct(kinds.CARD, DAY_S))


def _events(view: RequestView, kind: EntityKind, allowed: float) -> float | None:
    entity = _entity(view, kind)
    return None if entity is None else surprise_of_events(entity, allowed, view.at_s)


def _partners(
    view: RequestView, kind: EntityKind, partner: EntityKind, allowed: float
) -> float | None:
    entity = _entity(view, kind)
    return None if entity is None else surprise_of_partners(entity, partner, allowed, view.at_s)


def _entity(view: RequestView, kind: EntityKind) -> EntityView | None:
    return None if view.history is None or view.is_renewal else view.history.of(kind)
