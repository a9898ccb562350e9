"""Use case: note that a person looked at an entity in full."""

from gatehouse.admin.entities.types import Entity, EntityTokens
from gatehouse.store.admin.admin_session import AdminSession


def note_entity_reveal(session: AdminSession, account_id: str, entity: Entity) -> None:
    """Leave an audit line about the look, which names the entity by its token alone."""
    session.actor.check_account(account_id)
    token = EntityTokens(session, account_id).token(entity)
    with session.change(unseen=True) as change:
        change.audit("data.reveal", account_id, what=entity.kind.value, entity=token)
