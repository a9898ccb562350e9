"""Use case: note that a person looked at personal data in full."""

from gatehouse.store.admin.admin_session import AdminSession


def note_reveal(session: AdminSession, account_id: str, what: str, about: str) -> None:
    """Leave an audit line about a look: `what` was revealed, and the id or token of it."""
    session.actor.check_account(account_id)
    with session.change(unseen=True) as change:
        change.audit("personal.reveal", account_id, what=what, about=about)
