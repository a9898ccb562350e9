"""Which lists can hold an entity, and the form that puts it on one of them."""

from collections.abc import Collection
from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import PutOnList
from gatehouse.admin.entities.types import Entity, EntityType
from gatehouse.admin.entities.use_cases.finding import lists_by_kind, put_on_list
from gatehouse.admin.entities.use_cases.standing import LIST_KINDS
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.console.forms.numbers import read_within
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded

_DAY_MS: Final = 86_400_000
_MOST_DAYS: Final = 3650
MOST_DAYS_BLOCKED: Final = 30
"""For how long somebody blocks who may not change lists."""
_BLOCKING: Final = "blocked"


def fitting_lists(visit: Visit, kinds: Collection[EntityType]) -> dict[EntityType, list[str]]:
    """The lists that can hold entities of each kind, for those who may put something on them."""
    if not visit.may(Permission.BLOCK):
        return {}
    found = lists_by_kind(*visit.opened, kinds)
    if visit.may(Permission.CONFIGURE):
        return found
    return {kind: [each for each in names if blocks(each)] for kind, names in found.items()}


def missing_lists(fitting: dict[EntityType, list[str]]) -> list[str]:
    """What no list of the account holds yet, in the words of lists."""
    return [LIST_KINDS[kind].value for kind, names in fitting.items() if not names]


def blocks(name: str) -> bool:
    """Whether a list is one that blocks, by its name, as those that accounts begin with."""
    return name.startswith(_BLOCKING)


def check_may_list(visit: Visit, field: str, name: str) -> None:
    """Refuse a list that lets through, to somebody who may only block."""
    if not (visit.may(Permission.CONFIGURE) or blocks(name)):
        raise visit.refuse(field, "lists.only_blocking", prefix=_BLOCKING)


def put_on_chosen_list(visit: Visit, entity: Entity, name: str) -> Response | None:
    """Put an entity on a list, with the reason and the days that the form says.

    Where two pairs of eyes are wanted it is proposed, and the answer leads to the proposals.
    """
    check_may_list(visit, "list", name)
    new = NewEntries(reason=visit.entered("reason") or None, lifetime_ms=_lifetime_ms(visit))
    try:
        put_on_list(*visit.opened, entity, name, new)
    except ApprovalNeeded:
        given = GivenEntries((entity.value,))
        found = lists.planned(*visit.opened, name, given, new)
        return propose(visit, PutOnList(name, found))
    return None


def _lifetime_ms(visit: Visit) -> int | None:
    text = visit.entered("days")
    configures = visit.may(Permission.CONFIGURE)
    if not text and configures:
        return None
    most = _MOST_DAYS if configures else MOST_DAYS_BLOCKED
    days = read_within(text, 1, most)
    if days is None:
        raise visit.refuse("days", "entities.wrong_days", most=most)
    return days * _DAY_MS
