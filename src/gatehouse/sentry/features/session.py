"""Features of the session: its age, and whether it changed hands."""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import DAY_S
from gatehouse.sentry.memory.recalled import EntityView, History
from gatehouse.sentry.request_view import RequestView

SHORTEST_ORDINARY_S: Final = 30.0
LONGEST_ORDINARY_S: Final = 12 * 3600.0
LONGEST_S: Final = 366 * 86_400.0


def _measures(view: RequestView, found: dict[str, float]) -> None:
    age_s, history = view.device.session_age, view.history
    if age_s is not None:
        if age_s >= 0 and not view.is_renewal:
            found["SESSION_TOO_YOUNG"] = min(max(age_s, LEAST), LONGEST_S)
        if SHORTEST_ORDINARY_S <= age_s <= LONGEST_ORDINARY_S:
            found["SESSION_ORDINARY"] = 1.0
        if not 0.0 <= age_s <= LONGEST_S:
            found["SESSION_AGE_INVALID"] = 1.0
    # A renewal runs in a session of the merchant's own program.
    if history is not None and kinds.SESSION in history.first and not view.is_renewal:
        _measure_hands(view, history, found)


def _measure_hands(view: RequestView, history: History, found: dict[str, float]) -> None:
    """Whether the session went from one hand to another within a day."""
    session = history.lately(kinds.SESSION)
    if session is None:
        if kinds.USER in history.first:
            found["SESSION_MULTI_ACCOUNT"] = 1.0
        return
    if view.address is not None:
        changed = _addresses(view, session)
        if changed:
            found["SESSION_IP_CHANGED"] = changed
    if view.agent is not None:
        browsers = session.distinct(kinds.BROWSER, DAY_S)
        if browsers > 2 or session.distinct(kinds.SYSTEM, DAY_S) > 1:
            found["SESSION_UA_CHANGED"] = 2.0
        elif browsers > 1:
            found["SESSION_UA_CHANGED"] = 1.0
    users = session.distinct(kinds.USER, DAY_S)
    if users:
        found["SESSION_MULTI_ACCOUNT"] = float(users)


def _addresses(view: RequestView, session: EntityView) -> float:
    if session.distinct(kinds.COUNTRY, DAY_S) > 1:
        return 2.0
    wanders = view.facts.mobile or view.facts.relay
    return 1.0 if session.distinct(kinds.ADDRESS, DAY_S) > 1 and not wanders else 0.0


SESSION: Final = Collection(Group.SESSION, _measures)
_describe = SESSION.describe

_describe(
    "SESSION_TOO_YOUNG",
    meaning="The order came sooner than somebody who reads and types could have placed it.",
    computation="Age of the session, seconds. Not for recurring purchases.",
    says="The order came {value} seconds into the visit.",
)
_describe(
    "SESSION_ORDINARY",
    meaning="The visit has lasted as long as visits do in which people look, choose and buy.",
    computation="1 when the session is between 30 seconds and 12 hours old.",
    says="The visit has lasted an ordinary time.",
)
_describe(
    "SESSION_AGE_INVALID",
    meaning="No visit can be so old, or of an age below nothing.",
    computation="1 when the session's age is negative or more than a year.",
    says="The session's age cannot be true.",
)
_describe(
    "SESSION_IP_CHANGED",
    meaning="The session moved to another address, as it does when somebody else took it over.",
    computation="1 when the session was seen with another address within 24 hours, 2 when it was in"
    " another country. Another address of a phone or a privacy relay is 0.",
    says="The session has moved to another address.",
)
_describe(
    "SESSION_UA_CHANGED",
    meaning="The session moved to another browser, which sessions never do by themselves.",
    computation="Within 24 hours: 1 when the session was seen with another browser or another"
    " version of it, which may be an update; 2 when it was with another operating system, or with"
    " more than two browsers. Not for recurring purchases.",
    says="The session has moved to another browser.",
)
_describe(
    "SESSION_MULTI_ACCOUNT",
    meaning="Several users ordered within one session.",
    computation="Number of users that the session was seen with within 24 hours. Not for recurring"
    " purchases.",
    says="{value} users have ordered in this session.",
)
