"""Use case: who a row names, as somebody who acts again with the rights of this moment."""

import msgspec

from gatehouse.access.actors import Actor, ActorKind
from gatehouse.access.people import UserStatus
from gatehouse.access.visitors import Visitor
from gatehouse.admin.people.queries import own_roles, users
from gatehouse.store.accounts import keys
from gatehouse.store.admin.admin_session import AdminSession


def actor_named(session: AdminSession, account_id: str, named: str) -> Actor:
    """The actor of an account whose name was kept; `NotFound` for a key that was never there.

    A person who is gone, or has no role there any more, has no right.
    """
    session.actor.check_account(account_id)
    kind, _, name = named.partition(":")
    who = name.partition(" ")[0]
    if kind == ActorKind.KEY:
        with session.reading() as connection:
            scopes = keys.get(connection, account_id, who).scopes
        return Actor.key(name, account_id, scopes=scopes)
    if kind == ActorKind.USER:
        with session.reading() as connection:
            user = users.find(connection, session.ring, who)
        if user is None or user.status is not UserStatus.ACTIVE:
            return Actor.user(name, account_id)
        visitor = Visitor(
            user_id=user.user_id,
            login=name,
            name=user.name,
            session_id="",
            csrf_token="",
            roles=user.roles,
            composed=own_roles.held(session, user.roles),
            is_operator=user.is_operator,
            is_billing=user.is_billing,
        )
        return visitor.actor(account_id)
    return msgspec.structs.replace(Actor.operator(name), account_id=account_id)
