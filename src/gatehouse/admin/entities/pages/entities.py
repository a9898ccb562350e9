"""The pages of entities: look one up, see everything it did, and with whom it shares what."""

from functools import partial
from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.pages.order_amounts import shown_order
from gatehouse.admin.entities.pages.neighbour_graph import draw_neighbours
from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType
from gatehouse.admin.entities.use_cases.finding import find_entity
from gatehouse.admin.entities.use_cases.profile import entity_decisions, show_entity
from gatehouse.admin.entities.use_cases.revealing import note_entity_reveal
from gatehouse.admin.entities.use_cases.showing import ShownEntity
from gatehouse.admin.lists.pages.listing_form import (
    fitting_lists,
    missing_lists,
    put_on_chosen_list,
)
from gatehouse.console.failures import words_of
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput

_PATH: Final = "/a/{account}/entities/{kind}/{token}"

_NEAR_USUAL: Final = 1.1
_WHOLE_FROM: Final = 10


def show_finder(visit: Visit) -> Response:
    """Asks what an entity is known by."""
    return visit.render("entities/finder.html", kinds=tuple(EntityType))


def find(visit: Visit) -> Response:
    """Lead to the entity that was typed; its value never becomes part of an address."""
    kind = visit.form["kind"]
    if kind not in tuple(EntityType):
        raise visit.refuse("kind", "entities.choose_kind")
    text = visit.form["value"]
    try:
        entity = find_entity(*visit.opened, EntityType(kind), text)
    except InvalidInput as error:
        raise FormRefused({"value": words_of(visit, error)}) from None
    token = EntityTokens(*visit.opened).token(entity)
    return visit.redirect("entity", kind=kind, token=token)


def show(visit: Visit) -> Response:
    """One entity, masked."""
    return _render(visit, _entity(visit), revealed=False)


def reveal(visit: Visit) -> Response:
    """The same in full, after the look was noted."""
    entity = _entity(visit)
    note_entity_reveal(*visit.opened, entity)
    return _render(visit, entity, revealed=True)


def put_on_list(visit: Visit) -> Response:
    """Put the entity on a list."""
    name = visit.form["list"]
    if not name:
        raise visit.refuse("list", "entities.choose_list")
    proposed = put_on_chosen_list(visit, _entity(visit), name)
    if proposed is not None:
        return proposed
    kind, token = visit.place("kind"), visit.place("token")
    return visit.redirect("entity", kind=kind, token=token, notice="entities.listed")


def _entity(visit: Visit) -> Entity:
    tokens = EntityTokens(*visit.opened)
    return tokens.opened(visit.place("kind"), visit.place("token"))


def _render(visit: Visit, entity: Entity, *, revealed: bool) -> Response:
    session, account_id = visit.opened
    before = visit.query.get("before") or None
    page = entity_decisions(session, account_id, entity, before)
    found = show_entity(session, account_id, entity)
    fitting = fitting_lists(visit, [entity.kind])

    def label(shown: ShownEntity) -> str:
        return shown.plain if revealed else shown.masked

    return visit.render(
        "entities/entity.html",
        found=found,
        likelihood=_likelihood(visit, found.reputation.times_usual),
        page=page,
        before=before,
        revealed=revealed,
        label=label,
        paid=partial(shown_order, visit),
        graph=draw_neighbours(found, label),
        lists=fitting.get(entity.kind, []),
        missing=missing_lists(fitting),
    )


def _likelihood(visit: Visit, times: float) -> str:
    """How likely fraud is, in words; near the usual there is nothing to count."""
    if 1 / _NEAR_USUAL < times < _NEAR_USUAL:
        return visit.text("entities.likelihood.usual")
    key, factor = ("more", times) if times > 1 else ("less", 1 / max(times, 0.001))
    shown = visit.number(factor, 1 if factor < _WHOLE_FROM else 0)
    return visit.text(f"entities.likelihood.{key}", times=shown)


PAGES: Final[Declarations] = (
    Page("/a/{account}/entities", "entities", show_finder, permission=Permission.SEE),
    Action(
        "/a/{account}/entities",
        "entity-find",
        find,
        again=show_finder,
        permission=Permission.SEE,
    ),
    Page(_PATH, "entity", show, permission=Permission.SEE),
    Action(f"{_PATH}/reveal", "entity-reveal", reveal, permission=Permission.REVEAL),
    Action(f"{_PATH}/list", "entity-list", put_on_list, again=show, permission=Permission.BLOCK),
)
