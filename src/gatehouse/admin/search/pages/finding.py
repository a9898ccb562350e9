"""The one box on every page: what was typed becomes what can be opened or looked for.

What is typed is sent in the body of a form and is never shown in an address: what is about
somebody is sealed first, and a card number stays where it was typed.
"""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.payments.use_cases.operating import payment_named
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.search.pages.decisions import sought_decisions
from gatehouse.admin.search.use_cases.typed_text import (
    Meant,
    grouped_digits,
    meant_by,
    names_card,
)
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit

_CARD: Final = "cardNumber"
_HERE: Final = "/a/{account}/find"


def show_find(visit: Visit) -> Response:
    """The box as a page of its own, for browsers without scripts."""
    typed = visit.form["value"]
    found = _meant(visit, typed)
    # A card number is not shown again.
    shown = "" if any(each.who == _CARD for each in found) or names_card(typed) else typed
    return visit.render("find/find.html", found=found, typed=shown)


def find_typed(visit: Visit) -> Response:
    """Suggest what can be meant; or open what was picked of it, or the only thing there is."""
    typed = visit.form["value"]
    found = _meant(visit, typed)
    if visit.is_fragment:
        return visit.render("find/suggestions.html", found=found, typed=typed)
    pick = 0 if len(found) == 1 else read_number(visit.form["pick"])
    if pick is None or not 0 <= pick < len(found):
        return show_find(visit)
    chosen = found[pick]
    if chosen.who is not None:
        value = grouped_digits(typed) if chosen.who == _CARD else typed.strip()
        return sought_decisions(visit, chosen.who, value, {})
    if chosen.page == "decision":
        return visit.redirect("decision", id=chosen.shown)
    if chosen.page == "payment":
        return visit.redirect("payment", payment=chosen.shown)
    return visit.redirect(chosen.page, query=chosen.filters)


def _meant(visit: Visit, typed: str) -> list[Meant]:
    if not typed.strip():
        return []
    known = configurations.listing(*visit.opened, RULE_SETS)
    rules = dict.fromkeys(rule.name for each in known for rule in each.definition.rules)
    found = meant_by(typed, list(rules))
    if not names_card(typed):
        paid = payment_named(*visit.opened, typed.strip())
        found = [*([Meant("payment", page="payment", shown=paid)] if paid else []), *found]
    may_name_cards = visit.may(Permission.REVEAL)
    return [each for each in found if each.who != _CARD or may_name_cards]


PAGES: Final[Declarations] = (
    Page(_HERE, "find", show_find, permission=Permission.SEE),
    Action(f"{_HERE}/typed", "find-typed", find_typed, permission=Permission.SEE, again=show_find),
)
