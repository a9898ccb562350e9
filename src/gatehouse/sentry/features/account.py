"""Features of the account that orders, and of its earlier orders."""

import math
import re
from typing import Final

from gatehouse.intel.emails import is_disposable
from gatehouse.intel.handles import randomness
from gatehouse.intel.places import distance_km
from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, EntityKind
from gatehouse.sentry.memory.recalled import EntityView, History
from gatehouse.sentry.request import BuyerAccount
from gatehouse.sentry.request_view import TRUST_DAYS, RequestView

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


def _measures(view: RequestView, found: dict[str, float]) -> None:
    if view.request.account is None:
        return
    if view.user_id is not None or view.username is not None:
        found["ACCOUNT_NAMED"] = 1.0
    history = view.history
    user = None if history is None else history.of(kinds.USER)
    if history is not None and user is not None:
        _measure_habits(view, history, user, found)
    if _is_disposable(view.account):
        found["USERNAME_DISPOSABLE"] = 1.0
    if user is not None and view.country is not None and not view.facts.relay:
        _measure_travel(view, view.country, user, found)
    name = view.account.username
    if name:
        handle = name[:_LONGEST_NAME].strip().partition("@")[0]
        if handle and _GIVEN.fullmatch(handle) is None:
            random = randomness(handle)
            if random:
                found["USERNAME_RANDOM"] = random


def _measure_habits(
    view: RequestView, history: History, user: EntityView, found: dict[str, float]
) -> None:
    """How the event compares with what the user did before."""
    events, at_s, previous_s = history.events, view.at_s, user.previous_s
    if events >= KNOWING_EVENTS and events >= 2 * history.users:
        found["ACCOUNT_NEW"] = max((at_s - user.first_s) / HOUR_S, LEAST)
    ratio = view.unlikeness
    if ratio is not None:
        if ratio > 0:
            found["ACCOUNT_RBA"] = ratio
        times = _times_before(user, kinds.ADDRESS, kinds.OPERATOR)
        times_with_agent = _times_before(user, kinds.AGENT, kinds.SYSTEM)
        if times and times_with_agent:
            usual = max(-ratio, math.log(min(times, times_with_agent)))
            usual *= view.trust
            if usual:
                found["ACCOUNT_USUAL"] = usual
    if previous_s is None:
        return
    if at_s > previous_s:
        found["ACCOUNT_DORMANT_RETURN"] = (at_s - previous_s) / DAY_S
    earlier = user.events - 1
    if earlier < TRUSTED_ORDERS or previous_s - user.first_s < TRUSTED_DAYS * DAY_S:
        return
    # Something that was not sent has been seen 0 times, something new once.
    if user.times_with(kinds.OPERATOR) == 1 or user.times_with(kinds.SYSTEM) == 1:
        return
    if (ratio is None or ratio < UNLIKE) and view.trust:
        found["ACCOUNT_TRUSTED"] = float(earlier)


def _measure_travel(
    view: RequestView, country: str, user: EntityView, found: dict[str, float]
) -> None:
    """Whether the user is in another country than before, and can have come there."""
    if user.events >= 3 and user.times_with(kinds.COUNTRY) <= 1:
        found["ACCOUNT_COUNTRY_NEW"] = 2.0 if user.times_with(kinds.SYSTEM) == 1 else 1.0
    previous = None if view.facts.mobile else user.previous_country()
    if previous is None or previous[0] == country:
        return
    distance = distance_km(previous[0], country)
    if distance:
        hours = max(abs(view.at_s - previous[1]) / HOUR_S, _SHORTEST_TRIP_H)
        found["ACCOUNT_IMPOSSIBLE_TRAVEL"] = distance / hours


def _is_disposable(account: BuyerAccount) -> bool:
    """Whether the user name or the user id is an e-mail address that is thrown away after use."""
    for name in (account.username, account.user_id):
        is_address = isinstance(name, str) and "@" in name and len(name) <= _LONGEST_NAME
        if is_address and is_disposable(str(name).rpartition("@")[2].strip().lower()):
            return True
    return False


def _times_before(user: EntityView, kind: EntityKind, wider: EntityKind) -> int:
    """How often the user was seen with this entity; 0 when not even the wider one is known.

    The ratio of a user who orders very often is low from any network. That alone does not make a
    network or a device the user's usual one.
    """
    times = user.times_with(kind)
    return max(times, 1) if times > 1 or user.times_with(wider) > 1 else 0


ACCOUNT: Final = Collection(Group.ACCOUNT, _measures)
_describe = ACCOUNT.describe

_describe(
    "ACCOUNT_NAMED",
    meaning="The buyer has an account with the merchant and is not a guest.",
    computation="1 when a user id or a user name was sent that is no placeholder such as guest or"
    " null.",
    says="The order was placed from an account.",
)
_describe(
    "ACCOUNT_NEW",
    meaning="The user was never seen before today, where most users come again.",
    computation="Hours since the user was first seen. Only once the merchant has sent"
    f" {KNOWING_EVENTS} events, at least two for each user.",
    says="The user was first seen less than a day ago.",
)
_describe(
    "ACCOUNT_RBA",
    meaning="The event does not look like this user's others: another network, another device.",
    computation="Natural logarithm of the likelihood ratio of Freeman et al. (2016), where it is"
    " above 0: how common address and user agent are among all users, over how common they are for"
    " this user. From the fourth event on.",
    says="Network and device are unlike this user's.",
)
_describe(
    "ACCOUNT_USUAL",
    meaning="The user comes from a network and with a device they had before.",
    computation="The larger of two: the same logarithm with its sign turned, and the natural"
    " logarithm of how often, this time included, the user came from this address with this user"
    " agent. 0 when the address's operator or the operating system is new for the user."
    f" In the user's first {TRUST_DAYS} days it is less in proportion, and 0 after a known fraud.",
    says="Network and device are those this user usually has.",
)
_describe(
    "ACCOUNT_COUNTRY_NEW",
    meaning="A user who has ordered before is now in another country.",
    computation="1 when the user was never seen in this country, 2 when the operating system is"
    " new for the user, too. From the third event on, and not when the address hides where its user"
    " is.",
    says="The user has not ordered from this country before.",
)
_describe(
    "ACCOUNT_IMPOSSIBLE_TRAVEL",
    meaning="Between two orders the user would have had to travel faster than an aeroplane.",
    computation="Least distance between the countries of this and the previous event over the time"
    " between them, km/h. Not for mobile networks, which take their country abroad, nor when the"
    " address hides where its user is.",
    says="The user would have had to travel at {value} km/h.",
)
_describe(
    "ACCOUNT_DORMANT_RETURN",
    meaning="The user comes back after a long silence; old accounts are bought and broken into.",
    computation="Days since the user's previous event.",
    says="The user had not ordered for {value} days.",
)
_describe(
    "ACCOUNT_TRUSTED",
    meaning="The user has ordered again and again over weeks.",
    computation=f"Number of earlier orders, from {TRUSTED_ORDERS} on, when {TRUSTED_DAYS} days lie"
    " between the first and the last of them. 0 when the address's operator or the operating system"
    " is new for the user, or both together are unlike the user's: then it may be somebody else."
    " 0 after a known fraud.",
    says="The user has ordered {value} times before.",
)
_describe(
    "USERNAME_RANDOM",
    meaning="The user name looks as if a machine had made it up.",
    computation="Randomness of the letters, 0 to 1; of an e-mail address, of what is before the @."
    " Not for numbers, UUIDs and digests.",
    says="The user name looks machine-made.",
)
_describe(
    "USERNAME_DISPOSABLE",
    meaning="The user's name is an e-mail address of the kind that is thrown away after use.",
    computation="1 when the user name or the user id is an address at a disposable domain.",
    says="The user's e-mail address is a disposable one.",
)
