"""Applies notifications that were kept, in the background of a server."""

import logging
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import KeptNotification, NotificationState
from gatehouse.admin.notifications.use_cases.applying import apply_kept
from gatehouse.core.defects import blanked
from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.requests.asking_gateway import MOST_ATTEMPTS, wait_ms
from gatehouse.store.state import lock_changes

_log: Final = logging.getLogger("gatehouse.notifications")
_AT_ONCE: Final = 100
_DEFECT: Final = "defect"


class NotificationWorker:
    """Applies what is due, each in a transaction of its own; several servers share the work."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session.acting_as(Actor.system("notifications"))

    def apply_due(self) -> int:
        """Apply what is due, at most a hundred; returns how many."""
        now_ms = self._session.clock()
        with self._session.reading() as connection:
            # Usually nothing is due: checking must not take the write lock.
            if not queries.anything_due(connection, now_ms):
                return 0
        for count in range(_AT_ONCE):
            if not self._apply_one(now_ms):
                return count
        return _AT_ONCE

    def tidy(self) -> None:
        """Delete those that are old."""
        now_ms = self._session.clock()
        with self._session.reading() as connection:
            is_due = queries.anything_old(connection, now_ms)
        while is_due:
            with self._session.writing() as connection:
                is_due = queries.delete_old(connection, now_ms) > 0

    def _apply_one(self, now_ms: int) -> bool:
        kept: KeptNotification | None = None
        try:
            with self._session.writing() as connection:
                # As every change: labels and outcomes of an account follow one after the other.
                lock_changes(connection)
                kept = queries.claim_next(connection, now_ms)
                if kept is None:
                    return False
                ended = apply_kept(Change(self._session, connection), kept)
        except StoreUnavailable:
            raise
        except Exception as error:
            if kept is None:
                raise
            defect = blanked(error, "a notification")
            _log.error("a notification could not be applied", exc_info=defect, extra=_about(kept))
            self._put_off(kept, now_ms)
        else:
            _log.info("a notification was looked at", extra=_about(ended))
        return True

    def _put_off(self, kept: KeptNotification, now_ms: int) -> None:
        """Try one again later that raised what nobody expected; others go on."""
        attempts = kept.attempts + 1
        is_over = attempts >= MOST_ATTEMPTS
        later = msgspec.structs.replace(
            kept,
            state=NotificationState.UNMATCHED if is_over else kept.state,
            attempts=attempts,
            changed_at_ms=now_ms,
            next_at_ms=None if is_over else now_ms + wait_ms(attempts),
            detail=_DEFECT,
        )
        with self._session.writing() as connection:
            queries.update(connection, later)


def _about(kept: KeptNotification) -> dict[str, object]:
    return {
        "notificationId": kept.id,
        "connector": kept.connector,
        "event": kept.event.value,
        "state": kept.state.value,
        "requestId": kept.request_id,
        "accountId": kept.account_id,
        "reason": kept.detail,
    }
