"""Features of the user agent and the languages of the device."""

from functools import partial
from typing import Final

from gatehouse.intel.agents import Agent
from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.request_view import RequestView

DEVICE: Final = Collection(
    Group.DEVICE, lambda view: view.agent is not None or view.device.accept_language is not None
)
_feature = DEVICE.feature


CURRENT_DAYS: Final = 180
"""For so many days after its successor came out a browser counts as current."""
_NOT_SENT: Final = 0.5
_BLANK: Final = frozenset(("", "-", "null", "none", "undefined"))
_USED_BY_PEOPLE: Final = ("browser", "webview")


def _is_blank(text: str) -> bool:
    return len(text) < 20 and text.strip().lower() in _BLANK


def _is_no_browser(view: RequestView) -> bool:
    return view.agent is not None and view.agent.kind not in _USED_BY_PEOPLE


def _is_program(view: RequestView, kind: str) -> float | None:
    """Whether it is such a program. A renewal comes from the merchant's own."""
    if view.agent is None or view.is_renewal:
        return None
    return float(view.agent.kind == kind)


@_feature(
    "UA_MISSING",
    meaning="There is no user agent where every browser has one.",
    computation="1 when the user agent is empty; 0.5 when only the languages were sent, which come"
    " from the same request. Not for recurring purchases.",
    says="The device has no user agent.",
)
def _missing(view: RequestView) -> float | None:
    device = view.device
    if device.user_agent is None:
        if not device.accept_language or view.is_renewal:
            return None
        return _NOT_SENT
    return 1.0 if _is_blank(device.user_agent) and not view.is_renewal else 0.0


_add_program = partial(DEVICE.add, needs=_is_no_browser)
_add_program(
    "UA_BOT",
    lambda view: _is_program(view, "bot"),
    meaning="The user agent is that of a robot that says so.",
    computation="1 for the user agent of a crawler. Not for recurring purchases, which the"
    " merchant's own program starts.",
    says="The user agent is that of a robot.",
)
_add_program(
    "UA_HTTP_LIBRARY",
    lambda view: _is_program(view, "library"),
    meaning="A program, not a browser, made the request.",
    computation="1 for the user agent of a library or a tool such as curl. Not for recurring"
    " purchases, which the merchant's own program starts.",
    says="The user agent is that of a program, not of a browser.",
)
_add_program(
    "UA_APP",
    lambda view: _is_program(view, "app"),
    meaning="The library by which apps on phones send requests made this one: an app of the"
    " merchant's, or somebody who plays one.",
    computation="1 for the user agent that such a library has when nobody gives it another. Not for"
    " recurring purchases.",
    says="The user agent is that of an app's plain library.",
)
_add_program(
    "UA_HEADLESS",
    lambda view: None if view.agent is None else float(view.agent.kind == "headless"),
    meaning="A browser that is steered by a program made the request.",
    computation="1 for the user agent of a headless browser or of a tool that drives browsers.",
    says="The browser is steered by a program.",
)


@DEVICE.feature(
    "UA_MALFORMED",
    meaning="The user agent looks like that of no browser.",
    computation="1 for a user agent without the form of one. 0 for an empty one. Not for recurring"
    " purchases, which the merchant's own program starts.",
    says="The user agent is malformed.",
    needs=_is_no_browser,
)
def _malformed(view: RequestView) -> float | None:
    kind = _is_program(view, "malformed")
    return 0.0 if kind and _is_blank(view.device.user_agent or "") else kind


@_feature(
    "UA_IMPOSSIBLE",
    meaning="No such browser exists: its version is still to come, or its parts contradict each"
    " other.",
    computation="1 for such a user agent. Versions that are newer than those known are believed as"
    " far as the pace of releases allows by the day of the event.",
    says="The user agent is one that cannot exist.",
)
def _impossible(view: RequestView) -> float | None:
    return None if view.agent is None else float(_cannot_exist(view.agent, view.day))


@_feature(
    "UA_OUTDATED",
    meaning="The browser was replaced by a newer version long ago; most update by themselves.",
    computation="Days from the release of the next version to the event. Not for recurring"
    " purchases.",
    says="The browser has been out of date for {value} days.",
)
def _outdated(view: RequestView) -> float | None:
    if view.agent is None or view.agent.superseded_on is None or view.is_renewal:
        return None
    return float(max(view.day - view.agent.superseded_on, 0))


@_feature(
    "UA_CURRENT",
    meaning="An ordinary browser that is kept up to date.",
    computation="1 for a browser, or a browser inside an app, whose next version came out less"
    f" than {CURRENT_DAYS} days before the event.",
    says="The browser is an ordinary one and up to date.",
)
def _current(view: RequestView) -> float | None:
    agent = view.agent
    if agent is None:
        return None
    if agent.kind not in _USED_BY_PEOPLE or agent.family is None:
        return 0.0
    if _cannot_exist(agent, view.day):
        return 0.0
    since = agent.superseded_on
    return 1.0 if since is None or view.day - since < CURRENT_DAYS else 0.0


@_feature(
    "LANG_MISSING",
    meaning="A browser says which languages it prefers; this one does not.",
    computation="1 when a browser's languages are empty, 0.5 when they were not sent. Not for"
    " recurring purchases.",
    says="The browser names no language.",
)
def _language_missing(view: RequestView) -> float | None:
    if view.agent is None or view.agent.kind not in _USED_BY_PEOPLE or view.is_renewal:
        return None
    text = view.device.accept_language
    return _NOT_SENT if text is None else float(_is_blank(text))


@_feature(
    "LANG_INVALID",
    meaning="What was sent as the languages is no list of languages.",
    computation="1 when no language can be read, or the only one is *. Not for recurring"
    " purchases.",
    says="The languages cannot be read.",
)
def _language_invalid(view: RequestView) -> float | None:
    text = view.device.accept_language
    if text is None or view.languages is None or view.is_renewal or _is_blank(text):
        return None
    return 0.0 if view.languages.is_valid else 1.0


@_feature(
    "DEVICE_NEW_FOR_ACCOUNT",
    meaning="A user who has ordered before now comes with another device.",
    computation="1 when neither the device nor its operating system was seen with this user, 0.5"
    " when only the device is new, which may be an update. From the third event on.",
    says="The user has not used this device before.",
)
def _new_for_account(view: RequestView) -> float | None:
    user = view.recall(kinds.USER)
    if user is None or view.recall(kinds.DEVICE) is None or user.events < 3:
        return None
    if user.times_with(kinds.DEVICE) > 1:
        return 0.0
    return 0.5 if user.times_with(kinds.SYSTEM) > 1 else 1.0


def _cannot_exist(agent: Agent, day: int) -> bool:
    is_too_new = agent.expected_on is not None and day < agent.expected_on
    return agent.impossible is not None or is_too_new
