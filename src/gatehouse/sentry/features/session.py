"""Features of the session: its age, and whether it changed hands."""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.features.surprise import is_alone
from gatehouse.sentry.memory import DAY_S
from gatehouse.sentry.recalled import EntityView
from gatehouse.sentry.request_view import RequestView

SESSION: Final = Collection(
    Group.SESSION,
    lambda view: view.device.session_id is not None or view.device.session_age is not None,
)
_feature = SESSION.feature
_add = SESSION.add


SHORTEST_ORDINARY_S: Final = 30.0
LONGEST_ORDINARY_S: Final = 12 * 3600.0
LONGEST_S: Final = 366 * 86_400.0


@_feature(
    "SESSION_TOO_YOUNG",
    meaning="The order came sooner than somebody who reads and types could have placed it.",
    computation="Age of the session, seconds. Not for recurring purchases.",
    says="The order came {value} seconds into the visit.",
)
def _too_young(view: RequestView) -> float | None:
    age_s = view.device.session_age
    if age_s is None or age_s < 0 or view.is_renewal:
        return None
    return min(max(age_s, LEAST), LONGEST_S)


_add(
    "SESSION_ORDINARY",
    lambda view: _is_aged(view, SHORTEST_ORDINARY_S, LONGEST_ORDINARY_S),
    meaning="The visit has lasted as long as visits do in which people look, choose and buy.",
    computation="1 when the session is between 30 seconds and 12 hours old.",
    says="The visit has lasted an ordinary time.",
)


@_feature(
    "SESSION_AGE_INVALID",
    meaning="No visit can be so old, or of an age below nothing.",
    computation="1 when the session's age is negative or more than a year.",
    says="The session's age cannot be true.",
)
def _age_invalid(view: RequestView) -> float | None:
    possible = _is_aged(view, 0.0, LONGEST_S)
    return None if possible is None else 1.0 - possible


@_feature(
    "SESSION_IP_CHANGED",
    meaning="The session moved to another address, as it does when somebody else took it over.",
    computation="1 when the session was seen with another address within 24 hours, 2 when it was in"
    " another country. Another address of a phone or a privacy relay is 0.",
    says="The session has moved to another address.",
)
def _address_changed(view: RequestView) -> float | None:
    session = _session(view)
    if session is None or view.address is None:
        return None
    if is_alone(session, view.at_s):
        return 0.0
    if session.distinct(kinds.COUNTRY, DAY_S) > 1:
        return 2.0
    wanders = view.facts.mobile or view.facts.relay
    return 1.0 if session.distinct(kinds.ADDRESS, DAY_S) > 1 and not wanders else 0.0


@_feature(
    "SESSION_UA_CHANGED",
    meaning="The session moved to another browser, which sessions never do by themselves.",
    computation="Within 24 hours: 1 when the session was seen with another browser or another"
    " version of it, which may be an update; 2 when it was with another operating system, or with"
    " more than two browsers. Not for recurring purchases.",
    says="The session has moved to another browser.",
)
def _agent_changed(view: RequestView) -> float | None:
    session = _session(view)
    if session is None or view.agent is None:
        return None
    if is_alone(session, view.at_s):
        return 0.0
    browsers = session.distinct(kinds.BROWSER, DAY_S)
    if browsers > 2 or session.distinct(kinds.SYSTEM, DAY_S) > 1:
        return 2.0
    return 1.0 if browsers > 1 else 0.0


@_feature(
    "SESSION_MULTI_ACCOUNT",
    meaning="Several users ordered within one session.",
    computation="Number of users that the session was seen with within 24 hours. Not for recurring"
    " purchases.",
    says="{value} users have ordered in this session.",
)
def _multi_account(view: RequestView) -> float | None:
    session = _session(view)
    if session is None:
        return None
    if is_alone(session, view.at_s):
        return float(view.recall(kinds.USER) is not None)
    return float(session.distinct(kinds.USER, DAY_S))


def _is_aged(view: RequestView, least_s: float, most_s: float) -> float | None:
    age_s = view.device.session_age
    return None if age_s is None else float(least_s <= age_s <= most_s)


def _session(view: RequestView) -> EntityView | None:
    """The session's history; a renewal runs in a session of the merchant's own program."""
    return None if view.is_renewal else view.recall(kinds.SESSION)
