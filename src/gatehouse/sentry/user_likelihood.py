"""Freeman's likelihood ratio: how unlike its user an event is.

The model of Freeman et al. (NDSS 2016): for each feature, how common its value is among everybody
over how common it is for this user, times how rarely this user comes. An address that is new counts
less when its operator or country is known, a new user agent less when its browser or system is.
"""

import math
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.recalled import History

LEAST_EVENTS: Final = 3
"""A user who was seen less often has no habits yet."""

_FEATURES: Final = (
    ((kinds.ADDRESS, 0.6), (kinds.OPERATOR, 0.3), (kinds.COUNTRY, 0.1)),
    ((kinds.AGENT, 0.54), (kinds.BROWSER, 0.27), (kinds.SYSTEM, 0.19)),
)
_UNSEEN: Final = 0.25
"""A value the user never had is this much as likely for them as for anybody."""


def log_ratio(history: History) -> float | None:
    """The logarithm of the ratio, above zero for what is unlike the user; None for strangers."""
    user = history.of(kinds.USER)
    itself = 1 if history.counted else 0
    if user is None or user.events - itself < LEAST_EVENTS:
        return None
    own = user.events - itself
    # The user's history can be some events ahead of the account's total, which was read before it.
    everyone = max(history.events - itself, own)
    total, compared = 0.0, False
    for feature in _FEATURES:
        common = usual = 0.0
        for kind, weight in feature:
            times = history.popularity(kind)
            if not times:
                continue
            # One more of each, so that a value without any earlier event is not impossible.
            among_all = (times - itself + 1) / (everyone + 1)
            with_user = user.times_with(kind) - itself
            common += weight * among_all
            usual += weight * (with_user / own if with_user > 0 else among_all * _UNSEEN)
        if usual > 0:
            total += math.log(common / usual)
            compared = True
    return total + math.log(everyone / (max(history.users, 1) * own)) if compared else None
