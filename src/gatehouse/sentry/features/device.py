"""Features of the user agent and the languages of the device."""

from typing import Final

from gatehouse.intel.agents.agents import Agent
from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.memory.memory import MONTH_S
from gatehouse.sentry.request_view import TRUST_DAYS, RequestView

CURRENT_DAYS: Final = 180
"""For so many days after its successor came out a browser counts as current."""
_NOT_SENT: Final = 0.5
_ENOUGH_TRUST: Final = 0.5
"""From here on a known device speaks for the user."""
_BLANK: Final = frozenset(("", "-", "null", "none", "undefined"))
_USED_BY_PEOPLE: Final = ("browser", "webview")
_PROGRAMS: Final = {"bot": "UA_BOT", "library": "UA_HTTP_LIBRARY", "app": "UA_APP"}


def _is_blank(text: str) -> bool:
    return len(text) < 20 and text.strip().lower() in _BLANK


def _measures(view: RequestView, found: dict[str, float]) -> None:
    agent, languages = view.agent, view.device.accept_language
    if view.device.device_id is not None:
        _measure_identifier(view, found)
    if agent is None and languages is None:
        return
    if not view.is_renewal:
        if view.device.user_agent is None:
            if languages:
                found["UA_MISSING"] = _NOT_SENT
        elif _is_blank(view.device.user_agent):
            found["UA_MISSING"] = 1.0
    if agent is not None:
        _measure_browser(view, agent, found)
    read = None if view.is_renewal else view.languages
    if languages is not None and read is not None and not (read.is_valid or _is_blank(languages)):
        found["LANG_INVALID"] = 1.0
    _measure_change(view, found)
    if agent is not None and agent.kind not in _USED_BY_PEOPLE:
        _measure_program(view, agent.kind, found)


def _measure_browser(view: RequestView, agent: Agent, found: dict[str, float]) -> None:
    day, superseded_on = view.day, agent.superseded_on
    is_used_by_people = agent.kind in _USED_BY_PEOPLE
    is_too_new = agent.expected_on is not None and day < agent.expected_on
    if agent.impossible is not None or is_too_new:
        found["UA_IMPOSSIBLE"] = 1.0
        is_current = False
    else:
        is_current = superseded_on is None or day - superseded_on < CURRENT_DAYS
    if superseded_on is not None and day > superseded_on and not view.is_renewal:
        found["UA_OUTDATED"] = float(day - superseded_on)
    if is_current and is_used_by_people and agent.family is not None:
        found["UA_CURRENT"] = 1.0
    if is_used_by_people and not view.is_renewal:
        languages = view.device.accept_language
        if languages is None:
            found["LANG_MISSING"] = _NOT_SENT
        elif _is_blank(languages):
            found["LANG_MISSING"] = 1.0


def _measure_change(view: RequestView, found: dict[str, float]) -> None:
    """Whether a user who has ordered before comes with another device."""
    history = view.history
    user = None if history is None else history.of(kinds.USER)
    if history is None or user is None or user.events < 3 or kinds.DEVICE not in history.keys:
        return
    if user.times_with(kinds.DEVICE) <= 1:
        found["DEVICE_NEW_FOR_ACCOUNT"] = 0.5 if user.times_with(kinds.SYSTEM) > 1 else 1.0


def _measure_identifier(view: RequestView, found: dict[str, float]) -> None:
    """Whether the user has come with this very device before."""
    history = view.history
    user = None if history is None else history.of(kinds.USER)
    if history is None or user is None or kinds.DEVICE_ID not in history.keys:
        return
    times = user.times_with(kinds.DEVICE_ID)
    if times > 1:
        if view.trust >= _ENOUGH_TRUST:
            found["DEVICE_ID_KNOWN"] = float(times - 1)
    # Where the merchant has just begun to send identifiers, every device is new.
    elif user.distinct(kinds.DEVICE_ID, MONTH_S) > 1:
        same_browser = user.times_with(kinds.DEVICE) > 1
        found["DEVICE_ID_NEW_FOR_ACCOUNT"] = 0.5 if same_browser else 1.0


def _measure_program(view: RequestView, kind: str, found: dict[str, float]) -> None:
    if kind == "headless":
        found["UA_HEADLESS"] = 1.0
    elif view.is_renewal:
        return  # It comes from the merchant's own program.
    elif kind in _PROGRAMS:
        found[_PROGRAMS[kind]] = 1.0
    elif kind == "malformed" and not _is_blank(view.device.user_agent or ""):
        found["UA_MALFORMED"] = 1.0


DEVICE: Final = Collection(Group.DEVICE, _measures)
_describe = DEVICE.describe

_describe(
    "UA_MISSING",
    meaning="There is no user agent where every browser has one.",
    computation="1 when the user agent is empty; 0.5 when only the languages were sent, which come"
    " from the same request. Not for recurring purchases.",
    says="The device has no user agent.",
)
_describe(
    "UA_BOT",
    meaning="The user agent is that of a robot that says so.",
    computation="1 for the user agent of a crawler. Not for recurring purchases, which the"
    " merchant's own program starts.",
    says="The user agent is that of a robot.",
)
_describe(
    "UA_HTTP_LIBRARY",
    meaning="A program, not a browser, made the request.",
    computation="1 for the user agent of a library or a tool such as curl. Not for recurring"
    " purchases, which the merchant's own program starts.",
    says="The user agent is that of a program, not of a browser.",
)
_describe(
    "UA_APP",
    meaning="The library by which apps on phones send requests made this one: an app of the"
    " merchant's, or somebody who plays one.",
    computation="1 for the user agent that such a library has when nobody gives it another. Not for"
    " recurring purchases.",
    says="The user agent is that of an app's plain library.",
)
_describe(
    "UA_HEADLESS",
    meaning="A browser that is steered by a program made the request.",
    computation="1 for the user agent of a headless browser or of a tool that drives browsers.",
    says="The browser is steered by a program.",
)
_describe(
    "UA_MALFORMED",
    meaning="The user agent looks like that of no browser.",
    computation="1 for a user agent without the form of one. 0 for an empty one. Not for recurring"
    " purchases, which the merchant's own program starts.",
    says="The user agent is malformed.",
)
_describe(
    "UA_IMPOSSIBLE",
    meaning="No such browser exists: its version is still to come, or its parts contradict each"
    " other.",
    computation="1 for such a user agent. Versions that are newer than those known are believed as"
    " far as the pace of releases allows by the day of the event.",
    says="The user agent is one that cannot exist.",
)
_describe(
    "UA_OUTDATED",
    meaning="The browser was replaced by a newer version long ago; most update by themselves.",
    computation="Days from the release of the next version to the event. Not for recurring"
    " purchases.",
    says="The browser has been out of date for {value} days.",
)
_describe(
    "UA_CURRENT",
    meaning="An ordinary browser that is kept up to date.",
    computation="1 for a browser, or a browser inside an app, whose next version came out less"
    f" than {CURRENT_DAYS} days before the event.",
    says="The browser is an ordinary one and up to date.",
)
_describe(
    "LANG_MISSING",
    meaning="A browser says which languages it prefers; this one does not.",
    computation="1 when a browser's languages are empty, 0.5 when they were not sent. Not for"
    " recurring purchases.",
    says="The browser names no language.",
)
_describe(
    "LANG_INVALID",
    meaning="What was sent as the languages is no list of languages.",
    computation="1 when no language can be read, or the only one is *. Not for recurring"
    " purchases.",
    says="The languages cannot be read.",
)
_describe(
    "DEVICE_NEW_FOR_ACCOUNT",
    meaning="A user who has ordered before now comes with another device.",
    computation="1 when neither the device nor its operating system was seen with this user, 0.5"
    " when only the device is new, which may be an update. From the third event on.",
    says="The user has not used this device before.",
)
_describe(
    "DEVICE_ID_KNOWN",
    meaning="The user has ordered with this device before.",
    computation="Number of the user's earlier orders with the same device identifier, once the user"
    f" has been known for {_ENOUGH_TRUST * TRUST_DAYS:g} days. 0 after a known fraud.",
    says="The user has ordered {value} times with this device before.",
)
_describe(
    "DEVICE_ID_NEW_FOR_ACCOUNT",
    meaning="A user who has ordered with other devices now comes with one that is new for them.",
    computation="1 when the user was seen with another device identifier within 30 days and never"
    " with this one, 0.5 when user agent and languages are known of the user: then the browser's"
    " storage may have been cleared.",
    says="The user has ordered with other devices before, and not with this one.",
)
