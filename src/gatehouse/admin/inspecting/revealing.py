"""Use case: note that a person looked at the personal data of a decision in full."""

from gatehouse.store.admin.admin_session import AdminSession


def note_decision_reveal(session: AdminSession, account_id: str, request_id: str) -> None:
    """Leave an audit line about the look."""
    session.actor.check_account(account_id)
    with session.change(unseen=True) as change:
        change.audit("data.reveal", account_id, what="decision", requestId=request_id)
