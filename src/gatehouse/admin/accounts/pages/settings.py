"""What an account decides for itself: what it is told, and what results of checks become."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.pages.costs import cost_fields, set_costs
from gatehouse.admin.accounts.types import (
    FoundInputChoice,
    PreCheckPolicyBody,
    SentryPolicyBody,
)
from gatehouse.admin.accounts.use_cases import accounts, costs, found_inputs, order_page, policies
from gatehouse.admin.approvals.pages import changed
from gatehouse.admin.events.types import EventSettingsBody
from gatehouse.admin.events.use_cases.event_settings import (
    get_event_settings,
    operations,
    set_event_settings,
)
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.forms.numbers import read_within
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import EVERY_OPERATION
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import said_by
from gatehouse.precheck.advice import POLICY_ADVICES
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result

_LONGEST_NAME: Final = 100
# What matches is always accepted.
_AVS: Final = tuple(each for each in AvsResult if each is not AvsResult.FULL_MATCH)
_CVV2: Final = tuple(each for each in Cvv2Result if each is not Cvv2Result.MATCH)


def show_settings(visit: Visit) -> Response:
    """Everything that the account can decide."""
    wishes = get_event_settings(*visit.opened)
    low = wishes.low_balance
    kept = policies.get_policies(*visit.opened)
    filters = (each.partition(":") for each in wishes.decisions)
    told = {operation: outcomes.split(",") for operation, _, outcomes in filters}
    return visit.render(
        "settings/settings.html",
        threshold="" if low is None else visit.amount_to_type(low.micros),
        told=told,
        operations=(EVERY_OPERATION, *operations()),
        outcomes=tuple(Outcome),
        policy=(
            ("avs", _advised(_AVS, kept.precheck.avs)),
            ("cvv2", _advised(_CVV2, kept.precheck.cvv2)),
        ),
        advices=POLICY_ADVICES,
        entities=kept.sentry.entities,
        found=found_inputs.list_found_inputs(*visit.opened).inputs,
        costs=cost_fields(visit, kept.costs),
        longest_name=_LONGEST_NAME,
        hours=policies.review_target(*visit.opened),
        most_hours=policies.LONGEST_TARGET_HOURS,
        order_page=order_page.order_page(*visit.opened),
        longest_page=order_page.LONGEST_PAGE,
    )


def _advised(
    results: Sequence[AvsResult | Cvv2Result], policy: Mapping[Any, Advice]
) -> list[tuple[str, Advice]]:
    """Each result with what it becomes; an approval stays one unless it says otherwise."""
    return [(each, policy.get(each, Advice.ACCEPT)) for each in results]


def rename(visit: Visit) -> Response:
    """Give the account another name."""
    name = visit.entered("name")
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise visit.refuse("name", "settings.problems.name", most=_LONGEST_NAME)
    accounts.rename(*visit.opened, name)
    return _saved(visit)


def set_threshold(visit: Visit) -> Response:
    """Set the balance below which the account is told so."""
    micros = visit.read_amount("threshold", visit.entered("threshold") or "0")
    new = EventSettingsBody(low_balance=micros / MICROS_PER_UNIT)
    set_event_settings(*visit.opened, new)
    return _saved(visit)


def set_told(visit: Visit) -> Response:
    """Choose the decisions that are told as events."""
    filters = [
        f"{each}:{','.join(visit.chosen(f'outcomes.{each}'))}" for each in visit.chosen("told")
    ]
    set_event_settings(*visit.opened, EventSettingsBody(decisions=filters))
    return _saved(visit)


def set_policy(visit: Visit) -> Response:
    """Choose what an approved check becomes when address or security code do not match."""
    given = {
        part: {
            name.partition(".")[2]: value
            for name, value in visit.form.items()
            if name.startswith(f"{part}.")
        }
        for part in ("avs", "cvv2")
    }
    wanted = PreCheckPolicyBody.read(**given)
    return changed(visit, policies.set_precheck_policy, wanted) or _saved(visit)


def set_entities(visit: Visit) -> Response:
    """Choose the custom inputs that Sentry remembers."""
    keys = [line.strip() for line in visit.form["entities"].splitlines()]
    wanted = SentryPolicyBody([key for key in keys if key])
    return changed(visit, policies.set_sentry_policy, wanted) or _saved(visit)


def set_found(visit: Visit) -> Response:
    """Say whether a custom input that Sentry found is remembered."""
    wanted = FoundInputChoice(visit.form["key"], remembered=visit.form.get("remembered") == "yes")
    return changed(visit, found_inputs.set_found_input, wanted) or _saved(visit)


def set_target(visit: Visit) -> Response:
    """Set within how many hours reviews are to be resolved."""
    most = policies.LONGEST_TARGET_HOURS
    hours = read_within(visit.entered("hours"), 1, most)
    if hours is None:
        raise visit.refuse("hours", "settings.problems.hours", most=most)
    policies.set_review_target(*visit.opened, hours)
    return _saved(visit)


def set_order_page(visit: Visit) -> Response:
    """Say where the shop shows an order."""
    address = visit.entered("address")
    try:
        order_page.set_order_page(*visit.opened, address)
    except InvalidInput as refused:
        raise FormRefused({"address": visit.said(said_by(refused))}) from None
    return _saved(visit)


def _saved(visit: Visit) -> Response:
    return visit.redirect("settings", notice="settings.notices.saved")


_ALL: Final = "/a/{account}/settings"
_HERE: Final[dict[str, Any]] = {"again": show_settings}
_MAY: Final = Permission.ACCESS

PAGES: Final[Declarations] = (
    Page(_ALL, "settings", show_settings, does=policies.get_policies),
    Action(f"{_ALL}/name", "settings-name", rename, **_HERE, permission=_MAY),
    Action(
        f"{_ALL}/threshold", "settings-threshold", set_threshold, **_HERE, does=set_event_settings
    ),
    Action(f"{_ALL}/target", "settings-target", set_target, **_HERE, permission=_MAY),
    Action(f"{_ALL}/order", "settings-order", set_order_page, **_HERE, permission=_MAY),
    Action(f"{_ALL}/told", "settings-told", set_told, **_HERE, does=set_event_settings),
    Action(
        f"{_ALL}/policy", "settings-policy", set_policy, **_HERE, does=policies.set_precheck_policy
    ),
    Action(
        f"{_ALL}/entities",
        "settings-entities",
        set_entities,
        **_HERE,
        does=policies.set_sentry_policy,
    ),
    Action(
        f"{_ALL}/found", "settings-found", set_found, **_HERE, does=found_inputs.set_found_input
    ),
    Action(f"{_ALL}/costs", "settings-costs", set_costs, **_HERE, does=costs.set_costs),
)
