"""Features of how often the entities of a request were seen before, up to a bound.

Whether somebody is new matters, and who came ten times is no stranger. Without a bound the numbers
would grow with the age of the installation, and a model would mistake time for trust.
"""

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
_CUSTOM: Final = kinds.CUSTOM
_MOST_TIMES: Final = float(MOST)
# By the number of all events. Never is a measurement, too.
_TIMES: Final = (LEAST, LEAST, *map(float, range(1, MOST)))


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    if history is None:
        return
    custom: list[int] = []
    for kind, entity in zip(history.kinds, history.histories, strict=True):
        code = _CODES.get(kind)
        if code is not None:
            times = _times_before(entity.events)
            # A card that is remembered by its account and by its number is one card.
            if code not in found or times > found[code]:
                found[code] = times
        elif kind is _CUSTOM:
            custom.append(entity.events)
    if custom:
        found["CUSTOM_SEEN_LEAST"] = _times_before(min(custom))
        found["CUSTOM_SEEN_MOST"] = _times_before(max(custom))


def _times_before(events: int) -> float:
    return _TIMES[events] if events <= MOST else _MOST_TIMES


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
