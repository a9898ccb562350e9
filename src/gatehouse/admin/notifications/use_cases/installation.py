"""What operators see of notifications: where providers send them, and those of no known payment."""

from typing import Final

from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import NotificationShown
from gatehouse.admin.notifications.use_cases.notifications import shown_notification
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.store.admin.admin_session import AdminSession

PATH: Final = "/api/v1/notifications/"


def address_of(ring: KeyRing, connector: str) -> str:
    """The last part of the path that the provider of a connector sends to.

    It follows from the connector's name and a key of the installation, so that nobody guesses it.
    What proves a message is its signature.
    """
    _, key = ring.current(keyring.API_KEYS)
    return f"in_{keyed_hash(key, f'notifications of {connector}'.encode())[:32]}"


def addresses(session: AdminSession) -> dict[str, str]:
    """The paths for the connectors whose mappings have a part for notifications."""
    session.actor.check_installation()
    found = connectors.find(session)
    named = {} if found is None else found.configuration.connectors
    return {
        name: f"{PATH}{address_of(session.ring, name)}"
        for name, definition in named.items()
        if definition.takes_notifications()
    }


def unmatched(session: AdminSession, limit: int) -> list[NotificationShown]:
    """Notifications of payments that are not known here, newest first."""
    with session.installation_reading() as connection:
        return [shown_notification(each) for each in queries.unmatched(connection, limit)]


def try_unmatched(session: AdminSession) -> int:
    """Let a server look for their payments once more; of how many."""
    with session.installation_change() as change:
        count = queries.try_unmatched(change.connection, change.now_ms)
        change.audit("notification.retry", count=count)
    return count
