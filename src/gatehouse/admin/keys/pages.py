"""The API keys of an account: listed, made, rotated and revoked. A key's text is shown once."""

from typing import Final

from starlette.responses import Response

from gatehouse.access.keys import MANAGE_SCOPES, all_scopes
from gatehouse.admin.keys import use_cases
from gatehouse.admin.keys.types import (
    LONGEST_NAME,
    LONGEST_REASON,
    MAX_RATE_LIMIT,
    KeyRevocation,
    KeyRotation,
    NewKey,
)
from gatehouse.console.forms.numbers import read_within
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit

_DAY_S: Final = 86_400
_LIFETIMES: Final = {"never": None, "30": 30, "90": 90, "365": 365}
"""Days until a new key ends."""
_OVERLAPS: Final = ("0", "1", "24", "168")
"""Hours for which a rotated key goes on."""


def show_keys(visit: Visit) -> Response:
    """All keys, those that can be used first."""
    found = use_cases.list_keys(*visit.opened).keys
    # The playground's own key ends by itself, and then nobody has to know of it.
    found = [each for each in found if not each.is_of_playground or each.status == "active"]
    found.sort(key=lambda each: (each.status != "active", -each.created_at))
    return visit.render(
        "keys/keys.html",
        keys=found,
        overlaps=_OVERLAPS,
        longest_reason=LONGEST_REASON,
        issuers={each.parent for each in found if each.status == "active"},
    )


def show_new(visit: Visit) -> Response:
    """The form for a new key."""
    operations = [each for each in all_scopes() if each not in MANAGE_SCOPES]
    return visit.render(
        "keys/new.html",
        operations=operations,
        managing=MANAGE_SCOPES,
        lifetimes=_LIFETIMES,
        chosen=visit.chosen("scopes"),
        longest_name=LONGEST_NAME,
    )


def issue(visit: Visit) -> Response:
    """Make a key, and show its text this once."""
    name = visit.entered("name")
    if not 1 <= len(name) <= LONGEST_NAME:
        raise visit.refuse("name", "keys.problems.name", most=LONGEST_NAME)
    lasts = visit.form.get("days", "never")
    if lasts not in _LIFETIMES:
        raise visit.refuse("days", "keys.problems.days")
    days = _LIFETIMES[lasts]
    lasts_s = None if days is None else days * _DAY_S
    scopes, networks = list(visit.chosen("scopes")), _networks(visit)
    new = NewKey(name, scopes, networks, _rate(visit), lasts_s)
    made = use_cases.issue(*visit.opened, new)
    return visit.render("keys/issued.html", made=made)


def rotate(visit: Visit) -> Response:
    """Make a successor, and show its text this once."""
    hours = visit.form["overlap"]
    if hours not in _OVERLAPS:
        raise visit.refuse("overlap", "keys.problems.overlap")
    given = KeyRotation(int(hours) * 3600)
    made = use_cases.rotate(*visit.opened, visit.place("key"), given)
    return visit.render("keys/issued.html", made=made)


def revoke(visit: Visit) -> Response:
    """End a key at once."""
    reason = visit.entered("reason")
    given = KeyRevocation(reason, visit.form.get("children") == "yes")
    use_cases.revoke(*visit.opened, visit.place("key"), given)
    return visit.redirect("keys", notice="keys.notices.revoked")


def _networks(visit: Visit) -> list[str]:
    return visit.form["networks"].replace(",", " ").split()


def _rate(visit: Visit) -> int | None:
    given = visit.entered("rate")
    if not given:
        return None
    rate = read_within(given, 1, MAX_RATE_LIMIT)
    if rate is None:
        raise visit.refuse("rate", "keys.problems.rate", most=MAX_RATE_LIMIT)
    return rate


_ALL: Final = "/a/{account}/keys"
_ONE: Final = f"{_ALL}/{{key}}"

PAGES: Final[Declarations] = (
    Page(_ALL, "keys", show_keys, does=use_cases.list_keys),
    Page(f"{_ALL}/new", "key-new", show_new, does=use_cases.issue),
    Action(f"{_ALL}/new", "key-issue", issue, again=show_new, does=use_cases.issue),
    Action(f"{_ONE}/rotate", "key-rotate", rotate, again=show_keys, does=use_cases.rotate),
    Action(f"{_ONE}/revoke", "key-revoke", revoke, again=show_keys, does=use_cases.revoke),
)
