"""The audit log: showing its lines, and proving that none was changed, removed or inserted."""

from gatehouse.admin.scopes import installation_reading
from gatehouse.core import keyring
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.audit import AuditLine, AuditReport


def lines(session: AdminSession, account_id: str | None, limit: int) -> list[AuditLine]:
    """The newest lines, oldest first; of all accounts unless one is named."""
    if account_id is None:
        session.actor.check_installation()
    else:
        session.actor.check_account(account_id)
    with session.reading() as connection:
        return audit.read(connection, account_id, limit)


def verify(session: AdminSession) -> AuditReport:
    """Check the whole chain of lines."""
    _, key = session.ring.current(keyring.AUDIT)
    with installation_reading(session) as connection:
        return audit.verify(connection, key)
