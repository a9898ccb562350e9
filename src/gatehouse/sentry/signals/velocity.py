"""Signals from how often, and with how many others, something was seen lately."""

from typing import Final

from gatehouse.sentry.look import Look
from gatehouse.sentry.memory import Kind, Seen, Window
from gatehouse.sentry.signals.signal import Collection, Group, with_card, with_place
from gatehouse.sentry.signals.surprise import (
    SHARED_BY,
    is_alone,
    people_behind,
    surprise_of_events,
    surprise_of_partners,
)

VELOCITY: Final = Collection(Group.VELOCITY)
_signal = VELOCITY.signal

# A member of an enumeration is slow to reach through it.
_ADDRESS: Final = Kind.ADDRESS
_CARD: Final = Kind.CARD
_CUSTOM: Final = Kind.CUSTOM
_NETWORK: Final = Kind.NETWORK
_PLACE: Final = Kind.PLACE
_SESSION: Final = Kind.SESSION
_USER: Final = Kind.USER
_DAY: Final = Window.DAY
_MONTH: Final = Window.MONTH

# People who share an address do not order independently of each other: lunch breaks and pay days
# make crowds that a Poisson distribution does not know.
_CROWDS: Final = 5.0
_UNIT: Final = (
    "Zeros of the probability: the last hour and day against the month, as a Poisson tail"
)
_NOT_RENEWALS: Final = "Not for recurring purchases, whose pace is the merchant's."


def _with_session(look: Look) -> bool:
    return look.device.session_id is not None


def _with_custom(look: Look) -> bool:
    return bool(look.request.custom_inputs)


@_signal(
    "VEL_IP_EVENTS",
    meaning="Far more orders than usual come from this address.",
    computation=f"{_UNIT}. Addresses that many people share may have {SHARED_BY:.0f} times more,"
    f" and what is beyond counts a fifth. {_NOT_RENEWALS}",
    says="Unusually many orders come from this address.",
    needs=with_place,
)
def _address_events(look: Look) -> float | None:
    people = people_behind(look.facts)
    found = _events(look, _ADDRESS, 2.0 * people)
    return found / _CROWDS if found and people > 1 else found


@_signal(
    "VEL_IP_ACCOUNTS",
    meaning="Far more different users than usual come from this address.",
    computation=f"{_UNIT}, of different users. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. {_NOT_RENEWALS}",
    says="Unusually many users come from this address.",
    needs=with_place,
)
def _address_accounts(look: Look) -> float | None:
    return _partners(look, _ADDRESS, _USER, people_behind(look.facts))


@_signal(
    "VEL_IP_CARDS",
    meaning="Far more different cards than usual are used from this address.",
    computation=f"{_UNIT}, of different cards. Shared addresses may have {SHARED_BY:.0f} times"
    f" more. Only for a request with a card. {_NOT_RENEWALS}",
    says="Unusually many cards are used from this address.",
    needs=with_card,
)
def _address_cards(look: Look) -> float | None:
    return _partners(look, _ADDRESS, _CARD, people_behind(look.facts))


@_signal(
    "VEL_NETWORK",
    meaning="Far more orders than usual come from the network around this address.",
    computation=f"{_UNIT}, of events in the /24 of an IPv4 or the /48 of an IPv6 address."
    f" {_NOT_RENEWALS}",
    says="Unusually many orders come from this network.",
    needs=with_place,
)
def _network(look: Look) -> float | None:
    return _events(look, _NETWORK, 6.0 * people_behind(look.facts))


@_signal(
    "VEL_UA_ACCOUNTS",
    meaning="Many users come with one and the same device from one network.",
    computation=f"{_UNIT}, of different users of the same user agent, languages and network."
    f" {_NOT_RENEWALS}",
    says="Unusually many users share this device and network.",
    needs=with_place,
)
def _device_accounts(look: Look) -> float | None:
    return _partners(look, _PLACE, _USER, people_behind(look.facts))


@_signal(
    "VEL_ACCOUNT_ORDERS",
    meaning="The user orders far more often than usual.",
    computation=f"{_UNIT}, of the user's events. {_NOT_RENEWALS}",
    says="The user orders unusually often.",
)
def _account_orders(look: Look) -> float | None:
    return _events(look, _USER, 2.0)


@_signal(
    "VEL_ACCOUNT_CARDS",
    meaning="One user pays with more cards than people own: stolen ones are tried out.",
    computation="Number of different cards of the user within 24 hours. Not for recurring"
    " purchases.",
    says="The user has paid with {value} cards within a day.",
    needs=with_card,
)
def _account_cards(look: Look) -> float | None:
    return _cards(look, _USER)


@_signal(
    "VEL_SESSION_CARDS",
    meaning="More cards are used in one session than people own: stolen ones are tried out.",
    computation="Number of different cards in the session within 24 hours. Not for recurring"
    " purchases.",
    says="{value} cards have been used in this session within a day.",
    needs=with_card,
)
def _session_cards(look: Look) -> float | None:
    return _cards(look, _SESSION)


@_signal(
    "VEL_SESSION_EVENTS",
    meaning="Far more orders come from one session than one visit brings.",
    computation=f"{_UNIT}, of the session's events. {_NOT_RENEWALS}",
    says="Unusually many orders come from this session.",
    needs=_with_session,
)
def _session_events(look: Look) -> float | None:
    return _events(look, _SESSION, 3.0)


@_signal(
    "VEL_CARD_EVENTS",
    meaning="The card is used again and again within a short time.",
    computation=f"{_UNIT}, of the card's events. {_NOT_RENEWALS}",
    says="The card is used unusually often.",
    needs=with_card,
)
def _card_events(look: Look) -> float | None:
    return _events(look, _CARD, 0.5)


@_signal(
    "VEL_CARD_ACCOUNTS",
    meaning="Several users pay with one card.",
    computation="Number of different users of the card within 30 days.",
    says="{value} users have paid with this card.",
    needs=with_card,
)
def _card_accounts(look: Look) -> float | None:
    card = None if look.past is None else look.past.of(_CARD)
    return None if card is None else float(card.distinct(_USER, _MONTH))


@_signal(
    "VEL_CUSTOM",
    meaning="Many users share something that the merchant told Sentry to remember.",
    computation=f"{_UNIT}, of different users of a declared custom input; the largest of them."
    " Where no users are known, different addresses.",
    says="Unusually many users share one of the custom inputs.",
    needs=_with_custom,
)
def _custom(look: Look) -> float | None:
    found = () if look.past is None else look.past.all_of(_CUSTOM)
    if not found:
        return None
    partner = _USER if look.past is not None and look.past.of(_USER) is not None else _ADDRESS
    return max([surprise_of_partners(seen, partner, 1.0, look.at_s) for seen in found])


def _cards(look: Look, kind: Kind) -> float | None:
    seen = _seen(look, kind)
    if seen is None or look.card is None:
        return None
    return 1.0 if is_alone(seen, look.at_s) else float(seen.distinct(_CARD, _DAY))


def _events(look: Look, kind: Kind, allowed: float) -> float | None:
    seen = _seen(look, kind)
    return None if seen is None else surprise_of_events(seen, allowed, look.at_s)


def _partners(look: Look, kind: Kind, partner: Kind, allowed: float) -> float | None:
    seen = _seen(look, kind)
    return None if seen is None else surprise_of_partners(seen, partner, allowed, look.at_s)


def _seen(look: Look, kind: Kind) -> Seen | None:
    return None if look.past is None or look.is_renewal else look.past.of(kind)
