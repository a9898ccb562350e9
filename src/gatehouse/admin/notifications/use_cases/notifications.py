"""What providers told of the payments of an account: looked at, and applied again."""

from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import (
    KeptNotification,
    NotificationId,
    NotificationPage,
    NotificationSearch,
    NotificationShown,
)
from gatehouse.admin.notifications.use_cases.applying import apply_kept, told_by
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change, Reading
from gatehouse.store.admin.use_case import use_case

_SCOPE: Final = "manage:payments"
_NONE: Final = Phrase("refused.notification_none", "the account has no notification {name}")


@use_case(
    "GET /notifications",
    scope=_SCOPE,
    permission=Permission.SEE,
    answers="notificationsResponse",
)
def list_notifications(
    reading: Reading, account_id: str, wanted: NotificationSearch
) -> NotificationPage:
    """List notifications.

    What providers told of the account's payments by themselves, newest first, and what became of
    it.
    """
    found = queries.listing(reading.connection, account_id, wanted)
    shown = [shown_notification(each) for each in found[: wanted.limit]]
    return NotificationPage(shown, len(found) > wanted.limit)


@use_case(
    "GET /notifications/{notificationId}",
    scope=_SCOPE,
    permission=Permission.SEE,
    answers="notificationResponse",
)
def get_notification(
    reading: Reading, account_id: str, notification_id: NotificationId
) -> NotificationShown:
    """Show a notification.

    What its provider told, and what became of it. The operations of its payment name the
    notification that told their end.
    """
    kept = queries.find(reading.connection, account_id, notification_id)
    if kept is None:
        raise NotFound(_NONE(name=notification_id))
    return shown_notification(kept)


@use_case(
    "POST /notifications/{notificationId}/apply",
    scope=_SCOPE,
    permission=Permission.PAYMENTS,
    answers="notificationResponse",
)
def apply_notification(
    change: Change, account_id: str, notification_id: NotificationId
) -> NotificationShown:
    """Apply a notification again.

    Lets the payment follow what its provider told, as if the notification came now. Nothing is
    done twice, and nothing newer is taken back.
    """
    kept = queries.find(change.connection, account_id, notification_id, lock=True)
    if kept is None:
        raise NotFound(_NONE(name=notification_id))
    ended = apply_kept(change, kept)
    change.audit("notification.apply", account_id, notificationId=kept.id, state=ended.state.value)
    return shown_notification(ended)


def shown_notification(kept: KeptNotification) -> NotificationShown:
    """A notification as faces show it."""
    told = told_by(kept)
    return NotificationShown(
        notification_id=kept.id,
        connector=kept.connector,
        event=kept.event,
        state=kept.state,
        request_id=kept.request_id,
        received_at=Moment(kept.received_at_ms),
        happened_at=moment(kept.at_ms),
        changed_at=Moment(kept.changed_at_ms),
        amount_minor=told.amount_minor,
        currency=told.currency,
        reference=told.case or told.operation_id,
        reason=kept.detail,
    )
