"""Features of how often, and with how many partners, an entity was seen lately."""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.features.surprise import (
    SHARED_BY,
    people_behind,
    surprise_of_events,
    surprise_of_partners,
)
from gatehouse.sentry.memory.memory import DAY_S, MONTH_S, EntityKind
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.request_view import RequestView

# People who share an address do not order independently of each other: lunch breaks and pay days
# make crowds that a Poisson distribution does not know.
_CROWDS: Final = 5.0
_FAMILY: Final = 2.0
"""So many people may share a device."""
_UNIT: Final = (
    "Zeros of the probability: the last hour and day against the month, as a Poisson tail"
)
_NOT_RENEWALS: Final = "Not for recurring purchases, whose pace is the merchant's."


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    # The same few test cards pay for all trial orders.
    if history is None or view.is_trial:
        return
    is_renewal = view.is_renewal
    if not is_renewal and view.address is not None:
        _measure_place(view, history, found)
    if view.card is not None:
        _measure_card(view, history, found)
    if not is_renewal:
        for kind, code, allowed in _PEOPLE:
            entity = history.lately(kind)
            if entity is not None:
                _keep(found, code, surprise_of_events(entity, allowed, view.at_s))
        device = history.lately(kinds.DEVICE_ID)
        if device is not None:
            # Where no users are known, mailboxes stand for them.
            partner = kinds.USER if kinds.USER in history.first else kinds.EMAIL
            people = surprise_of_partners(device, partner, _FAMILY, view.at_s)
            _keep(found, "VEL_DEVICE_ACCOUNTS", people)
    if view.own_inputs:
        # Where no users are known, addresses stand for them.
        partner = kinds.USER if kinds.USER in history.first else kinds.ADDRESS
        shared = [
            surprise_of_partners(entity, partner, 1.0, view.at_s)
            for entity in history.all_of(kinds.CUSTOM)[: view.own_inputs]
        ]
        _keep(found, "VEL_CUSTOM", max(shared, default=0.0))


_PEOPLE: Final = (
    (kinds.USER, "VEL_ACCOUNT_ORDERS", 2.0),
    (kinds.SESSION, "VEL_SESSION_EVENTS", 3.0),
    (kinds.DEVICE_ID, "VEL_DEVICE_EVENTS", 3.0),
)


def _measure_place(view: RequestView, history: History, found: dict[str, float]) -> None:
    at_s, people = view.at_s, people_behind(view.facts)
    address, network = history.lately(kinds.ADDRESS), history.lately(kinds.NETWORK)
    place = history.lately(kinds.PLACE)
    if address is not None:
        events = surprise_of_events(address, 2.0 * people, at_s)
        _keep(found, "VEL_IP_EVENTS", events / _CROWDS if people > 1 else events)
        users = surprise_of_partners(address, kinds.USER, people, at_s)
        _keep(found, "VEL_IP_ACCOUNTS", users)
    if network is not None:
        _keep(found, "VEL_NETWORK", surprise_of_events(network, 6.0 * people, at_s))
    if place is not None:
        _keep(found, "VEL_UA_ACCOUNTS", surprise_of_partners(place, kinds.USER, people, at_s))


def _measure_card(view: RequestView, history: History, found: dict[str, float]) -> None:
    at_s, card = view.at_s, history.of(kinds.CARD)
    if not view.is_renewal:
        address = history.lately(kinds.ADDRESS)
        if address is not None:
            people = people_behind(view.facts)
            cards = surprise_of_partners(address, kinds.CARD, people, at_s)
            _keep(found, "VEL_IP_CARDS", cards)
        _keep(found, "VEL_ACCOUNT_CARDS", _cards(history, kinds.USER))
        _keep(found, "VEL_SESSION_CARDS", _cards(history, kinds.SESSION))
        _keep(found, "VEL_DEVICE_CARDS", _cards(history, kinds.DEVICE_ID))
        if card is not None:
            _keep(found, "VEL_CARD_EVENTS", surprise_of_events(card, 0.5, at_s))
    if card is not None:
        _keep(found, "VEL_CARD_ACCOUNTS", float(card.distinct(kinds.USER, MONTH_S)))


def _cards(history: History, kind: EntityKind) -> float:
    """With how many cards an entity was seen within a day."""
    entity = history.lately(kind)
    if entity is None:
        return 1.0 if kind in history.first else 0.0
    return float(entity.distinct(kinds.CARD, DAY_S))


def _keep(found: dict[str, float], code: str, value: float) -> None:
    if value:
        found[code] = value


VELOCITY: Final = Collection(Group.VELOCITY, _measures)
_describe = VELOCITY.describe

_describe(
    "VEL_IP_EVENTS",
    meaning="Far more orders than usual come from this address.",
    computation=f"{_UNIT}. Addresses that many people share may have {SHARED_BY:.0f} times more,"
    f" and what is beyond counts a fifth. {_NOT_RENEWALS}",
    says="Unusually many orders come from this address.",
)
_describe(
    "VEL_IP_ACCOUNTS",
    meaning="Far more different users than usual come from this address.",
    computation=f"{_UNIT}, of different users. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. {_NOT_RENEWALS}",
    says="Unusually many users come from this address.",
)
_describe(
    "VEL_IP_CARDS",
    meaning="Far more different cards than usual are used from this address.",
    computation=f"{_UNIT}, of different cards. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. Only for a request with a card. {_NOT_RENEWALS}",
    says="Unusually many cards are used from this address.",
)
_describe(
    "VEL_NETWORK",
    meaning="Far more orders than usual come from the network around this address.",
    computation=f"{_UNIT}, of events in the /24 of an IPv4 or the /48 of an IPv6 address."
    f" {_NOT_RENEWALS}",
    says="Unusually many orders come from this network.",
)
_describe(
    "VEL_UA_ACCOUNTS",
    meaning="Many users come with one and the same device from one network.",
    computation=f"{_UNIT}, of different users of the same user agent, languages and network."
    f" {_NOT_RENEWALS}",
    says="Unusually many users share this device and network.",
)
_describe(
    "VEL_ACCOUNT_ORDERS",
    meaning="The user orders far more often than usual.",
    computation=f"{_UNIT}, of the user's events. {_NOT_RENEWALS}",
    says="The user orders unusually often.",
)
_describe(
    "VEL_ACCOUNT_CARDS",
    meaning="One user pays with more cards than people own: stolen ones are tried out.",
    computation="Number of different cards of the user within 24 hours. Not for recurring"
    " purchases.",
    says="The user has paid with {value} cards within a day.",
)
_describe(
    "VEL_SESSION_CARDS",
    meaning="More cards are used in one session than people own: stolen ones are tried out.",
    computation="Number of different cards in the session within 24 hours. Not for recurring"
    " purchases.",
    says="{value} cards have been used in this session within a day.",
)
_describe(
    "VEL_SESSION_EVENTS",
    meaning="Far more orders come from one session than one visit brings.",
    computation=f"{_UNIT}, of the session's events. {_NOT_RENEWALS}",
    says="Unusually many orders come from this session.",
)
_describe(
    "VEL_DEVICE_EVENTS",
    meaning="Far more orders than usual come from one device.",
    computation=f"{_UNIT}, of events with the same device identifier. {_NOT_RENEWALS}",
    says="Unusually many orders come from this device.",
)
_describe(
    "VEL_DEVICE_ACCOUNTS",
    meaning="Far more different users than usual order from one device.",
    computation=f"{_UNIT}, of different users with the same device identifier; where no users are"
    f" known, different e-mail addresses. {_NOT_RENEWALS}",
    says="Unusually many users order from this device.",
)
_describe(
    "VEL_DEVICE_CARDS",
    meaning="More cards are used on one device than people own: stolen ones are tried out.",
    computation="Number of different cards with the device identifier within 24 hours. Not for"
    " recurring purchases.",
    says="{value} cards have been used on this device within a day.",
)
_describe(
    "VEL_CARD_EVENTS",
    meaning="The card is used again and again within a short time.",
    computation=f"{_UNIT}, of the card's events. {_NOT_RENEWALS}",
    says="The card is used unusually often.",
)
_describe(
    "VEL_CARD_ACCOUNTS",
    meaning="Several users pay with one card.",
    computation="Number of different users of the card within 30 days.",
    says="{value} users have paid with this card.",
)
_describe(
    "VEL_CUSTOM",
    meaning="Many users share a custom input that should belong to one person.",
    computation=f"{_UNIT}, of different users of a custom input that was declared or looks like an"
    " identifier; the largest of them. Where no users are known, different addresses.",
    says="Unusually many users share one of the custom inputs.",
)
