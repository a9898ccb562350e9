"""What providers told of an account's payments, and messages of which no payment is known."""

from collections.abc import Iterable
from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.types.desk import dispute_id
from gatehouse.admin.notifications.types import (
    NotificationPage,
    NotificationSearch,
    NotificationShown,
    NotificationState,
)
from gatehouse.admin.notifications.use_cases import installation, notifications
from gatehouse.admin.outcomes.types.outcome import OutcomeFilter, OutcomeKind, PaymentOutcome
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.admin.payments.types import PaymentShown
from gatehouse.admin.payments.use_cases import operating
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.errors import NotFound
from gatehouse.gateway.notifying import NotifiedEvent

_ON_A_PAGE: Final = 50
_FILTERS: Final = ("state", "event", "connector", "request")
_LONGEST: Final = 64
_OUTCOMES: Final = {
    NotifiedEvent.DISPUTED: OutcomeKind.DISPUTE,
    NotifiedEvent.FRAUD_REPORTED: OutcomeKind.FRAUD_REPORT,
}


def show_notifications(visit: Visit) -> Response:
    """The notifications that the filters of the address find, newest first."""
    kept = {each: visit.query[each].strip()[:_LONGEST] for each in _FILTERS}
    try:
        wanted = _wanted(visit, kept)
        found = notifications.list_notifications(*visit.opened, wanted)
    except FormRefused as refused:
        visit.problems = refused.problems
        found = NotificationPage([], has_more=False)
    more = {"after": found.notifications[-1].notification_id} if found.has_more else None
    return visit.render(
        "notifications/notifications.html",
        notifications=found.notifications,
        kept=kept,
        filtered=any(kept.values()),
        older=more and visit.url("notifications", {**kept, **more}),
        states=_choices(visit, "states", NotificationState),
        events=_choices(visit, "events", NotifiedEvent),
    )


def _choices(visit: Visit, kind: str, names: Iterable[str]) -> list[tuple[str, str]]:
    return [("", "–"), *((each, visit.text(f"notifications.{kind}.{each}")) for each in names)]


def _wanted(visit: Visit, kept: dict[str, str]) -> NotificationSearch:
    """The search of an address; or `FormRefused` about its fields."""
    given = {
        "limit": _ON_A_PAGE,
        "startingAfter": visit.query.get("after") or None,
        "requestId": kept["request"] or None,
        **{name: kept[name] or None for name in ("state", "event", "connector")},
    }
    try:
        return msgspec.convert(given, NotificationSearch)
    except msgspec.ValidationError:
        raise visit.refuse("", "notifications.problems.filter") from None


def show_notification(visit: Visit) -> Response:
    """One notification, and what its payment has from it."""
    shown = _notification(visit)
    payment = _payment(visit, shown)
    told = shown.notification_id
    return visit.render(
        "notifications/notification.html",
        notification=shown,
        payment=payment,
        changed=[each for each in payment.operations if each.notification_id == told]
        if payment
        else [],
        outcome=_outcome(visit, shown),
        dispute_id=dispute_id,
    )


def _notification(visit: Visit) -> NotificationShown:
    name = visit.place("notification")
    return notifications.get_notification(*visit.opened, name)


def _payment(visit: Visit, shown: NotificationShown) -> PaymentShown | None:
    """Its payment, unless it was reversed or deleted meanwhile."""
    if shown.request_id is None:
        return None
    try:
        return operating.get_payment(*visit.opened, shown.request_id)
    except NotFound:
        return None


def _outcome(visit: Visit, shown: NotificationShown) -> PaymentOutcome | None:
    """The dispute or the report of fraud that it told of."""
    kind = _OUTCOMES.get(shown.event)
    if kind is None or shown.request_id is None:
        return None
    wanted = OutcomeFilter(kind=kind, request_id=shown.request_id)
    found = list_outcomes(*visit.opened, wanted).outcomes
    return next((each for each in found if each.reference == shown.reference), None)


def apply(visit: Visit) -> Response:
    """Let its payment follow it as if it came now."""
    name = visit.place("notification")
    done = notifications.apply_notification(*visit.opened, name)
    notice = f"notifications.notices.{done.state}"
    return visit.redirect("notification", notification=name, notice=notice)


def show_unmatched(visit: Visit) -> Response:
    """Those of no payment that is known here."""
    found = installation.unmatched(visit.session, _ON_A_PAGE)
    return visit.render("notifications/unmatched.html", notifications=found)


def try_again(visit: Visit) -> Response:
    """Let a server look for their payments once more."""
    count = installation.try_unmatched(visit.session)
    notice = Notice("notifications.notices.tried", {"count": count})
    return visit.redirect("installation-notifications", notice=notice)


_ALL: Final = "/a/{account}/payments/notifications"
_ONE: Final = f"{_ALL}/{{notification}}"
_UNMATCHED: Final = "/installation/connectors/notifications"

PAGES: Final[Declarations] = (
    Page(_ALL, "notifications", show_notifications, does=notifications.list_notifications),
    Page(_ONE, "notification", show_notification, does=notifications.get_notification),
    Action(
        f"{_ONE}/apply",
        "notification-apply",
        apply,
        again=show_notification,
        does=notifications.apply_notification,
    ),
    Page(_UNMATCHED, "installation-notifications", show_unmatched, permission=Permission.OPERATE),
    Action(
        f"{_UNMATCHED}/again",
        "notifications-again",
        try_again,
        again=show_unmatched,
        permission=Permission.OPERATE,
    ),
)
