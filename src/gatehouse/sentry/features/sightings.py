"""Features of how often the entities of a request were seen before, up to a bound.

Whether somebody is new matters, and who came ten times is no stranger. Without a bound the numbers
would grow with the age of the installation, and a model would mistake time for trust.
"""

from functools import lru_cache
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.request_view import RequestView

MOST: Final = 10
_BY_KIND: Final[dict[EntityKind, tuple[str, str]]] = {
    kinds.ADDRESS: ("IP_SEEN", "address"),
    kinds.DEVICE_ID: ("DEVICE_ID_SEEN", "device"),
    kinds.USER: ("ACCOUNT_SEEN", "user"),
    kinds.CARD: ("CARD_SEEN", "card"),
    kinds.EMAIL: ("EMAIL_SEEN", "e-mail address"),
    kinds.PHONE: ("PHONE_SEEN", "phone number"),
    kinds.AFFILIATE: ("AFFILIATE_SEEN", "affiliate"),
}
_CODES: Final = {kind: code for kind, (code, _) in _BY_KIND.items()}
# By the number of all events. Never is a measurement, too.
_TIMES: Final = (LEAST, LEAST, *map(float, range(1, MOST + 1)))


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    if history is None:
        return
    histories = history.histories
    named, custom = _places(history.kinds)
    for place, code in named:
        events = histories[place].events
        times = _TIMES[events if events <= MOST else -1]
        # A card that is remembered by its account and by its number is one card.
        if code not in found or times > found[code]:
            found[code] = times
    if custom:
        seen = [min(histories[place].events, MOST + 1) for place in custom]
        found["CUSTOM_SEEN_LEAST"] = _TIMES[min(seen)]
        found["CUSTOM_SEEN_MOST"] = _TIMES[max(seen)]


# The things that requests of a caller name are of the same kinds again and again.
@lru_cache(maxsize=4096)
def _places(present: tuple[EntityKind, ...]) -> tuple[list[tuple[int, str]], list[int]]:
    """Where the histories of these kinds are that are counted by name, and the custom inputs'."""
    named = [(place, _CODES[kind]) for place, kind in enumerate(present) if kind in _CODES]
    return named, [place for place, kind in enumerate(present) if kind is kinds.CUSTOM]


SIGHTINGS: Final = Collection(Group.VELOCITY, _measures)
for _code, _name in _BY_KIND.values():
    SIGHTINGS.describe(
        _code,
        meaning=f"How often the {_name} was seen before.",
        computation=f"Number of earlier orders with the same one, {MOST} at most.",
        says=f"The {_name} was seen {{value}} times before.",
    )
SIGHTINGS.describe(
    "CUSTOM_SEEN_LEAST",
    meaning="How often the custom input that is known least was seen before.",
    computation=f"Number of earlier orders with the same value, {MOST} at most; the least of all"
    " custom inputs that are remembered.",
    says="The least known custom input was seen {value} times before.",
)
SIGHTINGS.describe(
    "CUSTOM_SEEN_MOST",
    meaning="How often the custom input that is known best was seen before.",
    computation=f"Number of earlier orders with the same value, {MOST} at most; the most of all"
    " custom inputs that are remembered.",
    says="The best known custom input was seen {value} times before.",
)
