"""Use case: find webhooks that send more than who set them up may read."""

import sqlalchemy as sa

from gatehouse.admin.people.use_cases.actors import actor_named
from gatehouse.admin.webhooks.queries import endpoints
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.core.errors import NotFound
from gatehouse.core.events import rights_of
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.audit import LineSearch


def beyond_their_makers(session: AdminSession) -> list[str]:
    """Enabled webhooks with who made or changed each last, if that actor may not read all of it.

    They are as old as the version that let anybody subscribe, or their maker has fewer rights now.
    Of a maker who is not known, nothing is known to be allowed.
    """
    session.actor.check_installation()
    with session.reading() as connection:
        made = [(each, _maker(connection, each)) for each in endpoints.enabled(connection)]
    return [
        f"{each.webhook_id} of {each.account_id}, by {maker or 'nobody who is known'}"
        for each, maker in made
        if not _may_read(session, each, maker)
    ]


def _maker(connection: sa.Connection, webhook: KeptWebhook) -> str | None:
    about = {"webhookId": webhook.webhook_id}
    for action in ("webhook.update", "webhook.create"):
        wanted = LineSearch(limit=1, action=action, about=about)
        for line in audit.search(connection, webhook.account_id, wanted):
            return line.actor
    return None


def _may_read(session: AdminSession, webhook: KeptWebhook, maker: str | None) -> bool:
    rights = rights_of(webhook.terms.types())
    try:
        known = maker is not None and actor_named(session, webhook.account_id, maker).may(*rights)
    except NotFound:
        known = False
    return known or not rights
