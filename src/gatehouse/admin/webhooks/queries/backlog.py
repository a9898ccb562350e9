"""What endpoints have not accepted yet: messages to try again, and events that nobody has read.

Events behind its cursor are counted by their types alone: which decisions it is told of shows when
they are read.
"""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.webhooks.queries import endpoints
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.core.ids import id_time_ms
from gatehouse.store.events import outbox
from gatehouse.store.tables import EVENTS, WEBHOOK_DELIVERIES, WEBHOOKS

MOST_COUNTED: Final = 10_000
"""Of the unread events of one endpoint."""
_W: Final = WEBHOOKS.c
_D: Final = WEBHOOK_DELIVERIES.c
_E: Final = EVENTS.c
_TRIED: Final = sa.select(
    sa.func.count(), sa.func.min(_D.event_id), sa.func.min(_D.next_at_ms)
).select_from(WEBHOOK_DELIVERIES)


class WebhookBacklog(msgspec.Struct, frozen=True):
    """What one endpoint, or all of them, have still to accept."""

    tried: int = 0
    """Messages that are tried again later."""
    unread: int = 0
    oldest_ms: int | None = None
    """When the oldest of it happened."""
    due_ms: int | None = None
    """When that was due which is to be sent first."""


def of_endpoint(connection: sa.Connection, kept: KeptWebhook) -> WebhookBacklog:
    """What one endpoint has still to accept."""
    tried, first_id, due_ms = connection.execute(
        _TRIED.where(_D.webhook_id == kept.webhook_id)
    ).one()
    place = outbox.place_of(connection, kept.account_id, kept.cursor)
    after = sa.tuple_(_E.xid, _E.seq) > sa.tuple_(*map(sa.literal, place))
    ranges = [
        sa.select(_E.at_ms)
        .where(_E.account_id == whose, after, _E.type.in_(sorted(kept.terms.types())))
        .order_by(_E.xid, _E.seq)
        .limit(MOST_COUNTED)
        .subquery()
        for whose in (kept.account_id, outbox.INSTALLATION)
    ]
    both = sa.union_all(*(sa.select(each) for each in ranges)).subquery()
    unread, unread_ms = connection.execute(
        sa.select(sa.func.count(), sa.func.min(both.c.at_ms))
    ).one()
    # In order, nothing is due before the first that was tried.
    unread_due_ms = None if tried and kept.terms.is_ordered else unread_ms
    tried_ms = None if first_id is None else id_time_ms(first_id)
    return WebhookBacklog(tried, unread, _first(tried_ms, unread_ms), _first(due_ms, unread_due_ms))


def of_all(connection: sa.Connection, now_ms: int) -> WebhookBacklog:
    """What all enabled endpoints have still to accept; of those that fail nothing is due."""
    read = EVENTS.alias()
    some = [
        sa.exists().where(
            _E.account_id == whose,
            sa.tuple_(_E.xid, _E.seq)
            > sa.tuple_(
                sa.func.coalesce(read.c.xid, outbox.BEGINNING.xid),
                sa.func.coalesce(read.c.seq, outbox.BEGINNING.seq),
            ),
        )
        for whose in (_W.account_id, outbox.INSTALLATION)
    ]
    tried = sa.exists().where(_D.webhook_id == _W.id)
    behind = (
        endpoints.live()
        .select_from(WEBHOOKS.outerjoin(read, read.c.id == _W.cursor))
        .where(_W.state == WebhookState.ENABLED, sa.or_(tried, *some))
    )
    found = WebhookBacklog()
    for row in connection.execute(behind).all():
        kept = endpoints.kept_webhook(row)
        one = of_endpoint(connection, kept)
        serves = kept.failing_since_ms is None and (kept.resume_at_ms or 0) <= now_ms
        found = WebhookBacklog(
            found.tried + one.tried,
            found.unread + one.unread,
            _first(found.oldest_ms, one.oldest_ms),
            _first(found.due_ms, one.due_ms if serves else None),
        )
    return found


def _first(*moments: Any) -> int | None:
    return min((each for each in moments if each is not None), default=None)
