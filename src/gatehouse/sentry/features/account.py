"""Features of the account that orders, and of its earlier orders."""

import math
import re
from typing import Final

from gatehouse.intel.emails import is_disposable
from gatehouse.intel.handles import randomness
from gatehouse.intel.places import distance_km
from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group, with_country
from gatehouse.sentry.memory import DAY_S, HOUR_S, EntityKind
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.recalled import EntityView
from gatehouse.sentry.request_view import RequestView

ACCOUNT: Final = Collection(Group.ACCOUNT, lambda view: view.request.account is not None)
_feature = ACCOUNT.feature
_add = ACCOUNT.add


KNOWING_EVENTS: Final = 50
"""With fewer events, the memory cannot know which users are new."""
TRUSTED_ORDERS: Final = 3
TRUSTED_DAYS: Final = 14
UNLIKE: Final = 1.2
"""From this ratio on it is doubtful that the user orders in person."""
_SHORTEST_TRIP_H: Final = 1 / 60
_LONGEST_NAME: Final = 254
# Names that machines give: a UUID, a long number, a digest. They say nothing about the user.
_GIVEN: Final = re.compile(r"[0-9]+|[0-9a-fA-F]{16,64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4,12}){4}")


@_feature(
    "ACCOUNT_NAMED",
    meaning="The buyer has an account with the merchant and is not a guest.",
    computation="1 when a user id or a user name was sent that is no placeholder such as guest or"
    " null.",
    says="The order was placed from an account.",
)
def _named(view: RequestView) -> float | None:
    account = view.account
    named = drop_placeholder(account.user_id) is not None
    return float(named or drop_placeholder(account.username) is not None)


@_feature(
    "ACCOUNT_NEW",
    meaning="The user was never seen before today, where most users come again.",
    computation="Hours since the user was first seen. Only once the merchant has sent"
    f" {KNOWING_EVENTS} events, at least two for each user.",
    says="The user was first seen less than a day ago.",
)
def _new(view: RequestView) -> float | None:
    history, user = view.history, view.recall(kinds.USER)
    if history is None or user is None:
        return None
    if history.events < KNOWING_EVENTS or history.events < 2 * history.users:
        return None
    return max((view.at_s - user.first_s) / HOUR_S, LEAST)


_add(
    "ACCOUNT_RBA",
    lambda view: None if view.unlikeness is None else max(view.unlikeness, 0.0),
    meaning="The event does not look like this user's others: another network, another device.",
    computation="Natural logarithm of the likelihood ratio of Freeman et al. (2016), where it is"
    " above 0: how common address and user agent are among all users, over how common they are for"
    " this user. From the fourth event on.",
    says="Network and device are unlike this user's.",
)


@_feature(
    "ACCOUNT_USUAL",
    meaning="The user comes from a network and with a device they had before.",
    computation="The larger of two: the same logarithm with its sign turned, and the natural"
    " logarithm of how often, this time included, the user came from this address with this user"
    " agent. 0 when the address's operator or the operating system is new for the user.",
    says="Network and device are those this user usually has.",
)
def _usual(view: RequestView) -> float | None:
    ratio, user = view.unlikeness, view.recall(kinds.USER)
    if ratio is None or user is None:
        return None
    times = _times_before(user, kinds.ADDRESS, kinds.OPERATOR)
    times_with_agent = _times_before(user, kinds.AGENT, kinds.SYSTEM)
    if not times or not times_with_agent:
        return 0.0
    return max(-ratio, math.log(min(times, times_with_agent)))


@_feature(
    "ACCOUNT_COUNTRY_NEW",
    meaning="A user who has ordered before is now in another country.",
    computation="1 when the user was never seen in this country, 2 when the operating system is"
    " new for the user, too. From the third event on, and not when the address hides where its user"
    " is.",
    says="The user has not ordered from this country before.",
    needs=with_country,
)
def _country_new(view: RequestView) -> float | None:
    user = view.recall(kinds.USER)
    if user is None or view.country is None or view.facts.relay or user.events < 3:
        return None
    if user.times_with(kinds.COUNTRY) > 1:
        return 0.0
    return 2.0 if user.times_with(kinds.SYSTEM) == 1 else 1.0


@_feature(
    "ACCOUNT_IMPOSSIBLE_TRAVEL",
    meaning="Between two orders the user would have had to travel faster than an aeroplane.",
    computation="Least distance between the countries of this and the previous event over the time"
    " between them, km/h. Not for mobile networks, which take their country abroad, nor when the"
    " address hides where its user is.",
    says="The user would have had to travel at {value} km/h.",
    needs=with_country,
)
def _impossible_travel(view: RequestView) -> float | None:
    user = view.recall(kinds.USER)
    if user is None or view.country is None or view.facts.relay or view.facts.mobile:
        return None
    previous = user.previous_country()
    if previous is None:
        return None
    country, at_s = previous
    if country == view.country:
        return 0.0
    distance = distance_km(country, view.country)
    if distance is None:
        return None
    return distance / max(abs(view.at_s - at_s) / HOUR_S, _SHORTEST_TRIP_H)


@_feature(
    "ACCOUNT_DORMANT_RETURN",
    meaning="The user comes back after a long silence; old accounts are bought and broken into.",
    computation="Days since the user's previous event.",
    says="The user had not ordered for {value} days.",
)
def _dormant_return(view: RequestView) -> float | None:
    user = view.recall(kinds.USER)
    if user is None or user.previous_s is None:
        return None
    return max(view.at_s - user.previous_s, 0.0) / DAY_S


@_feature(
    "ACCOUNT_TRUSTED",
    meaning="The user has ordered again and again over weeks.",
    computation=f"Number of earlier orders, from {TRUSTED_ORDERS} on, when {TRUSTED_DAYS} days lie"
    " between the first and the last of them. 0 when the address's operator or the operating system"
    " is new for the user, or both together are unlike the user's: then it may be somebody else.",
    says="The user has ordered {value} times before.",
)
def _trusted(view: RequestView) -> float | None:
    user = view.recall(kinds.USER)
    if user is None or user.previous_s is None:
        return None
    earlier = user.events - 1
    if earlier < TRUSTED_ORDERS or user.previous_s - user.first_s < TRUSTED_DAYS * DAY_S:
        return 0.0
    # Something that was not sent has been seen 0 times, something new once.
    if user.times_with(kinds.OPERATOR) == 1 or user.times_with(kinds.SYSTEM) == 1:
        return 0.0
    return 0.0 if (view.unlikeness or 0.0) >= UNLIKE else float(earlier)


@_feature(
    "USERNAME_RANDOM",
    meaning="The user name looks as if a machine had made it up.",
    computation="Randomness of the letters, 0 to 1; of an e-mail address, of what is before the @."
    " Not for numbers, UUIDs and digests.",
    says="The user name looks machine-made.",
    needs=lambda view: bool(view.account.username),
)
def _username_random(view: RequestView) -> float | None:
    name = view.account.username
    if not name:
        return None
    handle = name[:_LONGEST_NAME].strip().partition("@")[0]
    return None if not handle or _GIVEN.fullmatch(handle) else randomness(handle)


@_feature(
    "USERNAME_DISPOSABLE",
    meaning="The user's name is an e-mail address of the kind that is thrown away after use.",
    computation="1 when the user name or the user id is an address at a disposable domain.",
    says="The user's e-mail address is a disposable one.",
)
def _username_disposable(view: RequestView) -> float | None:
    found = None
    for name in (view.account.username, view.account.user_id):
        if isinstance(name, str) and "@" in name and len(name) <= _LONGEST_NAME:
            if is_disposable(name.rpartition("@")[2].strip().lower()):
                return 1.0
            found = 0.0
    return found


def _times_before(user: EntityView, kind: EntityKind, wider: EntityKind) -> int:
    """How often the user was seen with this entity; 0 when not even the wider one is known.

    The ratio of a user who orders very often is low from any network. That alone does not make a
    network or a device the user's usual one.
    """
    times = user.times_with(kind)
    return max(times, 1) if times > 1 or user.times_with(wider) > 1 else 0
