"""Reads the form that puts an entity on a list."""

from typing import Final

from gatehouse.admin.entities.finding import put_on_list
from gatehouse.admin.entities.naming import Entity
from gatehouse.admin.lists import NewEntries
from gatehouse.console.visit import Visit

_DAY_MS: Final = 86_400_000
_MOST_DAYS: Final = 3650


def put_on_chosen_list(visit: Visit, entity: Entity) -> None:
    """Put an entity on the list that the form names."""
    name = visit.form.get("list", "")
    if not name:
        raise visit.refuse("list", "entities.choose_list")
    new = NewEntries(
        reason=visit.form.get("reason", "").strip() or None, lifetime_ms=_lifetime_ms(visit)
    )
    put_on_list(visit.session, visit.account_id, entity, name, new)


def _lifetime_ms(visit: Visit) -> int | None:
    text = visit.form.get("days", "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= _MOST_DAYS):
        raise visit.refuse("days", "entities.wrong_days", most=_MOST_DAYS)
    return int(text) * _DAY_MS
